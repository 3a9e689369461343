//! Whether the program in a terminal waits for its user.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::process::{Master, Output, waits_for_input};

/// How often a silent terminal is looked at: first, and after a while of silence.
const FIRST_LOOK: Duration = Duration::from_millis(100);
const LAST_LOOK: Duration = Duration::from_secs(1);

/// Reports each wait once.
#[derive(Debug, Default)]
pub(crate) struct Attention {
    typed: AtomicU64,
    /// What had happened when a wait was reported last, plus one.
    reported: AtomicU64,
}

impl Attention {
    /// Notes that something was typed: a program that goes on waiting waits anew.
    pub(crate) fn typed(&self) {
        self.typed.fetch_add(1, Ordering::Relaxed);
    }

    fn so_far(&self, output: &Output) -> u64 {
        self.typed.load(Ordering::Relaxed) + output.activity()
    }

    /// Waits until the program in the foreground waits, and has not been reported to do so.
    ///
    /// Dropping the future loses nothing.
    pub(crate) async fn wanted(&self, terminal: &Master, output: &Output) {
        let mut pause = FIRST_LOOK;
        let mut before = self.so_far(output);
        loop {
            tokio::time::sleep(pause).await;
            let now = self.so_far(output);
            if now != before {
                (before, pause) = (now, FIRST_LOOK);
                continue;
            }
            if self.reported.load(Ordering::Relaxed) != now + 1 && waits_for_input(terminal) {
                self.reported.store(now + 1, Ordering::Relaxed);
                return;
            }
            pause = (pause * 2).min(LAST_LOOK);
        }
    }
}
