//! Makes everything ready that a new process needs, and takes its pipes into the runtime.

use std::ffi::{CString, OsStr};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::ptr;
use std::sync::Arc;

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::libc::c_char;
use nix::unistd::pipe2;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use super::capture::pump::Sources;
use super::error::SpawnError;
use super::input::Input;
use super::launch::{Launch, MARK_VARIABLE, Size, Stdin, Stdio, Terminal};
use super::pidfd::Pidfd;
use super::pty::{self, Master};
use super::reserve::is_reserved;
use super::shell::{PipeReader, ShellEnds, ShellSource};
use super::tree::{LimitMark, Marks};
use super::vfork::{self, Born, Leads, Plan};

/// A process that runs, and our ends of its pipes.
pub(super) struct Child {
    pub born: Born,
    pub ends: Ends,
}

/// Our ends of what a process reads from and writes to.
pub(super) enum Ends {
    Pipes { stdin: Option<OwnedFd>, stdout: OwnedFd, stderr: OwnedFd },
    Terminal { master: OwnedFd, size: Size, raw: bool },
    Shell { control: OwnedFd, output: ShellOutput },
}

/// Where a shell's output comes from.
pub(super) enum ShellOutput {
    Terminal(OwnedFd, Size),
    Pipes { stdout: OwnedFd, stderr: OwnedFd },
}

pub(super) fn spawn(launch: &Launch, marks: &Marks) -> Result<Child, SpawnError> {
    if !launch.program.is_absolute() {
        return Err(SpawnError::NotAbsolute { program: launch.program.clone() });
    }
    let strings = Strings::new(launch).ok_or_else(|| SpawnError::nul(launch))?;
    let (ends, theirs) = connect(launch.stdio).map_err(|source| SpawnError::explain(launch, source))?;
    let (arguments, environment) = (strings.arguments.pointers(), strings.environment.pointers());
    let cgroup = marks.cgroup.as_ref().and_then(|cgroup| cgroup.open().ok());
    if theirs.iter().chain(&cgroup).any(is_reserved) {
        return Err(SpawnError::explain(launch, Errno::EMFILE.into()));
    }
    let plan = Plan {
        program: &strings.program,
        arguments: &arguments,
        environment: &environment,
        directory: &strings.directory,
        stdio: theirs.each_ref().map(AsFd::as_fd),
        leads: match launch.stdio {
            Stdio::Pipes(_) => Leads::Group,
            Stdio::Shell(None) => Leads::Session,
            Stdio::Terminal(_) | Stdio::Shell(Some(_)) => Leads::Terminal,
        },
        limit: marks.limit.map(LimitMark::limit),
        cgroup: cgroup.as_ref().map(AsFd::as_fd),
    };
    let born = vfork::spawn(&plan).map_err(|source| SpawnError::explain(launch, source))?;
    Ok(Child { born, ends })
}

/// A launch in the form that the system takes.
struct Strings {
    program: CString,
    arguments: Block,
    environment: Block,
    directory: CString,
}

impl Strings {
    /// Returns `None` where a NUL byte stands in the way.
    fn new(launch: &Launch) -> Option<Self> {
        let text = |text: &OsStr| CString::new(text.as_bytes()).ok();
        let mut arguments = Block::default();
        arguments.push(&[launch.program.as_os_str().as_bytes()])?;
        for argument in &launch.arguments {
            arguments.push(&[argument.as_bytes()])?;
        }
        let mut environment = Block::default();
        // Two marks would leave it to the program which one it hands on.
        for (name, value) in launch.environment.iter().filter(|(name, _)| name != MARK_VARIABLE) {
            environment.push(&[name.as_bytes(), b"=", value.as_bytes()])?;
        }
        environment.push(&[MARK_VARIABLE.as_bytes(), b"=", launch.mark.as_bytes()])?;
        Some(Self {
            program: text(launch.program.as_os_str())?,
            arguments,
            environment,
            directory: text(launch.directory.as_os_str())?,
        })
    }
}

/// Texts that end in NUL, one behind the other: an environment has a hundred, and a piece of memory for each is slow.
#[derive(Default)]
struct Block {
    bytes: Vec<u8>,
    starts: Vec<usize>,
}

impl Block {
    /// Adds a text made of pieces, unless one has a NUL in it.
    fn push(&mut self, pieces: &[&[u8]]) -> Option<()> {
        self.starts.push(self.bytes.len());
        for piece in pieces {
            if piece.contains(&0) {
                return None;
            }
            self.bytes.extend_from_slice(piece);
        }
        self.bytes.push(0);
        Some(())
    }

    /// Returns where each begins, and a null; for as long as the block is not changed.
    fn pointers(&self) -> Vec<*const c_char> {
        let texts = self.starts.iter().map(|start| self.bytes[*start..].as_ptr().cast());
        texts.chain([ptr::null()]).collect()
    }
}

/// Makes pipes or a terminal: our ends, and the child's standard input, output and error.
fn connect(stdio: Stdio) -> io::Result<(Ends, [OwnedFd; 3])> {
    match stdio {
        Stdio::Pipes(stdin) => connect_pipes(stdin),
        Stdio::Terminal(terminal) => {
            let (master, slave) = pty::open(terminal)?;
            let theirs = above_stdio(slave)?;
            let ends = Ends::Terminal { master, size: terminal.size, raw: terminal.raw };
            Ok((ends, [theirs.try_clone()?, theirs.try_clone()?, theirs]))
        }
        Stdio::Shell(terminal) => connect_shell(terminal),
    }
}

