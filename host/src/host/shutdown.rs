//! The end of a host: no process is left behind.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::{Host, Shared};
use crate::jobs::Message;
use crate::policy::contract::types::Unwanted;
use crate::process;

impl Shared {
    pub(super) fn is_closing(&self) -> bool {
        self.closing.load(Ordering::Acquire)
    }

    /// Has every job ended by its policy's rules, and sweeps up what is left of any.
    async fn close(&self) {
        self.closing.store(true, Ordering::Release);
        for job in self.jobs.running() {
            // A full inbox means that the job is busy; the sweep below ends it.
            let _ = job.post(Message::Unwanted(Unwanted::Shutdown));
        }
        // An actor ends its job when the host's patience is over; a little more, and it is stuck in the system.
        let longest = self.limits.patience + self.limits.patience / 2;
        if tokio::time::timeout(longest, self.actors.all_done()).await.is_err() {
            tracing::warn!(jobs = self.jobs.running().len(), "some jobs did not end in time");
        }
        process::kill_host();
    }

    /// What the marks of all its jobs begin with.
    pub(crate) fn mark(&self) -> String {
        format!("{}/", self.id)
    }
}

impl Host {
    /// Shuts down in good order: takes no more calls, ends every job by the policy's own rules, and kills what is
    /// left of any, also what commands have left running in the background.
    pub async fn shutdown(mut self) {
        let Some(runtime) = self.runtime.take() else { return };
        let shared = Arc::clone(&self.shared);
        // The task has no way to panic that would matter now.
        let _ = runtime.spawn(async move { shared.close().await }).await;
        runtime.shutdown_background();
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        let Some(runtime) = self.runtime.take() else { return };
        self.shared.closing.store(true, Ordering::Release);
        process::kill_host();
        runtime.shutdown_background();
    }
}
