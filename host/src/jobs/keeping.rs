//! What a durable job has kept of it, and when: before anybody is told of its end, that end is on record.

use std::sync::Arc;
use std::time::Duration;

use super::job::Job;
use super::recorder::Recorder;
use crate::policy::Fault;
use crate::policy::contract::types::{Ending, Recovery, Step};
use crate::store::{Change, Phase, Standing};

/// How long the end of a job waits for a slow store to take what is to be kept of it.
pub(super) const STORING: Duration = Duration::from_secs(10);

/// How long the pipes of a process that was killed are read.
const DRAIN: Duration = Duration::from_millis(100);

/// Bytes of the newest output that are kept of a run whose items do not hold all.
const SNIPPET: usize = 64 << 10;

/// Keeps how a job stands, soon.
pub(super) fn save(job: &Job) {
    submit(job, job.standing());
}

/// Keeps how a job stands, now.
pub(super) async fn commit(job: &Job) {
    settle(job, job.standing()).await;
}

/// Keeps what a step makes of a job.
pub(super) async fn step(job: &Job, step: &Step, stamp: &str, at: u64) {
    if job.store().is_none() || !job.is_running() {
        return;
    }
    let mut standing = job.standing();
    step.memo.clone_into(&mut standing.memo);
    stamp.clone_into(&mut standing.stamp);
    standing.releases += u64::from(step.release);
    match step.ended {
        Some(ending) => end(job, standing, ending, &step.status, at).await,
        None => {
            status(job, &mut standing, &step.status);
            submit(job, standing);
        }
    }
}

/// Keeps the end of a job that its policy could not end.
pub(super) async fn failing(job: &Job, ending: Ending, status: &str, at: u64, fault: Option<&Fault>) {
    if job.store().is_none() || !job.is_running() {
        return;
    }
    let error = fault.map(ToString::to_string);
    end(job, Standing { error, ..job.standing() }, ending, status, at).await;
}

/// Records the last of what a job has printed.
pub(super) async fn close(job: &Job, recorder: &Recorder) {
    recorder.finish();
    if tokio::time::timeout(STORING, recorder.settled()).await.is_err() {
        tracing::warn!(job = job.id(), "the store is slow; a job ends before its last output is kept");
    }
}

async fn end(job: &Job, mut standing: Standing, ending: Ending, word: &str, at: u64) {
    if let Some(work) = job.work() {
        // What a killed process had printed is still in its pipes.
        work.finish(DRAIN).await;
    }
    if let Some(recorder) = job.recorder() {
        close(job, recorder).await;
    }
    let record = job.record();
    (standing.stdout, standing.stderr) = (record.stdout, record.stderr);
    standing.store_error = job.store_error();
    if record.stdout.total + record.stderr.total > job.stored().bytes() {
        standing.snippet = job.recorder().map(|recorder| recorder.snippet(SNIPPET));
    }
    status(job, &mut standing, word);
    (standing.phase, standing.ending, standing.ended_at) = (Phase::Ended, Some(ending), Some(at));
    settle(job, standing).await;
}

/// Notes a new status, as an item too.
fn status(job: &Job, standing: &mut Standing, word: &str) {
    if standing.status != word {
        word.clone_into(&mut standing.status);
        if let Some(recorder) = job.recorder() {
            recorder.note_status(word);
        }
    }
}

fn submit(job: &Job, standing: Standing) {
    if let Some(store) = job.store() {
        // The store says itself what it could not keep, and tries again.
        store.submit(Change::Save(job.id().into(), Box::new(standing)), Box::new(|_| ()));
    }
}

async fn settle(job: &Job, standing: Standing) {
    let Some(store) = job.store().map(Arc::clone) else { return };
    let kept = store.commit(Change::Save(job.id().into(), Box::new(standing)));
    if !matches!(tokio::time::timeout(STORING, kept).await, Ok(Ok(()))) {
        tracing::warn!(job = job.id(), "how a durable job stands is not kept yet");
    }
}

/// The word under which a recovery stands on record.
pub(super) fn word(how: Recovery) -> &'static str {
    match how {
        Recovery::WasQueued => "was-queued",
        Recovery::WasRunning => "was-running",
        Recovery::HadSurvived => "had-survived",
    }
}
