//! Every way in which a call can fail: its code, its words with what to do about it, its reply.

use std::fmt;

use shellward_judge::basic::Judgement;
use shellward_kit::arguments::ArgumentError;
use shellward_kit::contract::{Answer, InputError, Reply, StartError, WatchError};
use shellward_kit::{reply, wording};

/// Why a call did not do what it was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// There is no such tool; its name.
    UnknownTool(String),
    /// A parameter is missing, wrong, or belongs to another action; which, and what would be right.
    Parameter(String),
    /// A watch's pattern is wrong; which, where and how.
    Watch(String),
    /// The command, or what was to be typed, is not let through; why, and what to do instead.
    Blocked(String),
    /// The session has no such run; its id as given.
    RunNotFound(String),
    /// The run cannot take what was sent; why, and what to do.
    RunNotRunning(String),
    /// The host that had the run in hand is gone, and none has taken it over yet; its id.
    RunUnattended(String),
    /// The run takes no input, or not this one; why, and what to do.
    InputUnavailable(String),
    /// So much input waits already that no more is taken.
    InputFull,
    /// As many commands run as may; how many.
    TooMany(u32),
    /// No shell is installed; which were looked for.
    NoShell(&'static str),
    /// The host cannot do it; what.
    Unsupported(String),
    /// What is kept of the run cannot be read; the details, with what to do.
    StoreFailed(String),
    /// The command was ended before it had ended by itself.
    Cancelled,
    /// The system or the host could not do it; the details.
    Io(String),
}

impl Failure {
    /// Says what speaks strictest against a text.
    #[must_use]
    pub fn blocked(what: &str, judgement: &Judgement) -> Self {
        Self::Blocked(match judgement.first() {
            Some(first) if first.contains.is_empty() => format!("{what} {}. {}", first.what, first.hint),
            Some(first) => format!("`{}` {}. {}", first.contains, first.what, first.hint),
            None => format!("{what} is not allowed."),
        })
    }

    /// Says what it means that a command could not be started.
    #[must_use]
    pub fn to_start(error: &StartError) -> Self {
        match error {
            StartError::TooMany(most) => Self::TooMany(*most),
            StartError::WatchInvalid(WatchError { index, offset, message }) => Self::Watch(format!(
                "Parameter 'watch[{index}].regex' is wrong at byte {offset}: {message}. Patterns are regular expressions \
                 without look-around and back-references."
            )),
            StartError::Refused(refusal) => Self::Blocked(format!("The command is {}.", wording::refusal(refusal))),
            StartError::Unsupported(what) => Self::Unsupported(what.clone()),
            StartError::ProgramMissing(_)
            | StartError::DirectoryMissing(_)
            | StartError::PermissionDenied(_)
            | StartError::TooLong(_)
            | StartError::Resources(_)
            | StartError::Invalid(_)
            | StartError::Other(_) => Self::Io(wording::start_error(error)),
        }
    }

    /// Says what it means that a run did not take its input.
    #[must_use]
    pub fn to_write(error: &InputError, run: &str) -> Self {
        match error {
            InputError::NotFound => Self::RunNotFound(run.into()),
            InputError::NotRunning => Self::RunNotRunning(format!("Run {run} has ended; poll it for its end.")),
            InputError::Unavailable => Self::InputUnavailable(format!(
                "The input of run {run} is closed. Spawn the command again to type more into it."
            )),
            InputError::Full => Self::InputFull,
            InputError::Refused(refusal) => Self::Blocked(format!("The input is {}.", wording::refusal(refusal))),
        }
    }

    /// Gives the stable word for it.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::UnknownTool(_) => "unknown_tool",
            Self::Parameter(_) => "invalid_parameter",
            Self::Watch(_) => "invalid_watch",
            Self::Blocked(_) => "blocked",
            Self::RunNotFound(_) => "run_not_found",
            Self::RunNotRunning(_) => "run_not_running",
            Self::RunUnattended(_) => "run_unattended",
            Self::InputUnavailable(_) => "input_unavailable",
            Self::InputFull => "input_full",
            Self::TooMany(_) => "too_many_running",
            Self::NoShell(_) => "no_shell",
            Self::Unsupported(_) => "unsupported",
            Self::StoreFailed(_) => "store_failed",
            Self::Cancelled => "cancelled",
            Self::Io(_) => "io_error",
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
            Self::UnknownTool(name) => write!(out, "Unknown tool '{name}'. This policy offers 'shell'."),
            Self::Parameter(message)
            | Self::Watch(message)
            | Self::Blocked(message)
            | Self::RunNotRunning(message)
            | Self::InputUnavailable(message) => out.write_str(message),
            Self::RunNotFound(id) => write!(
                out,
                "Run not found: {id}. Give the run_id that spawn answered, in the session that spawned it; runs that \
                 ended long ago are forgotten."
            ),
            Self::RunUnattended(id) => write!(
                out,
                "The host that ran {id} is gone, so nothing reaches it. The next host that serves this project takes it \
                 over; send this again then."
            ),
            Self::InputFull => out.write_str(
                "The run has not read what was typed before, and no more is taken. Poll it, and send the keys again.",
            ),
            Self::TooMany(most) => write!(
                out,
                "{most} commands run already, and no more may. Wait for one to end, or use action 'spawn', which waits \
                 in line."
            ),
            Self::NoShell(names) => write!(out, "No shell is installed: there is no {names}."),
            Self::Unsupported(what) => write!(out, "This host cannot do it: {what}."),
            Self::StoreFailed(why) => write!(out, "What is kept of the run cannot be read: {why}."),
            Self::Cancelled => out.write_str("The command was ended before it was done."),
            Self::Io(details) => write!(out, "The command could not be run: {details}."),
        }
    }
}

impl From<ArgumentError> for Failure {
    fn from(error: ArgumentError) -> Self {
        Self::Parameter(error.to_string())
    }
}

impl From<Failure> for Answer {
    fn from(failure: Failure) -> Self {
        Answer::Reply(failure.reply())
    }
}
