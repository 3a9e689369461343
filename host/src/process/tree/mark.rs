//! A mark that a process keeps whatever it does: its hard limit of realtime CPU time.
//!
//! A hard limit is inherited over fork and exec, outlives setsid, a cleared environment and a new
//! name, and cannot be raised again without CAP_SYS_RESOURCE. The limit of realtime time between
//! two sleeps is infinite everywhere, and the values used here, above 146,000 years, change nothing.
//! A process can still *lower* it; one that does so on purpose gets out, as one with
//! CAP_SYS_RESOURCE does. Group, environment and kinship are looked at as well.
//!
//! A value is bit 62, the host's number (30 bits), the job's number (20), and 12 bits for the jobs
//! of another host that runs inside the job. So a whole host's processes are found in one sweep.

use std::process;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use nix::errno::Errno;
use nix::libc;
use serde::{Deserialize, Serialize};

const BASE: u64 = 1 << 62;
const HOST_BITS: u32 = 30;
const JOB_BITS: u32 = 20;
const NESTED_BITS: u32 = 12;

/// The jobs counted by this host so far.
static JOBS: AtomicU64 = AtomicU64::new(0);

/// Limits that belong to one job, or to one host: those equal above the lowest `bits`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LimitMark {
    value: u64,
    bits: u32,
}

impl LimitMark {
    /// Chooses the mark of a new job, or none where this process is itself limited too low.
    pub(crate) fn next() -> Option<Self> {
        let job = JOBS.fetch_add(1, Ordering::Relaxed);
        match room() {
            Room::Free => {
                let job = job % (1 << JOB_BITS);
                let value = host_base() | job << NESTED_BITS | low(NESTED_BITS);
                Some(Self { value, bits: NESTED_BITS })
            }
            Room::InJob(own) => {
                let value = own - 1 - job % low(NESTED_BITS);
                Some(Self { value, bits: 0 })
            }
            Room::TooDeep | Room::Limited => None,
        }
    }

    /// Returns what room this host has for marks.
    pub(crate) fn room() -> Room {
        room()
    }

    /// Returns the mark that all jobs of this host share, where they have one.
    pub(crate) fn host() -> Option<Self> {
        match room() {
            Room::Free => Some(Self { value: host_base(), bits: NESTED_BITS + JOB_BITS }),
            Room::InJob(_) | Room::TooDeep | Room::Limited => None,
        }
    }

    /// Returns true where no job of another host can bear the same: hosts inside one job share their values.
    pub(crate) fn is_of_one_host(self) -> bool {
        self.bits == NESTED_BITS
    }

    /// Returns the limit to give to the job's first process.
    pub(crate) fn limit(self) -> libc::rlimit64 {
        libc::rlimit64 { rlim_cur: self.value, rlim_max: self.value }
    }

    /// Returns true where the process, alive or zombie, bears this mark; a microsecond's work.
    ///
    /// One that has changed its user is not recognised: `is_on_any` does so.
    pub(crate) fn is_on(self, pid: i32) -> bool {
        ask_limit(pid).is_ok_and(|limit| self.covers(limit))
    }

    /// Returns true where the process bears this mark, whoever's it is now.
    pub(crate) fn is_on_any(self, pid: i32) -> bool {
        hard_limit(pid).is_some_and(|limit| self.covers(limit))
    }

    /// Returns true where a process, alive or zombie, has this number.
    pub(crate) fn anyone(pid: i32) -> bool {
        ask_limit(pid) != Err(Errno::ESRCH)
    }

    pub(crate) fn covers(self, limit: u64) -> bool {
        limit != libc::RLIM64_INFINITY && limit >> self.bits == self.value >> self.bits
    }
}

/// What room this host's own limit leaves for marks.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Room {
    /// Nothing limits it.
    Free,
    /// In a job of another host, with this limit.
    InJob(u64),
    /// In a job of a host that is in a job itself: the marks are used up.
    TooDeep,
    /// Under a limit of its own that leaves no room.
    Limited,
}

fn room() -> Room {
    static FOUND: OnceLock<Room> = OnceLock::new();
    *FOUND.get_or_init(|| match hard_limit(process::id() as i32) {
        Some(libc::RLIM64_INFINITY) => Room::Free,
        // All ones below: the first level inside a job, whose jobs count down from there.
        Some(own) if own & BASE != 0 && own & low(NESTED_BITS) == low(NESTED_BITS) => Room::InJob(own),
        Some(own) if own & BASE != 0 => Room::TooDeep,
        _ => Room::Limited,
    })
}

/// The part of a value that all jobs of this host share: its process number, and chance bits for
/// the case that a host before us had the same number.
fn host_base() -> u64 {
    static FOUND: OnceLock<u64> = OnceLock::new();
    *FOUND.get_or_init(|| {
        use std::hash::{BuildHasher, RandomState};
        // Linux numbers processes with 22 bits at most.
        let chance_bits = HOST_BITS - 22;
        let chance = RandomState::new().hash_one(process::id()) & low(chance_bits);
        let host = (u64::from(process::id()) << chance_bits | chance) & low(HOST_BITS);
        BASE | host << (JOB_BITS + NESTED_BITS)
    })
}

/// Returns true where a limit is one that this module gives.
pub(crate) fn is_ours(limit: u64) -> bool {
    limit != libc::RLIM64_INFINITY && limit & BASE != 0
}

fn low(bits: u32) -> u64 {
    (1 << bits) - 1
}

/// Returns the hard limit of a process, from the file all may read where the call is refused.
pub(crate) fn hard_limit(pid: i32) -> Option<u64> {
    match ask_limit(pid) {
        Ok(limit) => Some(limit),
        Err(Errno::EPERM) => limit_from_file(pid),
        Err(_) => None,
    }
}

fn ask_limit(pid: i32) -> Result<u64, Errno> {
    let mut limit = libc::rlimit64 { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `limit` is valid for writing, and no new limit is given.
    let result = unsafe { libc::prlimit64(pid, libc::RLIMIT_RTTIME, std::ptr::null(), &raw mut limit) };
    Errno::result(result).map(|_| limit.rlim_max)
}

fn limit_from_file(pid: i32) -> Option<u64> {
    let limits = std::fs::read_to_string(format!("/proc/{pid}/limits")).ok()?;
    let line = limits.lines().find_map(|line| line.strip_prefix("Max realtime timeout"))?;
    let hard = line.split_whitespace().nth(1)?;
    if hard == "unlimited" { Some(libc::RLIM64_INFINITY) } else { hard.parse().ok() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_differ_between_jobs_and_share_their_host() {
        let (Some(first), Some(second), Some(host)) = (LimitMark::next(), LimitMark::next(), LimitMark::host()) else {
            return; // These tests run inside a job themselves.
        };
        assert!(first.covers(first.value) && !first.covers(second.value));
        assert!(first.covers(first.value - 5), "a job inside the job");
        assert!(host.covers(first.value) && host.covers(second.value));
        assert!(!host.covers(libc::RLIM64_INFINITY) && !host.covers(200_000));
    }

    #[test]
    fn the_limits_file_says_what_the_call_says() {
        let own = process::id() as i32;
        assert!(limit_from_file(own).is_some());
        assert_eq!(limit_from_file(own), hard_limit(own));
        assert_eq!(hard_limit(i32::MAX), None);
    }
}
