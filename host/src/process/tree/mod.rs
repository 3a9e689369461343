//! Everything that grew from one started process, found again whatever it did to hide.
//!
//! A member is known by any of these signs: its hard limit (see `mark`), the job's variable in its
//! environment, the group or session of the first process, or a parent that is a member.

mod asker;
mod cgroup;
mod containment;
mod front;
mod kill;
mod living;
mod mark;
mod orphans;
mod part;
pub(super) mod survey;
mod traces;

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use nix::errno::Errno;
use nix::libc;

use self::cgroup::Cgroup;
use self::survey::Signs;
use super::exit::Exit;
use super::pidfd::{Pidfd, Reaped, reap_number};
use super::signal::Signal;
use crate::threads;

pub(crate) use self::asker::{Asker, asker};
pub use self::containment::{Containment, Mechanism, NoLimitMark};
pub use self::front::{Elsewhere, Front, Reach};
pub use self::kill::Killed;
pub use self::living::retain_living;
pub(super) use self::mark::LimitMark;
pub use self::orphans::{adopt_orphans, bury_orphans};
pub(crate) use self::part::Moment;
pub(crate) use self::traces::Birthmark;
pub use self::traces::Traces;

/// How long a kill goes on before it reports what is left.
const PATIENCE: Duration = Duration::from_secs(5);
/// The same where a destructor waits for it.
const PATIENCE_IN_DROP: Duration = Duration::from_secs(1);

/// The marks that a process of ours bears from its first instruction on, and hands to its children.
#[derive(Debug, Default)]
pub(super) struct Marks {
    pub limit: Option<LimitMark>,
    pub cgroup: Option<Cgroup>,
}

impl Marks {
    /// Chooses all the marks that this machine offers.
    pub(super) fn take() -> Self {
        Self { limit: LimitMark::next(), cgroup: Cgroup::take() }
    }

    /// Lets go of the marks that could not be given.
    pub(super) fn keep(&mut self, limited: bool, grouped: bool) {
        self.limit = self.limit.filter(|_| limited);
        self.cgroup = self.cgroup.take().filter(|_| grouped);
    }
}

/// The processes that grew from one started process.
///
/// A cheap handle that holds no descriptor, and may be kept after the `Process` is gone.
#[derive(Clone, Debug)]
pub struct Tree(Arc<Root>);

#[derive(Debug)]
struct Root {
    leader: i32,
    /// The leader's exit once it has been taken. Its number, and its group's, are ours until then:
    /// nobody may signal by number, or reap, without holding this.
    exit: Mutex<Option<Exit>>,
    /// When the leader started, where it was another host's: it may be long gone, and its number another's.
    inherited: Option<u64>,
    since: u64,
    mark: Option<String>,
    marks: Marks,
    /// Zombies of the tree that this process inherited are its to reap.
    buries: bool,
    /// What stands in front of the program that was meant.
    front: Front,
}

impl Tree {
    /// Takes charge of what grows from a process that was started just now.
    ///
    /// `marks` are those that the process has borne from its first instruction on.
    pub(super) fn plant(leader: i32, since: u64, mark: &str, marks: Marks, front: Front) -> Self {
        orphans::note_leader(leader);
        let mark = Some(mark.to_owned());
        let exit = Mutex::new(None);
        Self(Arc::new(Root { leader, exit, inherited: None, since, mark, marks, buries: true, front }))
    }

    /// Ends a tree whose leader nobody will wait for.
    pub(super) fn abandon(&self) {
        self.kill_now();
        let mut exit = self.0.lock_exit();
        if exit.is_none() {
            reap_number(self.0.leader);
            orphans::forget_leader(self.0.leader);
            *exit = Some(Exit::UNKNOWN);
        }
    }

    /// Kills every process of the tree, and looks again until none is left, for at most five seconds.
    pub async fn kill(&self) -> Killed {
        let root = self.0.clone();
        let cut = || Killed { blind: Some("the search was cut short".into()), ..Killed::default() };
        threads::apart(move || root.end(PATIENCE)).await.unwrap_or_else(cut)
    }

