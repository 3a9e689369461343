//! A look at the process table: who is there, and who belongs to a job.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;

use nix::libc;

use super::mark::LimitMark;
use crate::process::launch::MARK_VARIABLE;

/// What is looked for.
#[derive(Clone, Debug)]
pub(crate) struct Signs<'a> {
    /// The hard limit the job's processes bear.
    pub limit: Option<LimitMark>,
    /// The processes in the job's cgroup.
    pub cgroup: Vec<i32>,
    /// The value of `MARK_VARIABLE` in their environment.
    pub mark: Option<&'a str>,
    /// The number of the first process, while it is not reaped: its group and session are the job's.
    pub leader: Option<i32>,
    /// When the job began, in the table's own clock: who is older is no member.
    pub since: u64,
}

/// One line of the process table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub pid: i32,
    pub parent: i32,
    pub group: i32,
    pub session: i32,
    pub started: u64,
    /// It runs no more and waits for its parent.
    pub dead: bool,
}

/// Returns the numbers of all processes but this one.
pub(crate) fn numbers() -> io::Result<impl Iterator<Item = i32>> {
    let own = std::process::id() as i32;
    let entries = std::fs::read_dir("/proc")?;
    Ok(entries.filter_map(move |entry| {
        let name = entry.ok()?.file_name();
        let pid = std::str::from_utf8(name.as_bytes()).ok()?.parse().ok()?;
        (pid != own).then_some(pid)
    }))
}

/// Returns the number that was given to a process or thread last.
pub(crate) fn newest() -> io::Result<i32> {
    let line = std::fs::read_to_string("/proc/loadavg")?;
    let number = line.split_ascii_whitespace().last().and_then(|number| number.parse().ok());
    number.ok_or_else(|| io::Error::other("/proc/loadavg does not end in a process number"))
}

/// Finds everything that bears any sign of the job, and the descendants of what does.
pub(crate) fn members(signs: &Signs<'_>) -> io::Result<Vec<Entry>> {
    let mut others: Vec<Entry> = numbers()?.filter_map(entry).filter(|entry| entry.started >= signs.since).collect();
    let mut members: Vec<Entry> = others.extract_if(.., |entry| bears(entry, signs)).collect();
    let mut known: HashSet<i32> = members.iter().map(|entry| entry.pid).chain(signs.leader).collect();
    loop {
        let children: Vec<Entry> = others.extract_if(.., |entry| known.contains(&entry.parent)).collect();
        if children.is_empty() {
            return Ok(members);
        }
        known.extend(children.iter().map(|entry| entry.pid));
        members.extend(children);
    }
}

fn bears(entry: &Entry, signs: &Signs<'_>) -> bool {
    let led = |leader| entry.pid == leader || entry.group == leader || entry.session == leader;
    signs.leader.is_some_and(led)
        || signs.limit.is_some_and(|limit| limit.is_on_any(entry.pid))
        || signs.cgroup.contains(&entry.pid)
        || (!entry.dead && signs.mark.is_some_and(|mark| environment_bears(entry.pid, mark)))
}

/// Returns true where the environment a process was started with has the job's mark.
fn environment_bears(pid: i32, mark: &str) -> bool {
    let Ok(environment) = std::fs::read(format!("/proc/{pid}/environ")) else { return false };
    environment.split(|byte| *byte == 0).any(|variable| {
        let value = variable.strip_prefix(MARK_VARIABLE.as_bytes()).and_then(|rest| rest.strip_prefix(b"="));
        value == Some(mark.as_bytes())
    })
}

/// Reads a process's line of the table.
pub(crate) fn entry(pid: i32) -> Option<Entry> {
    // One read brings the whole line, which is shorter than this.
    let mut line = [0; 1024];
    let count = File::open(format!("/proc/{pid}/stat")).ok()?.read(&mut line).ok()?;
    parse(pid, line.get(..count)?)
}

/// Returns the time since the machine started, in the ticks the process table counts in.
pub(crate) fn now() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is valid for writing.
    if unsafe { libc::clock_gettime(libc::CLOCK_BOOTTIME, &raw mut time) } != 0 {
        return 0; // Nothing is older than that, so nothing is left out.
    }
    let ticks = ticks_per_second();
    time.tv_sec as u64 * ticks + time.tv_nsec as u64 * ticks / 1_000_000_000
}

pub(crate) fn ticks_per_second() -> u64 {
    // SAFETY: takes an integer.
    unsafe { libc::sysconf(libc::_SC_CLK_TCK) }.max(1) as u64
}

/// Takes apart a line such as `12 (a name) S 1 12 12 …`; the name may hold anything.
fn parse(pid: i32, line: &[u8]) -> Option<Entry> {
    let name_end = line.iter().rposition(|byte| *byte == b')')?;
    let rest = std::str::from_utf8(line.get(name_end + 2..)?).ok()?;
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    let number = |index: usize| fields.get(index)?.parse::<i32>().ok();
    // The first thread of a process may have ended while others go on.
    let threads = number(17)?;
    Some(Entry {
        pid,
        dead: matches!(*fields.first()?, "Z" | "X" | "x") && threads <= 1,
        parent: number(1)?,
        group: number(2)?,
        session: number(3)?,
        started: fields.get(19)?.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_taken_apart_whatever_the_name() {
        let rest = "S 7 8 9 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 4711 1 1";
        for name in ["sh", "a b", "x) R 1 1 1 (y", "(", ""] {
            let line = format!("42 ({name}) {rest}\n");
            let expected = Entry { pid: 42, parent: 7, group: 8, session: 9, started: 4711, dead: false };
            assert_eq!(parse(42, line.as_bytes()), Some(expected), "{name}");
        }
        assert_eq!(parse(1, b""), None);
        assert_eq!(parse(1, b"1 (x)"), None);
        assert_eq!(parse(1, b"1 (x) S 1"), None);
    }

    #[test]
    fn a_zombie_is_dead_unless_other_threads_go_on() {
        for (state, threads, dead) in
            [("Z", 1, true), ("X", 0, true), ("Z", 3, false), ("D", 1, false), ("T", 1, false)]
        {
            let line = format!("42 (sh) {state} 7 8 9 0 -1 0 0 0 0 0 0 0 0 0 20 0 {threads} 0 4711 1 1\n");
            assert_eq!(parse(42, line.as_bytes()).unwrap().dead, dead, "{state} {threads}");
        }
    }

    #[test]
    fn this_process_began_before_now() {
        let own = entry(std::process::id() as i32).unwrap();
        assert!(own.started <= now());
        assert!(!numbers().unwrap().any(|pid| pid == own.pid));
    }
}
