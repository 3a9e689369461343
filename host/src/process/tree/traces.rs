//! What a tree leaves on record, so that a later host finds what has survived of it.
//!
//! A number of a process means nothing by itself once its parent is gone: it may be another's. So the record also
//! says when the process started and in which run of the machine, and by which marks its descendants are known.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use serde::{Deserialize, Serialize};

use super::cgroup::Cgroup;
use super::mark::LimitMark;
use super::{Front, Killed, Marks, PATIENCE, Root, Tree, survey};
use crate::process::exit::Exit;

/// By what the processes of a tree are found again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Traces {
    /// The run of the machine in which the tree grew.
    pub boot: String,
    /// The mark in the environment.
    pub mark: String,
    /// Nobody who is older belongs to it, in the process table's own clock.
    pub since: u64,
    /// The first process and when it started, once there is one.
    pub leader: Option<(i32, u64)>,
    /// The hard limit that its processes bear, where no other host's can be the same.
    pub limit: Option<LimitMark>,
    /// The cgroup that it was born into.
    pub cgroup: Option<PathBuf>,
}

impl Traces {
    /// The traces of a tree that has not been planted yet: all there will be to find it by if this program is killed
    /// the moment it grows.
    #[must_use]
    pub fn to_come(mark: String) -> Self {
        Self { boot: boot(), mark, since: survey::now(), leader: None, limit: None, cgroup: None }
    }

    /// Kills what has survived of the tree, and looks until nothing is left, for at most five seconds. Blocks.
    ///
    /// Only for a tree whose host is dead.
    #[must_use]
    pub fn kill_survivors(&self) -> Killed {
        if self.boot != boot() {
            return Killed::default();
        }
        self.tree().0.kill(PATIENCE)
    }

    /// The numbers of those that live.
    ///
    /// # Errors
    /// Fails where the process table cannot be read.
    pub fn survivors(&self) -> std::io::Result<Vec<i32>> {
        if self.boot == boot() { self.tree().living() } else { Ok(Vec::new()) }
    }

    fn tree(&self) -> Tree {
        let cgroup = self.cgroup.clone().filter(|directory| directory.is_dir()).map(Cgroup::left_behind);
        let (leader, started) = self.leader.unwrap_or_default();
        Tree(Arc::new(Root {
            leader,
            // Nobody waits for the leader here, and no signal goes by number alone.
            exit: Mutex::new(Some(Exit::UNKNOWN)),
            inherited: self.leader.map(|_| started),
            since: self.since,
            mark: Some(self.mark.clone()),
            marks: Marks { limit: self.limit, cgroup },
            buries: false,
            front: Front::None,
        }))
    }
}

impl Tree {
    /// What it leaves on record.
    #[must_use]
    pub fn traces(&self) -> Traces {
        let root = &self.0;
        let started = survey::entry(root.leader).map(|entry| entry.started);
        Traces {
            boot: boot(),
            mark: root.mark.clone().unwrap_or_default(),
            since: root.since,
            leader: started.map(|started| (root.leader, started)),
            limit: root.marks.limit.filter(|limit| limit.is_of_one_host()),
            cgroup: root.marks.cgroup.as_ref().map(|cgroup| cgroup.directory().to_owned()),
        }
    }
}

/// Names this run of the machine.
fn boot() -> String {
    std::fs::read_to_string("/proc/sys/kernel/random/boot_id").map(|id| id.trim().to_owned()).unwrap_or_default()
}

/// Which process this is, among all that a machine has run: where it runs, its number, and when it was given that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Birthmark {
    /// The run of the machine, and the namespace in which the number counts.
    place: String,
    pid: i32,
    started: u64,
}

impl Birthmark {
    /// That of this program.
    pub(crate) fn own() -> Self {
        let pid = std::process::id() as i32;
        Self { place: place(), pid, started: survey::entry(pid).map_or(0, |entry| entry.started) }
    }

    /// Reads what `Display` has written.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut parts = text.rsplitn(3, '/');
        let (started, pid, place) = (parts.next()?, parts.next()?, parts.next()?);
        Some(Self { place: place.to_owned(), pid: pid.parse().ok()?, started: started.parse().ok()? })
    }

    /// Returns true where the process has certainly ended; of processes elsewhere nothing is known.
    pub(crate) fn is_over(&self) -> bool {
        self.place == place() && survey::entry(self.pid).is_none_or(|now| now.started != self.started || now.dead)
    }
}

impl std::fmt::Display for Birthmark {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}/{}/{}", self.place, self.pid, self.started)
    }
}

/// Names where process numbers count: this run of the machine, and the namespace.
fn place() -> String {
    let namespace = std::fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    format!("{}/{}", boot(), namespace.display())
}

#[cfg(test)]
mod tests {
    use super::Birthmark;

    #[test]
    fn a_process_is_over_when_its_number_is_nobodys_or_anothers() {
        let own = Birthmark::own();
        assert_eq!(Birthmark::parse(&own.to_string()), Some(own.clone()));
        assert!(!own.is_over());
        assert!(Birthmark { started: own.started + 1, ..own.clone() }.is_over());
        assert!(Birthmark { pid: i32::MAX, ..own.clone() }.is_over());
        assert!(!Birthmark { place: "another machine".into(), pid: i32::MAX, ..own }.is_over());
        assert_eq!(Birthmark::parse("a/b"), None);
    }
}