    /// Does what `kill` does on the calling thread, for at most a second.
    pub fn kill_now(&self) -> Killed {
        self.0.end(PATIENCE_IN_DROP)
    }

    /// Returns the numbers of the tree's living processes, as far as they can be found.
    ///
    /// For showing and counting; a number may be another's by the time it is used.
    ///
    /// # Errors
    /// Fails where the process table cannot be read.
    pub fn living(&self) -> io::Result<Vec<i32>> {
        let members = survey::members(&self.0.signs())?;
        Ok(members.iter().filter(|member| !member.dead).map(|member| member.pid).collect())
    }

    /// Returns true where it is plain at once that nobody is left; false says nothing.
    #[must_use]
    pub fn is_surely_over(&self) -> bool {
        // What runs elsewhere ends with its client, or is ended when that is finished with.
        let nobody = || self.elsewhere().is_some() || self.0.marks.cgroup.as_ref().is_some_and(Cgroup::is_deserted);
        self.exit().is_some() && nobody()
    }

    pub(super) fn leader(&self) -> i32 {
        self.0.leader
    }

    pub(super) fn exit(&self) -> Option<Exit> {
        *self.0.lock_exit()
    }

    /// Takes the leader's exit status if it has ended.
    pub(super) fn reap_leader(&self, leader: &Pidfd) -> Option<Exit> {
        let mut exit = self.0.lock_exit();
        if exit.is_none()
            && let Reaped::Exited(status) = leader.reap()
        {
            orphans::forget_leader(self.0.leader);
            *exit = Some(status);
        }
        *exit
    }

    /// Signals the group, and returns whether there was one.
    pub(super) fn signal_group(&self, signal: Signal) -> Result<bool, Errno> {
        self.0.signal_group(signal)
    }

    /// Signals every member that can be found, once each, and returns how many there were.
    pub(super) fn signal_all(&self, signal: Signal) -> Result<usize, Errno> {
        self.0.signal_all(signal)
    }
}

impl Root {
    fn signal_group(&self, signal: Signal) -> Result<bool, Errno> {
        let exit = self.lock_exit();
        if exit.is_some() {
            return Ok(false);
        }
        // SAFETY: takes two integers. The leader is not reaped, so the number is still its group's.
        match Errno::result(unsafe { libc::killpg(self.leader, signal.number()) }) {
            Ok(_) => Ok(true),
            Err(Errno::ESRCH) => Ok(false),
            Err(errno) => Err(errno),
        }
    }

    fn signs(&self) -> Signs<'_> {
        let leader = match self.inherited {
            None => self.lock_exit().is_none().then_some(self.leader),
            Some(started) => survey::entry(self.leader).filter(|entry| entry.started == started).map(|entry| entry.pid),
        };
        let cgroup = self.marks.cgroup.as_ref().map(Cgroup::processes).unwrap_or_default();
        Signs { limit: self.marks.limit, cgroup, mark: self.mark.as_deref(), leader, since: self.since }
    }

    fn lock_exit(&self) -> MutexGuard<'_, Option<Exit>> {
        self.exit.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Kills everything that any job of this host has left running, as at the host's end.
///
/// Blocks for at most five seconds. Where this host can mark its jobs neither by their limits nor by
/// cgroups it finds nothing, and the trees must be killed one by one.
pub fn kill_host() -> Killed {
    let mut killed = match LimitMark::host() {
        None => Killed::default(),
        Some(limit) => {
            let marks = Marks { limit: Some(limit), cgroup: None };
            let exit = Mutex::new(Some(Exit::UNKNOWN));
            // Whose zombie is a leader that somebody still waits for cannot be told here: none is buried.
            let front = Front::None;
            Root { leader: 0, exit, inherited: None, since: 0, mark: None, marks, buries: false, front }.kill(PATIENCE)
        }
    };
    if !cgroup::end_host(PATIENCE_IN_DROP) && killed.complete() {
        killed.blind = Some("somebody is left in this host's cgroups".to_owned());
    }
    killed
}
