//! The error table of the specification: every way in which a call can fail, its code and its words.

use std::fmt;

/// The longest `timeout_ms`.
pub const LONGEST_TIMEOUT: u64 = 600_000;

/// The stable word for a kind of error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// A parameter is missing or wrong, or the command is blocked.
    InvalidParam,
    /// The directory does not exist.
    NotFound,
    /// A path leads out of the project root.
    AccessDenied,
    /// The system does not permit it.
    PermissionDenied,
    /// The command ran into its timeout and had printed nothing.
    Timeout,
    /// Anything else.
    ExecutionError,
}

impl Code {
    /// Gives the word as it stands in `error.code`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::InvalidParam => "INVALID_PARAM",
            Self::NotFound => "NOT_FOUND",
            Self::AccessDenied => "ACCESS_DENIED",
            Self::PermissionDenied => "PERMISSION_DENIED",
            Self::Timeout => "TIMEOUT",
            Self::ExecutionError => "EXECUTION_ERROR",
        }
    }
}

/// A way in which a call fails. Where a variant holds a text, it follows the table's message and says more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The tool, the arguments as a whole, or one argument is wrong; the whole message.
    Argument(String),
    /// No command is given; more about it.
    CommandMissing(String),
    /// `timeout_ms` is not an integer in its range; what it is.
    TimeoutInvalid(String),
    /// There is no such directory; its path as given.
    DirectoryMissing(String),
    /// The path is something else than a directory; the path as given.
    NotADirectory(String),
    /// A path leads out of the root; which.
    OutsideRoot(String),
    /// A rule forbids the command; which words, which rule, what to do instead.
    Blocked(String),
    /// The system does not permit it; what.
    NotPermitted(String),
    /// The timeout ended it and it had printed nothing; what to do.
    TimedOut(String),
    /// Anything else; the details.
    Execution(String),
}

impl Failure {
    /// Gives the code that goes with it.
    #[must_use]
    pub fn code(&self) -> Code {
        match self {
            Self::Argument(_)
            | Self::CommandMissing(_)
            | Self::TimeoutInvalid(_)
            | Self::NotADirectory(_)
            | Self::Blocked(_) => Code::InvalidParam,
            Self::DirectoryMissing(_) => Code::NotFound,
            Self::OutsideRoot(_) => Code::AccessDenied,
            Self::NotPermitted(_) => Code::PermissionDenied,
            Self::TimedOut(_) => Code::Timeout,
            Self::Execution(_) => Code::ExecutionError,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Argument(message) => out.write_str(message),
            Self::CommandMissing(more) => followed(out, "Missing required parameter 'command'.", more),
            Self::TimeoutInvalid(more) => followed(out, "timeout_ms must be an integer between 1 and 600000.", more),
            Self::DirectoryMissing(path) => write!(out, "Directory '{path}' does not exist."),
            Self::NotADirectory(path) => write!(out, "'{path}' is not a directory."),
            Self::OutsideRoot(more) => followed(out, "Access denied. Path must be within project root.", more),
            Self::Blocked(more) => followed(out, "Command blocked by safety rules.", more),
            Self::NotPermitted(more) => followed(out, "Permission denied executing command.", more),
            Self::TimedOut(more) => followed(out, "Command timed out with no output.", more),
            Self::Execution(details) => write!(out, "Command failed: {details}"),
        }
    }
}

fn followed(out: &mut fmt::Formatter<'_>, message: &str, more: &str) -> fmt::Result {
    out.write_str(message)?;
    if more.is_empty() { Ok(()) } else { write!(out, " {more}") }
}

#[cfg(test)]
mod tests {
    use super::{Code, Failure};

    #[test]
    fn the_table_is_verbatim() {
        let none = String::new;
        let path = || "src/x".to_owned();
        for (failure, code, message) in [
            (Failure::CommandMissing(none()), Code::InvalidParam, "Missing required parameter 'command'."),
            (
                Failure::TimeoutInvalid(none()),
                Code::InvalidParam,
                "timeout_ms must be an integer between 1 and 600000.",
            ),
            (Failure::DirectoryMissing(path()), Code::NotFound, "Directory 'src/x' does not exist."),
            (Failure::NotADirectory(path()), Code::InvalidParam, "'src/x' is not a directory."),
            (Failure::OutsideRoot(none()), Code::AccessDenied, "Access denied. Path must be within project root."),
            (Failure::Blocked(none()), Code::InvalidParam, "Command blocked by safety rules."),
            (Failure::NotPermitted(none()), Code::PermissionDenied, "Permission denied executing command."),
            (Failure::TimedOut(none()), Code::Timeout, "Command timed out with no output."),
            (Failure::Execution("no bash".into()), Code::ExecutionError, "Command failed: no bash"),
        ] {
            assert_eq!(failure.code(), code);
            assert_eq!(failure.to_string(), message);
        }
    }

    #[test]
    fn details_follow_the_message() {
        let failure = Failure::Blocked("`sudo` raises privileges.".into());
        assert_eq!(failure.to_string(), "Command blocked by safety rules. `sudo` raises privileges.");
    }
}
