//! A job's memo: where it stands, and what the policy keeps beside.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::contract::Job;

use super::phase::Phase;

/// What stands in a job's memo.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Memo<T> {
    /// Where the job stands.
    pub phase: Phase,
    /// The policy's own data about the job.
    pub own: T,
}

impl<T: Serialize + DeserializeOwned> Memo<T> {
    /// Gives the memo for a launch.
    pub fn first(own: T) -> String {
        Memo { phase: Phase::Starting, own }.write()
    }

    /// Reads a job's memo; none where it is not one of ours, as after a swap of policies.
    pub fn read(job: &Job) -> Option<Self> {
        serde_json::from_str(&job.memo).ok()
    }

    /// Writes the memo as JSON.
    pub fn write(&self) -> String {
        // Writing fails only for maps whose keys are no strings, which no policy keeps; such a memo is read as none.
        serde_json::to_string(self).unwrap_or_else(|_| "null".into())
    }
}

impl<T> Memo<T> {
    /// Makes a memo from what the host knows of a job, for one whose memo cannot be read.
    pub fn guess(job: &Job, own: T) -> Self {
        let phase = if job.started_at.is_some() { Phase::Running } else { Phase::Starting };
        Self { phase, own }
    }
}
