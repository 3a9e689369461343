//! How a command is started: by which shell, in which environment, and what a failure to start means.

use crate::directory::Directory;
use crate::errors::Failure;
use crate::params::Params;
use crate::settings::{Settings, Shell};
use serde::{Deserialize, Serialize};
use shellward_judge::contract_language;
use shellward_kit::Host;
use shellward_kit::contract::{
    Confinement, EnvironmentChange, Keep, Launch, RunPlace, StartError, Stdin, Stdio, ToolCall,
};
use shellward_kit::machine::Memo;

/// What a job's memo keeps beside the machine's phase.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Own {
    /// The directory relative to the root, as it was when the command was started.
    pub directory: String,
}

/// Variables that would make the shell run more, or go elsewhere, than the text says: files read at its start,
/// options, and where `cd` looks.
const REMOVED: [&str; 6] = ["BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS", "CDPATH", "OLDPWD"];

/// A shell that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its path; none where it is not installed.
    pub program: Option<String>,
    /// How it reads a text.
    pub language: shellward_syntax::Language,
    name: &'static str,
}

/// Finds the shell that the settings want.
#[must_use]
pub fn shell<H: Host>(host: &H, settings: &Settings) -> Found {
    let bash = |program| Found { program, language: shellward_syntax::Language::Bash, name: "bash" };
    let sh = |name| Found { program: host.find_program("sh"), language: shellward_syntax::Language::Sh, name };
    match settings.shell {
        Shell::Bash => bash(host.find_program("bash")),
        Shell::Sh => sh("sh"),
        Shell::Auto => match host.find_program("bash") {
            Some(program) => bash(Some(program)),
            None => sh("bash' or 'sh"),
        },
    }
}

/// Makes the launch of a command.
///
/// # Errors
/// There is no such shell.
pub fn launch(
    call: &ToolCall,
    params: &Params,
    directory: &Directory,
    shell: &Found,
    settings: &Settings,
) -> Result<Launch, Failure> {
    let Some(program) = shell.program.clone() else {
        return Err(Failure::Execution(format!("no shell '{}' is installed.", shell.name)));
    };
    let head = settings.keep_output_bytes / 2;
    Ok(Launch {
        job: ["bash_", &call.id].concat(),
        session: call.session.clone(),
        command: params.command.clone(),
        language: contract_language(shell.language),
        program,
        arguments: vec!["-c".to_owned(), params.command.clone()],
        directory: directory.absolute.clone(),
        environment: environment(directory),
        stdio: Stdio::Pipes(Stdin::Empty),
        place: RunPlace::OwnProcess,
        confinement: Confinement::None,
        keep: Keep { head, tail: settings.keep_output_bytes - head, stored: None },
        durable: false,
        lane: None,
        lane_width: 1,
        at_most: settings.max_running,
        watches: Vec::new(),
        block: None,
        timeout: Some(params.timeout_ms),
        report_output: None,
        status: "starting".to_owned(),
        memo: Memo::first(Own { directory: directory.relative.clone() }),
    })
}

fn environment(directory: &Directory) -> Vec<EnvironmentChange> {
    let set = |name: &str, value: &str| EnvironmentChange { name: name.to_owned(), value: Some(value.to_owned()) };
    let mut changes = vec![set("MYCODEAGENT", "1"), set("PWD", &directory.absolute)];
    changes.extend(REMOVED.map(|name| EnvironmentChange { name: name.to_owned(), value: None }));
    changes
}

/// Says what it means that a command could not be started.
#[must_use]
pub fn refused(error: StartError) -> Failure {
    match error {
        StartError::ProgramMissing(program) => Failure::Execution(format!("the shell '{program}' is not there.")),
        StartError::DirectoryMissing(path) => Failure::DirectoryMissing(path),
        StartError::PermissionDenied(what) => Failure::NotPermitted(what),
        StartError::TooMany(most) => Failure::Execution(format!(
            "{most} commands run already, and that is all that may. Wait for one to end, then try again."
        )),
        StartError::TooLong(what) => Failure::Execution(format!(
            "the command is longer than the system takes ({what}). Write it to a script file and run that."
        )),
        StartError::Resources(what) => {
            Failure::Execution(format!("the system has no more resources ({what}). Try again later."))
        }
        StartError::WatchInvalid(watch) => Failure::Execution(watch.message),
        StartError::Refused(refusal) => {
            let reasons = refusal.findings.iter().map(|finding| match &finding.hint {
                Some(hint) => format!("{} {hint}", finding.message),
                None => finding.message.clone(),
            });
            let reasons: Vec<String> = reasons.collect();
            Failure::Blocked(format!("'{}' says: {}", refusal.by, reasons.join(" ")))
        }
        StartError::Unsupported(what) => Failure::Execution(format!("this host has no {what}.")),
        StartError::Invalid(what) | StartError::Other(what) => Failure::Execution(what),
    }
}
