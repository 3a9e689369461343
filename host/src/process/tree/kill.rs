//! Ends a tree: signals everything that belongs to it, looks again, until nothing is left.
//!
//! Runs on a thread that may block. Every signal goes through a pidfd whose process was checked
//! after it was opened, so that a number that changed hands in between hits nobody.

use std::collections::HashSet;
use std::io;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use super::Root;
use super::cgroup::Cgroup;
use super::mark::LimitMark;
use super::survey::{self, Entry};
use crate::process::pidfd::Pidfd;
use crate::process::signal::Signal;

/// The first pause between two looks; each is twice the one before.
const SHORTEST_PAUSE: Duration = Duration::from_millis(1);
/// The longest pause between two looks.
const LONGEST_PAUSE: Duration = Duration::from_millis(50);
/// Pauses between attempts to see those whose number is given but who are not yet there.
const CHASE_PAUSES: [Duration; 3] = [Duration::from_micros(200), Duration::from_millis(1), Duration::from_millis(4)];
/// Looks at the table before frozen processes are killed: each finds what was forked meanwhile.
const MOST_FREEZES: usize = 20;
/// The most pidfds held at once while waiting for deaths.
const MOST_HELD: usize = 64;

/// What became of a tree that was to be killed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Killed {
    /// How many living processes were met and sent SIGKILL; others may have died by their deaths.
    pub killed: usize,
    /// The numbers of those that still live: they hang in the kernel, or run as another user.
    pub left: Vec<i32>,
    /// Why the process table could not be looked at to the end, so that more may be left.
    pub blind: Option<String>,
}

impl Killed {
    /// Returns true where certainly nothing is left.
    #[must_use]
    pub fn complete(&self) -> bool {
        self.left.is_empty() && self.blind.is_none()
    }
}

/// How thoroughly to look.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Look {
    /// By the limit mark alone: a microsecond for each process of the machine.
    Quick,
    /// By every sign, which reads several files for each process younger than the job.
    Full,
}

/// What one look found.
#[derive(Default)]
struct Found {
    /// Living processes that the signal reached, some of them held to see them die.
    reached: Vec<(i32, Option<Pidfd>)>,
    /// Living processes that this user may not signal.
    refused: Vec<i32>,
    /// Living processes that could not be signalled this time.
    missed: Vec<i32>,
    /// The look was not conclusive and must be repeated.
    restarts: bool,
    /// Somebody living belongs to the tree and has shed its limit mark: only a full look finds such.
    unmarked: bool,
}

impl Found {
    fn living(&self) -> usize {
        self.reached.len() + self.refused.len() + self.missed.len()
    }

    fn numbers(&self) -> Vec<i32> {
        let reached = self.reached.iter().map(|(pid, _)| pid);
        reached.chain(&self.refused).chain(&self.missed).copied().collect()
    }
}

