//! What a job's memo keeps beside the machine's phase.

use serde::{Deserialize, Serialize};
use shellward_kit::contract::Job;
use shellward_kit::machine::Memo;

/// The policy's own data about a job.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Own {
    /// What it is.
    pub kind: Kind,
    /// Of a command in the session: the directory in which the next one finds the shell; none until it has ended,
    /// and where the shell was lost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directory: Option<String>,
    /// The directory outside the allowed paths in which the command has left the shell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub escaped: Option<String>,
    /// Whether the session's shell ended with the command.
    #[serde(default)]
    pub lost: bool,
    /// Whether the command was ended because it waited for input.
    #[serde(default)]
    pub waiting: bool,
    /// Whether its document was pinned by hand, and stays so.
    #[serde(default)]
    pub keep: bool,
    /// What the answer is to say besides.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// What a job is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A command in the session's shell.
    #[default]
    Command,
    /// A process of its own, with a live document.
    Task,
}

impl Own {
    /// Reads it from a job; none where the memo is not one of this policy's.
    #[must_use]
    pub fn of(job: &Job) -> Option<Self> {
        Memo::read(job).map(|memo| memo.own)
    }
}
