//! Parts of a tree: groups of a session, and what one command of a lasting shell has started.

use std::collections::HashMap;
use std::io;
use std::time::{Duration, Instant};

use nix::errno::Errno;

use super::Tree;
use super::front::Reach;
use super::survey::{self, Entry};
use crate::process::pidfd::Pidfd;
use crate::process::signal::Signal;

/// The pause between two looks for what is left.
const PAUSE: Duration = Duration::from_millis(2);

/// A moment in the process table's own clock, which counts hundredths of a second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Moment(u64);

impl Moment {
    pub(crate) fn now() -> Self {
        Self(survey::now())
    }
}

impl Tree {
    /// Signals what the leader, a lasting shell, has started since one moment and before another, and what came of that.
    pub(crate) fn signal_since(&self, since: Moment, before: Option<Moment>, signal: Signal) -> Result<usize, Errno> {
        if let Some(elsewhere) = self.elsewhere() {
            elsewhere.signal(signal, Reach::Others);
            return Ok(1);
        }
        let members = self.members().map_err(|error| errno_of(&error))?;
        send_each(signal, self.started_since(since, before, members).into_iter())
    }

    /// Signals what of that is in the shell's own process group.
    pub(crate) fn signal_group_since(&self, since: Moment, signal: Signal) -> Result<usize, Errno> {
        if let Some(elsewhere) = self.elsewhere() {
            elsewhere.signal(signal, Reach::Others);
            return Ok(1);
        }
        let members = self.members().map_err(|error| errno_of(&error))?;
        // Behind a wrapper the shell may lead a group of its own.
        let shell = self.first(&members);
        let group = members.iter().find(|entry| Some(entry.pid) == shell).map(|entry| entry.group);
        let started = self.started_since(since, None, members).into_iter();
        send_each(signal, started.filter(|entry| Some(entry.group) == group))
    }

    /// Signals a group of the leader's session, and returns how many of it there were.
    pub(crate) fn signal_session_group(&self, group: i32, signal: Signal) -> Result<usize, Errno> {
        let leader = self.leader();
        let found = survey::numbers().map_err(|error| errno_of(&error))?.filter_map(survey::entry);
        let members: Vec<Entry> = found.filter(|entry| entry.group == group && entry.session == leader).collect();
        send_each(signal, members.into_iter())
    }

    /// Kills what the leader has started since one moment and before another, until nothing of it is left or `patience`
    /// is over. Blocks.
    ///
    /// Returns true where nothing is left.
    pub(crate) fn kill_since(&self, since: Moment, before: Option<Moment>, patience: Duration) -> bool {
        if let Some(elsewhere) = self.elsewhere() {
            return elsewhere.kill_others(patience);
        }
        let deadline = Instant::now() + patience;
        loop {
            let Ok(members) = self.members() else { return false };
            let left: Vec<Entry> =
                self.started_since(since, before, members).into_iter().filter(|entry| !entry.dead).collect();
            if left.is_empty() {
                return true;
            }
            // One that may not be signalled is met again, until patience is over.
            let _ = send_each(Signal::KILL, left.into_iter());
            if Instant::now() >= deadline {
                return false;
            }
            std::thread::sleep(PAUSE);
        }
    }

    /// What of the members the shell has started since then; nothing where a wrapper has not even started the shell.
    fn started_since(&self, since: Moment, before: Option<Moment>, members: Vec<Entry>) -> Vec<Entry> {
        let Some(shell) = self.first(&members) else { return Vec::new() };
        let leader = self.leader();
        // What stands in front of the shell is no child of it, and is older than any command.
        let descend = |entry: &Entry| entry.pid != leader && (shell == leader || entry.parent != leader);
        started_since(shell, since, before, members.into_iter().filter(descend).collect())
    }
}

/// Of the members of a shell's tree those that belong to what it has started since then.
///
/// What descends from a process that the shell had started before belongs to that one, however young it is. A process
/// whose parents are gone belongs to the oldest of its group or session.
fn started_since(leader: i32, since: Moment, before: Option<Moment>, members: Vec<Entry>) -> Vec<Entry> {
    let by_pid: HashMap<i32, Entry> = members.iter().map(|entry| (entry.pid, *entry)).collect();
    let top = |entry: &Entry| {
        let mut top = *entry;
        // A chain of parents has no circle; one that is read while it changes could seem to.
        for _ in 0..members.len() {
            match by_pid.get(&top.parent) {
                Some(parent) if parent.pid != leader => top = *parent,
                _ => break,
            }
        }
        top
    };
    let older_kin = |entry: &Entry| {
        members.iter().any(|other| {
            other.pid != leader
                && other.started < since.0
                && (other.group == entry.group && entry.group != leader
                    || other.session == entry.session && entry.session != leader)
        })
    };
    let belongs = |entry: &&Entry| {
        let top = top(entry);
        let started = Moment(top.started);
        let meant = started >= since && before.is_none_or(|before| started < before);
        entry.pid != leader && meant && (top.parent == leader || !older_kin(&top))
    };
    members.iter().filter(belongs).copied().collect()
}

pub(super) fn send_each(signal: Signal, members: impl Iterator<Item = Entry>) -> Result<usize, Errno> {
    let (mut reached, mut refused) = (0, None);
    for member in members.filter(|member| !member.dead) {
        let Ok(pidfd) = Pidfd::open(member.pid) else { continue };
        if survey::entry(member.pid).is_none_or(|now| now.started != member.started) {
            continue;
        }
        match pidfd.send(signal) {
            Ok(()) => reached += 1,
            Err(Errno::ESRCH) => {}
            Err(errno) => refused = Some(errno),
        }
    }
    match refused {
        Some(errno) if reached == 0 => Err(errno),
        _ => Ok(reached),
    }
}

pub(super) fn errno_of(error: &io::Error) -> Errno {
    error.raw_os_error().map_or(Errno::EIO, Errno::from_raw)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(pid: i32, parent: i32, group: i32, session: i32, started: u64) -> Entry {
        Entry { pid, parent, group, session, started, dead: false }
    }

    #[test]
    fn a_command_is_what_its_shell_started_since_and_all_that_came_of_it() {
        let shell = entry(10, 1, 10, 10, 0);
        let server = entry(20, 10, 20, 10, 50);
        let worker_of_the_server = entry(21, 20, 20, 10, 150);
        let orphan_of_the_server = entry(22, 1, 20, 10, 160);
        let command = entry(30, 10, 30, 10, 100);
        let child = entry(31, 30, 31, 31, 110);
        let orphan = entry(32, 1, 32, 32, 120);
        let members = vec![shell, server, worker_of_the_server, orphan_of_the_server, command, child, orphan];
        let found: Vec<i32> =
            started_since(10, Moment(100), None, members.clone()).iter().map(|entry| entry.pid).collect();
        assert_eq!(found, [30, 31, 32]);
        let before = Some(Moment(115));
        let found: Vec<i32> = started_since(10, Moment(100), before, members).iter().map(|entry| entry.pid).collect();
        assert_eq!(found, [30, 31], "what came with the next command is not this one's");
    }
}
