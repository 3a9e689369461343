//! One client's session: what is its own, and how it ends.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio_util::sync::{CancellationToken, DropGuard};
use tokio_util::task::TaskTracker;
use ulid::Ulid;

use super::kept_tasks::Tasks;
use super::notices::Threshold;
use super::suspended::Suspended;
use crate::Caller;
use crate::jobs::Job;

/// A session. Ends when it is told to, and at the latest when it is dropped.
pub(super) struct Session {
    /// The session's name in the host.
    pub id: String,
    pub caller: Caller,
    /// Calls that have become tasks.
    pub tasks: Tasks,
    /// Calls that wait for a human's answer, which comes with another request.
    pub suspended: Suspended,
    /// Which notices the client wants.
    pub threshold: Threshold,
    /// Whether the client is told what changes, as it is once it has been introduced.
    pub told: AtomicBool,
    /// The resources the client has subscribed to; dropping a guard ends the watching.
    subscriptions: Mutex<BTreeMap<String, DropGuard>>,
    /// Calls on their way.
    calls: TaskTracker,
    ended: CancellationToken,
    ending: AtomicBool,
    gone: CancellationToken,
}

impl Session {
    /// A session that no other has been or will be, so that its durable runs end with it.
    pub(super) fn new(caller: &Caller) -> Arc<Self> {
        let session = Self::named(caller, &Ulid::generate().to_string().to_lowercase());
        caller.shared().nameless.add(&session.id);
        session
    }

    /// A session that finds again the durable runs of an earlier one of its name.
    pub(super) fn named(caller: &Caller, name: &str) -> Arc<Self> {
        Arc::new(Self {
            id: format!("mcp-{name}"),
            caller: caller.clone(),
            tasks: Tasks::default(),
            suspended: Suspended::default(),
            threshold: Threshold::default(),
            told: AtomicBool::new(false),
            subscriptions: Mutex::default(),
            calls: TaskTracker::new(),
            ended: CancellationToken::new(),
            ending: AtomicBool::new(false),
            gone: CancellationToken::new(),
        })
    }

    /// Cancelled when the session ends.
    pub(super) fn ended(&self) -> &CancellationToken {
        &self.ended
    }

    /// Held by whatever may start a job, so that the end of the session comes after.
    pub(super) fn calling(&self) -> tokio_util::task::task_tracker::TaskTrackerToken {
        self.calls.token()
    }

    /// Cancelled when nothing of the session runs any more.
    pub(super) fn gone(&self) -> &CancellationToken {
        &self.gone
    }

    /// Gives a job of this session.
    pub(super) fn job(&self, id: &str) -> Option<Arc<Job>> {
        self.caller.shared().jobs.get(&self.id, id)
    }

    /// Gives this session's newest jobs, oldest first.
    pub(super) fn jobs(&self, most: usize) -> Vec<Arc<Job>> {
        self.caller.shared().jobs.list(&self.id, true, true, most)
    }

    pub(super) fn subscriptions(&self) -> MutexGuard<'_, BTreeMap<String, DropGuard>> {
        self.subscriptions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the session: its calls are dropped, its jobs ended by the policy's rules. Done when nothing of it runs; that
    /// goes on by itself if this is dropped.
    pub(super) async fn end(&self) {
        if let Some(ending) = self.stop() {
            tokio::spawn(ending);
        }
        self.gone.cancelled().await;
    }

    /// Stops what is the session's own, once, and gives what is left to do.
    fn stop(&self) -> Option<impl Future<Output = ()> + Send + 'static> {
        if self.ending.swap(true, Ordering::AcqRel) {
            return None;
        }
        self.ended.cancel();
        self.tasks.shutdown();
        self.suspended.clear();
        self.subscriptions().clear();
        self.calls.close();
        let (caller, id, calls) = (self.caller.clone(), self.id.clone(), self.calls.clone());
        // Told however the ending ends.
        let gone = self.gone.clone().drop_guard();
        Some(async move {
            calls.wait().await;
            caller.end_session(&id).await;
            drop(gone);
        })
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // Without a runtime the program is ending, and with it the host, which kills all.
        if let (Some(ending), Ok(runtime)) = (self.stop(), tokio::runtime::Handle::try_current()) {
            runtime.spawn(ending);
        }
    }
}
