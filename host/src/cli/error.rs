//! What is said when a command cannot be done, and the exit code.

use std::io::Write;
use std::process::ExitCode;

use shellward::control::ControlError;
use shellward::mcp::{HttpError, TokenError};
use shellward::{BuildError, CacheError, Fault, LoadError, SourceError, StoreError, WatchError, settings};

/// How the program exits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exit {
    /// All went well.
    Success,
    /// The answer is an error, or the verdict is deny.
    Failure,
    /// Wrong usage or settings.
    Usage,
    /// The policy failed.
    Fault,
    /// The verdict is ask.
    Ask,
    /// The command took too long.
    Timeout,
    /// A signal ended this program's work.
    Interrupted,
    /// The command's own code.
    Command(u8),
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Success => 0,
            Exit::Failure => 1,
            Exit::Usage => 2,
            Exit::Fault => 3,
            Exit::Ask => 4,
            Exit::Timeout => 124,
            Exit::Interrupted => 130,
            Exit::Command(code) => code,
        })
    }
}

/// Why a command was not done.
#[derive(Debug, thiserror::Error)]
pub(super) enum CliError {
    #[error(transparent)]
    Build(#[from] BuildError),
    #[error(transparent)]
    Source(#[from] SourceError),
    #[error(transparent)]
    Settings(#[from] settings::Error),
    #[error(transparent)]
    Fault(#[from] Fault),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Cache(#[from] CacheError),
    #[error(transparent)]
    Control(#[from] ControlError),
    /// What was typed is of no use; what would be.
    #[error("{0}")]
    Usage(String),
    #[error(transparent)]
    Watch(#[from] WatchError),
    #[error(transparent)]
    Http(#[from] HttpError),
    #[error(transparent)]
    Token(#[from] TokenError),
    #[error("cannot write the answer: {0}")]
    Output(std::io::Error),
    #[error("cannot start a runtime: {0}")]
    Runtime(std::io::Error),
}

impl CliError {
    pub(super) fn exit(&self) -> Exit {
        match self {
            Self::Fault(_) | Self::Build(BuildError::Load(LoadError::Fault(_))) => Exit::Fault,
            Self::Output(_)
            | Self::Runtime(_)
            | Self::Control(_)
            | Self::Store(_)
            | Self::Http(HttpError::Listen(..) | HttpError::Serve(_)) => Exit::Failure,
            Self::Build(_)
            | Self::Source(_)
            | Self::Settings(_)
            | Self::Cache(_)
            | Self::Http(HttpError::Remote(_))
            | Self::Token(_)
            | Self::Watch(_)
            | Self::Usage(_) => Exit::Usage,
        }
    }

    pub(super) fn print(&self) {
        // A reader of our output that has gone away wants no complaint, and standard error may be gone too.
        if !matches!(self, Self::Output(error) if error.kind() == std::io::ErrorKind::BrokenPipe) {
            let _ = writeln!(std::io::stderr(), "shellward: {self}");
        }
    }
}
