//! Shells, and the plain way to run a command in one.

use crate::contract::{Confinement, Keep, Language, Launch, RunPlace, Stdin, Stdio, ToolCall};
use crate::host::Host;

/// A shell that is installed.
#[derive(Clone, Debug, PartialEq)]
pub struct Shell {
    /// Its program, absolute.
    pub program: String,
    /// The language it reads.
    pub language: Language,
}

impl Shell {
    /// Finds a shell by name or path; none where it is not installed.
    pub fn find<H: Host>(host: &H, name: &str) -> Option<Self> {
        Some(Self { program: host.find_program(name)?, language: language(name) })
    }
}

/// Gives the language that a shell of this name or path reads; `sh` for those that are not known.
pub fn language(shell: &str) -> Language {
    match shell.rsplit('/').next().unwrap_or(shell) {
        "bash" => Language::Bash,
        "zsh" => Language::Zsh,
        "nu" => Language::Nu,
        _ => Language::Sh,
    }
}

/// Makes the launch of `SHELL -c COMMAND` in a directory: two pipes, nothing to read, no limits, nothing durable.
///
/// A policy sets the rest: `keep`, `timeout`, `status`, `memo` and what else it needs.
pub fn launch(prefix: &str, call: &ToolCall, shell: Shell, command: &str, directory: String) -> Launch {
    Launch {
        job: format!("{prefix}{}", call.id),
        session: call.session.clone(),
        command: command.into(),
        language: shell.language,
        program: shell.program,
        arguments: vec!["-c".into(), command.into()],
        directory,
        environment: Vec::new(),
        stdio: Stdio::Pipes(Stdin::Empty),
        place: RunPlace::OwnProcess,
        confinement: Confinement::None,
        keep: Keep { head: 0, tail: 0, stored: None },
        durable: false,
        lane: None,
        lane_width: 1,
        at_most: None,
        watches: Vec::new(),
        block: None,
        timeout: None,
        report_output: None,
        status: "starting".into(),
        memo: "null".into(),
    }
}
