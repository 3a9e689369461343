//! Logging to standard error.

use std::io::{self, IsTerminal, Write};
use std::os::fd::AsFd;
use std::sync::Mutex;
use std::time::Duration;

use nix::libc::PIPE_BUF;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use tracing_subscriber::EnvFilter;

/// What is logged unless said otherwise. The MCP library reports every request that is answered with an error and every
/// client that leaves, which are the clients' affairs.
const DEFAULT: &str = "warn,rmcp=off";

/// Starts logging. What cannot be understood is said, and the default used.
pub(super) fn start(level: Option<&str>) {
    let asked =
        level.map(str::to_owned).or_else(|| std::env::var("SHELLWARD_LOG").ok()).filter(|text| !text.is_empty());
    let filter = asked.as_deref().map(EnvFilter::try_new);
    let (filter, wrong) = match filter {
        Some(Ok(filter)) => (filter, None),
        Some(Err(error)) => (EnvFilter::new(DEFAULT), Some(error)),
        None => (EnvFilter::new(DEFAULT), None),
    };
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(Mutex::new(Unhurried::default()))
        .with_ansi(io::stderr().is_terminal())
        .with_target(false)
        .without_time()
        .init();
    if let Some(error) = wrong {
        tracing::warn!(%error, "the log level is not understood; using `warn`");
    }
}

/// How long a line waits for a reader who has been reading so far.
const PATIENCE: Duration = Duration::from_millis(100);

/// Standard error, to which nobody has to wait to write: what a reader who does not read has no room for is dropped and
/// counted. A server would stand still for its log otherwise.
#[derive(Default)]
struct Unhurried {
    /// Lines dropped since the last that was written.
    dropped: usize,
}

impl Unhurried {
    fn has_room(&self) -> bool {
        let patience = if self.dropped == 0 { PATIENCE } else { Duration::ZERO };
        let stderr = io::stderr();
        let mut polled = [PollFd::new(stderr.as_fd(), PollFlags::POLLOUT)];
        let patience = PollTimeout::try_from(patience).unwrap_or(PollTimeout::ZERO);
        // What cannot be asked, such as one that is closed, takes everything at once.
        !matches!(poll(&mut polled, patience), Ok(0))
    }

    /// Writes as much as is taken without waiting; a pipe that has room has it for so many bytes.
    fn offer(&self, text: &[u8]) -> io::Result<bool> {
        for piece in text.chunks(PIPE_BUF) {
            if !self.has_room() {
                return Ok(false);
            }
            io::stderr().write_all(piece)?;
        }
        Ok(true)
    }
}

impl Write for Unhurried {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let missed = format!("({} lines of the log were dropped, because nobody read them)\n", self.dropped);
        let told = self.dropped == 0 || self.offer(missed.as_bytes()).unwrap_or(true);
        // A log that cannot be written, as on a full disk, is nobody's concern here.
        if told && self.offer(line).unwrap_or(true) {
            self.dropped = 0;
        } else {
            self.dropped += 1;
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
