//! How a run stands: what its memo keeps, and the words for it.

use serde::{Deserialize, Serialize};
use shellward_kit::Host;
use shellward_kit::contract::{Ending, Exit, Job};
use shellward_kit::machine::{End, Memo, Phase, Reason};

use crate::failure::Failure;
use crate::notices::Flood;
use crate::request::Input;
use crate::time::seconds;
use crate::typing::Typing;

/// What stands in front of the call's id in the id of a run.
pub const PREFIX: &str = "run_";

/// What a run's memo keeps beside the machine's phase.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Own {
    /// From where it reads.
    pub input: Input,
    /// How much of its output is stored.
    pub stored: u64,
    /// How often a restarted host has run it again.
    pub restarts: u32,
    /// The newest item when its program was last seen to wait for input; none where it was given some since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub awaits: Option<u64>,
    /// What was typed into it.
    #[serde(skip_serializing_if = "Typing::is_empty")]
    pub typing: Typing,
    /// How many notices of watches it has published lately.
    #[serde(skip_serializing_if = "Flood::is_empty")]
    pub flood: Flood,
}

/// Where a run stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Status {
    /// It waits in line, or has just been started.
    Queued,
    /// Its process runs; whether it was asked to end.
    Running {
        /// Whether it was asked to end.
        stopping: bool,
    },
    /// Its process ran to its own end, whatever the exit code.
    Completed,
    /// It could not be started, or the host could not go on with it; why.
    Failed(String),
    /// It took too long.
    TimedOut,
    /// Somebody asked for its end.
    Killed,
    /// The host was restarted while it ran.
    Lost,
}

impl Status {
    /// Finds out how a job stands.
    #[must_use]
    pub fn of(job: &Job) -> Self {
        match Memo::<Own>::read(job) {
            Some(memo) => Self::at(&memo.phase, job),
            None => Self::ended(job.ending).unwrap_or(Self::Running { stopping: false }),
        }
    }

    /// Finds out how a job stands whose phase is known.
    #[must_use]
    pub fn at(phase: &Phase, job: &Job) -> Self {
        match phase {
            Phase::Ended(End::Completed) => Self::Completed,
            Phase::Ended(End::Stopped { reason: Reason::TimedOut, .. }) => Self::TimedOut,
            Phase::Ended(End::Stopped { reason: Reason::Cancelled, .. }) => Self::Killed,
            Phase::Ended(End::NotStarted(error)) => Self::Failed(Failure::to_start(error).to_string()),
            Phase::Ended(End::Lost) => Self::Lost,
            // The host ends a job itself when this policy fails on one of its events.
            Phase::Starting => Self::ended(job.ending).unwrap_or(Self::Queued),
            Phase::Running => Self::ended(job.ending).unwrap_or(Self::Running { stopping: false }),
            Phase::Stopping { .. } => Self::ended(job.ending).unwrap_or(Self::Running { stopping: true }),
        }
    }

    fn ended(ending: Option<Ending>) -> Option<Self> {
        Some(match ending? {
            Ending::Completed => Self::Completed,
            Ending::Failed => Self::Failed("The host could not go on with the command.".into()),
            Ending::TimedOut => Self::TimedOut,
            Ending::Cancelled => Self::Killed,
            Ending::Lost => Self::Lost,
        })
    }

    /// Tells whether it has ended.
    #[must_use]
    pub fn is_final(&self) -> bool {
        !matches!(self, Self::Queued | Self::Running { .. })
    }

    /// Gives the word for it.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running { .. } => "running",
            Self::Completed => "completed",
            Self::Failed(_) => "failed",
            Self::TimedOut => "timed_out",
            Self::Killed => "killed",
            Self::Lost => "lost",
        }
    }

    /// Says what went wrong, where something did.
    #[must_use]
    pub fn error_message(&self, job: &Job) -> Option<String> {
        match (self, &job.exit) {
            (Self::Completed, Some(Exit::Signal(name))) => Some(format!("The process was ended by {name}.")),
            (Self::Failed(why), _) => Some(why.clone()),
            (Self::TimedOut, _) => Some(format!(
                "The command took longer than {} s and was ended.",
                job.timeout.unwrap_or_default() / 1000
            )),
            (Self::Killed, _) if job.started_at.is_none() => Some("The run was killed before it had started.".into()),
            (Self::Killed, _) => Some("The run was killed.".into()),
            (Self::Lost, _) => Some(
                "The host was restarted while the command ran; its process is gone, and how far it came is not known."
                    .into(),
            ),
            (Self::Queued | Self::Running { .. } | Self::Completed, _) => None,
        }
    }

    /// Says it in a few words, for people.
    #[must_use]
    pub fn told(&self, job: &Job) -> String {
        let for_so_long = format!("{:.1} s", seconds(job.duration));
        match (self, &job.exit) {
            (Self::Queued, _) => "is queued".into(),
            (Self::Running { stopping: false }, _) => format!("has been running for {for_so_long}"),
            (Self::Running { stopping: true }, _) => format!("is being ended after {for_so_long}"),
            (Self::Completed, Some(Exit::Code(code))) => format!("completed with exit code {code} after {for_so_long}"),
            (Self::Completed, Some(Exit::Signal(name))) => format!("was ended by {name} after {for_so_long}"),
            (Self::Completed, None) => format!("completed after {for_so_long}"),
            (Self::Failed(why), _) => format!("failed: {why}"),
            (Self::TimedOut, _) => format!("timed out after {for_so_long}"),
            (Self::Killed, _) => format!("was killed after {for_so_long}"),
            (Self::Lost, _) => "was lost in a restart of the host".into(),
        }
    }
}

/// Finds a run of the session.
///
/// # Errors
/// The session has no such run.
pub fn find<H: Host>(host: &H, id: &str) -> Result<(Job, Memo<Own>), Failure> {
    let found = host.job(id).filter(|job| job.id.starts_with(PREFIX)).map(|job| {
        let memo = Memo::read(&job).unwrap_or_else(|| Memo::guess(&job, Own::default()));
        (job, memo)
    });
    found.ok_or_else(|| Failure::RunNotFound(id.chars().take(100).collect()))
}
