//! What runs for a job: a process of its own, or a command in a lasting shell.

use std::time::Duration;

use crate::process::{Exit, InputRefused, Leaked, Output, Process, Signal, SignalError, Size, Tree, Whom};
use crate::terminal::{Attention, Command};

/// What runs for a job.
#[derive(Debug)]
pub(crate) enum Work {
    /// A process of its own; with a terminal, it may wait for its user.
    Process(Process, Attention),
    /// A command in a lasting shell.
    Command(Command),
}

/// What is known when the work has ended and its output was read.
#[derive(Debug, Default)]
pub(crate) struct Finished {
    pub leaked: Leaked,
    /// Where the shell is now.
    pub directory: Option<String>,
    /// The shell ended as well.
    pub session_lost: bool,
}

impl Work {
    /// The number of the process, or of the shell.
    pub(crate) fn pid(&self) -> i32 {
        match self {
            Self::Process(process, _) => process.pid(),
            Self::Command(command) => command.pid(),
        }
    }

    pub(crate) fn output(&self) -> &Output {
        match self {
            Self::Process(process, _) => process.output(),
            Self::Command(command) => command.output(),
        }
    }

    /// The process, where it is the job's own.
    pub(crate) fn process(&self) -> Option<&Process> {
        match self {
            Self::Process(process, _) => Some(process),
            Self::Command(_) => None,
        }
    }

    /// The tree that it leaves behind; what a command leaves running is its shell's.
    pub(crate) fn tree(&self) -> Option<&Tree> {
        self.process().map(Process::tree)
    }

    /// Whether it is the latest command of a lasting shell that lives.
    pub(crate) fn is_latest(&self) -> bool {
        matches!(self, Self::Command(command) if command.is_latest())
    }

    /// Waits until it has ended.
    pub(crate) async fn wait(&self) -> Exit {
        match self {
            Self::Process(process, _) => process.wait().await,
            Self::Command(command) => command.wait().await,
        }
    }

    /// Returns true where it has ended.
    pub(crate) fn has_ended(&self) -> bool {
        match self {
            Self::Process(process, _) => process.try_wait().is_some(),
            Self::Command(command) => command.ended().is_some(),
        }
    }

    /// Reads what is left of the output after the end, for at most `drain`.
    pub(crate) async fn finish(&self, drain: Duration) -> Finished {
        match self {
            Self::Process(process, _) => Finished { leaked: process.finish(drain).await, ..Finished::default() },
            Self::Command(command) => {
                command.stop_input();
                let (directory, session_lost) =
                    command.ended().map_or((None, false), |ended| (ended.directory, ended.lost));
                Finished { leaked: Leaked::default(), directory, session_lost }
            }
        }
    }

    pub(crate) fn signal(&self, signal: Signal, whom: Whom) -> Result<usize, SignalError> {
        match self {
            Self::Process(process, _) => process.signal(signal, whom),
            Self::Command(command) => command.signal(signal, whom),
        }
    }

    /// Kills it, with all that came of it.
    pub(crate) async fn kill(&self) {
        match self {
            Self::Process(process, _) => {
                process.kill_tree().await;
            }
            Self::Command(command) => command.kill().await,
        }
    }

    /// Returns true where it was started with an input.
    pub(crate) fn takes_input(&self) -> bool {
        match self {
            Self::Process(process, _) => process.input().is_some(),
            Self::Command(command) => command.has_terminal(),
        }
    }

    /// Queues bytes for it to read.
    pub(crate) fn write(&self, bytes: &[u8]) -> Result<(), InputRefused> {
        match self {
            Self::Process(process, attention) => {
                attention.typed();
                process.input().ok_or(InputRefused::Closed)?.write(bytes)
            }
            Self::Command(command) => command.write(bytes),
        }
    }

    /// Ends its input after what was written.
    pub(crate) fn end_input(&self) -> Result<(), InputRefused> {
        match self {
            Self::Process(process, attention) => {
                attention.typed();
                process.input().ok_or(InputRefused::Closed)?.end()
            }
            Self::Command(command) => command.end_input(),
        }
    }

    /// Changes the size of its terminal; false where it has none.
    pub(crate) fn resize(&self, size: Size) -> bool {
        match self {
            Self::Process(process, _) => process.terminal().is_some_and(|terminal| terminal.resize(size).is_ok()),
            Self::Command(command) => command.resize(size),
        }
    }

    /// Waits until the program in its terminal waits for input and has not been reported to do so.
    pub(crate) async fn awaits_input(&self) {
        match self {
            Self::Process(process, attention) => match process.terminal() {
                Some(terminal) => attention.wanted(terminal, process.output()).await,
                None => std::future::pending().await,
            },
            Self::Command(command) => command.awaits_input().await,
        }
    }
}
