//! The writing end of a process's standard input.

use std::io;
use std::os::fd::OwnedFd;

use tokio::io::AsyncWriteExt;
use tokio::net::unix::pipe;

/// The standard input of a process; dropping it closes it.
#[derive(Debug)]
pub struct Input(pipe::Sender);

impl Input {
    pub(super) fn new(fd: OwnedFd) -> io::Result<Self> {
        pipe::Sender::from_owned_fd(fd).map(Self)
    }

    /// Writes all bytes, waiting while the process reads slower than they come.
    ///
    /// # Errors
    /// Fails with `BrokenPipe` where the process has closed its input or ended.
    pub async fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.write_all(bytes).await
    }
}
