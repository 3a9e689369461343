//! One command in a lasting shell.

use std::ops::Deref;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tokio::sync::watch;

use super::attention::Attention;
use super::session::Session;
use crate::process::{Exit, Input, InputRefused, Moment, Output, Signal, SignalError, Size, Tree, Whom};
use crate::threads;

/// How long a kill looks for what is left before it interrupts the shell once more.
const ROUND: Duration = Duration::from_millis(200);
/// How long the shell has to come back after it was interrupted, at first: on a machine that has much else to do it
/// may come back late every time, so each five times it has so much longer.
const COMES_BACK: Duration = Duration::from_millis(100);
/// How often that is tried before the shell is killed as well.
const ROUNDS: u32 = 15;

/// How a command ended.
#[derive(Clone, Debug)]
pub(crate) struct Ended {
    pub exit: Exit,
    /// Where the shell is now.
    pub directory: Option<String>,
    /// The shell ended with it.
    pub lost: bool,
}

/// What a session's task and whoever runs a command both see.
#[derive(Debug)]
pub(super) struct Running {
    /// What is written to the shell.
    pub line: String,
    pub secret: String,
    pub output: Output,
    /// The terminal's size, and whether its output is kept as it comes.
    pub size: Option<Size>,
    pub raw: bool,
    pub since: Moment,
    /// When the shell was given its next command: what it has started before that is this one's, though this one has
    /// ended and what it left goes on to start more.
    pub next: OnceLock<Moment>,
    pub ended: watch::Sender<Option<Ended>>,
}

impl Running {
    pub(super) fn end(&self, ended: Ended) {
        self.ended.send_if_modified(|state| {
            let first = state.is_none();
            if first {
                *state = Some(ended);
            }
            first
        });
    }
}

/// A command that runs in a lasting shell, or has run. Dropping one that runs ends it, and not its shell.
#[derive(Debug)]
pub(crate) struct Command(Arc<Handle>);

impl Deref for Command {
    type Target = Handle;

    fn deref(&self) -> &Handle {
        &self.0
    }
}

impl Command {
    pub(super) fn new(session: Arc<Session>, running: Arc<Running>) -> Self {
        Self(Arc::new(Handle { session, running, input: OnceLock::new(), attention: Attention::default() }))
    }
}

/// What can be done to a command.
#[derive(Debug)]
pub(crate) struct Handle {
    session: Arc<Session>,
    running: Arc<Running>,
    input: OnceLock<Input>,
    attention: Attention,
}

impl Handle {
    /// The shell's process number.
    pub(crate) fn pid(&self) -> i32 {
        self.session.process.pid()
    }

    pub(crate) fn output(&self) -> &Output {
        &self.running.output
    }

    /// Waits until the command has ended; it may be asked again.
    pub(crate) async fn wait(&self) -> Exit {
        let mut ended = self.running.ended.subscribe();
        let exit = match ended.wait_for(Option::is_some).await {
            Ok(state) => state.as_ref().map(|ended| ended.exit),
            // The sender is ours.
            Err(_) => None,
        };
        exit.unwrap_or(Exit::UNKNOWN)
    }

    pub(crate) fn ended(&self) -> Option<Ended> {
        self.running.ended.borrow().clone()
    }

    /// Whether its shell lives and has been given no other command since.
    pub(crate) fn is_latest(&self) -> bool {
        let latest = std::ptr::eq(self.session.state().last.as_ptr(), Arc::as_ptr(&self.running));
        latest && self.session.is_alive()
    }

    #[cfg(test)]
    pub(crate) fn secret(&self) -> String {
        self.running.secret.clone()
    }

    #[cfg(test)]
    pub(crate) fn line(&self) -> &str {
        &self.running.line
    }

    #[cfg(test)]
    pub(crate) fn session_tree(&self) -> &Tree {
        self.session.process.tree()
    }

    fn next(&self) -> Option<Moment> {
        self.running.next.get().copied()
    }

    /// Sends a signal: to the shell, to the group in the foreground, or to all that the command has started.
    pub(crate) fn signal(&self, signal: Signal, whom: Whom) -> Result<usize, SignalError> {
        let sent = self.send(signal, whom)?;
        if signal == Signal::TERM && sent > 0 {
            self.send(Signal::CONT, whom)?;
        }
        self.session.look();
        Ok(sent)
    }

