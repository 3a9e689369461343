//! A job's timers.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// How many timers a job may have armed at once.
pub(crate) const MOST: u32 = 32;

/// The longest a timer may be set, so that its end can be computed.
const LONGEST: Duration = Duration::from_secs(10 * 365 * 24 * 3600);

/// A job's armed timers.
#[derive(Debug, Default)]
pub(crate) struct Timers(BTreeMap<String, Instant>);

/// The job has as many timers as it may have.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TooMany;

impl Timers {
    /// Arms a timer, anew if it was armed.
    pub(crate) fn arm(&mut self, name: &str, now: Instant, after: Duration) -> Result<(), TooMany> {
        if !self.0.contains_key(name) && self.0.len() >= MOST as usize {
            return Err(TooMany);
        }
        self.0.insert(name.to_owned(), now + after.min(LONGEST));
        Ok(())
    }

    pub(crate) fn disarm(&mut self, name: &str) {
        self.0.remove(name);
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// When the next one is due.
    pub(crate) fn next(&self) -> Option<Instant> {
        self.0.values().min().copied()
    }

    /// Takes the one that has been due longest, if one is due.
    pub(crate) fn take_due(&mut self, now: Instant) -> Option<String> {
        let name = self.0.iter().filter(|(_, due)| **due <= now).min_by_key(|(_, due)| **due)?.0.clone();
        self.0.remove(&name);
        Some(name)
    }

    pub(crate) fn names(&self) -> Vec<String> {
        self.0.keys().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_come_in_order_and_never_early() {
        let start = Instant::now();
        let mut timers = Timers::default();
        timers.arm("late", start, Duration::from_secs(2)).unwrap();
        timers.arm("early", start, Duration::from_secs(1)).unwrap();
        timers.arm("never", start, Duration::MAX).unwrap();
        assert_eq!(timers.take_due(start), None);
        let later = start + Duration::from_secs(3);
        assert_eq!(timers.take_due(later).as_deref(), Some("early"));
        assert_eq!(timers.take_due(later).as_deref(), Some("late"));
        assert_eq!(timers.take_due(later), None);
        assert_eq!(timers.names(), ["never"]);
    }

    #[test]
    fn arming_again_moves_it_and_there_is_a_most() {
        let start = Instant::now();
        let mut timers = Timers::default();
        for number in 0..MOST {
            timers.arm(&number.to_string(), start, Duration::from_secs(1)).unwrap();
        }
        assert_eq!(timers.arm("one more", start, Duration::ZERO), Err(TooMany));
        timers.arm("0", start, Duration::from_secs(9)).unwrap();
        timers.disarm("1");
        timers.arm("one more", start, Duration::ZERO).unwrap();
        assert_eq!(timers.take_due(start).as_deref(), Some("one more"));
    }
}
