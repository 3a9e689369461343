//! The places in the pool of instances: an entry that finds none waits for one.

use std::sync::{Condvar, Mutex, PoisonError};

/// How many places are free.
#[derive(Debug)]
pub(super) struct Places {
    free: Mutex<u32>,
    freed: Condvar,
}

/// A place, given back when dropped.
#[derive(Debug)]
pub(super) struct Place<'a>(&'a Places);

impl Places {
    pub(super) fn new(count: u32) -> Self {
        Self { free: Mutex::new(count), freed: Condvar::new() }
    }

    /// Takes a place. Every entry ends within its deadline, so the wait does too.
    pub(super) fn take(&self) -> Place<'_> {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let mut free = self.freed.wait_while(free, |free| *free == 0).unwrap_or_else(PoisonError::into_inner);
        *free -= 1;
        Place(self)
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        *self.0.free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.0.freed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    #[test]
    fn no_more_are_taken_than_there_are() {
        let (places, taken) = (Places::new(3), AtomicU32::new(0));
        std::thread::scope(|scope| {
            for _ in 0..50 {
                scope.spawn(|| {
                    let _place = places.take();
                    assert!(taken.fetch_add(1, Ordering::SeqCst) < 3);
                    std::thread::yield_now();
                    taken.fetch_sub(1, Ordering::SeqCst);
                });
            }
        });
        assert_eq!(*places.free.lock().unwrap(), 3);
    }
}
