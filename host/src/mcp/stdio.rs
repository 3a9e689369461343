//! One client over a pair of streams: a JSON-RPC message a line, and nothing else.

use std::future::Future;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{ClientJsonRpcMessage, ErrorData, JsonRpcMessage, RequestId, ServerJsonRpcMessage};
use rmcp::service::{RxJsonRpcMessage, ServiceExt, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, BufReader};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::front::Front;
use super::outbox::Outbox;
use super::server::Server;
use super::session::Session;
use crate::Host;

/// How long calls may still take to answer when the client has closed its side.
const GRACE: Duration = Duration::from_millis(500);

/// How long the connection may take to be closed when the session has ended.
const CLOSING: Duration = Duration::from_millis(500);

/// The longest line that is read; a message with the most arguments a host takes is far shorter.
const LONGEST: usize = 16 << 20;

/// Serves one client until it closes its side, or `stop` is cancelled. Returns as soon as the session is being ended:
/// the host's shutdown waits for its jobs.
///
/// A client that gives its session a name finds again the durable runs of an earlier session of that name. Nothing but
/// the protocol is written to `output`.
pub async fn serve<R, W>(host: &Host, name: Option<&str>, input: R, output: W, stop: CancellationToken)
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let front = Front::new(host.caller());
    let session = match name {
        Some(name) => Session::named(front.caller(), name),
        None => Session::new(front.caller()),
    };
    let closed = CancellationToken::new();
    let transport = Lines::new(input, output, closed.clone());
    let server = Server::of(&front, &session);
    let serving = TaskTracker::new();
    let served = serving.spawn(async move {
        match server.serve(transport).await {
            Ok(running) => drop(running.waiting().await),
            // Closed before it began, or begun as no client does.
            Err(error) => tracing::debug!(%error, "the client did not begin a session"),
        }
    });
    serving.close();
    tokio::select! {
        () = stop.cancelled() => {}
        () = serving.wait() => {}
        () = closed.cancelled() => drop(tokio::time::timeout(GRACE, serving.wait()).await),
    }
    let ending = tokio::spawn(async move { session.end().await });
    if tokio::time::timeout(CLOSING, serving.wait()).await.is_err() {
        served.abort();
    }
    // Goes on by itself: what it waits for, the host's shutdown waits for too.
    drop(ending);
}

/// A message a line. Unlike the one that comes with the library it answers lines that are no message, and tells when
/// the client has closed its side while calls are still on their way.
struct Lines<R, W> {
    input: BufReader<R>,
    line: Vec<u8>,
    /// Set while the rest of a line is skipped that was too long.
    skipping: bool,
    output: Arc<Outbox<W>>,
    /// Whether a request has come: nothing else can begin a session.
    begun: bool,
    closed: CancellationToken,
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Unpin> Lines<R, W> {
    fn new(input: R, output: W, closed: CancellationToken) -> Self {
        let output = Arc::new(Outbox::new(output));
        Self { input: BufReader::new(input), line: Vec::new(), skipping: false, output, begun: false, closed }
    }

    /// Reads on until a line is whole; none at the end. Can be dropped and called again: what was read is kept.
    async fn read(&mut self) -> io::Result<Option<Result<(), ErrorData>>> {
        loop {
            let available = self.input.fill_buf().await?;
            if available.is_empty() {
                // The last line may lack its end.
                return Ok((!self.line.is_empty()).then_some(Ok(())));
            }
            let end = available.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(available.len(), |at| at + 1);
            let too_long = self.line.len() + taken > LONGEST;
            if !self.skipping && !too_long {
                self.line.extend_from_slice(&available[..taken]);
            }
            self.input.consume(taken);
            let was_skipping = self.skipping;
            self.skipping = (was_skipping || too_long) && end.is_none();
            if too_long && !was_skipping {
                self.line.clear();
                let message = format!("a message may have {LONGEST} bytes");
                return Ok(Some(Err(ErrorData::invalid_request(message, None))));
            }
            if end.is_some() && !was_skipping {
                return Ok(Some(Ok(())));
            }
        }
    }

    /// Gives the next message; an error is to be answered.
    async fn message(&mut self) -> io::Result<Option<Result<Option<ClientJsonRpcMessage>, Box<Refused>>>> {
        let Some(line) = self.read().await? else { return Ok(None) };
        let message = line.map_err(|error| Box::new(Refused { error, id: None })).and_then(|()| parse(&self.line));
        self.line.clear();
        Ok(Some(message))
    }
}

/// A line that is no message.
#[derive(Debug, PartialEq)]
struct Refused {
    error: ErrorData,
    id: Option<RequestId>,
}

/// Reads one line; none where there is nothing to answer or to do.
fn parse(line: &[u8]) -> Result<Option<ClientJsonRpcMessage>, Box<Refused>> {
    let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line).trim_ascii();
    if line.is_empty() {
        return Ok(None);
    }
    let error = match serde_json::from_slice(line) {
        Ok(message) => return Ok(Some(message)),
        Err(error) => error,
    };
    let Ok(value) = serde_json::from_slice::<Value>(line) else {
        let error = ErrorData::parse_error(format!("the line is not JSON: {error}"), None);
        return Err(Box::new(Refused { error, id: None }));
    };
    let id = value.get("id").and_then(|id| serde_json::from_value(id.clone()).ok());
    // A notification of an unknown kind, or in a form that is not its own: nobody waits for an answer.
    if value.get("method").is_some_and(Value::is_string) && value.get("id").is_none() {
        tracing::debug!(%error, "ignored a notification");
        return Ok(None);
    }
    let message = match value {
        Value::Array(_) => "messages in a list are not taken; send each on a line of its own",
        _ => "not a message of JSON-RPC 2.0: a request has jsonrpc, id, method, and params as an object",
    };
    Err(Box::new(Refused { error: ErrorData::invalid_request(message, None), id }))
}

impl<R, W> Transport<RoleServer> for Lines<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let output = Arc::clone(&self.output);
        async move { output.send(item).await }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if !self.output.has_room().await {
                tracing::warn!("the client has read nothing for long while much was to be read; its session ends");
                break;
            }
            match self.message().await {
                Ok(Some(Ok(None))) => {}
                Ok(Some(Ok(Some(message)))) => {
                    self.begun |= matches!(message, JsonRpcMessage::Request(_));
                    if self.begun {
                        return Some(message);
                    }
                    tracing::debug!("ignored what came before the first request");
                }
                Ok(Some(Err(refused))) => {
                    let Refused { error, id } = *refused;
                    // On its own: this future may be dropped at any time, and half a line would spoil the next.
                    let output = Arc::clone(&self.output);
                    tokio::spawn(async move { output.send(ServerJsonRpcMessage::error(error, id)).await });
                }
                Ok(None) => break,
                Err(error) => {
                    tracing::warn!(%error, "cannot read from the client");
                    break;
                }
            }
        }
        self.closed.cancel();
        None
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        // Nothing is kept back: each message was flushed.
        Ok(())
    }
}
