//! How a scripted command behaves.

use crate::contract::{Exit, StartError, Stdstream};

/// How a command behaves once it is started. Times are in milliseconds since its start.
#[derive(Clone, Debug)]
pub struct Behaviour {
    pub(super) prints: Vec<(u64, Stdstream, Vec<u8>)>,
    pub(super) ends: Option<(u64, Exit)>,
    pub(super) terminate: OnTerminate,
    pub(super) unkillable: bool,
    pub(super) leaks: Vec<Stdstream>,
    pub(super) start_error: Option<StartError>,
    pub(super) late_start_error: Option<StartError>,
    pub(super) reads: bool,
    pub(super) moves: Option<String>,
    pub(super) loses: bool,
    clock: u64,
}

/// What a command does with SIGTERM.
#[derive(Clone, Debug)]
pub(super) enum OnTerminate {
    Ignores,
    Ends(u64, Exit),
}

impl Behaviour {
    /// A command that does nothing and ends with a code.
    pub fn exits(code: i32) -> Self {
        Self::ending(Some((0, Exit::Code(code))))
    }

    /// A command that never ends by itself.
    pub fn hangs() -> Self {
        Self::ending(None)
    }

    /// A command that a signal ends, by its name: `SIGSEGV`.
    pub fn signalled(name: &str) -> Self {
        Self::ending(Some((0, Exit::Signal(name.into()))))
    }

    /// A command that `start` refuses.
    pub fn cannot_start(error: StartError) -> Self {
        Self { start_error: Some(error), ..Self::hangs() }
    }

    /// A command that is accepted and then turns out not to start.
    pub fn fails_to_start(error: StartError) -> Self {
        Self { late_start_error: Some(error), ..Self::hangs() }
    }

    /// A command that prints what it is given and ends with 0 when its input is closed, as `cat` does.
    pub fn reads() -> Self {
        Self { reads: true, ..Self::hangs() }
    }

    fn ending(ends: Option<(u64, Exit)>) -> Self {
        Self {
            prints: Vec::new(),
            ends,
            terminate: OnTerminate::Ends(0, Exit::Signal("SIGTERM".into())),
            unkillable: false,
            leaks: Vec::new(),
            start_error: None,
            late_start_error: None,
            reads: false,
            moves: None,
            loses: false,
            clock: 0,
        }
    }

    /// Waits before what is said next, and before the end.
    #[must_use]
    pub fn waits(mut self, millis: u64) -> Self {
        self.clock += millis;
        if let Some((at, _)) = &mut self.ends {
            *at = self.clock;
        }
        self
    }

    /// Prints to standard output.
    #[must_use]
    pub fn stdout(self, bytes: impl AsRef<[u8]>) -> Self {
        self.prints(Stdstream::Stdout, bytes.as_ref())
    }

    /// Prints to standard error.
    #[must_use]
    pub fn stderr(self, bytes: impl AsRef<[u8]>) -> Self {
        self.prints(Stdstream::Stderr, bytes.as_ref())
    }

    fn prints(mut self, stream: Stdstream, bytes: &[u8]) -> Self {
        self.prints.push((self.clock, stream, bytes.to_vec()));
        self
    }

    /// Leaves the lasting shell in another directory.
    #[must_use]
    pub fn moves_to(mut self, directory: &str) -> Self {
        self.moves = Some(directory.into());
        self
    }

    /// Ends the lasting shell with itself.
    #[must_use]
    pub fn loses_session(mut self) -> Self {
        self.loses = true;
        self
    }

    /// Leaves something behind that holds a stream open after the command's end.
    #[must_use]
    pub fn leaks(mut self, stream: Stdstream) -> Self {
        self.leaks.push(stream);
        self
    }

    /// Goes on after SIGTERM as if nothing were.
    #[must_use]
    pub fn ignores_terminate(mut self) -> Self {
        self.terminate = OnTerminate::Ignores;
        self
    }

    /// Takes so long after SIGTERM and then ends with a code.
    #[must_use]
    pub fn ends_when_asked(mut self, millis: u64, code: i32) -> Self {
        self.terminate = OnTerminate::Ends(millis, Exit::Code(code));
        self
    }

    /// Does not even end after SIGKILL, as a process in a system call that cannot be interrupted.
    #[must_use]
    pub fn unkillable(mut self) -> Self {
        self.unkillable = true;
        self.ignores_terminate()
    }
}