impl Root {
    /// Kills all of the tree, for at most `patience`.
    pub(super) fn kill(&self, patience: Duration) -> Killed {
        let deadline = Instant::now() + patience;
        let mut killed = Killed::default();
        // One and the same process may need a moment to die and be met twice.
        let mut met = self.strike();
        let mut look = Look::Full;
        let mut unmarked = self.marks.limit.is_none();
        let mut pause = SHORTEST_PAUSE;
        loop {
            let outcome = self.look(look, Signal::KILL, false);
            let late = Instant::now() >= deadline;
            match outcome {
                Ok(found) => {
                    met.extend(found.reached.iter().map(|(pid, _)| *pid));
                    let empty = self.marks.cgroup.as_ref().is_none_or(Cgroup::is_empty);
                    let hopeless = found.living() == found.refused.len() && (empty || !found.refused.is_empty());
                    let hopeless = hopeless && !found.restarts;
                    killed = Killed { killed: met.len(), left: found.numbers(), blind: None };
                    unmarked |= found.unmarked;
                    if hopeless && (look == Look::Full || !unmarked) || late {
                        return killed;
                    }
                    look = if hopeless || self.marks.limit.is_none() { Look::Full } else { Look::Quick };
                    wait_for_deaths(&found, pause);
                }
                Err(error) => {
                    killed.blind = Some(error.to_string());
                    if late {
                        return killed;
                    }
                    std::thread::sleep(pause);
                }
            }
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    /// Sends a signal once to every member that can be found, and returns how many it reached.
    pub(super) fn signal_all(&self, signal: Signal) -> Result<usize, Errno> {
        let look = if self.marks.limit.is_some() { Look::Quick } else { Look::Full };
        let found = self.look(look, signal, true).map_err(|error| errno_of(&error))?;
        if found.reached.is_empty() && !found.refused.is_empty() {
            return Err(Errno::EPERM);
        }
        Ok(found.reached.len())
    }

    /// The first blow; returns whom it met.
    ///
    /// Those known by their mark die at once. Those known only by kinship are stopped first, until
    /// no new one appears, so that they stay kin.
    fn strike(&self) -> HashSet<i32> {
        let mut met = HashSet::new();
        if let Some(cgroup) = &self.marks.cgroup {
            met.extend(cgroup.processes());
            if let Err(error) = cgroup.kill() {
                tracing::debug!(%error, "could not kill a cgroup");
            }
        }
        let (look, signal) = match self.marks.limit {
            Some(_) => (Look::Quick, Signal::KILL),
            None => (Look::Full, Signal::STOP),
        };
        for _ in 0..MOST_FREEZES {
            // A look that fails is repeated by those that follow.
            let Ok(found) = self.look(look, signal, true) else { break };
            let before = met.len();
            met.extend(found.reached.iter().map(|(pid, _)| *pid));
            if met.len() == before || signal == Signal::KILL {
                break;
            }
        }
        // All of a group at once: none of it can fork past this.
        let _ = self.signal_group(Signal::KILL);
        met
    }

    fn look(&self, look: Look, signal: Signal, strike: bool) -> io::Result<Found> {
        let mut found = Found::default();
        let newest = survey::newest()?;
        match (look, self.marks.limit) {
            (Look::Quick, Some(limit)) => {
                for pid in survey::numbers()?.filter(|pid| limit.is_on(*pid)) {
                    self.reach(pid, signal, &mut found, || limit.is_on(pid));
                }
            }
            _ => {
                for member in survey::members(&self.signs())? {
                    found.unmarked |= !member.dead && self.marks.limit.is_some_and(|limit| !limit.is_on(member.pid));
                    self.reach(member.pid, signal, &mut found, || same(&member));
                }
            }
        }
        if let Some(limit) = self.marks.limit {
            self.chase(newest, strike, limit, signal, &mut found)?;
        }
        Ok(found)
    }

    /// Looks at whoever was born since the number `from` was given.
    ///
    /// The table lists everybody who lives all through the listing. A chain of processes each of
    /// which starts the next and ends would not be seen: one has ended before its turn, the next
    /// is too young. But numbers are given in order, and can be tried faster than they are given.
    fn chase(&self, from: i32, strike: bool, limit: LimitMark, signal: Signal, found: &mut Found) -> io::Result<()> {
        let mut last = from;
        let mut unborn = Vec::new();
        for pause in CHASE_PAUSES {
            loop {
                let newest = survey::newest()?;
                // After the highest number they start anew, and the listing must as well.
                if newest < last {
                    found.restarts = true;
                    return Ok(());
                }
                if newest == last {
                    break;
                }
                unborn.extend((last + 1..=newest).filter(|pid| !self.meet(*pid, limit, signal, found)));
                last = newest;
            }
            // Patience is for the look that is to prove that nobody is left.
            if unborn.is_empty() || found.living() > 0 || strike {
                return Ok(());
            }
            // A number is given some time before its process can be seen.
            std::thread::sleep(pause);
            unborn.retain(|pid| !self.meet(*pid, limit, signal, found));
        }
        Ok(())
    }

    /// Signals the process with this number if it is a member; returns false where there is none.
    fn meet(&self, pid: i32, limit: LimitMark, signal: Signal, found: &mut Found) -> bool {
        let is_there = LimitMark::anyone(pid);
        if is_there && limit.is_on(pid) && !found.reached.iter().any(|(known, _)| *known == pid) {
            self.reach(pid, signal, found, || limit.is_on(pid));
        }
        is_there
    }

    /// Signals one process if it is still the one that was found, and buries it if it is dead.
    fn reach(&self, pid: i32, signal: Signal, found: &mut Found, still: impl Fn() -> bool) {
        let pidfd = match Pidfd::open(pid) {
            Ok(pidfd) => pidfd,
            // Gone, or the number of a thread, whose process has another.
            Err(Errno::ESRCH | Errno::EINVAL | Errno::ENOENT) => return,
            // Out of descriptors, most likely; a later look may have one.
            Err(_) => return found.missed.push(pid),
        };
        if !still() {
            return;
        }
        if has_ended(&pidfd) {
            return self.bury(pid, &pidfd);
        }
        match pidfd.send(signal) {
            Ok(()) => {
                let held = (found.reached.len() < MOST_HELD).then_some(pidfd);
                found.reached.push((pid, held));
            }
            Err(Errno::ESRCH) => {}
            Err(Errno::EPERM) => found.refused.push(pid),
            Err(_) => found.missed.push(pid),
        }
    }

    /// Takes a zombie of the tree out of the process table where this process inherited it.
    ///
    /// The leader is left to whoever waits for it; another's zombie is refused by the system.
    fn bury(&self, pid: i32, pidfd: &Pidfd) {
        if self.buries && pid != self.leader {
            pidfd.reap();
        }
    }
}

fn errno_of(error: &io::Error) -> Errno {
    error.raw_os_error().map_or(Errno::EIO, Errno::from_raw)
}

fn same(member: &Entry) -> bool {
    survey::entry(member.pid).is_some_and(|now| now.started == member.started)
}

fn has_ended(pidfd: &Pidfd) -> bool {
    let mut fds = [PollFd::new(pidfd.as_fd(), PollFlags::POLLIN)];
    poll(&mut fds, PollTimeout::ZERO).is_ok_and(|ready| ready > 0)
}

/// Waits until every one of these has ended, for at most `longest`.
fn wait_for_deaths(found: &Found, longest: Duration) {
    let deadline = Instant::now() + longest;
    if !found.missed.is_empty() {
        std::thread::sleep(longest);
    }
    for pidfd in found.reached.iter().filter_map(|(_, pidfd)| pidfd.as_ref()) {
        let left = deadline.saturating_duration_since(Instant::now());
        // Rounded up: a wait of no milliseconds would be none.
        let timeout = PollTimeout::from(left.as_micros().div_ceil(1000) as u8);
        let mut fds = [PollFd::new(pidfd.as_fd(), PollFlags::POLLIN)];
        // An interrupted wait is a short one; the next look corrects it.
        let _ = poll(&mut fds, timeout);
    }
}
