//! What to start, complete: nothing is looked up or inherited behind the caller's back.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use super::capture::{CaptureLimits, Tap};

/// Name of the environment variable that carries a job's mark to its descendants.
pub const MARK_VARIABLE: &str = "SHELLWARD_JOB";

/// Where a process reads its input from.
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
    /// Where it reads its input from.
    pub stdin: Stdin,
    /// How much of each output stream is kept.
    pub capture: CaptureLimits,
    /// Sees every chunk of output as it comes.
    pub tap: Option<Arc<dyn Tap>>,
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
            .field("stdin", &self.stdin)
            .field("capture", &self.capture)
            .field("tap", &self.tap.is_some())
            .finish()
    }
}
