//! `shellward mcp`: the MCP server. Standard output carries the protocol only; all else goes to standard error.

use std::io::Write;
use std::net::SocketAddr;
use std::os::fd::AsFd;
use std::os::unix::fs::FileTypeExt;
use std::os::unix::net::UnixStream as Socket;
use std::path::PathBuf;
use std::time::Duration;

use shellward::control::Control;
use shellward::mcp::{self, Http, Token};
use shellward::{Host, Source};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::UnixStream;
use tokio_util::sync::CancellationToken;

use super::arguments::{Mcp, Shared};
use super::error::{CliError, Exit};
use super::interrupt::Endings;
use super::setup;

/// The variable with the token that clients must show.
const TOKEN: &str = "SHELLWARD_MCP_TOKEN";

/// How long jobs may take to end when the only client has gone. Clients kill a server that takes some seconds, and a
/// server that was killed ends nothing.
const HASTE: Duration = Duration::from_millis(1200);

/// Entries of policies run on these threads: more than one, so that a slow one does not hold up the others.
const THREADS: usize = 2;

pub(super) fn mcp(shared: &Shared, mcp: &Mcp) -> Result<Exit, CliError> {
    let host = setup::host(shared)?;
    let _followed = if mcp.watch { Some(host.swapper().follow(&followed(shared)?)?) } else { None };
    // Without its socket the server serves all the same; only `shellward policy swap` does not reach it.
    let _control = Control::serve(&host, &shared.project).inspect_err(|error| tracing::warn!("{error}")).ok();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(THREADS)
        .thread_name("mcp")
        .thread_keep_alive(Duration::MAX)
        .enable_all()
        .build()
        .map_err(CliError::Runtime)?;
    if mcp.http.is_none() {
        take_threads(&runtime);
    }
    let result = runtime.block_on(async {
        match mcp.http {
            None => stdio(host, mcp.session.as_deref()).await,
            Some(address) => http(host, mcp, address).await,
        }
    });
    // A thread may still wait for input that will never come.
    runtime.shutdown_background();
    result.map(|()| Exit::Success)
}

/// Takes the threads that read and write standard streams where the runtime cannot do so by itself, such as files and
/// another user's pipes: later, when there are many jobs, there may be none to be had.
fn take_threads(runtime: &tokio::runtime::Runtime) {
    let (second, first) = std::sync::mpsc::channel();
    // The first is busy until the second is there.
    runtime.spawn_blocking(move || first.recv_timeout(HASTE));
    runtime.spawn_blocking(move || second.send(()));
}

/// The policy's file.
fn followed(shared: &Shared) -> Result<PathBuf, CliError> {
    match shared.policy.as_deref().map(Source::parse).transpose()? {
        Some(Source::File(file)) => Ok(file),
        // A file of that name in this directory is another thing.
        Some(Source::BuiltIn(name, _)) => Err(CliError::Usage(format!(
            "--watch follows a policy's file, and {name} is built in; name a file with --policy, such as ./{name}"
        ))),
        None => Err(CliError::Usage("--watch follows a policy's file; name one with --policy FILE".into())),
    }
}

async fn stdio(host: Host, session: Option<&str>) -> Result<(), CliError> {
    let stop = CancellationToken::new();
    let mut endings = Endings::listen().map_err(CliError::Runtime)?;
    let (input, output) = streams();
    {
        let mut served = std::pin::pin!(mcp::serve(&host, session, input, output, stop.clone()));
        tokio::select! {
            () = &mut served => {}
            () = endings.next() => {
                stop.cancel();
                served.await;
            }
        }
    }
    // Dropping the shutdown kills at once what is left.
    let _ = tokio::time::timeout(HASTE, host.shutdown()).await;
    Ok(())
}

/// Standard input and output. Read and written by the runtime itself where they are pipes or sockets, as clients make
/// them, and by a thread otherwise.
fn streams() -> (Box<dyn AsyncRead + Send + Unpin>, Box<dyn AsyncWrite + Send + Unpin>) {
    let (stdin, stdout) = (std::io::stdin(), std::io::stdout());
    if let (Some(input), Some(output)) = (socket(&stdin), socket(&stdout)) {
        return (Box::new(input), Box::new(output));
    }
    let (input, output) = rmcp::transport::stdio_pipes();
    (Box::new(input), Box::new(output))
}

/// The socket behind a stream, where it is one. A socket's other end is another thing than this one: that this one
/// does not block is nobody else's concern.
fn socket(stream: &impl AsFd) -> Option<UnixStream> {
    let stream = stream.as_fd().try_clone_to_owned().ok()?;
    let file = std::fs::File::from(stream);
    if !file.metadata().ok()?.file_type().is_socket() {
        return None;
    }
    let socket = Socket::from(std::os::fd::OwnedFd::from(file));
    socket.set_nonblocking(true).ok()?;
    UnixStream::from_std(socket).ok()
}

/// The token that was given, if one was.
fn given_token(mcp: &Mcp) -> Result<Option<Token>, CliError> {
    if let Some(path) = &mcp.token_file {
        return Ok(Some(Token::read(path)?));
    }
    let Some(text) = std::env::var_os(TOKEN) else { return Ok(None) };
    let token = Token::new(&text.to_string_lossy());
    token.map(Some).map_err(|error| CliError::Usage(format!("the variable {TOKEN} is of no use: {error}")))
}

async fn http(host: Host, mcp: &Mcp, address: SocketAddr) -> Result<(), CliError> {
    let given = given_token(mcp)?;
    let token = given.clone().map_or_else(Token::generate, Ok)?;
    let http = Http {
        address,
        remote: mcp.remote,
        token: token.clone(),
        origins: mcp.origins.clone(),
        hosts: mcp.hosts.clone(),
        idle: Duration::from_secs_f64(mcp.idle),
    };
    let stop = CancellationToken::new();
    let mut endings = Endings::listen().map_err(CliError::Runtime)?;
    let listening = http.listen().await?;
    if given.is_none() {
        say(&format!("no token was given; this one was made for now: {}", token.reveal()));
    }
    say(&format!("listening on {}", listening.url()));
    let result = {
        let mut served = std::pin::pin!(listening.serve(&host, stop.clone()));
        tokio::select! {
            result = &mut served => result,
            () = endings.next() => {
                say("ending all sessions (again to end at once)");
                stop.cancel();
                served.await
            }
        }
    };
    tokio::select! {
        () = host.shutdown() => {}
        // Dropping the shutdown kills what is left.
        () = endings.next() => {}
    }
    Ok(result?)
}

fn say(text: &str) {
    // Where standard error is gone there is nobody to read it.
    let _ = writeln!(std::io::stderr(), "shellward: {text}");
}
