//! One running process: waiting for it, signalling it, finishing with it.

use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use nix::errno::Errno;
use nix::sys::signal::killpg;
use nix::unistd::Pid;
use tokio::io::unix::AsyncFd;
use tokio::task::JoinHandle;

use super::capture::{Flow, Output, Stream};
use super::error::{SignalError, SpawnError};
use super::exit::Exit;
use super::input::Input;
use super::launch::Launch;
use super::pidfd::{Pidfd, Reaped};
use super::signal::Signal;
use super::spawn;

/// What `Process::start` gives.
#[derive(Debug)]
pub struct Started {
    /// The process.
    pub process: Process,
    /// Its output, readable at any time.
    pub output: Output,
    /// Its standard input, where the launch asked for a pipe.
    pub input: Option<Input>,
}

/// Whom a signal is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whom {
    /// The process alone.
    Process,
    /// Its process group.
    Group,
    /// Every descendant that can be found.
    Tree,
}

/// Which streams somebody still held open when reading stopped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Leaked {
    /// Standard output was.
    pub stdout: bool,
    /// Standard error was.
    pub stderr: bool,
}

/// A started process and the tree that grows from it.
///
/// Dropping it kills what is left of the tree.
#[derive(Debug)]
pub struct Process {
    pid: i32,
    pidfd: AsyncFd<Pidfd>,
    /// The exit status once it has been taken. The process's number is ours until then, and
    /// nobody may signal by number without holding this.
    exit: Mutex<Option<Exit>>,
    pump: Mutex<Option<JoinHandle<()>>>,
    output: Output,
}

impl Process {
    /// Starts a process at once, in a group of its own, and begins to read its output.
    ///
    /// # Errors
    /// Says what is wrong with the launch, or what the system has run out of.
    ///
    /// # Panics
    /// Panics outside a tokio runtime with I/O and time enabled.
    pub fn start(launch: &Launch) -> Result<Started, SpawnError> {
        let mut child = spawn::spawn(launch)?;
        let pid = child.id() as i32;
        let output = Output::new(launch.capture, launch.tap.clone());
        let prepared = Pidfd::open(pid)
            .map_err(io::Error::from)
            .and_then(spawn::register)
            .and_then(|pidfd| Ok((pidfd, spawn::pipes(&mut child)?)))
            .and_then(|(pidfd, pipes)| {
                let input = child.stdin.take().map(|fd| Input::new(fd.into())).transpose()?;
                Ok((pidfd, pipes, input))
            });
        let (pidfd, pipes, input) = prepared.map_err(|source| {
            abandon(&mut child);
            SpawnError::resources(source)
                .unwrap_or_else(|source| SpawnError::Other { program: launch.program.clone(), source })
        })?;
        let pump = Mutex::new(Some(tokio::spawn(output.pump(pipes))));
        let process = Self { pid, pidfd, exit: Mutex::new(None), pump, output: output.clone() };
        Ok(Started { process, output, input })
    }

    /// Returns the process's number.
    ///
    /// It is for showing: once the process has ended it may be another's.
    #[must_use]
    pub fn pid(&self) -> i32 {
        self.pid
    }

    /// Returns the output, readable at any time.
    #[must_use]
    pub fn output(&self) -> &Output {
        &self.output
    }

    /// Waits until the process itself has ended, whoever still holds its pipes.
    ///
    /// May be called again, and from several tasks. Dropping the future loses nothing.
    pub async fn wait(&self) -> Exit {
        loop {
            if let Some(exit) = self.try_wait() {
                return exit;
            }
            match self.pidfd.readable().await {
                Ok(mut ready) => match self.try_wait() {
                    Some(exit) => return exit,
                    None => ready.clear_ready(),
                },
                // The runtime is shutting down and will not wake us.
                Err(_) => std::future::pending().await,
            }
        }
    }

    /// Returns the exit if the process has ended.
    pub fn try_wait(&self) -> Option<Exit> {
        let mut exit = self.lock_exit();
        if exit.is_none()
            && let Reaped::Exited(status) = self.pidfd.get_ref().reap()
        {
            *exit = Some(status);
        }
        *exit
    }

    /// Reads what is left of the output after the process has ended, for at most `drain`.
    ///
    /// Returns at once where both streams are at their end. Reading stops for good; what was read
    /// stays in the output.
    pub async fn finish(&self, drain: Duration) -> Leaked {
        let pump = self.pump.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(mut pump) = pump
            && tokio::time::timeout(drain, &mut pump).await.is_err()
        {
            self.output.stop_reading();
            // It reads what the pipes hold right now, and ends.
            if let Err(error) = pump.await {
                tracing::warn!(%error, pid = self.pid, "the task that reads a job's output failed");
            }
        }
        let held = |stream| self.output.flow(stream) != Flow::Ended;
        Leaked { stdout: held(Stream::Stdout), stderr: held(Stream::Stderr) }
    }

    /// Sends a signal, and after SIGTERM also SIGCONT, so that a stopped process hears it.
    ///
    /// Returns how many processes or groups it reached: 0 where all have ended.
    ///
    /// # Errors
    /// Fails where a process has changed its user and may not be signalled.
    pub fn signal(&self, signal: Signal, whom: Whom) -> Result<usize, SignalError> {
        let sent = self.send(signal, whom)?;
        if signal == Signal::TERM && sent > 0 {
            self.send(Signal::CONT, whom)?;
        }
        Ok(sent)
    }

    fn send(&self, signal: Signal, whom: Whom) -> Result<usize, SignalError> {
        let exit = self.lock_exit();
        let result = match (whom, *exit) {
            (Whom::Process, _) => self.pidfd.get_ref().send(signal),
            (Whom::Group | Whom::Tree, None) => send_to_group(self.pid, signal),
            (Whom::Group | Whom::Tree, Some(_)) => return Ok(0),
        };
        match result {
            Ok(()) => Ok(1),
            Err(Errno::ESRCH) => Ok(0),
            Err(errno) => Err(SignalError::new(signal, self.pid, errno)),
        }
    }

    fn lock_exit(&self) -> MutexGuard<'_, Option<Exit>> {
        self.exit.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if self.try_wait().is_none() {
            let _ = self.signal(Signal::KILL, Whom::Group);
        }
        self.output.stop_reading();
    }
}

fn send_to_group(leader: i32, signal: Signal) -> Result<(), Errno> {
    // SAFETY: takes two integers. The caller holds the leader unreaped, so the group is ours.
    Errno::result(unsafe { nix::libc::killpg(leader, signal.number()) }).map(drop)
}

/// Ends a child that could not be taken over.
fn abandon(child: &mut std::process::Child) {
    let _ = killpg(Pid::from_raw(child.id() as i32), nix::sys::signal::Signal::SIGKILL);
    let _ = child.wait();
}
