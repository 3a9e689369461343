//! The end of a session: an agent, client or conversation that will make no more calls.

use std::sync::Arc;

use super::{Caller, Host, Shared};
use crate::jobs::{Job, Message};
use crate::policy::contract::types::Unwanted;
use crate::threads;

impl Host {
    /// Ends a session, as when its client has gone: its jobs end by the policy's own rules, and what they have left
    /// running in the background is killed, and so are its lasting shells. Durable runs go on. Done when nothing else
    /// of it runs any more.
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
        // An ended job needs no message; one with a full inbox is killed below.
        let _ = job.post(Message::Unwanted(Unwanted::SessionClosed));
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
    let _ = threads::apart(move || kill(&shared, &session)).await;
}

/// The jobs of a session that are not to outlive it.
fn passing(shared: &Shared, session: &str) -> Vec<Arc<Job>> {
    let mut jobs = shared.jobs.list(session, true, false, usize::MAX);
    jobs.retain(|job| job.store().is_none());
    jobs
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
