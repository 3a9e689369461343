//! Watching for changes that clients want to hear of, many at once told as one.

use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::sync::watch;

use super::blocks;
use super::resources::{Found, Part};
use super::session::Session;
use crate::policy::Policy;

/// How long changes are gathered before they are told.
const GATHER: Duration = Duration::from_millis(200);

/// Watches one resource.
pub(super) struct Watch {
    found: Found,
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
    fn now(found: &Found) -> Self {
        match found {
            // Whether it runs is asked before the bytes: what is printed while this looks is a change to be told.
            Found::Job(job, Part::Record) => Self { running: job.is_running(), status: job.record().status, bytes: 0 },
            Found::Job(job, Part::Output(stream)) => {
                let running = job.is_running();
                let bytes = job.output().map_or(0, |output| output.total_bytes(*stream));
                Self { running, status: String::new(), bytes }
            }
            Found::Block(block) => {
                let running = !block.has_ended();
                let info = block.info();
                Self { running, status: info.pinned.to_string(), bytes: info.stdout_bytes + info.stderr_bytes }
            }
        }
    }
}

impl Watch {
    pub(super) fn new(found: Found) -> Self {
        let seen = Seen::now(&found);
        Self { over: !seen.running, seen, found }
    }

    /// Waits for a change; none when there will be no more.
    pub(super) async fn next(&mut self) -> Option<()> {
        loop {
            if self.over {
                return None;
            }
            tokio::select! {
                () = tokio::time::sleep(GATHER) => {}
                () = until_ended(&self.found) => {}
            }
            let now = Seen::now(&self.found);
            self.over = !now.running;
            if now != self.seen {
                self.seen = now;
                return Some(());
            }
        }
    }
}

async fn until_ended(found: &Found) {
    match found {
        Found::Job(job, _) => job.until_ended().await,
        Found::Block(_) => std::future::pending().await,
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
    let jobs = session.jobs(usize::MAX);
    let jobs = jobs.iter().map(|job| (job.id().to_owned(), job.is_running()));
    let blocks = blocks::all(session);
    jobs.chain(blocks.iter().map(|block| (block.label().to_owned(), block.is_pinned()))).collect()
}
