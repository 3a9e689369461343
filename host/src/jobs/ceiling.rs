//! The ceiling of running jobs, held atomically.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// Counts running jobs. Cloning gives another handle on the same count.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ceiling(Arc<AtomicU32>);

/// A place under the ceiling, given back when dropped.
#[derive(Debug)]
pub(crate) struct Slot(Ceiling);

impl Ceiling {
    /// Takes a place if fewer than `most` are taken.
    pub(crate) fn take(&self, most: u32) -> Option<Slot> {
        let taken =
            self.0.fetch_update(Ordering::AcqRel, Ordering::Acquire, |taken| (taken < most).then_some(taken + 1));
        taken.is_ok().then(|| Slot(self.clone()))
    }

    /// How many places are taken.
    #[cfg(test)]
    fn taken(&self) -> u32 {
        self.0.load(Ordering::Acquire)
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_takers_never_pass_it() {
        let ceiling = Ceiling::default();
        let held: Vec<_> = std::thread::scope(|scope| {
            let takers: Vec<_> = (0..200).map(|_| scope.spawn(|| ceiling.take(10))).collect();
            takers.into_iter().filter_map(|taker| taker.join().unwrap()).collect()
        });
        assert_eq!(held.len(), 10);
        assert_eq!(ceiling.taken(), 10);
        drop(held);
        assert_eq!(ceiling.taken(), 0);
    }
}
