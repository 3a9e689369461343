//! How a command is started: by which shell, where, and fenced in by what.

use shellward_kit::Host;
use shellward_kit::contract::{
    Confinement, Container, EnvironmentChange, Keep, Language, Launch, RunPlace, Sandbox, ShellSession, Size, Stdin,
    Stdio, ToolCall,
};
use shellward_kit::machine::Memo;
use shellward_kit::shell;

use crate::failure::Failure;
use crate::own::{Kind, Own};
use crate::paths::Allowed;
use crate::settings::{Backend, Settings, Shell};

/// What stands in front of the call's id in the id of a command in the session.
pub const COMMAND: &str = "cmd_";
/// What stands in front of the call's id in the id of a task.
pub const TASK: &str = "task_";

/// The size of a session's terminal: wide, since programs fold their output at its edge.
const SIZE: Size = Size { rows: 40, columns: 160 };

/// How often a task's output is reported at most: ten times a second.
const REPORTS: u64 = 100;

/// Variables that would make the shell run more, or go elsewhere, than the text says: files read at its start,
/// options, and where `cd` looks.
const REMOVED: [&str; 6] = ["BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS", "CDPATH", "OLDPWD"];

/// The shell that the settings want.
///
/// # Errors
/// It is not installed.
pub fn shell<H: Host>(host: &H, settings: &Settings) -> Result<shell::Shell, Failure> {
    let names: &[&str] = match settings.shell {
        Shell::Auto => &["bash", "sh"],
        Shell::Bash => &["bash"],
        Shell::Zsh => &["zsh"],
        Shell::Sh => &["sh"],
    };
    if settings.backend == Backend::Container {
        // What is installed here is not there. Every image with a shell has `sh`, and few have another.
        let name = names.last().copied().unwrap_or("sh");
        return Ok(shell::Shell { program: format!("/bin/{name}"), language: shell::language(name) });
    }
    let found = names.iter().find_map(|name| shell::Shell::find(host, name));
    found.ok_or_else(|| Failure::SpawnFailed(format!("no shell '{}' is installed", names.join("' or '"))))
}

/// The language in which commands are read, whether or not the shell is installed.
#[must_use]
pub fn language<H: Host>(host: &H, settings: &Settings) -> Language {
    match (shell(host, settings), settings.shell) {
        (Ok(shell), _) => shell.language,
        (Err(_), Shell::Zsh) => Language::Zsh,
        (Err(_), Shell::Sh) => Language::Sh,
        (Err(_), Shell::Auto | Shell::Bash) => Language::Bash,
    }
}

/// Makes the launch of a command in the session's shell.
///
/// # Errors
/// The shell is not installed.
pub fn in_session<H: Host>(
    host: &H,
    settings: &Settings,
    allowed: &Allowed,
    call: &ToolCall,
    (command, timeout): (&str, u64),
    (directory, moved): (String, bool),
    notes: Vec<String>,
) -> Result<Launch, Failure> {
    let name = if settings.apart { "apart" } else { "terminal" };
    let session = ShellSession { name: name.into(), apart: settings.apart, moved };
    Ok(Launch {
        arguments: Vec::new(),
        stdio: if settings.apart { Stdio::Pipes(Stdin::Empty) } else { Stdio::Terminal(SIZE) },
        place: RunPlace::ShellSession(session),
        timeout: Some(timeout * 1000),
        memo: Memo::first(Own { kind: Kind::Command, notes, ..Own::default() }),
        ..plain(host, settings, allowed, call, (COMMAND, command), directory)?
    })
}

/// Makes the launch of a task.
///
/// # Errors
/// The shell is not installed.
pub fn task<H: Host>(
    host: &H,
    settings: &Settings,
    allowed: &Allowed,
    call: &ToolCall,
    command: &str,
    directory: String,
) -> Result<Launch, Failure> {
    let plain = plain(host, settings, allowed, call, (TASK, command), directory)?;
    Ok(Launch {
        at_most: Some(settings.max_tasks),
        block: Some(label(&plain.job)),
        report_output: Some(REPORTS),
        memo: Memo::first(Own { kind: Kind::Task, ..Own::default() }),
        ..plain
    })
}

/// The label of a task's document.
#[must_use]
pub fn label(task: &str) -> String {
    format!("process:{task}")
}

fn plain<H: Host>(
    host: &H,
    settings: &Settings,
    allowed: &Allowed,
    call: &ToolCall,
    (prefix, command): (&str, &str),
    directory: String,
) -> Result<Launch, Failure> {
    let head = settings.keep_output_bytes / 4;
    Ok(Launch {
        environment: REMOVED.iter().map(|name| EnvironmentChange { name: (*name).into(), value: None }).collect(),
        confinement: confinement(settings, allowed),
        keep: Keep { head, tail: settings.keep_output_bytes - head, stored: None },
        status: crate::advance::RUNNING.into(),
        ..shell::launch(prefix, call, shell(host, settings)?, command, directory)
    })
}

fn confinement(settings: &Settings, allowed: &Allowed) -> Confinement {
    match settings.backend {
        Backend::Local => Confinement::None,
        Backend::Sandbox => Confinement::Sandbox(Sandbox {
            writable: allowed.roots().to_vec(),
            readable: Vec::new(),
            network: settings.network,
        }),
        Backend::Container => Confinement::Container(Container {
            name: settings.container.clone(),
            writable: allowed.roots().to_vec(),
            readable: Vec::new(),
            network: settings.network,
        }),
    }
}
