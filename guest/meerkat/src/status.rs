//! Jobs as agents see them: the specification's types, made from what the host knows of a job.

use serde::{Deserialize, Serialize};
use shellward_kit::Host;
use shellward_kit::contract::{Ending, Exit, Job};
use shellward_kit::exit;
use shellward_kit::machine::{End, Memo, Phase, Reason};

use crate::failure::Failure;
use crate::output::{Output, seconds};

/// What stands in front of the call's id in the id of a job.
pub const PREFIX: &str = "job_";

/// What a job's memo keeps beside the machine's phase.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Own {
    /// Whether it is a background job: one that agents can ask about, and whose end is published.
    pub background: bool,
}

/// Where a job stands, in the specification's words.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "status", rename_all = "snake_case")]
pub enum JobStatus {
    /// It runs, or is being stopped.
    Running {
        /// When it was started, in seconds since 1970.
        started_at_unix: u64,
    },
    /// Its process ran to its own end.
    Completed {
        /// The exit code; none where a signal ended it.
        exit_code: Option<i32>,
        /// What it printed.
        #[serde(flatten)]
        output: Output,
        /// How long it ran.
        duration_secs: f64,
    },
    /// It could not be started, or the host could not go on with it.
    Failed {
        /// Why.
        error: String,
        /// How long it ran.
        duration_secs: f64,
    },
    /// It took too long.
    TimedOut {
        /// What it printed until then.
        #[serde(flatten)]
        output: Output,
        /// How long it ran.
        duration_secs: f64,
    },
    /// Somebody asked for its end.
    Cancelled {
        /// How long it ran.
        duration_secs: f64,
    },
}

/// A background job.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BackgroundJob<'a> {
    /// Its id.
    pub id: &'a str,
    /// The command as the agent wrote it.
    pub command: &'a str,
    /// The directory it runs in, absolute.
    pub working_dir: Option<&'a str>,
    /// The longest it may run.
    pub timeout_secs: u64,
    /// Where it stands.
    pub status: JobStatus,
}

/// A background job in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct JobSummary<'a> {
    /// Its id.
    pub id: &'a str,
    /// The command as the agent wrote it.
    pub command: &'a str,
    /// `running`, `completed`, `failed`, `timed_out` or `cancelled`.
    pub status: &'static str,
    /// When it was started, in seconds since 1970.
    pub started_at_unix: u64,
}

/// How a job stands, without its output.
#[derive(Clone, Debug, PartialEq)]
pub enum Standing {
    /// It has not ended.
    Running,
    /// Its process ran to its own end.
    Completed,
    /// It did not run, or not on; why.
    Failed(Failure),
    /// It took too long.
    TimedOut,
    /// Somebody asked for its end.
    Cancelled,
}

impl Standing {
    /// Finds out how a job stands.
    #[must_use]
    pub fn of(job: &Job) -> Self {
        match Memo::<Own>::read(job) {
            Some(memo) => Self::at(&memo, job),
            None => Self::ended(job.ending),
        }
    }

    /// Finds out how a job stands whose memo has been read.
    #[must_use]
    pub fn at(memo: &Memo<Own>, job: &Job) -> Self {
        match &memo.phase {
            Phase::Ended(End::Completed) => Self::Completed,
            Phase::Ended(End::Stopped { reason: Reason::TimedOut, .. }) => Self::TimedOut,
            Phase::Ended(End::Stopped { reason: Reason::Cancelled, .. }) => Self::Cancelled,
            Phase::Ended(End::NotStarted(error)) => Self::Failed(Failure::to_start(error, memo.own.background)),
            Phase::Ended(End::Lost) => Self::ended(Some(Ending::Lost)),
            // The host ends a job itself when this policy fails on one of its events.
            Phase::Starting | Phase::Running | Phase::Stopping { .. } => Self::ended(job.ending),
        }
    }

    fn ended(ending: Option<Ending>) -> Self {
        match ending {
            None => Self::Running,
            Some(Ending::Completed) => Self::Completed,
            Some(Ending::TimedOut) => Self::TimedOut,
            Some(Ending::Cancelled) => Self::Cancelled,
            Some(Ending::Failed) => Self::Failed(Failure::Io("the host could not go on with the command".into())),
            Some(Ending::Lost) => {
                let message = "the host was restarted while the command ran; how it ended is not known";
                Self::Failed(Failure::Io(message.into()))
            }
        }
    }

    /// Gives the specification's word for it.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Completed => "completed",
            Self::Failed(_) => "failed",
            Self::TimedOut => "timed_out",
            Self::Cancelled => "cancelled",
        }
    }

    /// Gives it with the fields of the specification.
    #[must_use]
    pub fn status<H: Host>(&self, host: &H, job: &Job) -> JobStatus {
        let duration_secs = seconds(job.duration);
        match self {
            Self::Running => JobStatus::Running { started_at_unix: started_at(job) },
            Self::Completed => {
                JobStatus::Completed { exit_code: exit::code(job), output: Output::read(host, job), duration_secs }
            }
            Self::Failed(failure) => JobStatus::Failed { error: failure.to_string(), duration_secs },
            Self::TimedOut => JobStatus::TimedOut { output: Output::read(host, job), duration_secs },
            Self::Cancelled => JobStatus::Cancelled { duration_secs },
        }
    }

    /// Says it of a job in a few words, for people.
    #[must_use]
    pub fn told(&self, job: &Job) -> String {
        let after = format!("after {:.1} s", seconds(job.duration));
        match (self, &job.exit) {
            (Self::Running, _) => format!("running for {:.1} s", seconds(job.duration)),
            (Self::Completed, Some(Exit::Code(code))) => format!("completed with exit code {code} {after}"),
            (Self::Completed, Some(Exit::Signal(name))) => format!("ended by {name} {after}"),
            (Self::Completed, None) => format!("completed {after}"),
            (Self::Failed(failure), _) => format!("failed {after}: {failure}"),
            (Self::TimedOut, _) => format!("timed out {after}"),
            (Self::Cancelled, _) => format!("cancelled {after}"),
        }
    }
}

/// Gives when a job was started, in seconds since 1970; of one that never was, when it was asked for.
#[must_use]
pub fn started_at(job: &Job) -> u64 {
    job.started_at.unwrap_or(job.created_at) / 1000
}
