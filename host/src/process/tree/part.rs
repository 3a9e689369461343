//! Parts of a tree: groups of a session, and what one command of a lasting shell has started.

use std::io;

use nix::errno::Errno;

use super::survey::{self, Entry};
use crate::process::pidfd::Pidfd;
use crate::process::signal::Signal;

/// Signals every process of a group that is of the session led by `leader`.
pub(super) fn signal_session_group(leader: i32, group: i32, signal: Signal) -> Result<usize, Errno> {
    let members = |entry: &Entry| entry.group == group && entry.session == leader && !entry.dead;
    signal_each(signal, members)
}

/// Signals every process that fits, each by a descriptor that was checked after it was opened.
fn signal_each(signal: Signal, fits: impl Fn(&Entry) -> bool) -> Result<usize, Errno> {
    let found: Vec<Entry> = survey::numbers().map_err(|error| errno_of(&error))?.filter_map(survey::entry).collect();
    send_each(signal, found.into_iter().filter(fits))
}

fn send_each(signal: Signal, members: impl Iterator<Item = Entry>) -> Result<usize, Errno> {
    let (mut reached, mut refused) = (0, None);
    for member in members {
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

fn errno_of(error: &io::Error) -> Errno {
    error.raw_os_error().map_or(Errno::EIO, Errno::from_raw)
}
