//! The process room: starts programs, reads their output, signals them, and leaves none behind.
//!
//! Everything the rest of the host sees is exported here: `Process::start` takes a `Launch` and
//! gives a `Started`. Which program runs, in which directory and for how long is decided
//! elsewhere; this room looks nothing up and arms no timers but its own short drain.
//!
//! A process here is the root of a tree. Dropping a `Process` that was
//! not finished with kills all of it.

mod aside;
mod capture;
mod child;
mod clone3;
mod error;
mod exit;
mod input;
mod launch;
mod pidfd;
mod pty;
mod reading;
mod reserve;
mod shell;
mod signal;
mod spawn;
mod tree;
mod vfork;

pub(crate) use self::aside::{Answer, Aside, AsideError};
pub(crate) use self::capture::Shown;
pub(crate) use self::capture::Since;
pub(crate) use self::capture::pump::{SILENCE, TERMINAL_READ};
pub use self::capture::{CaptureLimits, Flow, Output, Stream, Tap, Text, Window};
pub use self::child::{Leaked, Process, Started, Whom};
pub use self::error::{SignalError, SpawnError};
pub use self::exit::Exit;
pub use self::input::{Input, InputRefused};
pub use self::launch::{Launch, MARK_VARIABLE, Size, Stdin, Stdio, Terminal};
pub use self::pty::{Master, try_terminal};
pub(crate) use self::reading::waits_for_input;
pub(crate) use self::reserve::is_reserved;
pub(crate) use self::shell::{ShellEnds, ShellSource};
pub use self::signal::Signal;
pub(crate) use self::tree::{Asker, Birthmark, Moment, asker};
pub use self::tree::{
    Containment, Elsewhere, Front, Killed, Mechanism, NoLimitMark, Reach, Traces, Tree, adopt_orphans, bury_orphans,
    kill_host, retain_living,
};

#[cfg(test)]
mod tests;
#[cfg(test)]
pub(crate) use self::tests::Dice;
