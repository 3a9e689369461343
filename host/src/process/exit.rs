//! How a process ended.

use super::signal::Signal;

/// How a process ended: by its own code or by a signal.
///
/// Both are `None` where somebody else in this program took the exit status first, as a
/// `waitpid(-1)` loop or an ignored SIGCHLD does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exit {
    /// The exit code, where the process ended by itself.
    pub code: Option<i32>,
    /// The number of the signal that ended it.
    pub signal: Option<i32>,
}

impl Exit {
    /// The exit of a process whose status somebody else has taken.
    pub const UNKNOWN: Self = Self { code: None, signal: None };

    /// Returns true where the process ended by itself with code 0.
    #[must_use]
    pub fn success(&self) -> bool {
        self.code == Some(0)
    }

    /// Returns the name of the signal that ended it, such as `SIGKILL`.
    #[must_use]
    pub fn signal_name(&self) -> Option<String> {
        let signal = Signal::from_number(self.signal?)?;
        Some(signal.name().into_owned())
    }
}
