//! Why a process could not be started or signalled.

use std::io;
use std::path::PathBuf;

use nix::errno::Errno;

use super::launch::Launch;
use super::signal::Signal;

/// Why a process could not be started; each says what to do about it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SpawnError {
    /// The program is not there.
    #[error("there is no program at `{}`: install it or name another", program.display())]
    NotFound {
        /// The program asked for.
        program: PathBuf,
    },
    /// The program is a script whose interpreter is not there.
    #[error("the interpreter that `{}` names in its first line is not installed: install it or change that line", program.display())]
    InterpreterNotFound {
        /// The script.
        program: PathBuf,
    },
    /// The program is not an absolute path.
    #[error("`{}` is not an absolute path: look the program up first", program.display())]
    NotAbsolute {
        /// The program asked for.
        program: PathBuf,
    },
    /// This user may not execute the program.
    #[error("this user may not execute `{}`: make it executable (`chmod +x`), or check its directory and mount options", program.display())]
    PermissionDenied {
        /// The program asked for.
        program: PathBuf,
    },
    /// The file is not something this system can execute.
    #[error("`{}` is not a program for this system: give it a `#!` line, or use a build for this machine", program.display())]
    NotExecutable {
        /// The file asked for.
        program: PathBuf,
    },
    /// The working directory is absent, is no directory, or may not be entered.
    #[error("the working directory `{}` {why}: create it or choose another", directory.display())]
    DirectoryGone {
        /// The directory asked for.
        directory: PathBuf,
        /// What is wrong with it.
        why: &'static str,
    },
    /// Arguments and environment together are longer than the system takes.
    #[error(
        "the command line and its environment are {bytes} bytes, more than this system takes (one argument: 128 KiB): \
         put the data in a file or send it through stdin"
    )]
    ArgumentsTooLong {
        /// Bytes of all arguments and of the environment.
        bytes: usize,
    },
    /// The system has no process, memory or file descriptor to give.
    #[error("the system is out of {what}: end some jobs, or raise the limit (`ulimit {option}`)")]
    Resources {
        /// What has run out.
        what: &'static str,
        /// The option of `ulimit` that shows and sets it.
        option: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// An argument, path or variable holds a NUL byte, which no program can be given.
    #[error("{place} contains a NUL byte, which no program can be given: remove it")]
    Nul {
        /// Where it is.
        place: String,
    },
    /// Anything else the system said.
    #[error("the system refused to start `{}`: {source}", program.display())]
    Other {
        /// The program asked for.
        program: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// Why a signal could not be sent.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SignalError {
    /// This user may not signal the process: it changed its user.
    #[error("this user may not send {signal} to process {pid}: it runs as another user")]
    PermissionDenied {
        /// The signal.
        signal: Signal,
        /// The process.
        pid: i32,
    },
    /// Anything else the system said.
    #[error("the system refused to send {signal} to process {pid}: {source}")]
    Other {
        /// The signal.
        signal: Signal,
        /// The process.
        pid: i32,
        /// What the system said.
        source: io::Error,
    },
}

impl SignalError {
    pub(crate) fn new(signal: Signal, pid: i32, errno: Errno) -> Self {
        match errno {
            Errno::EPERM => Self::PermissionDenied { signal, pid },
            _ => Self::Other { signal, pid, source: errno.into() },
        }
    }
}

impl SpawnError {
    /// Finds out what an error of the system's spawn call was about.
    pub(super) fn explain(launch: &Launch, source: io::Error) -> Self {
        let program = launch.program.clone();
        let Some(code) = source.raw_os_error() else { return Self::Other { program, source } };
        match Errno::from_raw(code) {
            Errno::ENOENT | Errno::ENOTDIR | Errno::EACCES | Errno::ELOOP | Errno::ENAMETOOLONG => {
                Self::explain_paths(launch, source)
            }
            Errno::ENOEXEC | Errno::ELIBBAD | Errno::EISDIR => Self::NotExecutable { program },
            Errno::EPERM => Self::PermissionDenied { program },
            Errno::E2BIG => Self::ArgumentsTooLong { bytes: size(launch) },
            _ => Self::resources(source).unwrap_or_else(|source| Self::Other { program, source }),
        }
    }

    /// Says which part of a launch has a NUL byte.
    pub(super) fn nul(launch: &Launch) -> Self {
        Self::Nul { place: nul_place(launch).unwrap_or_else(|| "the job's mark".to_owned()) }
    }

    /// Recognises an error that says a resource has run out, or gives it back.
    fn resources(source: io::Error) -> Result<Self, io::Error> {
        let (what, option) = match source.raw_os_error().map(Errno::from_raw) {
            Some(Errno::EAGAIN) => ("processes", "-u"),
            Some(Errno::ENOMEM) => ("memory", "-v"),
            Some(Errno::EMFILE | Errno::ENFILE) => ("file descriptors", "-n"),
            Some(Errno::ENOSPC) => ("file watches", "-n"),
            _ => return Err(source),
        };
        Ok(Self::Resources { what, option, source })
    }

    /// The system says "not found" or "not allowed" of program, interpreter and directory alike.
    fn explain_paths(launch: &Launch, source: io::Error) -> Self {
        let program = launch.program.clone();
        if let Some(why) = directory_trouble(launch) {
            return Self::DirectoryGone { directory: launch.directory.clone(), why };
        }
        match source.raw_os_error().map(Errno::from_raw) {
            Some(Errno::EACCES) => Self::PermissionDenied { program },
            Some(Errno::ENOENT) if program.is_file() => Self::InterpreterNotFound { program },
            Some(Errno::ENOENT | Errno::ENOTDIR) => Self::NotFound { program },
            _ => Self::Other { program, source },
        }
    }
}

fn directory_trouble(launch: &Launch) -> Option<&'static str> {
    use nix::unistd::{AccessFlags, access};
    match launch.directory.metadata() {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Some("may not be reached by this user"),
        Err(_) => Some("does not exist"),
        Ok(found) if !found.is_dir() => Some("is not a directory"),
        Ok(_) if access(&launch.directory, AccessFlags::X_OK).is_err() => Some("may not be entered by this user"),
        Ok(_) => None,
    }
}

fn nul_place(launch: &Launch) -> Option<String> {
    let has_nul = |text: &std::ffi::OsStr| text.as_encoded_bytes().contains(&0);
    if has_nul(launch.program.as_os_str()) {
        return Some("the program's path".to_owned());
    }
    if has_nul(launch.directory.as_os_str()) {
        return Some("the working directory".to_owned());
    }
    if let Some(index) = launch.arguments.iter().position(|argument| has_nul(argument)) {
        return Some(format!("argument {}", index + 1));
    }
    let bad = |(name, value): &&(std::ffi::OsString, std::ffi::OsString)| has_nul(name) || has_nul(value);
    let (name, _) = launch.environment.iter().find(bad)?;
    Some(format!("the environment variable `{}`", name.to_string_lossy().replace('\0', "\u{FFFD}")))
}

fn size(launch: &Launch) -> usize {
    let arguments: usize = launch.arguments.iter().map(|argument| argument.len() + 1).sum();
    let environment: usize = launch.environment.iter().map(|(name, value)| name.len() + value.len() + 2).sum();
    launch.program.as_os_str().len() + 1 + arguments + environment
}
