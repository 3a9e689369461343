//! The time an entry may take: that of the processor, so that a busy machine is not taken for a policy that loops.

use std::time::Duration;

use nix::time::{ClockId, clock_gettime};
use wasmtime::UpdateDeadline;

use super::watchdog::Watchdog;

/// What an entry may still take of its own thread's processor time. Lives on that thread.
pub(super) struct Allowance {
    end: Duration,
}

impl Allowance {
    /// Begins to count.
    pub(super) fn begin(limit: Duration) -> Self {
        Self { end: spent().saturating_add(limit) }
    }

    /// Says, when the clock on the wall says that the time is over, whether it is.
    /// What guards have taken of it on the entry's thread was not the entry's.
    pub(super) fn look(&self, guarded: Duration) -> UpdateDeadline {
        match self.end.saturating_add(guarded).checked_sub(spent()) {
            None | Some(Duration::ZERO) => UpdateDeadline::Interrupt,
            Some(left) => UpdateDeadline::Continue(Watchdog::ticks(left)),
        }
    }
}

/// The processor time of this thread. Without such a clock nothing counts as spent before, and the first look ends it.
pub(super) fn spent() -> Duration {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map_or(Duration::MAX, Duration::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_waited_has_its_time_left_and_one_that_worked_has_not() {
        let allowance = Allowance::begin(Duration::from_millis(20));
        std::thread::sleep(Duration::from_millis(60));
        assert!(matches!(allowance.look(Duration::ZERO), UpdateDeadline::Continue(_)));
        let begun = spent();
        while spent() < begun + Duration::from_millis(20) {
            std::hint::spin_loop();
        }
        assert!(matches!(allowance.look(Duration::ZERO), UpdateDeadline::Interrupt));
        assert!(matches!(allowance.look(Duration::from_secs(1)), UpdateDeadline::Continue(_)));
    }
}
