//! Every way in which a call can fail: its code, its words as the specification has them, its reply.

use std::fmt;

use shellward_kit::arguments::ArgumentError;
use shellward_kit::contract::{Answer, Reply, StartError};
use shellward_kit::{reply, wording};

/// Why a call did not do what it was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// There is no such tool; its name.
    UnknownTool(String),
    /// An argument is missing or wrong; which.
    Arguments(String),
    /// The command needs a higher tier than is granted: which, and why, from "requires" on.
    PermissionDenied(String),
    /// A path is not among those allowed: which, and what to do.
    PathOutsideSandbox(String),
    /// The command is not let through: why.
    CommandDenied(String),
    /// The process could not be started: why.
    SpawnFailed(String),
    /// The session's shell could not do it: why.
    Pty(String),
    /// Another command runs in the session.
    Busy,
    /// The session has no such task; its id as given.
    UnknownTask(String),
    /// The task has ended.
    TaskCompleted,
    /// The command was cancelled before it ended.
    Cancelled,
}

impl Failure {
    /// Says what it means that a command could not be started.
    #[must_use]
    pub fn to_start(error: &StartError, in_session: bool) -> Self {
        match error {
            StartError::TooMany(1) if in_session => Self::Busy,
            StartError::Refused(refusal) => Self::CommandDenied(wording::refusal(refusal)),
            StartError::Unsupported(_) if in_session => Self::Pty(wording::start_error(error)),
            error => Self::SpawnFailed(wording::start_error(error)),
        }
    }

    /// Gives the stable word for it.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::UnknownTool(_) => "unknown_tool",
            Self::Arguments(_) => "invalid_arguments",
            Self::PermissionDenied(_) => "permission_denied",
            Self::PathOutsideSandbox(_) => "path_outside_sandbox",
            Self::CommandDenied(_) => "command_denied",
            Self::SpawnFailed(_) => "spawn_failed",
            Self::Pty(_) => "pty_error",
            Self::Busy => "session_busy",
            Self::UnknownTask(_) => "unknown_task",
            Self::TaskCompleted => "task_completed",
            Self::Cancelled => "cancelled",
        }
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
            Self::UnknownTool(name) => write!(out, "Unknown tool '{name}'. There is 'shell'."),
            Self::Arguments(message) => out.write_str(message),
            Self::PermissionDenied(why) => write!(out, "permission denied: {why}"),
            Self::PathOutsideSandbox(why) => write!(out, "path outside sandbox: {why}"),
            Self::CommandDenied(why) => write!(out, "command denied by policy: {why}"),
            Self::SpawnFailed(why) => write!(out, "process spawn failed: {why}"),
            Self::Pty(why) => write!(out, "pty error: {why}"),
            Self::Busy => out.write_str(
                "pty error: another command runs in this session, which runs one at a time. Wait for its answer, or \
                 start the command with op 'spawn'.",
            ),
            Self::UnknownTask(id) => write!(out, "unknown task: {id}"),
            Self::TaskCompleted => out.write_str("task already completed"),
            Self::Cancelled => out.write_str("the command was cancelled before it ended"),
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
