//! What a process writes: read as it comes, kept within bounds, readable at any time.

pub(crate) mod pump;
mod ring;
mod shown;
mod text;

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use self::ring::Ring;
use self::text::Excerpt;

pub use self::ring::CaptureLimits;
pub(crate) use self::shown::Shown;
pub use self::text::{Text, Window};

/// One of the two output streams of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Stream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// Sees every chunk as it is read, for watchers and durable items.
pub trait Tap: Send + Sync {
    /// Takes the next bytes of a stream, in order.
    ///
    /// It is called by the reading task while the stream is locked, so it must be quick and must
    /// not ask for a snapshot.
    fn chunk(&self, stream: Stream, bytes: &[u8]);

    /// Whether it has so much in hand that nothing more should be read for now.
    fn is_full(&self) -> bool {
        false
    }

    /// Waits until it can take more.
    fn drained<'a>(&'a self) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>> {
        Box::pin(std::future::ready(()))
    }
}

/// The kept output of one process, shared by all who read it.
///
/// It stays readable after the process and its `Process` are gone.
#[derive(Clone)]
pub struct Output(Arc<Shared>);

struct Shared {
    stdout: Mutex<Side>,
    stderr: Mutex<Side>,
    tap: Option<Arc<dyn Tap>>,
    /// Tells the reading task that nobody waits for more.
    stop: Arc<Notify>,
}

struct Side {
    ring: Ring,
    state: Flow,
    /// What a terminal shows after what the ring holds, and may still change.
    shown: Vec<u8>,
}

/// Whether a stream still brings something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// It may bring more.
    Open,
    /// Everybody who could write has closed it.
    Ended,
    /// It was still open when reading stopped.
    Abandoned,
}

impl Output {
    pub(crate) fn new(limits: CaptureLimits, tap: Option<Arc<dyn Tap>>) -> Self {
        let side = || Mutex::new(Side { ring: Ring::new(limits), state: Flow::Open, shown: Vec::new() });
        Self(Arc::new(Shared { stdout: side(), stderr: side(), tap, stop: Arc::new(Notify::new()) }))
    }

    /// Returns a window of what the stream has brought so far, as text.
    #[must_use]
    pub fn snapshot(&self, stream: Stream, window: Window) -> Text {
        let excerpt = {
            let side = self.side(stream);
            Excerpt::copy(side.ring.kept(), &side.shown, window, side.ring.total(), side.state != Flow::Open)
        };
        excerpt.decode()
    }

    /// Returns how many bytes the stream has brought so far, without what a terminal shows and may still change.
    #[must_use]
    pub fn total_bytes(&self, stream: Stream) -> u64 {
        self.side(stream).ring.total()
    }

    /// Returns how many of the stream's bytes lie between the kept head and the kept tail.
    #[must_use]
    pub fn dropped_bytes(&self, stream: Stream) -> u64 {
        self.side(stream).ring.kept().gap
    }

    /// Returns whether the stream still brings something.
    #[must_use]
    pub fn flow(&self, stream: Stream) -> Flow {
        self.side(stream).state
    }

    fn side(&self, stream: Stream) -> MutexGuard<'_, Side> {
        let side = match stream {
            Stream::Stdout => &self.0.stdout,
            Stream::Stderr => &self.0.stderr,
        };
        // A tap that panicked leaves the ring whole: bytes are committed before it is called.
        side.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Output {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Output")
            .field("stdout_bytes", &self.total_bytes(Stream::Stdout))
            .field("stderr_bytes", &self.total_bytes(Stream::Stderr))
            .finish()
    }
}
