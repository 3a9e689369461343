//! What is on its way to a client over a pair of streams, and how much of it may wait for a client that does not read.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex as PlainMutex, PoisonError};
use std::time::{Duration, Instant};

use rmcp::model::ServerJsonRpcMessage;
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::{Mutex, Notify};

/// Bytes that may wait while more requests are read.
const MOST: usize = 64 << 20;

/// How long a client may take nothing of so much before it counts as gone.
const PATIENCE: Duration = Duration::from_secs(60);

/// Messages on their way to a client, one after the other.
#[derive(Debug)]
pub(super) struct Outbox<W> {
    output: Mutex<W>,
    /// Bytes that wait for their turn.
    waiting: AtomicUsize,
    /// Told when a message was taken.
    taken: Notify,
    /// Since when too much waits and nothing is taken.
    stuck: PlainMutex<Option<Instant>>,
}

impl<W: AsyncWrite + Unpin> Outbox<W> {
    pub(super) fn new(output: W) -> Self {
        Self {
            output: Mutex::new(output),
            waiting: AtomicUsize::new(0),
            taken: Notify::new(),
            stuck: PlainMutex::new(None),
        }
    }

    /// Writes a message on a line of its own, when those before it are written.
    pub(super) async fn send(&self, message: ServerJsonRpcMessage) -> io::Result<()> {
        let mut line = serde_json::to_vec(&message)?;
        line.push(b'\n');
        let _waiting = self.wait(line.len());
        let mut output = self.output.lock().await;
        output.write_all(&line).await?;
        output.flush().await
    }

    /// Waits until there is room for the answer to another request; false where the client does not read at all.
    pub(super) async fn has_room(&self) -> bool {
        while self.waiting.load(Ordering::Acquire) > MOST {
            let since = *self.stuck().get_or_insert_with(Instant::now);
            let taken = tokio::time::timeout_at((since + PATIENCE).into(), self.taken.notified());
            if taken.await.is_err() {
                return false;
            }
        }
        true
    }

    fn wait(&self, bytes: usize) -> Waiting<'_, W> {
        self.waiting.fetch_add(bytes, Ordering::AcqRel);
        Waiting { outbox: self, bytes }
    }

    fn stuck(&self) -> std::sync::MutexGuard<'_, Option<Instant>> {
        self.stuck.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A message that waits for its turn, until it is written or given up.
struct Waiting<'a, W: AsyncWrite + Unpin> {
    outbox: &'a Outbox<W>,
    bytes: usize,
}

impl<W: AsyncWrite + Unpin> Drop for Waiting<'_, W> {
    fn drop(&mut self) {
        self.outbox.waiting.fetch_sub(self.bytes, Ordering::AcqRel);
        *self.outbox.stuck() = None;
        self.outbox.taken.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use rmcp::model::ErrorData;
    use tokio::io::AsyncReadExt;

    use super::*;

    #[tokio::test]
    async fn who_does_not_read_is_asked_no_more_and_who_reads_again_gets_everything() {
        let (ours, mut theirs) = tokio::io::duplex(1000);
        let outbox = Arc::new(Outbox::new(ours));
        let sending: Vec<_> = (0..5)
            .map(|_| {
                let (outbox, error) = (Arc::clone(&outbox), ErrorData::parse_error("x".repeat(MOST / 4), None));
                tokio::spawn(async move { outbox.send(ServerJsonRpcMessage::error(error, None)).await })
            })
            .collect();
        while outbox.waiting.load(Ordering::Acquire) <= MOST {
            tokio::task::yield_now().await;
        }
        assert!(tokio::time::timeout(Duration::from_millis(50), outbox.has_room()).await.is_err());
        let reading = tokio::spawn(async move {
            let mut all = Vec::new();
            theirs.read_to_end(&mut all).await.unwrap();
            all
        });
        assert!(outbox.has_room().await);
        for sent in sending {
            sent.await.unwrap().unwrap();
        }
        drop(outbox);
        assert_eq!(reading.await.unwrap().iter().filter(|byte| **byte == b'\n').count(), 5);
    }
}
