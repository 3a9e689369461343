//! Ends entries that run over their time.
//!
//! A thread advances the engine's epoch while entries run, and sleeps for good when none does, so that an idle host
//! wakes nobody. An entry costs it two atomic operations.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{JoinHandle, Thread};
use std::time::Duration;

/// The length of one epoch; deadlines are rounded up to it.
const TICK: Duration = Duration::from_millis(10);

/// How many ticks without an entry before the thread sleeps.
const IDLE_TICKS: u32 = 50;

#[derive(Debug, Default)]
struct State {
    entries: AtomicUsize,
    asleep: AtomicBool,
    stop: AtomicBool,
}

/// The thread and what it is told.
#[derive(Debug)]
pub(super) struct Watchdog {
    state: Arc<State>,
    thread: Thread,
    handle: Option<JoinHandle<()>>,
}

/// Keeps the watchdog awake for as long as an entry runs.
#[derive(Debug)]
pub(super) struct Watched<'a>(&'a State);

impl Drop for Watched<'_> {
    fn drop(&mut self) {
        self.0.entries.fetch_sub(1, Ordering::Release);
    }
}

impl Watchdog {
    /// Starts the thread; `tick` advances the engine's epoch.
    pub(super) fn start(tick: impl Fn() + Send + 'static) -> std::io::Result<Self> {
        let state = Arc::new(State::default());
        let shared = Arc::clone(&state);
        let handle = std::thread::Builder::new().name("shellward-epoch".into()).spawn(move || run(&shared, tick))?;
        Ok(Self { state, thread: handle.thread().clone(), handle: Some(handle) })
    }

    /// Notes that an entry begins.
    pub(super) fn watch(&self) -> Watched<'_> {
        // SeqCst pairs with `run`: either it sees this entry before it sleeps, or this sees that it sleeps.
        self.state.entries.fetch_add(1, Ordering::SeqCst);
        if self.state.asleep.swap(false, Ordering::SeqCst) {
            self.thread.unpark();
        }
        Watched(&self.state)
    }

    /// How many epochs an entry may see before its time is over.
    pub(super) fn ticks(deadline: Duration) -> u64 {
        // One more, because the running epoch may be about to end.
        u64::try_from(deadline.as_nanos().div_ceil(TICK.as_nanos())).unwrap_or(u64::MAX - 1) + 1
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.state.stop.store(true, Ordering::SeqCst);
        self.thread.unpark();
        if let Some(handle) = self.handle.take() {
            // The thread cannot panic; there is nothing to learn from its result.
            let _ = handle.join();
        }
    }
}

fn run(state: &State, tick: impl Fn()) {
    let mut idle = 0;
    while !state.stop.load(Ordering::SeqCst) {
        std::thread::park_timeout(TICK);
        tick();
        if state.entries.load(Ordering::SeqCst) > 0 {
            idle = 0;
            continue;
        }
        idle += 1;
        if idle < IDLE_TICKS {
            continue;
        }
        state.asleep.store(true, Ordering::SeqCst);
        while state.asleep.load(Ordering::SeqCst)
            && state.entries.load(Ordering::SeqCst) == 0
            && !state.stop.load(Ordering::SeqCst)
        {
            std::thread::park();
        }
        state.asleep.store(false, Ordering::SeqCst);
        idle = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deadline_is_never_cut_short() {
        assert_eq!(Watchdog::ticks(Duration::from_millis(100)), 11);
        assert_eq!(Watchdog::ticks(Duration::from_millis(101)), 12);
        assert_eq!(Watchdog::ticks(Duration::ZERO), 1);
    }

    #[test]
    fn it_wakes_for_an_entry_and_stops_when_dropped() {
        let ticks = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&ticks);
        let watchdog = Watchdog::start(move || {
            counter.fetch_add(1, Ordering::SeqCst);
        })
        .unwrap();
        while !watchdog.state.asleep.load(Ordering::SeqCst) {
            std::thread::yield_now();
        }
        let before = ticks.load(Ordering::SeqCst);
        let watched = watchdog.watch();
        while ticks.load(Ordering::SeqCst) < before + 3 {
            std::thread::yield_now();
        }
        drop(watched);
        drop(watchdog);
    }
}
