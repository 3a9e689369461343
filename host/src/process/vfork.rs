//! The step from one process to two, with our memory shared until the program runs.
//!
//! This is what posix_spawn does, whose child costs the same however large its parent is, plus
//! what posix_spawn cannot do: put the limit mark on before the program's first instruction (one
//! that forks at once would otherwise have children without it), and hand out a pidfd.
//!
//! The child runs on a stack of its own in our memory while the calling thread waits in the kernel.
//! It makes system calls and nothing else: no allocation, no lock, no panic.

use std::cell::Cell;
use std::ffi::CStr;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::ptr;
use std::sync::atomic::{AtomicI32, Ordering};

use nix::errno::Errno;
use nix::libc::{self, c_char, c_int, c_void};

use super::clone3::clone_into;
use super::pidfd::{Pidfd, Reaped};

/// Enough for the child's few frames in a build without optimisation.
const STACK_SIZE: usize = 64 * 1024;

/// The child shares our memory, and we wait until it no longer does.
const FLAGS: c_int = libc::CLONE_VM | libc::CLONE_VFORK | libc::CLONE_PIDFD;

/// Everything the child needs, made ready beforehand.
pub(super) struct Plan<'a> {
    pub program: &'a CStr,
    /// Pointers to the arguments, the last one null.
    pub arguments: &'a [*const c_char],
    /// Pointers to `NAME=value`, the last one null.
    pub environment: &'a [*const c_char],
    pub directory: &'a CStr,
    /// Standard input, output and error, none of them numbered below 3.
    pub stdio: [BorrowedFd<'a>; 3],
    /// What the child leads.
    pub leads: Leads,
    /// The hard limit of realtime CPU time to set, as a mark.
    pub limit: Option<libc::rlimit64>,
    /// The cgroup to be born into.
    pub cgroup: Option<BorrowedFd<'a>>,
}

/// What a child leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leads {
    /// A process group.
    Group,
    /// A session without a terminal.
    Session,
    /// A session on the terminal that is its standard output.
    Terminal,
}

/// A child that runs its program.
pub(super) struct Born {
    pub pid: i32,
    pub pidfd: Pidfd,
    /// It bears the limit.
    pub limited: bool,
    /// It is in the cgroup.
    pub grouped: bool,
}

/// What parent and child both see.
struct Shared<'a> {
    plan: &'a Plan<'a>,
    error: AtomicI32,
    limited: AtomicI32,
}

/// Starts the program in a new process, in a process group of its own, with a terminal also in a session of its own.
pub(super) fn spawn(plan: &Plan<'_>) -> io::Result<Born> {
    let shared = Shared { plan, error: AtomicI32::new(0), limited: AtomicI32::new(0) };
    let argument = (&raw const shared).cast_mut().cast::<c_void>();
    let mut stack = Stack::new();
    let mut pidfd: c_int = -1;
    // A handler of ours that ran in the child would run on our memory.
    let blocked = BlockedSignals::new();
    // SAFETY: CLONE_VFORK suspends this thread until the child has executed its program or ended,
    // so `stack` and `shared`, which the child uses, outlive its use of them. The child writes
    // nothing of ours but atomics in `shared` and errno. `pidfd` is valid for writing.
    let born = plan
        .cgroup
        .map(|cgroup| unsafe { clone_into(cgroup, FLAGS, stack.bounds(), run_child, argument, &raw mut pidfd) });
    // A container may forbid this way, which is newer, and a cgroup may be refused for many reasons.
    let grouped = matches!(born, Some(Ok(_)));
    let born = match born {
        Some(Ok(pid)) => Ok(pid),
        // SAFETY: the same holds here.
        Some(Err(_)) | None => Errno::result(unsafe {
            libc::clone(run_child, stack.top(), FLAGS | libc::SIGCHLD, argument, &raw mut pidfd)
        }),
    };
    drop(blocked);
    let pid = born?;
    // SAFETY: after success the kernel has put a descriptor there that nobody else owns.
    let pidfd = Pidfd::from(unsafe { OwnedFd::from_raw_fd(pidfd) });
    match shared.error.load(Ordering::Acquire) {
        0 => Ok(Born { pid, pidfd, limited: shared.limited.load(Ordering::Acquire) != 0, grouped }),
        error => {
            // The program did not run; what is left is a zombie of ours.
            pidfd.reap_ended();
            Err(io::Error::from_raw_os_error(error))
        }
    }
}

/// Returns true where a process born into the cgroup comes to run: tries it with one that just ends.
pub(super) fn survives_birth_in(cgroup: BorrowedFd<'_>) -> bool {
    let mut stack = Stack::new();
    let mut pidfd: c_int = -1;
    let blocked = BlockedSignals::new();
    // SAFETY: as in `spawn`; this child uses nothing but its stack.
    let born = unsafe { clone_into(cgroup, FLAGS, stack.bounds(), end_well, ptr::null_mut(), &raw mut pidfd) };
    drop(blocked);
    if born.is_err() {
        return false;
    }
    // SAFETY: after success the kernel has put a descriptor there that nobody else owns.
    let pidfd = Pidfd::from(unsafe { OwnedFd::from_raw_fd(pidfd) });
    matches!(pidfd.reap_ended(), Reaped::Exited(exit) if exit.success())
}

