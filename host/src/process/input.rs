//! What a process reads: a bounded queue in front of its standard input or terminal.

use std::collections::VecDeque;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::io::AsyncWriteExt;
use tokio::net::unix::pipe;
use tokio::sync::Notify;
use tokio::task::JoinHandle;

use super::pty::Master;

/// The most bytes that may wait to be read.
const MOST: usize = 4 << 20;

/// The standard input of a process, or what is typed into its terminal; dropping it closes a pipe.
///
/// Writing returns at once: a task hands on what was written as fast as the process reads.
#[derive(Debug)]
pub struct Input {
    queue: Arc<Queue>,
    feeder: JoinHandle<()>,
}

/// Why input was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InputRefused {
    /// Too much waits already.
    #[error("{MOST} bytes of input wait to be read already: wait until the program has read some")]
    Full,
    /// It was closed, or nobody reads it any more.
    #[error("the input is closed")]
    Closed,
}

#[derive(Debug, Default)]
struct Queue {
    waiting: Mutex<Waiting>,
    more: Notify,
}

#[derive(Debug, Default)]
struct Waiting {
    pieces: VecDeque<Piece>,
    /// Bytes in the queue and on their way.
    bytes: usize,
    /// Nothing is taken any more.
    closed: bool,
}

#[derive(Debug)]
enum Piece {
    Bytes(Vec<u8>),
    End,
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, piece: Piece) {
        self.lock().pieces.push_back(piece);
        self.more.notify_one();
    }

    async fn next(&self) -> Piece {
        loop {
            let next = self.lock().pieces.pop_front();
            match next {
                Some(piece) => return piece,
                None => self.more.notified().await,
            }
        }
    }
}

impl Input {
    pub(super) fn pipe(fd: OwnedFd) -> io::Result<Self> {
        let sender = pipe::Sender::from_owned_fd(fd)?;
        Ok(Self::new(|queue| feed_pipe(queue, sender)))
    }

    pub(crate) fn terminal(master: Arc<Master>) -> Self {
        Self::new(|queue| feed_terminal(queue, master))
    }

    fn new<F: Future<Output = io::Result<()>> + Send + 'static>(feed: impl FnOnce(Arc<Queue>) -> F) -> Self {
        let queue = Arc::new(Queue::default());
        let feeding = feed(Arc::clone(&queue));
        let over = Arc::clone(&queue);
        let feeder = tokio::spawn(async move {
            // A process that has closed its input, or ended, is no failure; what it did not read is gone.
            let _ = feeding.await;
            let mut waiting = over.lock();
            waiting.closed = true;
            waiting.pieces.clear();
        });
        Self { queue, feeder }
    }

    /// Takes bytes to be read, all or none of them.
    ///
    /// # Errors
    /// Fails where too much waits already, or the input is closed.
    pub fn write(&self, bytes: &[u8]) -> Result<(), InputRefused> {
        let mut waiting = self.queue.lock();
        if waiting.closed {
            return Err(InputRefused::Closed);
        }
        if waiting.bytes + bytes.len() > MOST {
            return Err(InputRefused::Full);
        }
        if bytes.is_empty() {
            return Ok(());
        }
        waiting.bytes += bytes.len();
        drop(waiting);
        self.queue.push(Piece::Bytes(bytes.to_vec()));
        Ok(())
    }

    /// Ends the input after what was written. A terminal gets its end-of-input character and can be typed into
    /// further; a pipe is closed.
    ///
    /// # Errors
    /// Fails where it is closed already, or too many ends wait.
    pub fn end(&self) -> Result<(), InputRefused> {
        let mut waiting = self.queue.lock();
        if waiting.closed {
            return Err(InputRefused::Closed);
        }
        if waiting.bytes >= MOST {
            return Err(InputRefused::Full);
        }
        // An end counts like a byte, so that not too many can wait.
        waiting.bytes += 1;
        drop(waiting);
        self.queue.push(Piece::End);
        Ok(())
    }

    /// True where everything has been handed on.
    pub(crate) fn is_idle(&self) -> bool {
        self.queue.lock().bytes == 0
    }

    /// Takes nothing more, and lets go of what waits.
    pub(crate) fn stop(&self) {
        self.queue.lock().closed = true;
        self.feeder.abort();
    }
}

impl Drop for Input {
    fn drop(&mut self) {
        self.feeder.abort();
    }
}

async fn feed_pipe(queue: Arc<Queue>, mut sender: pipe::Sender) -> io::Result<()> {
    loop {
        match queue.next().await {
            Piece::Bytes(bytes) => {
                sender.write_all(&bytes).await?;
                queue.lock().bytes -= bytes.len();
            }
            Piece::End => return Ok(()),
        }
    }
}

async fn feed_terminal(queue: Arc<Queue>, master: Arc<Master>) -> io::Result<()> {
    let mut last = None;
    loop {
        let (bytes, counted) = match queue.next().await {
            Piece::Bytes(bytes) => {
                let counted = bytes.len();
                (bytes, counted)
            }
            Piece::End => (master.end_of_input(last), 1),
        };
        master.write(&bytes).await?;
        last = bytes.last().copied().or(last);
        queue.lock().bytes -= counted;
    }
}
