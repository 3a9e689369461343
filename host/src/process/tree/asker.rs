//! Who asks through a socket: whether it may be a process of a job.

use std::os::fd::AsFd;
use std::process;

use nix::errno::Errno;
use nix::sys::socket::getsockopt;
use nix::sys::socket::sockopt::{PeerCredentials, PeerPidfd};

use super::mark::{LimitMark, Room, hard_limit, is_ours};
use super::{orphans, survey};
use crate::process::pidfd::Pidfd;

/// Who has connected to a socket of this program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asker {
    /// Nobody whom a job has started.
    Outside,
    /// A process of a job, of this host's or another's; or another descendant of this program.
    OfAJob,
    /// One that has ended, or runs where it cannot be looked at, as in a container.
    Unseen,
    /// One that nothing tells from this host's jobs: they all run under the same limit, or it has lowered its own.
    Alike,
}

/// Finds out who is at the other end of a socket.
pub(crate) fn asker(socket: &impl AsFd) -> Asker {
    let Ok(peer) = getsockopt(socket, PeerCredentials) else { return Asker::Unseen };
    let pid = peer.pid();
    // Who is in no namespace of processes that is seen from here has the number 0, which would mean this program.
    if pid <= 0 {
        return Asker::Unseen;
    }
    let held = match getsockopt(socket, PeerPidfd) {
        Ok(held) => Ok(Pidfd::from(held)),
        // Linux before 6.5: the number may be another's by now, if whoever asked has ended already.
        Err(Errno::ENOPROTOOPT) => Pidfd::open(pid),
        Err(errno) => Err(errno),
    };
    let found = look(pid);
    // A job could pass on what was connected, and end. One that lives yet was itself looked at, by its number.
    if held.is_ok_and(|held| !held.has_ended()) { found } else { Asker::Unseen }
}

fn look(pid: i32) -> Asker {
    let own = process::id() as i32;
    if pid == own {
        return Asker::Outside;
    }
    let (Some(limit), Some(own_limit), false) = (hard_limit(pid), hard_limit(own), is_contained(pid)) else {
        return Asker::Unseen;
    };
    let marked = matches!(LimitMark::room(), Room::Free | Room::InJob(_));
    match descends(pid, own) {
        Some(true) => Asker::OfAJob,
        // Where orphans stay in the family, who is not of it is no job's.
        Some(false) => by_limit(limit, own_limit, marked || orphans::inherits()),
        None => by_limit(limit, own_limit, marked),
    }
}

/// Who it is by its limit, which can be lowered but not raised. `told` says whether one with this program's own is
/// known to be of no job.
fn by_limit(limit: u64, own: u64, told: bool) -> Asker {
    match limit {
        _ if limit != own && is_ours(limit) => Asker::OfAJob,
        _ if limit > own || (limit == own && told) => Asker::Outside,
        _ => Asker::Alike,
    }
}

/// Returns true where a process descends from another; none where an ancestor cannot be seen.
fn descends(mut pid: i32, from: i32) -> Option<bool> {
    while pid > 1 {
        pid = survey::entry(pid)?.parent;
        if pid == from {
            return Some(true);
        }
    }
    Some(false)
}

/// Returns true where a process is in a namespace of processes below this program's, or cannot be asked: what runs in
/// a container is a child of the container's engine, and bears no mark.
fn is_contained(pid: i32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let numbers = status.lines().find_map(|line| line.strip_prefix("NSpid:"));
    numbers.is_none_or(|numbers| numbers.split_whitespace().count() != 1)
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::os::unix::net::{UnixListener, UnixStream};
    use std::process::{Command, Stdio};

    use nix::libc::RLIM64_INFINITY;

    use super::*;

    const VARIABLE: &str = "SHELLWARD_TEST_SOCKET";

    #[test]
    fn who_has_ended_is_not_taken_for_a_stranger() {
        let name = "who_has_ended_is_not_taken_for_a_stranger";
        if let Some(path) = std::env::var_os(VARIABLE) {
            // The process that asks: until it is told to end.
            let mut socket = UnixStream::connect(path).unwrap();
            assert_eq!(socket.read(&mut [0]).unwrap(), 1);
            return;
        }
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("socket");
        let listener = UnixListener::bind(&path).unwrap();
        let module = module_path!().split_once("::").unwrap().1;
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", &format!("{module}::{name}")])
            .env(VARIABLE, &path)
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let (mut socket, _) = listener.accept().unwrap();
        assert_eq!(asker(&socket), Asker::OfAJob, "a child of this program");
        socket.write_all(b"!").unwrap();
        assert!(child.wait().unwrap().success());
        assert_eq!(asker(&socket), Asker::Unseen);
        let own = UnixStream::connect(&path).unwrap();
        assert_eq!(asker(&listener.accept().unwrap().0), Asker::Outside, "this program");
        drop(own);
    }

    #[test]
    fn a_limit_tells_whose_job_it_is_and_what_it_cannot_tell() {
        let base = 1 << 62;
        let (job, nested, deep, low) = (base | 0xfff, base | 0xffe, base | 0xff0, 1_000_000);
        for (limit, own, told, expected) in [
            (RLIM64_INFINITY, RLIM64_INFINITY, true, Asker::Outside),
            (job, RLIM64_INFINITY, true, Asker::OfAJob),
            (low, RLIM64_INFINITY, true, Asker::Alike),
            // This host runs in a job.
            (RLIM64_INFINITY, job, true, Asker::Outside),
            (job, job, true, Asker::Outside),
            (nested, job, true, Asker::OfAJob),
            (job | 1 << 20, job, true, Asker::OfAJob),
            // Its jobs cannot be marked.
            (deep, deep, false, Asker::Alike),
            (deep, deep, true, Asker::Outside),
            (job, deep, false, Asker::OfAJob),
            (low, low, false, Asker::Alike),
            (RLIM64_INFINITY, low, false, Asker::Outside),
        ] {
            assert_eq!(by_limit(limit, own, told), expected, "{limit:x} asks {own:x}");
        }
    }

    #[test]
    fn ancestors_are_known() {
        let own = process::id() as i32;
        let parent = survey::entry(own).unwrap().parent;
        assert_eq!(descends(own, parent), Some(true));
        assert_eq!(descends(own, i32::MAX), Some(false));
        assert_eq!(descends(i32::MAX, own), None);
        assert!(!is_contained(own) && is_contained(i32::MAX));
    }
}
