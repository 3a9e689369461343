//! Where a job stands.

use serde::{Deserialize, Serialize};

use crate::contract::{Ending, StartError};

/// Where a job stands. It is kept in the job's memo, so a later version of a policy must still read it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// The process does not run yet: it waits in a line, or has just been started.
    Starting,
    /// The process runs.
    Running,
    /// The process was asked, or made, to end and has not ended yet.
    Stopping {
        /// Why.
        reason: Reason,
        /// When it was first asked to, in microseconds since it started.
        asked_at: u64,
        /// How far it went.
        asked: Asked,
    },
    /// The job has ended.
    Ended(End),
}

/// How a process that is to end was last asked, from mildest to strictest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Asked {
    /// With SIGINT.
    Interrupted,
    /// With SIGTERM.
    Terminated,
    /// With SIGKILL.
    Killed,
}

/// Why a job is being stopped. A later, greater reason replaces the one before, never the other way round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// It took too long.
    TimedOut,
    /// Somebody asked for it.
    Cancelled,
}

/// How a job ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// Its process ran to its own end.
    Completed,
    /// Its process could not be started.
    NotStarted(StartError),
    /// It was stopped.
    Stopped {
        /// Why.
        reason: Reason,
        /// Whether its process had not ended some time after SIGKILL, so that nobody waits for it any longer.
        abandoned: bool,
    },
    /// The host was restarted and lost sight of it.
    Lost,
}

impl Phase {
    /// Gives the plain word for the phase: `running`, `timed_out` and so on.
    pub fn word(&self) -> &'static str {
        match self {
            Phase::Starting => "starting",
            Phase::Running => "running",
            Phase::Stopping { .. } => "stopping",
            Phase::Ended(end) => end.word(),
        }
    }
}

impl End {
    /// Gives the plain word for the end: `completed`, `failed`, `timed_out`, `cancelled` or `lost`.
    pub fn word(&self) -> &'static str {
        match self.ending() {
            Ending::Completed => "completed",
            Ending::Failed => "failed",
            Ending::TimedOut => "timed_out",
            Ending::Cancelled => "cancelled",
            Ending::Lost => "lost",
        }
    }

    /// Gives the end as the host knows it.
    pub fn ending(&self) -> Ending {
        match self {
            End::Completed => Ending::Completed,
            End::NotStarted(_) => Ending::Failed,
            End::Stopped { reason: Reason::TimedOut, .. } => Ending::TimedOut,
            End::Stopped { reason: Reason::Cancelled, .. } => Ending::Cancelled,
            End::Lost => Ending::Lost,
        }
    }
}
