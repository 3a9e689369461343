//! What this machine offers for finding and ending a job's processes.

use std::path::PathBuf;
use std::process::id;

use super::cgroup;
use super::mark::{LimitMark, Room};
use super::orphans;
use crate::process::pidfd::Pidfd;

/// How this host finds and ends everything that a job has started, for `shellward doctor`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Containment {
    /// By what the processes of a job are known.
    pub mechanism: Mechanism,
    /// Processes can be held by descriptor, without which no job starts (Linux 5.3).
    pub pidfd: bool,
    /// The process table can be read, without which only process groups can be ended.
    pub process_table: bool,
    /// Orphans become children of this program, which then buries them.
    pub inherits_orphans: bool,
    /// The directory of this host's cgroups, where it may have some: each job is then born into one
    /// of its own, which is killed at once.
    pub cgroup: Option<PathBuf>,
}

/// By what the processes of a job are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mechanism {
    /// By a hard limit set at birth, which outlives setsid, a cleared environment and a new name.
    LimitMark,
    /// By environment, group, session and parents, from all of which a process can get away.
    Kinship(NoLimitMark),
}

/// Why this host cannot mark its jobs by their limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoLimitMark {
    /// It runs in a job of a host that itself runs in a job: the outermost finds all.
    TooDeep,
    /// Its own realtime CPU limit is set: run it with `ulimit -R unlimited`.
    OwnLimit,
}

impl Containment {
    /// Finds out what the machine offers.
    #[must_use]
    pub fn detect() -> Self {
        let mechanism = match LimitMark::room() {
            Room::Free | Room::InJob(_) => Mechanism::LimitMark,
            Room::TooDeep => Mechanism::Kinship(NoLimitMark::TooDeep),
            Room::Limited => Mechanism::Kinship(NoLimitMark::OwnLimit),
        };
        Self {
            mechanism,
            pidfd: Pidfd::open(id() as i32).is_ok(),
            process_table: super::survey::entry(id() as i32).is_some(),
            inherits_orphans: orphans::inherits(),
            cgroup: cgroup::place(),
        }
    }
}
