//! Every way in which a call can fail: its code, its words as the specification has them, its reply.

use std::fmt;

use shellward_kit::arguments::ArgumentError;
use shellward_kit::contract::{Answer, Decision, Finding, Language, Reply, StartError, Verdict};
use shellward_kit::{reply, wording};

use crate::shells::reads;

/// Why a call did not do what it was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The settings do not enable the tools.
    Disabled,
    /// There is no such tool; its name.
    UnknownTool(String),
    /// An argument is missing or wrong; which.
    Arguments(String),
    /// The shell that the settings want is not installed; its name or path.
    ShellNotInstalled(String),
    /// The command is not let through: the words that decided, and why, as whole sentences.
    Blocked {
        /// The words.
        contains: String,
        /// Why, and what to do instead.
        why: String,
    },
    /// A guard, or the host, does not let the command through; its words.
    Refused(String),
    /// The directory is outside the project's root; as given.
    WorkingDirEscape(String),
    /// There is no such directory; as given.
    WorkingDirNotFound(String),
    /// The session has no such background job; its id as given.
    JobNotFound(String),
    /// The job has ended.
    JobNotRunning,
    /// The host cannot run commands in the background.
    BackgroundNotConfigured,
    /// As many commands run as may; how many.
    TooManyProcesses(u32),
    /// The command was cancelled before it ended.
    Cancelled,
    /// The system or the host could not do it; the details.
    Io(String),
}

impl Failure {
    /// Says what it means that a command could not be started.
    #[must_use]
    pub fn to_start(error: &StartError, background: bool) -> Self {
        match error {
            StartError::ProgramMissing(program) => Self::ShellNotInstalled(program.clone()),
            StartError::DirectoryMissing(path) => Self::WorkingDirNotFound(path.clone()),
            StartError::TooMany(most) => Self::TooManyProcesses(*most),
            StartError::Refused(refusal) => Self::Refused(wording::refusal(refusal)),
            StartError::Unsupported(_) if background => Self::BackgroundNotConfigured,
            StartError::PermissionDenied(_)
            | StartError::TooLong(_)
            | StartError::Resources(_)
            | StartError::WatchInvalid(_)
            | StartError::Unsupported(_)
            | StartError::Invalid(_)
            | StartError::Other(_) => Self::Io(wording::start_error(error)),
        }
    }

    /// Gives the stable word for it.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Disabled => "shell_disabled",
            Self::UnknownTool(_) => "unknown_tool",
            Self::Arguments(_) => "invalid_arguments",
            Self::ShellNotInstalled(_) => "shell_not_installed",
            Self::Blocked { .. } | Self::Refused(_) => "blocked_command",
            Self::WorkingDirEscape(_) => "working_dir_escape",
            Self::WorkingDirNotFound(_) => "working_dir_not_found",
            Self::JobNotFound(_) => "job_not_found",
            Self::JobNotRunning => "job_not_running",
            Self::BackgroundNotConfigured => "background_not_configured",
            Self::TooManyProcesses(_) => "too_many_processes",
            Self::Cancelled => "cancelled",
            Self::Io(_) => "io_error",
        }
    }

    /// Puts it in front of what is found of a command that no call runs.
    #[must_use]
    pub fn against(&self, mut verdict: Verdict) -> Verdict {
        let (decision, code, message) = (Decision::Deny, self.code().into(), self.to_string());
        verdict.decision = decision;
        verdict.findings.insert(0, Finding { decision, code, message, hint: None, span: None });
        verdict
    }

    /// Makes the reply.
    #[must_use]
    pub fn reply(&self) -> Reply {
        reply::failure(self.code(), self.to_string())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Disabled => out.write_str(
                "The shell tools are disabled. To enable them, write `[tools.shell]` and under it `enabled = true` \
                 into .shellward/config.toml in the project.",
            ),
            Self::UnknownTool(name) => write!(
                out,
                "Unknown tool '{name}'. There are 'shell', 'shell_job_status', 'shell_jobs' and 'shell_job_cancel'."
            ),
            Self::Arguments(message) => out.write_str(message),
            Self::ShellNotInstalled(shell) if reads(shell) == Some(Language::Nu) => {
                write!(out, "Shell not installed: {shell}. Install from https://nushell.sh")
            }
            Self::ShellNotInstalled(shell) => write!(
                out,
                "Shell not installed: {shell}. Install it, or set another `shell` in [tools.shell]: nu, bash, zsh or sh"
            ),
            Self::Blocked { contains, why } if contains.is_empty() => write!(out, "Command blocked. {why}"),
            Self::Blocked { contains, why } => write!(out, "Command blocked: contains '{contains}'. {why}"),
            Self::Refused(why) => write!(out, "Command blocked: {why}"),
            Self::WorkingDirEscape(path) => write!(out, "Working directory '{path}' is outside project root"),
            Self::WorkingDirNotFound(path) => write!(out, "Working directory not found: {path}"),
            Self::JobNotFound(id) => write!(out, "Job not found: {id}"),
            Self::JobNotRunning => out.write_str("Job is not running"),
            Self::BackgroundNotConfigured => out.write_str("Background execution not configured"),
            Self::TooManyProcesses(most) => write!(
                out,
                "Too many processes: {most} run already, and no more may. Wait for one to end, or end a background \
                 job with shell_job_cancel."
            ),
            Self::Cancelled => out.write_str("The command was cancelled before it ended"),
            Self::Io(details) => write!(out, "IO error: {details}"),
        }
    }
}