extern "C" fn end_well(_: *mut c_void) -> c_int {
    // SAFETY: ends the child without running anything of ours.
    unsafe { libc::_exit(0) }
}

thread_local! {
    /// The stack that this thread's last child ran on, for the next: giving so much back each time is slow.
    static USED: Cell<Vec<MaybeUninit<u8>>> = const { Cell::new(Vec::new()) };
}

/// Memory for a child to run on, none of which is used before it does.
struct Stack(Vec<MaybeUninit<u8>>);

impl Stack {
    fn new() -> Self {
        // A thread that is about to end has none any more.
        let mut memory = USED.try_with(Cell::take).unwrap_or_default();
        memory.reserve_exact(STACK_SIZE);
        Self(memory)
    }

    /// Returns where it starts, and its size up to an end that both architectures can start from.
    fn bounds(&mut self) -> (*mut u8, usize) {
        let start = self.0.as_mut_ptr().cast::<u8>();
        (start, STACK_SIZE - (start as usize + STACK_SIZE) % 16)
    }

    fn top(&mut self) -> *mut c_void {
        let (start, size) = self.bounds();
        start.wrapping_add(size).cast()
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        let _ = USED.try_with(|used| used.set(std::mem::take(&mut self.0)));
    }
}

extern "C" fn run_child(shared: *mut c_void) -> c_int {
    // SAFETY: the pointer `spawn` gave to clone; see there for how long it is valid.
    let shared = unsafe { &*shared.cast::<Shared<'_>>() };
    // SAFETY: this is the child of `spawn`.
    if let Err(errno) = unsafe { become_program(shared) } {
        shared.error.store(errno as i32, Ordering::Release);
    }
    // SAFETY: ends the child without running anything of ours.
    unsafe { libc::_exit(127) }
}

/// Turns the child into the program; comes back only with an error.
///
/// # Safety
/// Only for the child of `spawn`: it changes everything about the calling process.
unsafe fn become_program(shared: &Shared<'_>) -> Result<(), Errno> {
    let plan = shared.plan;
    // SAFETY: system calls on this child alone, whose pointers come from `plan` and are valid.
    unsafe {
        forget_handlers();
        match plan.leads {
            Leads::Group => Errno::result(libc::setpgid(0, 0))?,
            Leads::Session => Errno::result(libc::setsid())?,
            Leads::Terminal => {
                Errno::result(libc::setsid())?;
                Errno::result(libc::ioctl(plan.stdio[1].as_raw_fd(), libc::TIOCSCTTY, 0))?
            }
        };
        if let Some(limit) = &plan.limit
            && libc::prlimit64(0, libc::RLIMIT_RTTIME, limit, ptr::null_mut()) == 0
        {
            shared.limited.store(1, Ordering::Release);
        }
        for (target, fd) in plan.stdio.iter().enumerate() {
            Errno::result(libc::dup2(fd.as_raw_fd(), target as c_int))?;
        }
        Errno::result(libc::chdir(plan.directory.as_ptr()))?;
        let mut none = MaybeUninit::<libc::sigset_t>::uninit();
        libc::sigemptyset(none.as_mut_ptr());
        libc::sigprocmask(libc::SIG_SETMASK, none.as_ptr(), ptr::null_mut());
        libc::execve(plan.program.as_ptr(), plan.arguments.as_ptr(), plan.environment.as_ptr());
    }
    Err(Errno::last())
}

/// Sets every signal back to its default, before signals are let through: those that have a handler, and those that
/// are ignored. A host that was started in the background of a script ignores interrupts, and Rust ignores SIGPIPE in
/// every program; a process that inherited that could not be interrupted.
///
/// # Safety
/// Only for the child of `spawn`, whose table of handlers is a copy.
unsafe fn forget_handlers() {
    // SAFETY: all zeros is the default action with nothing blocked.
    let default: libc::sigaction = unsafe { MaybeUninit::zeroed().assume_init() };
    for signal in 1..=libc::SIGRTMAX() {
        let mut old = default;
        // SAFETY: `old` is valid for writing and `default` for reading. Numbers that cannot be
        // asked for or set are refused, and need no reset.
        unsafe {
            let known = libc::sigaction(signal, ptr::null(), &raw mut old) == 0;
            if known && old.sa_sigaction != libc::SIG_DFL {
                libc::sigaction(signal, &raw const default, ptr::null_mut());
            }
        }
    }
}

/// Blocks all signals for the calling thread while it lives.
struct BlockedSignals(libc::sigset_t);

impl BlockedSignals {
    fn new() -> Self {
        let mut all = MaybeUninit::<libc::sigset_t>::uninit();
        let mut old = MaybeUninit::<libc::sigset_t>::zeroed();
        // SAFETY: both sets are valid for writing; the call cannot fail with these arguments.
        unsafe {
            libc::sigfillset(all.as_mut_ptr());
            libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), old.as_mut_ptr());
            Self(old.assume_init())
        }
    }
}

impl Drop for BlockedSignals {
    fn drop(&mut self) {
        // SAFETY: the set is the one that was in force before.
        unsafe {
            libc::pthread_sigmask(libc::SIG_SETMASK, &raw const self.0, ptr::null_mut());
        }
    }
}
