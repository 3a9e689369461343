//! Finding processes that a test has started, by a mark in their command line or environment.

use std::fs;
use std::time::{Duration, Instant};

/// How long a test waits for something that must happen.
const PATIENCE: Duration = Duration::from_secs(30);

/// Waits for a condition, and fails the test when it does not come.
pub fn until(what: &str, mut condition: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !condition() {
        assert!(begun.elapsed() < PATIENCE, "waited {PATIENCE:?} in vain until {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Waits for a value to appear.
pub fn wait_for<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let mut found = None;
    until(what, || {
        found = look();
        found.is_some()
    });
    found.unwrap()
}

/// The processes that carry a mark of their own test.
#[derive(Debug)]
pub struct Survivors {
    mark: String,
}

impl Survivors {
    /// Makes a mark that no other test has. Commands carry it as an argument, such as `sleep 1000.0001`.
    #[must_use]
    pub fn new() -> Self {
        use std::sync::atomic::{AtomicU32, Ordering};
        static NEXT: AtomicU32 = AtomicU32::new(1);
        Self { mark: format!("10{:07}.{:04}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed)) }
    }

    /// The mark: a number of seconds that `sleep` takes for very long.
    #[must_use]
    pub fn mark(&self) -> &str {
        &self.mark
    }

    /// The processes that carry the mark now, zombies left out: their command line is empty.
    #[must_use]
    pub fn alive(&self) -> Vec<i32> {
        let pids = fs::read_dir("/proc").unwrap().filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
        pids.filter(|pid: &i32| {
            let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            // A shell that was given the mark inside its script is not meant, only the sleeper itself.
            line.split(|byte| *byte == 0).any(|word| word == self.mark.as_bytes())
        })
        .collect()
    }

    /// Waits until so many are alive.
    pub fn wait_for(&self, count: usize) {
        until(&format!("{count} processes with the mark {} are alive", self.mark), || self.alive().len() == count);
    }
}

impl Default for Survivors {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Survivors {
    /// A failed test leaves nothing running either.
    fn drop(&mut self) {
        for pid in self.alive() {
            // One that is gone meanwhile is what we want.
            let _ = nix::sys::signal::kill(nix::unistd::Pid::from_raw(pid), nix::sys::signal::Signal::SIGKILL);
        }
    }
}
