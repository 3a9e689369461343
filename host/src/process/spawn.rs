//! Starts the process itself, on the system's fast path.
//!
//! `Command` uses posix_spawn, whose child shares our memory until it executes the program, only
//! while it is asked for nothing that needs code in the child: no `pre_exec`, no user change, and
//! below glibc 2.39 no pidfd. All that must hold here; the cost otherwise grows with our memory.

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

use nix::fcntl::{FcntlArg, OFlag, fcntl};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use super::capture::pump::Pipes;
use super::error::SpawnError;
use super::launch::{Launch, MARK_VARIABLE, Stdin};
use super::pidfd::Pidfd;

pub(super) fn spawn(launch: &Launch) -> Result<Child, SpawnError> {
    if !launch.program.is_absolute() {
        return Err(SpawnError::NotAbsolute { program: launch.program.clone() });
    }
    let mut command = Command::new(&launch.program);
    command
        .args(&launch.arguments)
        .current_dir(&launch.directory)
        .env_clear()
        .envs(launch.environment.iter().map(|(name, value)| (name, value)))
        .env(MARK_VARIABLE, &launch.mark)
        .stdin(match launch.stdin {
            Stdin::Null => Stdio::null(),
            Stdin::Pipe => Stdio::piped(),
        })
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0);
    command.spawn().map_err(|source| SpawnError::explain(launch, source))
}

/// Takes the reading ends of a child's pipes into the runtime.
pub(super) fn pipes(child: &mut Child) -> io::Result<Pipes> {
    let stdout = child.stdout.take().map(OwnedFd::from);
    let stderr = child.stderr.take().map(OwnedFd::from);
    let (Some(stdout), Some(stderr)) = (stdout, stderr) else {
        return Err(io::Error::other("the child has no output pipes"));
    };
    Ok(Pipes { stdout: register_pipe(stdout)?, stderr: register_pipe(stderr)? })
}

fn register_pipe(fd: OwnedFd) -> io::Result<AsyncFd<File>> {
    fcntl(&fd, FcntlArg::F_SETFL(OFlag::O_NONBLOCK))?;
    register(File::from(fd))
}

/// Asks the runtime to tell when a descriptor becomes readable.
pub(super) fn register<T: AsRawFd + Owner>(fd: T) -> io::Result<AsyncFd<T>> {
    // SAFETY: an `Owner` gives the same descriptor always, open as long as it lives itself.
    let registered = unsafe { AsyncFd::register_with_interest(fd, Interest::READABLE) };
    registered.map_err(io::Error::from)
}

/// Types that own one descriptor, keep it open while they live, and never exchange it.
pub(super) trait Owner {}

impl Owner for File {}
impl Owner for Pidfd {}
