//! Threads for work that blocks, from a system that may have none to give.
//!
//! tokio's own way to such a thread panics where there is none, or leaves the work in a queue that nobody serves; and
//! this is the work that ends processes, when there may be too many of them.

use std::io;
use std::sync::mpsc::channel;
use std::sync::{Arc, PoisonError, RwLock};
use std::thread::Builder;

use tokio::runtime::Handle;
use tokio::sync::oneshot;

/// Does work on a thread of its own, or on the caller's where the system has no thread to give.
///
/// It begins at once; dropping the future leaves it to go on. Gives nothing where the work has panicked.
pub(crate) fn apart<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> impl Future<Output = Option<T>> + Send {
    // Handed over only once there is a thread: what is given to one that cannot be had is gone.
    let (hand, handed) = channel();
    let (answer, answered) = oneshot::channel();
    let runtime = Handle::try_current().ok();
    let thread = Builder::new().name("shellward-work".into()).spawn(move || {
        let _entered = runtime.as_ref().map(Handle::enter);
        if let Ok(work) = handed.recv() {
            perform(work);
        }
    });
    match thread {
        // The thread waits for it.
        Ok(_) => drop(hand.send((work, answer))),
        Err(error) => {
            tracing::warn!(%error, "no thread can be had; this one does what may take a while");
            perform((work, answer));
        }
    }
    async { answered.await.ok() }
}

fn perform<T>((work, answer): (impl FnOnce() -> T, oneshot::Sender<T>)) {
    // Nobody may be waiting any more.
    let _ = answer.send(work());
}

/// Makes sure that the system has so many threads to give; a runtime that is refused one panics.
///
/// # Errors
/// What the system says when it has not.
pub(crate) fn spare(count: usize) -> io::Result<()> {
    // All are there before the first goes: each waits for the lock that is held until then.
    let gate = Arc::new(RwLock::new(()));
    let closed = gate.write().unwrap_or_else(PoisonError::into_inner);
    let waiting = || {
        let gate = Arc::clone(&gate);
        Builder::new().spawn(move || drop(gate.read()))
    };
    let threads: io::Result<Vec<_>> = (0..count).map(|_| waiting()).collect();
    drop(closed);
    threads?.into_iter().for_each(|thread| drop(thread.join()));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn work_is_done_apart_and_its_panic_is_no_answer() {
        let own = std::thread::current().id();
        assert_eq!(apart(move || std::thread::current().id() != own).await, Some(true));
        assert_eq!(apart(|| Handle::try_current().is_ok()).await, Some(true));
        assert_eq!(apart(|| assert!(own_number() == 0)).await, None);
        spare(3).unwrap();
    }

    fn own_number() -> u32 {
        std::process::id()
    }
}
