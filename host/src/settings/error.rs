//! What is said about settings that are no good.

use std::fmt;
use std::io;
use std::path::PathBuf;

/// One thing that is wrong, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complaint {
    /// File and line, or the environment variable.
    pub place: String,
    /// The key, with the tables it stands in.
    pub key: String,
    /// What is wrong, and what would be right.
    pub message: String,
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: `{}`: {}", self.place, self.key, self.message)
    }
}

/// Why settings are refused.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file cannot be read.
    #[error("cannot read the settings file {path}: {error}", path = .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's words.
        error: io::Error,
    },
    /// A file is not TOML.
    #[error("{path}:{line}: not valid TOML: {message}", path = .path.display())]
    Toml {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        message: String,
    },
    /// Keys or values are wrong.
    #[error("{}", list(.0))]
    Refused(Vec<Complaint>),
}

fn list(complaints: &[Complaint]) -> String {
    complaints.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}
