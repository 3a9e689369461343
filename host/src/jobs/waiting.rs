//! Calls that wait on a job.

use std::sync::Arc;
use std::time::Duration;

use super::job::Job;
use crate::policy::contract::types::Wakes;

/// Waits until a job has ended, a step released its waiting calls, one of `wakes` happened, or `at_most` is over.
pub(crate) async fn wait(job: &Arc<Job>, wakes: Wakes, at_most: Option<Duration>) {
    let woken = until(job, wakes);
    match at_most {
        None => woken.await,
        // Which of the two came first makes no difference: the answer says how the job stands.
        Some(limit) => drop(tokio::time::timeout(limit, woken).await),
    }
}

async fn until(job: &Arc<Job>, wakes: Wakes) {
    let mut changes = job.changes();
    let (releases, statuses) = {
        let state = job.state();
        (state.releases, state.statuses)
    };
    loop {
        {
            let state = job.state();
            if state.ended.is_some() || state.releases > releases || (wakes.status && state.statuses > statuses) {
                return;
            }
        }
        if changes.changed().await.is_err() {
            return;
        }
    }
}
