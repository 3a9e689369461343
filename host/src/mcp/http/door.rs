//! Who is let in: as many connections as leave the host the descriptors that it needs.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use axum::serve::Listener;
use tokio::net::{TcpListener, TcpStream};

use super::guest::{Guest, Patience};
use crate::process::is_reserved;

/// How long a request is waited for that is only to be refused.
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
            let _ = tokio::time::timeout(LISTENING, refuse(&stream)).await;
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.0.local_addr()
    }
}

/// Answers whatever is asked; what is closed before it was read is not heard on the other side.
async fn refuse(stream: &TcpStream) -> io::Result<()> {
    stream.readable().await?;
    let _ = stream.try_read(&mut vec![0; 64 << 10])?;
    let head = "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Length:";
    let _ = stream.try_write(format!("{head} {}\r\n\r\n{FULL}", FULL.len()).as_bytes())?;
    Ok(())
}
