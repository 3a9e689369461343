//! `kill`: a run is asked to end, and made to after the grace.

use serde::Serialize;
use shellward_kit::Host;
use shellward_kit::contract::{Answer, Job, PostError, Reply, Waiting, Wakes};
use shellward_kit::machine::{self, Memo};
use shellward_kit::reply::structured;

use crate::failure::Failure;
use crate::request::Kill;
use crate::run::{Own, Status, find};
use crate::view::{Unstored, View};

#[derive(Serialize)]
struct Body<'a> {
    #[serde(flatten)]
    view: View<'a>,
    message: &'static str,
}

/// Begins to answer `kill`: the run's machine is told, and the answer waits a little for the end.
///
/// # Errors
/// The session has no such run.
pub fn call<H: Host>(host: &H, kill: &Kill) -> Result<Answer, Failure> {
    let (job, memo) = find(host, &kill.run_id)?;
    if Status::at(&memo.phase, &job).is_final() {
        return Ok(Answer::Reply(reply(host, &job, &memo, "The run had ended before.")));
    }
    match machine::cancel(host, &job.id) {
        Ok(()) => Ok(Answer::Wait(Waiting {
            job: job.id,
            wakes: Wakes { item: false, status: false, hit: false },
            since: 0,
            at_most: Some(kill.wait_ms),
        })),
        Err(PostError::NotFound) => Err(Failure::RunNotFound(job.id)),
        Err(PostError::Ended) => Ok(Answer::Reply(reply(host, &job, &memo, "The run had ended before."))),
        Err(PostError::Unattended) => Err(Failure::RunUnattended(job.id)),
        Err(PostError::Full) => Err(Failure::Io("too much waits for the run already; send the kill again".into())),
    }
}

/// Answers a `kill` when the run has ended, or when it was waited for long enough.
#[must_use]
pub fn settle<H: Host>(host: &H, job: &Job) -> Reply {
    let memo = Memo::read(job).unwrap_or_else(|| Memo::guess(job, Own::default()));
    let message = match Status::at(&memo.phase, job) {
        Status::Killed => "The run and everything that it had started were ended.",
        Status::Queued | Status::Running { .. } => {
            "The run was asked to end and has some time to do so; then it is made to. Poll it with wait_ms for its end."
        }
        Status::Completed | Status::Failed(_) | Status::TimedOut | Status::Lost => {
            "The run ended by itself just before."
        }
    };
    reply(host, job, &memo, message)
}

fn reply<H: Host>(host: &H, job: &Job, memo: &Memo<Own>, message: &'static str) -> Reply {
    let status = Status::at(&memo.phase, job);
    let text = format!("{} {}. {message}", job.id, status.told(job));
    let view = View::new(job, &memo.own, &status, &Unstored::of(host, job, &memo.own));
    structured(text, &Body { view, message })
}