    fn send(&self, signal: Signal, whom: Whom) -> Result<usize, SignalError> {
        let process = &self.session.process;
        let (tree, since) = (process.tree(), self.running.since);
        let sent = match whom {
            Whom::Process if signal == Signal::INT => return self.interrupt_shell(),
            Whom::Process => return process.signal(signal, Whom::Process),
            Whom::Tree => tree.signal_since(since, self.next(), signal),
            Whom::Group => {
                let front = self.session.terminal.as_ref().and_then(|terminal| terminal.foreground());
                match front {
                    Some(group) if group != self.pid() => tree.signal_session_group(group, signal),
                    _ if signal == Signal::INT => {
                        // The shell first: it gives up what it does when what it waits for then ends by this signal.
                        let shell = self.interrupt_shell()?;
                        tree.signal_group_since(since, signal).map(|others| shell + others)
                    }
                    _ => tree.signal_group_since(since, signal),
                }
            }
        };
        sent.map_err(|errno| SignalError::new(signal, self.pid(), errno))
    }

    /// Kills all that the command has started, and has the shell come back. A shell that does not is killed as well.
    pub(crate) async fn kill(&self) {
        for round in 0..ROUNDS {
            if self.ended().is_none() {
                self.interrupt(COMES_BACK * (1 + round / 5)).await;
            }
            let complete = self.kill_what_it_started().await;
            if complete && self.ended().is_some() {
                return;
            }
        }
        if self.ended().is_none() {
            self.session.process.kill_tree().await;
            self.wait().await;
        }
    }

    /// Interrupts the shell and what it waits for, so that it does not go on with what comes next.
    async fn interrupt(&self, patience: Duration) {
        // It may have ended meanwhile: then it is not interrupted, or comes back at once.
        let _ = self.interrupt_shell();
        let _ = self.session.process.tree().signal_since(self.running.since, None, Signal::INT);
        self.session.look();
        let _ = tokio::time::timeout(patience, self.wait()).await;
    }

    fn interrupt_shell(&self) -> Result<usize, SignalError> {
        let process = &self.session.process;
        self.session.shake(&self.running, || process.signal(Signal::INT, Whom::Process)).unwrap_or(Ok(0))
    }

    async fn kill_what_it_started(&self) -> bool {
        let tree: Tree = self.session.process.tree().clone();
        let (since, next) = (self.running.since, self.next());
        // A look that was cut short is repeated.
        threads::apart(move || tree.kill_since(since, next, ROUND)).await.unwrap_or(false)
    }

    fn input(&self) -> Result<&Input, InputRefused> {
        let terminal = self.session.terminal.as_ref().ok_or(InputRefused::Closed)?;
        if self.ended().is_some() {
            return Err(InputRefused::Closed);
        }
        self.attention.typed();
        Ok(self.input.get_or_init(|| Input::terminal(Arc::clone(terminal))))
    }

    pub(crate) fn has_terminal(&self) -> bool {
        self.session.terminal.is_some()
    }

    /// Types into the terminal.
    pub(crate) fn write(&self, bytes: &[u8]) -> Result<(), InputRefused> {
        let input = self.input()?;
        // Among it may be what interrupts.
        let written = self.session.shake(&self.running, || input.write(bytes));
        self.session.look();
        written.unwrap_or(Err(InputRefused::Closed))
    }

    /// Types the end of input.
    pub(crate) fn end_input(&self) -> Result<(), InputRefused> {
        self.input()?.end()
    }

    /// Lets go of what was typed and not read, as the command has ended.
    pub(crate) fn stop_input(&self) {
        if let Some(input) = self.input.get() {
            input.stop();
        }
    }

    /// Changes the terminal's size, where there is a terminal.
    pub(crate) fn resize(&self, size: Size) -> bool {
        self.session.terminal.as_ref().is_some_and(|terminal| terminal.resize(size).is_ok())
    }

    /// Waits until the program in the terminal waits for input and has not been reported to do so.
    pub(crate) async fn awaits_input(&self) {
        match &self.session.terminal {
            Some(terminal) => self.attention.wanted(terminal, &self.running.output).await,
            None => std::future::pending().await,
        }
    }
}

impl Drop for Command {
    fn drop(&mut self) {
        self.stop_input();
        if self.ended().is_some() {
            return;
        }
        let handle = Arc::clone(&self.0);
        // Without a runtime nothing runs any more: the host has ended, and kills its shells.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move { handle.kill().await });
        }
    }
}
