//! A process held by a pidfd, so that no signal ever reaches a stranger who got its number.

use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

use nix::errno::Errno;
use nix::libc;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use super::exit::Exit;
use super::signal::Signal;

/// An owned reference to one process, alive or dead.
#[derive(Debug)]
pub(crate) struct Pidfd(OwnedFd);

/// What a look at a child showed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Reaped {
    /// It still runs.
    Running,
    /// It has ended, and is now gone from the process table.
    Exited(Exit),
}

impl Pidfd {
    /// Opens the process that has this number now.
    pub(crate) fn open(pid: i32) -> Result<Self, Errno> {
        // SAFETY: takes two integers; a result that is not -1 is a new descriptor nobody else owns.
        unsafe {
            let fd = Errno::result(libc::syscall(libc::SYS_pidfd_open, pid, 0))?;
            Ok(Self(OwnedFd::from_raw_fd(fd as i32)))
        }
    }

    /// Sends a signal to exactly this process; `ESRCH` once it has been reaped.
    pub(crate) fn send(&self, signal: Signal) -> Result<(), Errno> {
        let (fd, number, none) = (self.0.as_raw_fd(), signal.number(), std::ptr::null::<libc::siginfo_t>());
        // SAFETY: the descriptor is open while `self` lives; a null siginfo is allowed.
        let result = unsafe { libc::syscall(libc::SYS_pidfd_send_signal, fd, number, none, 0) };
        Errno::result(result).map(drop)
    }

    /// Returns true where the process, anybody's child, has ended.
    pub(crate) fn has_ended(&self) -> bool {
        let mut polled = [PollFd::new(self.0.as_fd(), PollFlags::POLLIN)];
        // Where it cannot be asked it is not known to live.
        !matches!(poll(&mut polled, PollTimeout::ZERO), Ok(0))
    }

    /// Looks whether the process, a child of this one, has ended, and takes its status if so.
    pub(crate) fn reap(&self) -> Reaped {
        reap(libc::P_PIDFD, self.0.as_raw_fd(), libc::WNOHANG)
    }

    /// Takes a child that is about to end out of the process table, waiting for it.
    pub(crate) fn reap_ended(&self) -> Reaped {
        reap(libc::P_PIDFD, self.0.as_raw_fd(), 0)
    }
}

impl From<OwnedFd> for Pidfd {
    /// Takes over a descriptor that the kernel gave as a pidfd.
    fn from(fd: OwnedFd) -> Self {
        Self(fd)
    }
}

/// Takes the status of a child, waiting until it ends; nobody else may hold its status or number.
pub(crate) fn reap_number(pid: i32) {
    reap(libc::P_PID, pid, 0);
}

/// Takes the status of one child, if it has ended; `kind` and `id` are those of waitid(2).
///
/// nix's `waitid` knows no realtime signals and would lose the status of a child that one has ended.
fn reap(kind: libc::idtype_t, id: i32, flags: i32) -> Reaped {
    loop {
        // SAFETY: a siginfo is plain data, for which all zeros is a value.
        let mut info: libc::siginfo_t = unsafe { std::mem::zeroed() };
        // SAFETY: `info` is valid for writing during the call.
        let result = unsafe { libc::waitid(kind, id as libc::id_t, &raw mut info, libc::WEXITED | flags) };
        match Errno::result(result) {
            Ok(_) => {}
            Err(Errno::EINTR) => continue,
            // ECHILD: another wait in this program was faster, or SIGCHLD is ignored.
            Err(_) => return Reaped::Exited(Exit::UNKNOWN),
        }
        // SAFETY: waitid fills these fields, or leaves the zeros where no child has ended.
        let (pid, status) = unsafe { (info.si_pid(), info.si_status()) };
        return match (pid, info.si_code) {
            (0, _) => Reaped::Running,
            (_, libc::CLD_EXITED) => Reaped::Exited(Exit { code: Some(status), signal: None }),
            _ => Reaped::Exited(Exit { code: None, signal: Some(status) }),
        };
    }
}

impl AsFd for Pidfd {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

impl AsRawFd for Pidfd {
    fn as_raw_fd(&self) -> i32 {
        self.0.as_raw_fd()
    }
}
