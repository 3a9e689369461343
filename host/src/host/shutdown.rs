//! The end of a host: no process is left behind.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::channel;
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use tokio::runtime::Runtime;

use super::{Host, Shared};
use crate::threads;

/// How long the host's threads may take to end.
const STOPPING: Duration = Duration::from_secs(5);

impl Shared {
    /// Whether the host kills what is left, or has done so.
    pub(crate) fn is_gone(&self) -> bool {
        self.gone.load(Ordering::SeqCst)
    }

    pub(super) fn is_closing(&self) -> bool {
        self.closing.load(Ordering::Acquire)
    }

    /// Has every job ended by its policy's rules, and kills what is left of any.
    async fn close(self: &Arc<Self>) {
        self.closing.store(true, Ordering::Release);
        self.ceiling.close();
        for job in self.jobs.running() {
            // One that is too busy to hear it is killed below.
            self.close_job(&job);
        }
        // An actor ends its job when the host's patience is over; a little more, and it is stuck in the system.
        let longest = self.limits.patience + self.limits.patience / 2;
        if tokio::time::timeout(longest, self.actors.all_done()).await.is_err() {
            tracing::warn!(jobs = self.jobs.running().len(), "some jobs did not end in time");
        }
        let shared = Arc::clone(self);
        // It cannot panic in a way that would matter now.
        let _ = threads::apart(move || shared.kill_all()).await;
    }

    /// Kills what any job has left. Blocks while it does.
    fn kill_all(&self) {
        // From here on an exit is this host's doing: durable runs stand as they stood, for the next host.
        self.gone.store(true, Ordering::SeqCst);
        let running = self.jobs.running();
        let trees = running.iter().filter_map(|job| job.work()?.tree());
        // What is not kept by now is lost with the program.
        self.flush();
        let mut left: Vec<_> = trees.flat_map(|tree| tree.kill_now().left).collect();
        left.extend(self.shells.kill());
        left.extend(self.leftovers.kill());
        if left.is_empty() {
            self.containers.dismiss_keeper();
        } else {
            tracing::error!(processes = ?left, "some processes could not be ended");
        }
    }

    /// Ends the host's threads, and with them whatever was just being started, and lets go of its durable runs: when
    /// this returns, another host may have them. Blocks, for some seconds at most.
    fn end(&self, runtime: Runtime) {
        runtime.shutdown_timeout(STOPPING);
        self.close_store();
    }
}

/// Ends a host's threads from one of its own: a runtime must not be waited for inside another. Drops `done` then. Where
/// no thread can be had, the host's threads are told to end and not waited for.
fn end<T: Send + 'static>(shared: &Arc<Shared>, runtime: Runtime, done: T) -> Option<JoinHandle<()>> {
    // Handed over only once there is a thread: what is given to one that cannot be had is dropped here, and a runtime
    // that is dropped inside another panics.
    let (hand, handed) = channel::<(Runtime, T)>();
    let own = Arc::clone(shared);
    let thread = Builder::new().name("shellward-end".into()).spawn(move || {
        if let Ok((runtime, done)) = handed.recv() {
            own.end(runtime);
            drop(done);
        }
    });
    match thread {
        Ok(thread) => {
            // The thread waits for it.
            drop(hand.send((runtime, done)));
            Some(thread)
        }
        Err(error) => {
            tracing::warn!(%error, "no thread can be had; the host's own threads are not waited for");
            runtime.shutdown_background();
            shared.close_store();
            None
        }
    }
}

impl Host {
    /// Shuts down in good order: takes no more calls, ends every job by the policy's own rules, and kills what is
    /// left of any, also what commands have left running in the background. Durable runs that their policy leaves to
    /// the next host are ended too, and can be claimed by another host when this is done.
    ///
    /// Dropping the future before it is done kills at once what is left.
    pub async fn shutdown(mut self) {
        let shared = Arc::clone(&self.shared);
        // The task has no way to panic that would matter now.
        let _ = self.handle().spawn(async move { shared.close().await }).await;
        // Taken out only now: while it is in, dropping this future ends what is left.
        if let Some(runtime) = self.runtime.take() {
            let (done, ended) = tokio::sync::oneshot::channel::<()>();
            end(&self.shared, runtime, done);
            // Nothing is ever sent: that the sender is dropped says that it is done.
            let _ = ended.await;
        }
    }
}

impl Drop for Host {
    /// Kills at once what runs. Durable runs stay on record as they stand, and the next host takes them over.
    fn drop(&mut self) {
        let Some(runtime) = self.runtime.take() else { return };
        self.shared.closing.store(true, Ordering::Release);
        // Nobody's turn comes any more when those who are killed give back their places.
        self.shared.ceiling.close();
        self.shared.kill_all();
        // A thread that failed has ended as well.
        let _ = end(&self.shared, runtime, ()).map(JoinHandle::join);
    }
}