impl From<ArgumentError> for Failure {
    fn from(error: ArgumentError) -> Self {
        Self::Arguments(error.to_string())
    }
}

impl From<Failure> for Answer {
    fn from(failure: Failure) -> Self {
        Answer::Reply(failure.reply())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_error_of_the_specification_is_worded_as_there() {
        let text = || "x".to_owned();
        let cases = [
            (
                Failure::ShellNotInstalled("nu".into()),
                "shell_not_installed",
                "Shell not installed: nu. Install from https://nushell.sh",
            ),
            (
                Failure::Blocked { contains: text(), why: "Because.".into() },
                "blocked_command",
                "Command blocked: contains 'x'. Because.",
            ),
            (Failure::WorkingDirEscape(text()), "working_dir_escape", "Working directory 'x' is outside project root"),
            (Failure::WorkingDirNotFound(text()), "working_dir_not_found", "Working directory not found: x"),
            (Failure::JobNotFound(text()), "job_not_found", "Job not found: x"),
            (Failure::JobNotRunning, "job_not_running", "Job is not running"),
            (Failure::BackgroundNotConfigured, "background_not_configured", "Background execution not configured"),
            (Failure::Io(text()), "io_error", "IO error: x"),
        ];
        for (failure, code, message) in cases {
            let reply = failure.reply();
            assert_eq!((failure.code(), failure.to_string().as_str()), (code, message));
            assert_eq!((reply.is_error, reply.code.as_deref(), reply.text.as_str()), (true, Some(code), message));
            let body = format!(r#"{{"error":"{code}","message":"{message}"}}"#);
            assert_eq!(reply.structured.as_deref(), Some(body.as_str()));
        }
    }

    #[test]
    fn errors_of_the_start_become_those_of_the_specification() {
        let text = || "x".to_owned();
        let cases = [
            (StartError::ProgramMissing(text()), "shell_not_installed"),
            (StartError::DirectoryMissing(text()), "working_dir_not_found"),
            (StartError::TooMany(10), "too_many_processes"),
            (StartError::PermissionDenied(text()), "io_error"),
            (StartError::TooLong(text()), "io_error"),
            (StartError::Resources(text()), "io_error"),
            (StartError::Invalid(text()), "io_error"),
            (StartError::Other(text()), "io_error"),
        ];
        for (error, code) in cases {
            assert_eq!(Failure::to_start(&error, false).code(), code, "{error:?}");
            assert_eq!(Failure::to_start(&error, true).code(), code, "{error:?}");
        }
        let unsupported = StartError::Unsupported(text());
        assert_eq!(Failure::to_start(&unsupported, true), Failure::BackgroundNotConfigured);
        assert_eq!(Failure::to_start(&unsupported, false).code(), "io_error");
    }
}
