//! Our ends of a lasting shell: the pipe it reads commands from, and where its output comes from.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::Arc;

use nix::libc;
use tokio::io::unix::AsyncFd;

use super::input::Input;
use super::pty::Master;
use super::spawn;

/// Our ends of a lasting shell.
#[derive(Debug)]
pub(crate) struct ShellEnds {
    /// What it reads commands from.
    pub control: Input,
    /// The same pipe, to look at.
    pub(super) probe: OwnedFd,
    pub source: ShellSource,
}

/// Where a shell's output comes from.
#[derive(Debug)]
pub(crate) enum ShellSource {
    Terminal(Arc<Master>),
    Pipes { stdout: PipeReader, stderr: PipeReader },
}

impl ShellEnds {
    /// Returns true where the shell has taken everything that was written: it is reading commands, or has read them.
    pub(crate) fn is_taken(&self) -> bool {
        let mut waiting: libc::c_int = 0;
        // SAFETY: `waiting` is valid for writing during the call.
        let asked = unsafe { libc::ioctl(self.probe.as_raw_fd(), libc::FIONREAD, &raw mut waiting) };
        asked == 0 && waiting == 0 && self.control.is_idle()
    }
}

/// The reading end of a pipe.
#[derive(Debug)]
pub(crate) struct PipeReader(AsyncFd<File>);

impl PipeReader {
    pub(super) fn new(fd: OwnedFd) -> io::Result<Self> {
        spawn::register_pipe(fd).map(Self)
    }

    /// Reads what comes next; 0 is the end.
    pub(crate) async fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let mut ready = self.0.readable().await?;
            match self.try_read(buffer)? {
                Some(count) => return Ok(count),
                None => ready.clear_ready(),
            }
        }
    }

    /// Reads what is there; `None` where there is nothing now.
    pub(crate) fn try_read(&self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        loop {
            let mut file = self.0.get_ref();
            match file.read(buffer) {
                Ok(count) => return Ok(Some(count)),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(None),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}
