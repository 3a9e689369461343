//! The end of a session: an agent, client or conversation that will make no more calls.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{Caller, Host, Shared};
use crate::jobs::{Job, Message};
use crate::policy::contract::types::Unwanted;
use crate::store::Change;
use crate::threads;

/// Sessions whose names were made up. Nobody comes back to them, so their durable runs end with them.
#[derive(Debug, Default)]
pub(crate) struct Nameless(Mutex<BTreeSet<String>>);

impl Nameless {
    fn lock(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a session whose name was made up.
    pub(crate) fn add(&self, session: &str) {
        self.lock().insert(session.to_owned());
    }

    fn has(&self, session: &str) -> bool {
        self.lock().contains(session)
    }

    fn forget(&self, session: &str) {
        self.lock().remove(session);
    }
}

impl Host {
    /// Ends a session, as when its client has gone: its jobs end by the policy's own rules, and what they have left
    /// running in the background is killed, and so are its lasting shells. Durable runs go on, as a later session of
    /// this name finds them. Done when nothing else of it runs any more.
    ///
    /// Calls of the session that are still awaited are not: drop their futures first. Dropping this future leaves the
    /// ending to go on by itself.
    pub async fn end_session(&self, session: &str) {
        self.caller().end_session(session).await;
    }
}

impl Caller {
    /// Ends a session, as [`Host::end_session`] does.
    pub async fn end_session(&self, session: &str) {
        let (shared, session) = (Arc::clone(self.shared()), session.to_owned());
        // The task has no way to panic that would matter; it is cancelled only by the end of the host, which kills all.
        let _ = self.runtime().spawn(async move { end(&shared, &session).await }).await;
    }
}

async fn end(shared: &Arc<Shared>, session: &str) {
    let jobs = passing(shared, session);
    for job in &jobs {
        dismiss(job, Unwanted::SessionClosed);
    }
    // An actor ends its job when the host's patience is over; a little more, and it is stuck in the system.
    let longest = shared.limits.patience + shared.limits.patience / 2;
    let ended = async {
        for job in &jobs {
            job.until_ended().await;
        }
    };
    if tokio::time::timeout(longest, ended).await.is_err() {
        tracing::warn!(session, "some jobs of a session did not end in time");
    }
    let (shared, session) = (Arc::clone(shared), session.to_owned());
    // It cannot panic in a way that would matter now.
    let _ = threads::apart(move || {
        kill(&shared, &session);
        shared.nameless.forget(&session);
    })
    .await;
}

/// The jobs of a session that are not to outlive it.
fn passing(shared: &Shared, session: &str) -> Vec<Arc<Job>> {
    let mut jobs = shared.jobs.list(session, true, false, usize::MAX);
    jobs.retain(|job| job.store().is_none() || shared.nameless.has(session));
    jobs
}

/// Has a job ended by its policy's rules. Of a durable one it is on record that nobody wants it, so that the next host
/// ends it should this one not get to it.
fn dismiss(job: &Job, why: Unwanted) {
    if let Some(store) = job.store() {
        // The store says itself what it could not keep.
        store.submit(Change::Unwanted(job.id().into()), Box::new(|_| ()));
    }
    // An ended job needs no message; one with a full inbox is busy, and killed a little later.
    let _ = job.post(Message::Unwanted(why));
}

impl Shared {
    /// Tells a job that the host shuts down, or that its session ends with the host.
    pub(super) fn close_job(&self, job: &Job) {
        match job.store().is_some() && self.nameless.has(&job.birth.session) {
            true => dismiss(job, Unwanted::SessionClosed),
            false => drop(job.post(Message::Unwanted(Unwanted::Shutdown))),
        }
    }
}

/// Kills what any job of a session has left. Blocks while it does.
fn kill(shared: &Shared, session: &str) {
    let running = passing(shared, session);
    let trees = running.iter().filter_map(|job| job.work()?.tree());
    let mut left: Vec<_> = trees.flat_map(|tree| tree.kill_now().left).collect();
    left.extend(shared.shells.end_session(session));
    left.extend(shared.leftovers.kill_session(session));
    if !left.is_empty() {
        tracing::error!(processes = ?left, session, "some processes could not be ended");
    }
}
