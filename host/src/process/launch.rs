//! What to start, complete: nothing is looked up or inherited behind the caller's back.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use super::capture::{CaptureLimits, Tap};
use super::tree::Front;

/// Name of the environment variable that carries a job's mark to its descendants.
pub const MARK_VARIABLE: &str = "SHELLWARD_JOB";

/// What a process reads from and writes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stdio {
    /// Two pipes for output, and input as said.
    Pipes(Stdin),
    /// A terminal, which it controls; input and output both.
    Terminal(Terminal),
    /// A pipe for input, in a session of its own; a terminal for output, which it controls, or else two pipes. For
    /// `Process::start_shell`, which leaves the reading to its caller.
    Shell(Option<Terminal>),
}

/// A terminal for a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terminal {
    /// Its size.
    pub size: Size,
    /// Whether it shows what is typed.
    pub echo: bool,
    /// Whether its output is kept as it comes, not as the text it shows.
    pub raw: bool,
}

/// The size of a terminal, in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Lines.
    pub rows: u16,
    /// Characters in a line.
    pub columns: u16,
}

/// Where a process without a terminal reads its input from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stdin {
    /// From `/dev/null`.
    #[default]
    Null,
    /// From a pipe, handed out as `Started::input`.
    Pipe,
}

/// A process to start.
#[derive(Clone)]
pub struct Launch {
    /// Absolute path of the program.
    pub program: PathBuf,
    /// Its arguments, without the program itself.
    pub arguments: Vec<OsString>,
    /// Working directory.
    pub directory: PathBuf,
    /// The whole environment; the mark is added to it.
    pub environment: Vec<(OsString, OsString)>,
    /// Unique mark of the job, by which its descendants are found.
    pub mark: String,
    /// What it reads from and writes to.
    pub stdio: Stdio,
    /// How much of each output stream is kept.
    pub capture: CaptureLimits,
    /// Sees every chunk of output as it comes.
    pub tap: Option<Arc<dyn Tap>>,
    /// What the program is that is started, where it is not the one that is meant.
    pub front: Front,
}

impl fmt::Debug for Launch {
    /// Leaves the values of the environment out: they may be secrets.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.environment.iter().map(|(name, _)| name).collect();
        formatter
            .debug_struct("Launch")
            .field("program", &self.program)
            .field("arguments", &self.arguments)
            .field("directory", &self.directory)
            .field("environment", &names)
            .field("mark", &self.mark)
            .field("stdio", &self.stdio)
            .field("capture", &self.capture)
            .field("tap", &self.tap.is_some())
            .field("front", &self.front)
            .finish()
    }
}
