//! Counts the jobs' actors, so that a shutdown knows when the last is done.

use tokio::sync::watch;

/// The count.
#[derive(Debug)]
pub(crate) struct Actors(watch::Sender<usize>);

/// An actor that runs; dropped when it is done.
#[derive(Debug)]
pub(crate) struct Running(watch::Sender<usize>);

impl Default for Actors {
    fn default() -> Self {
        Self(watch::Sender::new(0))
    }
}

impl Actors {
    pub(crate) fn enter(&self) -> Running {
        self.0.send_if_modified(|count| {
            *count += 1;
            false
        });
        Running(self.0.clone())
    }

    /// Waits until none runs.
    pub(crate) async fn all_done(&self) {
        // The sender is this very value, so the channel cannot be closed.
        let _ = self.0.subscribe().wait_for(|count| *count == 0).await;
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Only the last is told: whoever waits, waits for that.
        self.0.send_if_modified(|count| {
            *count -= 1;
            *count == 0
        });
    }
}
