//! One running process: waiting for it, signalling it, finishing with it.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use nix::errno::Errno;
use tokio::io::unix::AsyncFd;
use tokio::task::JoinHandle;

use super::capture::{Flow, Output, Stream};
use super::error::{SignalError, SpawnError};
use super::exit::Exit;
use super::input::Input;
use super::launch::Launch;
use super::pidfd::Pidfd;
use super::pty::Master;
use super::shell::ShellEnds;
use super::signal::Signal;
use super::spawn::{self, Child, Connected};
use super::tree::{Killed, Marks, Tree, survey};

/// What `Process::start` gives.
#[derive(Debug)]
pub struct Started {
    /// The process.
    pub process: Process,
    /// Its output, readable at any time.
    pub output: Output,
}

/// Whom a signal is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whom {
    /// The process alone.
    Process,
    /// Its process group; in a terminal, the group in the foreground.
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
/// Dropping it before `finish` kills the whole tree. After `finish` the tree is let be: what a
/// command left running on purpose goes on, and `Tree::kill` or `kill_host` ends it.
#[derive(Debug)]
pub struct Process {
    pidfd: AsyncFd<Pidfd>,
    tree: Tree,
    pump: Mutex<Option<JoinHandle<()>>>,
    output: Output,
    input: Option<Input>,
    terminal: Option<Arc<Master>>,
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
        Self::start_marked(launch, Marks::take())
    }

    /// Starts a lasting shell, whose launch has `Stdio::Shell`, and leaves the reading of its output to the caller.
    pub(crate) fn start_shell(launch: &Launch) -> Result<(Self, ShellEnds), SpawnError> {
        let mut marks = Marks::take();
        let since = survey::now();
        let Child { born, ends } = spawn::spawn(launch, &marks)?;
        marks.keep(born.limited, born.grouped);
        let tree = Tree::plant(born.pid, since, &launch.mark, marks, launch.front.clone());
        let output = Output::new(launch.capture, None);
        let prepared = spawn::register(born.pidfd).and_then(|pidfd| Ok((pidfd, ends.register_shell()?)));
        let (pidfd, ends) = prepared.map_err(|source| {
            tree.abandon();
            SpawnError::explain(launch, source)
        })?;
        let process = Self { pidfd, tree, pump: Mutex::new(None), output, input: None, terminal: None };
        Ok((process, ends))
    }

    /// Starts a process that bears the given marks.
    pub(super) fn start_marked(launch: &Launch, mut marks: Marks) -> Result<Started, SpawnError> {
        let since = survey::now();
        let Child { born, ends } = spawn::spawn(launch, &marks)?;
        marks.keep(born.limited, born.grouped);
        let tree = Tree::plant(born.pid, since, &launch.mark, marks, launch.front.clone());
        let output = Output::new(launch.capture, launch.tap.clone());
        let prepared = spawn::register(born.pidfd).and_then(|pidfd| Ok((pidfd, ends.register()?)));
        let (pidfd, Connected { sources, input, terminal }) = prepared.map_err(|source| {
            tree.abandon();
            SpawnError::explain(launch, source)
        })?;
        let pump = Mutex::new(Some(tokio::spawn(output.pump(sources))));
        let process = Self { pidfd, tree, pump, output: output.clone(), input, terminal };
        Ok(Started { process, output })
    }

    /// Returns the process's number.
    ///
    /// It is for showing: once the process has ended it may be another's.
    #[must_use]
    pub fn pid(&self) -> i32 {
        self.tree.leader()
    }

    /// Returns the tree that grows from the process, which may outlive it.
    #[must_use]
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Returns the output, readable at any time.
    #[must_use]
    pub fn output(&self) -> &Output {
        &self.output
    }

    /// Returns its standard input, where the launch asked for a pipe or a terminal.
    #[must_use]
    pub fn input(&self) -> Option<&Input> {
        self.input.as_ref()
    }

    /// Returns its terminal, where the launch asked for one.
    #[must_use]
    pub fn terminal(&self) -> Option<&Master> {
        self.terminal.as_deref()
    }

    /// Waits until the process itself has ended, whoever still holds its pipes.
    ///
    /// May be called again, and from several tasks. Dropping the future loses nothing.
    pub async fn wait(&self) -> Exit {
        if let Some(exit) = self.tree.exit() {
            return exit;
        }
        loop {
            // An error means that the runtime is shutting down and will not wake us.
            let Ok(mut ready) = self.pidfd.readable().await else { return std::future::pending().await };
            match self.try_wait() {
                Some(exit) => return exit,
                None => ready.clear_ready(),
            }
        }
    }

    /// Returns the exit if the process has ended.
    pub fn try_wait(&self) -> Option<Exit> {
        self.tree.reap_leader(self.pidfd.get_ref())
    }

    /// Reads what is left of the output after the process has ended, for at most `drain`.
    ///
    /// Returns at once where both streams are at their end. Reading stops for good; what was read
    /// stays in the output.
    pub async fn finish(&self, drain: Duration) -> Leaked {
        if let Some(input) = &self.input {
            input.stop();
        }
        let pump = self.pump.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(mut pump) = pump
            && tokio::time::timeout(drain, &mut pump).await.is_err()
        {
            self.output.stop_reading();
            // It reads what the pipes hold right now, and ends.
            if let Err(error) = pump.await {
                tracing::warn!(%error, pid = self.pid(), "the task that reads a job's output failed");
            }
        }
        if let (Some(elsewhere), Some(exit)) = (self.tree.elsewhere(), self.tree.exit())
            && !elsewhere.is_over_at(exit)
        {
            self.tree.kill().await;
        }
        let held = |stream| self.output.flow(stream) != Flow::Ended;
        Leaked { stdout: held(Stream::Stdout), stderr: held(Stream::Stderr) }
    }

    /// Sends a signal, and after SIGTERM also SIGCONT, so that a stopped process hears it.
    ///
    /// Returns how many processes it reached, a group counting as one: 0 where all have ended.
    /// `Whom::Tree` takes some milliseconds on a machine with thousands of processes.
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
        let sent = match whom {
            // What stands in front ends with what is behind it, and by SIGKILL.
            Whom::Process if self.is_fronted_for(signal) => self.tree.signal_first(signal),
            Whom::Group if self.is_fronted_for(signal) => self.signal_group_behind(signal),
            Whom::Tree if self.is_fronted_for(signal) => self.tree.signal_behind_all(signal, false),
            Whom::Process => self.pidfd.get_ref().send(signal).map(|()| 1),
            Whom::Group => match &self.terminal {
                Some(terminal) => self.signal_foreground(terminal, signal),
                None => self.tree.signal_group(signal).map(usize::from),
            },
            Whom::Tree => self.tree.signal_all(signal),
        };
        match sent {
            Ok(count) => Ok(count),
            Err(Errno::ESRCH) => Ok(0),
            Err(errno) => Err(SignalError::new(signal, self.pid(), errno)),
        }
    }

    fn is_fronted_for(&self, signal: Signal) -> bool {
        self.tree.is_fronted() && (signal != Signal::KILL || self.tree.elsewhere().is_some())
    }

    fn signal_group_behind(&self, signal: Signal) -> Result<usize, Errno> {
        match self.terminal.as_ref().and_then(|terminal| terminal.foreground()) {
            Some(group) if group != self.pid() => self.tree.signal_session_group(group, signal),
            _ => self.tree.signal_behind_all(signal, true),
        }
    }

    /// Signals the group that has the terminal.
    fn signal_foreground(&self, terminal: &Master, signal: Signal) -> Result<usize, Errno> {
        match terminal.foreground() {
            Some(group) if group != self.pid() => self.tree.signal_session_group(group, signal),
            _ => self.tree.signal_group(signal).map(usize::from),
        }
    }

    /// Kills the process and every descendant, and looks until none is left.
    ///
    /// `wait` gives the exit afterwards, as always.
    pub async fn kill_tree(&self) -> Killed {
        self.tree.kill().await
    }
}

impl Drop for Process {
    /// Kills the tree of a process that was not finished with, as when the host shuts down or panics.
    fn drop(&mut self) {
        self.output.stop_reading();
        let finished = self.pump.get_mut().unwrap_or_else(PoisonError::into_inner).is_none();
        if finished && self.try_wait().is_some() {
            return;
        }
        let killed = self.tree.kill_now();
        if !killed.complete() {
            tracing::warn!(pid = self.pid(), left = ?killed.left, blind = killed.blind, "could not end all of a job's processes");
        }
        if self.try_wait().is_none() {
            tracing::warn!(pid = self.pid(), "a killed process has not ended yet");
        }
    }
}
