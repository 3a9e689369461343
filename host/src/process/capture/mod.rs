//! What a process writes: read as it comes, kept within bounds, readable at any time.

pub(crate) mod pump;
mod ring;
mod shown;
mod text;

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use self::ring::{Kept, Ring};
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
    /// Counted up whenever a terminal brings something.
    activity: AtomicU64,
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

/// Bytes of a stream from an offset on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Since {
    /// The offset of the first byte: later than asked for where bytes are no longer kept.
    pub start: u64,
    /// What is there, without a gap.
    pub bytes: Vec<u8>,
    /// How many bytes are kept from the start of the stream.
    pub head: u64,
    /// The offset from which on all is kept; `head` where nothing is missing.
    pub tail: u64,
    /// How many bytes the stream has brought so far.
    pub total: u64,
    /// Whether nothing more will come.
    pub ended: bool,
}

impl Output {
    pub(crate) fn new(limits: CaptureLimits, tap: Option<Arc<dyn Tap>>) -> Self {
        let side = || Mutex::new(Side { ring: Ring::new(limits), state: Flow::Open, shown: Vec::new() });
        let activity = AtomicU64::new(0);
        Self(Arc::new(Shared { stdout: side(), stderr: side(), tap, activity, stop: Arc::new(Notify::new()) }))
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

    /// Returns at most so many bytes from an offset on; where these are gone, from the first one kept after it.
    pub(crate) fn since(&self, stream: Stream, offset: u64, most: usize) -> Since {
        let side = self.side(stream);
        let Kept { head, gap, tail } = side.ring.kept();
        let total = side.ring.total();
        let (head_end, tail_start) = (head.len() as u64, head.len() as u64 + gap);
        let start = match offset {
            offset if offset < head_end => offset,
            offset => offset.max(tail_start).min(total),
        };
        // Both lie within what is kept, so they fit.
        let pieces = match start < head_end {
            true if gap > 0 => [&head[start as usize..], &[], &[]],
            true => [&head[start as usize..], tail.0, tail.1],
            false => {
                let skipped = (start - tail_start) as usize;
                let first = skipped.min(tail.0.len());
                [&tail.0[first..], &tail.1[skipped - first..], &[]]
            }
        };
        let mut bytes = Vec::with_capacity(most.min(pieces.iter().map(|piece| piece.len()).sum()));
        for piece in pieces {
            bytes.extend_from_slice(&piece[..piece.len().min(most - bytes.len())]);
        }
        Since { start, bytes, head: head_end, tail: tail_start, total, ended: side.state != Flow::Open }
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

    /// Takes bytes as if a process had written them.
    #[cfg(test)]
    pub(crate) fn write(&self, stream: Stream, mut bytes: &[u8]) {
        let mut side = self.side(stream);
        while !bytes.is_empty() {
            let room = side.ring.room().0;
            let count = room.len().min(bytes.len());
            room[..count].copy_from_slice(&bytes[..count]);
            side.ring.commit(count);
            bytes = &bytes[count..];
        }
    }

    /// Returns a number that changes whenever a terminal brings something, be it seen or not.
    pub(crate) fn activity(&self) -> u64 {
        self.0.activity.load(Ordering::Relaxed)
    }

    /// Returns who is to be waited for before more is read.
    pub(crate) fn full_tap(&self) -> Option<&Arc<dyn Tap>> {
        self.0.tap.as_ref().filter(|tap| tap.is_full())
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