fn connect_shell(terminal: Option<Terminal>) -> io::Result<(Ends, [OwnedFd; 3])> {
    let (their_stdin, control) = pipe2(OFlag::O_CLOEXEC)?;
    let their_stdin = above_stdio(their_stdin)?;
    if let Some(terminal) = terminal {
        let (master, slave) = pty::open(terminal)?;
        let slave = above_stdio(slave)?;
        let output = ShellOutput::Terminal(master, terminal.size);
        return Ok((Ends::Shell { control, output }, [their_stdin, slave.try_clone()?, slave]));
    }
    let (stdout, their_stdout) = pipe2(OFlag::O_CLOEXEC)?;
    let (stderr, their_stderr) = pipe2(OFlag::O_CLOEXEC)?;
    let theirs = [their_stdin, above_stdio(their_stdout)?, above_stdio(their_stderr)?];
    Ok((Ends::Shell { control, output: ShellOutput::Pipes { stdout, stderr } }, theirs))
}

fn connect_pipes(stdin: Stdin) -> io::Result<(Ends, [OwnedFd; 3])> {
    let (their_stdin, our_stdin) = match stdin {
        Stdin::Null => (File::open("/dev/null")?.into(), None),
        Stdin::Pipe => {
            let (theirs, ours) = pipe2(OFlag::O_CLOEXEC)?;
            (theirs, Some(ours))
        }
    };
    let (stdout, their_stdout) = pipe2(OFlag::O_CLOEXEC)?;
    let (stderr, their_stderr) = pipe2(OFlag::O_CLOEXEC)?;
    let theirs = [above_stdio(their_stdin)?, above_stdio(their_stdout)?, above_stdio(their_stderr)?];
    Ok((Ends::Pipes { stdin: our_stdin, stdout, stderr }, theirs))
}

/// Moves a descriptor out of the way of the numbers 0 to 2, free where a program has closed its own.
fn above_stdio(fd: OwnedFd) -> io::Result<OwnedFd> {
    if fd.as_raw_fd() > 2 { Ok(fd) } else { fd.try_clone() }
}

/// Our ends, taken into the runtime.
pub(super) struct Connected {
    pub sources: Sources,
    pub input: Option<Input>,
    pub terminal: Option<Arc<Master>>,
}

impl Ends {
    /// Our ends of a shell.
    pub(super) fn register_shell(self) -> io::Result<ShellEnds> {
        let Self::Shell { control, output } = self else { return Err(io::ErrorKind::Unsupported.into()) };
        let probe = control.try_clone()?;
        let source = match output {
            ShellOutput::Terminal(master, size) => ShellSource::Terminal(Arc::new(Master::new(master, size)?)),
            ShellOutput::Pipes { stdout, stderr } => {
                ShellSource::Pipes { stdout: PipeReader::new(stdout)?, stderr: PipeReader::new(stderr)? }
            }
        };
        Ok(ShellEnds { control: Input::pipe(control)?, probe, source })
    }

    pub(super) fn register(self) -> io::Result<Connected> {
        match self {
            Self::Pipes { stdin, stdout, stderr } => {
                let input = stdin.map(Input::pipe).transpose()?;
                let sources = Sources::Pipes { stdout: register_pipe(stdout)?, stderr: register_pipe(stderr)? };
                Ok(Connected { sources, input, terminal: None })
            }
            Self::Terminal { master, size, raw } => {
                let master = Arc::new(Master::new(master, size)?);
                let sources = Sources::Terminal { master: Arc::clone(&master), raw };
                let input = Some(Input::terminal(Arc::clone(&master)));
                Ok(Connected { sources, input, terminal: Some(master) })
            }
            // Its reading is its caller's.
            Self::Shell { .. } => Err(io::ErrorKind::Unsupported.into()),
        }
    }
}

pub(super) fn register_pipe(fd: OwnedFd) -> io::Result<AsyncFd<File>> {
    fcntl(&fd, FcntlArg::F_SETFL(OFlag::O_NONBLOCK))?;
    register(File::from(fd))
}

/// Asks the runtime to tell when a descriptor becomes readable.
pub(super) fn register<T: AsRawFd + Owner>(fd: T) -> io::Result<AsyncFd<T>> {
    register_for(fd, Interest::READABLE)
}

/// Asks the runtime to tell when a descriptor becomes ready for something.
pub(super) fn register_for<T: AsRawFd + Owner>(fd: T, interest: Interest) -> io::Result<AsyncFd<T>> {
    // SAFETY: an `Owner` gives the same descriptor always, open as long as it lives itself.
    let registered = unsafe { AsyncFd::register_with_interest(fd, interest) };
    registered.map_err(io::Error::from)
}

/// Types that own one descriptor.
///
/// # Safety
/// They keep it open while they live, and never exchange it for another.
pub(super) unsafe trait Owner {}

// SAFETY: a file is closed when it is dropped, not before.
unsafe impl Owner for File {}
// SAFETY: the same holds for the descriptor inside.
unsafe impl Owner for Pidfd {}
