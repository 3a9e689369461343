//! What stands between a tree's first process and the program that was meant.
//!
//! A sandbox is made by a program that must live as long as what runs in it: a signal is for what is inside. A
//! container runs elsewhere, and the first process only talks to the engine that runs it.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use nix::errno::Errno;

use super::part::{errno_of, send_each};
use super::survey::{self, Entry};
use super::{Killed, Root, Tree};
use crate::process::exit::Exit;
use crate::process::signal::Signal;

/// What stands in front of the program that is meant.
#[derive(Clone, Debug, Default)]
pub enum Front {
    /// Nothing: the first process is the program.
    #[default]
    None,
    /// A program that has started another one, which has started the program, and ends with it.
    Wrapper,
    /// A client of whatever runs the program somewhere else.
    Client(Arc<dyn Elsewhere>),
}

/// Whom of those that run elsewhere a signal is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// The program that was meant.
    First,
    /// All but that one.
    Others,
    /// All.
    All,
}

/// What runs elsewhere for a first process that is only its client.
pub trait Elsewhere: fmt::Debug + Send + Sync {
    /// Sends a signal, after those that were sent before. Returns at once.
    fn signal(&self, signal: Signal, reach: Reach);

    /// Kills all but the first program, until none of them is left or `patience` is over. Blocks.
    ///
    /// Returns true where none is left.
    fn kill_others(&self, patience: Duration) -> bool;

    /// Whether nothing is left there when the client has ended so.
    fn is_over_at(&self, exit: Exit) -> bool;

    /// Ends all that runs there, or is about to, and looks until nothing is left, for at most `patience`. Blocks.
    ///
    /// `client_is_gone` says whether the client has ended, after which nothing new begins.
    ///
    /// # Errors
    /// Says in words that something may be left, and what.
    fn end(&self, client_is_gone: &dyn Fn() -> bool, patience: Duration) -> Result<(), String>;
}

impl Tree {
    /// Returns what runs elsewhere, where the first process is a client.
    pub(crate) fn elsewhere(&self) -> Option<&Arc<dyn Elsewhere>> {
        match &self.0.front {
            Front::Client(elsewhere) => Some(elsewhere),
            Front::None | Front::Wrapper => None,
        }
    }

    /// Returns true where the first process is not the program that was meant, so that signals take another way.
    pub(in crate::process) fn is_fronted(&self) -> bool {
        !matches!(self.0.front, Front::None)
    }

    /// Signals the program that was meant, behind whatever stands in front of it.
    pub(in crate::process) fn signal_first(&self, signal: Signal) -> Result<usize, Errno> {
        match self.elsewhere() {
            Some(elsewhere) => Ok(self.0.tell(&**elsewhere, signal, Reach::First)),
            None => self.signal_behind(signal, |first, entry| entry.pid == first),
        }
    }

    /// Signals all that runs behind the first process; with `group`, in its process group.
    pub(in crate::process) fn signal_behind_all(&self, signal: Signal, group: bool) -> Result<usize, Errno> {
        match self.elsewhere() {
            Some(elsewhere) => Ok(self.0.tell(&**elsewhere, signal, Reach::All)),
            None => self.signal_behind(signal, |_, entry| !group || entry.group == self.leader()),
        }
    }

    fn signal_behind(&self, signal: Signal, which: impl Fn(i32, &Entry) -> bool) -> Result<usize, Errno> {
        let members = self.members().map_err(|error| errno_of(&error))?;
        let Some(first) = self.first(&members) else { return Ok(0) };
        let chosen: Vec<Entry> =
            members.into_iter().filter(|entry| entry.pid != self.leader() && which(first, entry)).collect();
        send_each(signal, chosen.into_iter())
    }

    /// The number of the program that was meant, among these members; none where a wrapper has not started it yet.
    pub(super) fn first(&self, members: &[Entry]) -> Option<i32> {
        let child = |of: i32| {
            let children = members.iter().filter(move |entry| entry.parent == of && entry.pid != of);
            children.min_by_key(|entry| (entry.started, entry.pid)).map(|entry| entry.pid)
        };
        match self.0.front {
            Front::None | Front::Client(_) => Some(self.leader()),
            Front::Wrapper => child(self.leader()).and_then(child),
        }
    }

    pub(super) fn members(&self) -> io::Result<Vec<Entry>> {
        survey::members(&self.0.signs())
    }
}

impl Root {
    /// Passes a signal on, unless the client has ended. Counts as one who was reached.
    fn tell(&self, elsewhere: &dyn Elsewhere, signal: Signal, reach: Reach) -> usize {
        if self.lock_exit().is_some() {
            return 0;
        }
        elsewhere.signal(signal, reach);
        1
    }

    /// Ends what runs elsewhere, and then what is here.
    pub(super) fn end(&self, patience: Duration) -> Killed {
        let Front::Client(elsewhere) = &self.front else { return self.kill(patience) };
        let is_over = || self.lock_exit().is_some() || survey::entry(self.leader).is_none_or(|entry| entry.dead);
        let ended = elsewhere.end(&is_over, patience);
        let mut killed = self.kill(patience);
        if let Err(why) = ended {
            killed.blind.get_or_insert(why);
        }
        killed
    }
}
