//! Calls that wait on a job.

use std::sync::Arc;
use std::time::Duration;

use super::job::{Job, State};
use crate::policy::contract::types::Wakes;

/// What a call has seen of a job when it begins to wait.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Seen {
    releases: u64,
    statuses: u64,
    hits: u64,
    /// The number of the last item.
    item: u64,
}

impl Seen {
    /// What is there now.
    pub(crate) fn now(job: &Job) -> Self {
        let state = job.state();
        Self { releases: state.releases, statuses: state.statuses, hits: state.hits, item: 0 }
    }

    /// The same, and the items up to this number.
    pub(crate) fn up_to(self, item: u64) -> Self {
        Self { item, ..self }
    }

    /// Whether the newest match is among the items that were seen.
    fn has_hit(&self, state: &State, wakes: Wakes) -> bool {
        wakes.item && (1..=self.item).contains(&state.hit_seq)
    }

    /// Whether something has come since that ends the waiting.
    pub(crate) fn is_over(&self, job: &Job, wakes: Wakes) -> bool {
        let news = wakes.item && job.last_seq() > self.item;
        let state = job.state();
        state.ended.is_some()
            || state.releases > self.releases
            // Who is woken by a status finds its item.
            || (wakes.status && state.statuses > self.statuses && job.has_status_item())
            || (wakes.hit && state.hits > self.hits && !self.has_hit(&state, wakes))
            || news
    }
}

/// Waits until a job has ended, a step released its waiting calls, one of `wakes` happened, or `at_most` is over.
pub(crate) async fn wait(job: &Arc<Job>, wakes: Wakes, seen: Seen, at_most: Option<Duration>) {
    let woken = until(job, wakes, seen);
    match at_most {
        None => woken.await,
        // Which of the two came first makes no difference: the answer says how the job stands.
        Some(limit) => drop(tokio::time::timeout(limit, woken).await),
    }
}

async fn until(job: &Arc<Job>, wakes: Wakes, seen: Seen) {
    let (mut changes, mut prints) = (job.changes(), job.prints());
    while !seen.is_over(job, wakes) {
        // The senders are parts of the job, so the channels cannot be closed.
        tokio::select! {
            _ = changes.changed() => {}
            _ = prints.changed(), if wakes.item || wakes.status => {}
        }
    }
}
