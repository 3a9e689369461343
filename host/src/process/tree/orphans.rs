//! Orphans that this program inherits: whose parent ended, and whose zombies are ours to bury.
//!
//! A program inherits orphans when it is the first process of a container, or asked for them. A
//! library must not ask, since that hands it the orphans of the whole program; a binary may.
//! Only what bears this host's mark is buried: the zombies of others are waited for by others.

use std::collections::HashSet;
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

use nix::errno::Errno;
use nix::libc;

use super::mark::LimitMark;
use super::survey;
use crate::process::pidfd::Pidfd;

/// A leader is noted some microseconds after it was born; no orphan younger than this is touched.
const MIN_AGE_SECONDS: u64 = 1;

/// Leaders that have not been reaped: their status belongs to whoever waits for them.
static LEADERS: Mutex<Option<HashSet<i32>>> = Mutex::new(None);

/// Makes this program the parent of its descendants' orphans, in place of the system's first process.
///
/// Worth it in a binary that may run where the first process does not bury orphans, as in many
/// containers; call `bury_orphans` from time to time then. Not for libraries: it changes the
/// whole program, and orphans that bear no mark are left to the program's own waiting.
///
/// # Errors
/// Fails where the system refuses.
pub fn adopt_orphans() -> io::Result<()> {
    // SAFETY: takes integers.
    Errno::result(unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) })?;
    Ok(())
}

/// Takes zombies of this host's jobs out of the process table, where they have become its children.
///
/// Returns how many. Costs a microsecond for each process of the machine, and nothing where this
/// program inherits no orphans. Not for an async task.
pub fn bury_orphans() -> usize {
    let Some(mark) = LimitMark::host().filter(|_| inherits()) else { return 0 };
    let Ok(numbers) = survey::numbers() else { return 0 };
    let own = std::process::id() as i32;
    let ticks = survey::ticks_per_second();
    let orphans = numbers.filter(|pid| mark.is_on(*pid)).filter_map(survey::entry).filter(|entry| {
        let old = entry.started + MIN_AGE_SECONDS * ticks < survey::now();
        entry.dead && entry.parent == own && old && !leaders(|leaders| leaders.contains(&entry.pid))
    });
    let zombies: Vec<Pidfd> = orphans.filter_map(|orphan| Pidfd::open(orphan.pid).ok()).collect();
    for zombie in &zombies {
        zombie.reap();
    }
    zombies.len()
}

/// Returns true where orphans of this program's descendants become its children.
pub(super) fn inherits() -> bool {
    let mut asked: libc::c_int = 0;
    // SAFETY: `asked` is valid for writing.
    let result = unsafe { libc::prctl(libc::PR_GET_CHILD_SUBREAPER, &raw mut asked, 0, 0, 0) };
    std::process::id() == 1 || (result == 0 && asked != 0)
}

pub(super) fn note_leader(pid: i32) {
    leaders(|leaders| leaders.insert(pid));
}

pub(super) fn forget_leader(pid: i32) {
    leaders(|leaders| leaders.remove(&pid));
}

fn leaders<T>(change: impl FnOnce(&mut HashSet<i32>) -> T) -> T {
    let mut guard: MutexGuard<'_, _> = LEADERS.lock().unwrap_or_else(PoisonError::into_inner);
    change(guard.get_or_insert_default())
}
