//! Everything that makes the answer an error.
//!
//! The specification's `ToolResult.error` has a code and a message, and hosts show a model the text alone; so the
//! text is `code: message`, and the code stands in the reply besides.

use shellward_kit::arguments::ArgumentError;
use shellward_kit::contract::{Reply, StartError};
use shellward_kit::{reply, wording};

const VALIDATION: &str = "validation_error";
const PERMISSION: &str = "permission_error";
const EXECUTION: &str = "execution_error";

/// Why there is no output to show.
#[derive(Clone, Debug, PartialEq)]
pub enum Failure {
    /// The arguments are wrong.
    Arguments(ArgumentError),
    /// The call is for a tool that this policy does not offer.
    UnknownTool(String),
    /// There is no such directory, or it is none: the path as given.
    NoDirectory(String),
    /// The directory may not be entered.
    ClosedDirectory(String),
    /// The directory is outside the project, and the settings restrict to it.
    OutsideProject(String),
    /// The shell of the settings is not installed.
    NoShell(String),
    /// The process could not be started.
    NotStarted(StartError),
    /// The command was cancelled and ended; what it had printed, formatted.
    Cancelled(String),
    /// The command was cancelled before its process had begun.
    NotBegun,
    /// The command was cancelled, and its process would not end.
    Abandoned,
    /// The host was restarted meanwhile.
    Lost,
    /// The host did what its contract rules out.
    Unexpected,
}

impl From<ArgumentError> for Failure {
    fn from(error: ArgumentError) -> Self {
        Self::Arguments(error)
    }
}

impl Failure {
    /// Words the answer.
    pub fn reply(&self) -> Reply {
        let code = self.code();
        reply::error(code, format!("{code}: {}", self.message()))
    }

    fn code(&self) -> &'static str {
        match self {
            Failure::Arguments(_)
            | Failure::UnknownTool(_)
            | Failure::NoDirectory(_)
            | Failure::NotStarted(StartError::DirectoryMissing(_)) => VALIDATION,
            Failure::ClosedDirectory(_)
            | Failure::OutsideProject(_)
            | Failure::NotStarted(StartError::PermissionDenied(_) | StartError::Refused(_)) => PERMISSION,
            Failure::NoShell(_)
            | Failure::NotStarted(_)
            | Failure::Cancelled(_)
            | Failure::NotBegun
            | Failure::Abandoned
            | Failure::Lost
            | Failure::Unexpected => EXECUTION,
        }
    }

    fn message(&self) -> String {
        match self {
            Failure::Arguments(
                ArgumentError::Missing { name: "command" } | ArgumentError::Empty { name: "command", .. },
            ) => "Parameter 'command' is required and cannot be empty".into(),
            Failure::Arguments(error) => error.to_string(),
            Failure::UnknownTool(tool) => format!("There is no tool '{tool}'; the tool is 'exec'"),
            Failure::NoDirectory(path) | Failure::NotStarted(StartError::DirectoryMissing(path)) => {
                format!("Working directory does not exist: {path}")
            }
            Failure::ClosedDirectory(path) => format!("Permission denied: working directory {path} may not be entered"),
            Failure::OutsideProject(path) => {
                format!("Permission denied: working directory {path} is outside the project")
            }
            Failure::NoShell(name) => format!(
                "Failed to start process: the shell '{name}' is not installed; install it or change `shell` in [tools.exec]"
            ),
            Failure::NotStarted(StartError::PermissionDenied(what)) => format!("Permission denied: {what}"),
            Failure::NotStarted(error @ StartError::Refused(_)) => {
                format!("Permission denied: {}", wording::start_error(error))
            }
            Failure::NotStarted(error) => format!("Failed to start process: {}", wording::start_error(error)),
            Failure::Cancelled(output) => format!("Error: the command was cancelled before it ended\n\n{output}"),
            Failure::NotBegun => "Error: the command was cancelled before it began".into(),
            Failure::Abandoned => {
                "Error: the command was cancelled; its process has not ended 5 seconds after SIGKILL".into()
            }
            Failure::Lost => "Error: the host was restarted while the command ran; how it ended is not known".into(),
            Failure::Unexpected => "Error: the host lost track of the command; how it ended is not known".into(),
        }
    }
}
