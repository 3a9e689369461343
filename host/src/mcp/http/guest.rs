//! A connection, and how long its client may keep it for nothing: without the token, or without taking what it is sent.

use std::future::Future;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::extract::connect_info::Connected;
use axum::serve::IncomingStream;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Sleep, sleep};

use super::door::Door;

/// How long a client may take for what.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patience {
    /// Until it has shown the token: descriptors are few, and those without it could hold them all.
    pub token: Duration,
    /// Until it takes something of what it is sent: whoever sends to it waits, and with it the whole session.
    pub taking: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self { token: Duration::from_secs(10), taking: Duration::from_secs(60) }
    }
}

/// Whether a connection's client has shown the token.
#[derive(Clone, Debug, Default)]
pub(super) struct Known(Arc<AtomicBool>);

impl Known {
    pub(super) fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Connected<IncomingStream<'_, Door>> for Known {
    fn connect_info(stream: IncomingStream<'_, Door>) -> Self {
        stream.io().known.clone()
    }
}

/// A connection that fails when its client's time is over.
#[derive(Debug)]
pub(super) struct Guest {
    stream: TcpStream,
    known: Known,
    /// Runs until the client is known.
    unknown: Pin<Box<Sleep>>,
    taking: Duration,
    /// Runs while the client takes nothing.
    stuck: Option<Pin<Box<Sleep>>>,
}

impl Guest {
    pub(super) fn new(stream: TcpStream, patience: Patience) -> Self {
        let unknown = Box::pin(sleep(patience.token));
        Self { stream, known: Known::default(), unknown, taking: patience.taking, stuck: None }
    }

    fn write(
        &mut self,
        context: &mut Context<'_>,
        write: impl FnOnce(Pin<&mut TcpStream>, &mut Context<'_>) -> Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        if let Poll::Ready(written) = write(Pin::new(&mut self.stream), context) {
            self.stuck = None;
            return Poll::Ready(written);
        }
        let stuck = self.stuck.get_or_insert_with(|| Box::pin(sleep(self.taking)));
        ready!(stuck.as_mut().poll(context));
        tracing::warn!("a client has taken nothing for long of what it is sent; its connection is closed");
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for Guest {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if !self.known.0.load(Ordering::Relaxed) && self.unknown.as_mut().poll(context).is_ready() {
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Guest {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.write(context, |stream, context| stream.poll_write(context, bytes))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.write(context, |stream, context| stream.poll_write_vectored(context, slices))
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    use super::*;

    const SHORT: Duration = Duration::from_millis(50);
    const LONG: Duration = Duration::from_secs(600);

    async fn connected(patience: Patience) -> (Guest, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        (Guest::new(listener.accept().await.unwrap().0, patience), client)
    }

    #[tokio::test]
    async fn who_has_not_shown_the_token_in_time_is_no_longer_read() {
        let (mut guest, mut client) = connected(Patience { token: SHORT, taking: LONG }).await;
        client.write_all(b"half a request").await.unwrap();
        let mut read = Vec::new();
        assert_eq!(guest.read_to_end(&mut read).await.unwrap_err().kind(), io::ErrorKind::TimedOut);
        guest.known.set();
        client.shutdown().await.unwrap();
        guest.read_to_end(&mut read).await.unwrap();
    }

    #[tokio::test]
    async fn who_takes_nothing_is_sent_nothing_more() {
        let (mut guest, client) = connected(Patience { token: LONG, taking: SHORT }).await;
        let much = vec![0; 64 << 20];
        assert_eq!(guest.write_all(&much).await.unwrap_err().kind(), io::ErrorKind::TimedOut);
        drop(client);
    }
}
