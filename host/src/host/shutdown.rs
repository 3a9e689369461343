//! The end of a host: no process is left behind.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::{Host, Shared};
use crate::jobs::Message;
use crate::policy::contract::types::Unwanted;

impl Shared {
    pub(super) fn is_closing(&self) -> bool {
        self.closing.load(Ordering::Acquire)
    }

    /// Has every job ended by its policy's rules, and kills what is left of any.
    async fn close(self: &Arc<Self>) {
        self.closing.store(true, Ordering::Release);
        self.ceiling.close();
        for job in self.jobs.running() {
            // A full inbox means that the job is busy; it is killed below.
            let _ = job.post(Message::Unwanted(Unwanted::Shutdown));
        }
        // An actor ends its job when the host's patience is over; a little more, and it is stuck in the system.
        let longest = self.limits.patience + self.limits.patience / 2;
        if tokio::time::timeout(longest, self.actors.all_done()).await.is_err() {
            tracing::warn!(jobs = self.jobs.running().len(), "some jobs did not end in time");
        }
        let shared = Arc::clone(self);
        // It cannot panic in a way that would matter now.
        let _ = tokio::task::spawn_blocking(move || shared.kill_all()).await;
    }

    /// Kills what any job has left. Blocks while it does.
    fn kill_all(&self) {
        let running = self.jobs.running();
        let trees = running.iter().filter_map(|job| job.work()?.tree());
        // What is not kept by now is lost with the program.
        self.flush();
        let mut left: Vec<_> = trees.flat_map(|tree| tree.kill_now().left).collect();
        left.extend(self.shells.kill());
        left.extend(self.leftovers.kill());
        if !left.is_empty() {
            tracing::error!(processes = ?left, "some processes could not be ended");
        }
    }
}

impl Host {
    /// Shuts down in good order: takes no more calls, ends every job by the policy's own rules, and kills what is
    /// left of any, also what commands have left running in the background.
    ///
    /// Dropping the future before it is done kills at once what is left.
    pub async fn shutdown(mut self) {
        let shared = Arc::clone(&self.shared);
        // The task has no way to panic that would matter now.
        let _ = self.handle().spawn(async move { shared.close().await }).await;
        // Taken out only now: while it is in, dropping this future ends what is left.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        let Some(runtime) = self.runtime.take() else { return };
        self.shared.closing.store(true, Ordering::Release);
        self.shared.kill_all();
        runtime.shutdown_background();
    }
}
