//! Who is let in: as many connections as leave the host the descriptors that it needs.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use axum::serve::Listener;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::guest::{Guest, Patience};
use crate::process::is_reserved;

/// How long a request is waited for that is only to be refused, and how long its client to hear it.
const LISTENING: Duration = Duration::from_millis(200);

/// What is said to those for whom there is no room.
const FULL: &str = "the server is out of file descriptors: close some connections, or raise its limit (`ulimit -n`)\n";

/// Accepts connections while there is room.
#[derive(Debug)]
pub(super) struct Door(pub TcpListener);

impl Listener for Door {
    type Io = Guest;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Guest, SocketAddr) {
        loop {
            let (stream, address) = Listener::accept(&mut self.0).await;
            if !is_reserved(&stream) {
                // An answer is a head and a body: the body would wait for the client's word that the head has come.
                let _ = stream.set_nodelay(true);
                return (Guest::new(stream, Patience::default()), address);
            }
            tracing::warn!(%address, "a client is refused: {}", FULL.trim_end());
            // One after the other, so that they take no more than one descriptor.
            let _ = tokio::time::timeout(3 * LISTENING, refuse(stream)).await;
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.0.local_addr()
    }
}

/// Answers whatever is asked, and nothing too. What is closed before all was read may not be heard on the other side.
async fn refuse(mut stream: TcpStream) -> io::Result<()> {
    let mut asked = vec![0; 64 << 10];
    // One that is slow to ask is told all the same.
    let _ = tokio::time::timeout(LISTENING, stream.read(&mut asked)).await;
    let head = "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Length:";
    stream.write_all(format!("{head} {}\r\n\r\n{FULL}", FULL.len()).as_bytes()).await?;
    stream.shutdown().await?;
    let rest = async { while stream.read(&mut asked).await.is_ok_and(|count| count > 0) {} };
    let _ = tokio::time::timeout(LISTENING, rest).await;
    Ok(())
}
