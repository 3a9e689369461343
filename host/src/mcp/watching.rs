//! Watching for changes that clients want to hear of, many at once told as one.

use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::sync::watch;

use super::resources::{Found, Part};
use super::session::Session;
use crate::jobs::Job;
use crate::policy::Policy;

/// How long changes are gathered before they are told.
const GATHER: Duration = Duration::from_millis(200);

/// Watches one resource.
pub(super) struct Watch {
    job: Arc<Job>,
    part: Part,
    seen: Seen,
    over: bool,
}

/// What of a resource makes it another.
#[derive(PartialEq)]
struct Seen {
    running: bool,
    status: String,
    bytes: u64,
}

impl Seen {
    fn now(job: &Job, part: Part) -> Self {
        // Asked before the bytes: what is printed while this looks is a change to be told.
        let running = job.is_running();
        match part {
            Part::Record => Self { running, status: job.record().status, bytes: 0 },
            Part::Output(stream) => {
                let bytes = job.output().map_or(0, |output| output.total_bytes(stream));
                Self { running, status: String::new(), bytes }
            }
        }
    }
}

impl Watch {
    pub(super) fn new(found: Found) -> Self {
        let seen = Seen::now(&found.job, found.part);
        Self { over: !seen.running, seen, job: found.job, part: found.part }
    }

    /// Waits for a change; none when there will be no more.
    pub(super) async fn next(&mut self) -> Option<()> {
        loop {
            if self.over {
                return None;
            }
            tokio::select! {
                () = tokio::time::sleep(GATHER) => {}
                () = self.job.until_ended() => {}
            }
            let now = Seen::now(&self.job, self.part);
            self.over = !now.running;
            if now != self.seen {
                self.seen = now;
                return Some(());
            }
        }
    }
}

/// A change that concerns lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// The policy was swapped.
    Tools,
    /// The session has other jobs.
    Resources,
}

/// Watches the lists of one session.
pub(super) struct Changes {
    session: Weak<Session>,
    swaps: watch::Receiver<Arc<Policy>>,
    jobs: watch::Receiver<()>,
    listed: Vec<(String, bool)>,
}

impl Changes {
    pub(super) fn new(session: &Arc<Session>) -> Self {
        let shared = session.caller.shared();
        let (swaps, jobs) = (shared.swaps(), shared.jobs.changes());
        Self { session: Arc::downgrade(session), swaps, jobs, listed: listed(session) }
    }

    /// Waits for a change; none when the session or the host is gone.
    pub(super) async fn next(&mut self) -> Option<Change> {
        loop {
            tokio::select! {
                changed = self.swaps.changed() => return changed.ok().map(|()| Change::Tools),
                changed = self.jobs.changed() => changed.ok()?,
            }
            tokio::time::sleep(GATHER).await;
            self.jobs.mark_unchanged();
            let now = listed(&*self.session.upgrade()?);
            if now != self.listed {
                self.listed = now;
                return Some(Change::Resources);
            }
        }
    }
}

fn listed(session: &Session) -> Vec<(String, bool)> {
    session.jobs(usize::MAX).iter().map(|job| (job.id().to_owned(), job.is_running())).collect()
}
