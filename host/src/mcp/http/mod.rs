//! Streamable HTTP: many clients, each with a session of its own, behind a token.

mod door;
mod guard;
mod guest;
mod origin;
mod presence;
mod token;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::middleware;
use rmcp::transport::streamable_http_server::session::local::{LocalSessionManager, SessionConfig};
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use self::door::Door;
use self::guard::Gate;
use self::guest::Known;
use self::presence::Presence;
pub(super) use self::presence::{Open, Present};
pub use self::token::{Token, TokenError};
use super::front::Front;
use super::server::Server;
use crate::Host;

/// Where the server is found below its address.
pub const PATH: &str = "/mcp";

/// How a server over HTTP is set up.
#[derive(Clone, Debug)]
pub struct Http {
    /// Where to listen.
    pub address: SocketAddr,
    /// Whether `address` may be another than this machine's own.
    pub remote: bool,
    /// What a client must show.
    pub token: Token,
    /// The pages from which a browser may call, such as `https://app.example.com`.
    pub origins: Vec<String>,
    /// The names, with or without a port, under which the server may be called besides this machine's own.
    pub hosts: Vec<String>,
    /// How long a client may be away, with no request and no stream open, before its session is ended.
    pub idle: Duration,
}

/// Why a server could not be started.
#[derive(Debug, thiserror::Error)]
pub enum HttpError {
    /// The address can be reached from other machines, and nobody has said that it may.
    #[error(
        "{0} can be reached from other machines, where whoever has the token can run commands here; allow it with \
         --remote, or listen on 127.0.0.1"
    )]
    Remote(SocketAddr),
    /// The system does not let it listen.
    #[error("cannot listen on {0}: {1}")]
    Listen(SocketAddr, io::Error),
    /// Listening has failed later.
    #[error("the server has failed: {0}")]
    Serve(io::Error),
}

/// A server that listens.
#[derive(Debug)]
pub struct Listening {
    listener: TcpListener,
    http: Http,
    address: SocketAddr,
}

impl Http {
    /// Begins to listen.
    ///
    /// # Errors
    /// When the address is not allowed, or the system does not let it listen.
    pub async fn listen(self) -> Result<Listening, HttpError> {
        if !self.address.ip().is_loopback() && !self.remote {
            return Err(HttpError::Remote(self.address));
        }
        let failed = |error| HttpError::Listen(self.address, error);
        let listener = TcpListener::bind(self.address).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        Ok(Listening { listener, http: self, address })
    }
}

impl Listening {
    /// Where it listens; the port is the one that was taken where 0 was asked for.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address that clients are given.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}{PATH}", self.address)
    }

    /// Serves until `stop` is cancelled, then ends all sessions; their jobs end with the host's shutdown at the latest.
    ///
    /// # Errors
    /// When listening fails.
    pub async fn serve(self, host: &Host, stop: CancellationToken) -> Result<(), HttpError> {
        let front = Front::new(host.caller());
        let manager = Arc::new(sessions());
        let presence = Presence::new();
        let service = {
            let front = Arc::clone(&front);
            StreamableHttpService::new(
                move || Ok(Server::new(&front)),
                Arc::clone(&manager),
                self.protocol(stop.child_token()),
            )
        };
        let gate = Gate {
            token: self.http.token.clone(),
            front: Arc::clone(&front),
            presence: Arc::clone(&presence),
            sessions: Arc::clone(&manager),
        };
        let router = Router::new()
            .route_service(PATH, service)
            .layer(middleware::from_fn_with_state(Arc::new(gate), guard::pass));
        let reaping = tokio::spawn(presence::reap(presence, Arc::clone(&front), manager, self.http.idle));
        let stopped = stop.clone();
        let served = axum::serve(Door(self.listener), router.into_make_service_with_connect_info::<Known>())
            .with_graceful_shutdown(async move { stopped.cancelled().await })
            .into_future();
        let result = tokio::select! {
            result = served => result.map_err(HttpError::Serve),
            () = given_up(&stop) => Ok(()),
        };
        reaping.abort();
        // Goes on by itself: what it waits for, the host's shutdown waits for too.
        tokio::spawn(async move { front.end_all().await });
        result
    }

    fn protocol(&self, stop: CancellationToken) -> StreamableHttpServerConfig {
        let config = StreamableHttpServerConfig::default()
            .with_cancellation_token(stop)
            .with_allowed_origins(self.http.origins.clone())
            .enforce_origin_validation();
        // Whoever listens for other machines is called by names that cannot be known here.
        if self.http.remote && self.http.hosts.is_empty() {
            return config.disable_allowed_hosts();
        }
        let own = config.allowed_hosts.clone();
        // The address of all interfaces is none to call.
        let bound =
            Some(self.address.ip()).filter(|address| !address.is_unspecified()).map(|address| address.to_string());
        config.with_allowed_hosts(own.into_iter().chain(bound).chain(self.http.hosts.iter().cloned()))
    }
}

/// The protocol's own sessions never end for being quiet: a long call is quiet. Who is present is known better here.
fn sessions() -> LocalSessionManager {
    let mut manager = LocalSessionManager::default();
    manager.session_config = quiet(manager.session_config);
    manager
}

fn quiet(mut config: SessionConfig) -> SessionConfig {
    config.keep_alive = None;
    config
}

/// How long open connections may take to be closed when the server stops.
const CLOSING: Duration = Duration::from_secs(1);

async fn given_up(stop: &CancellationToken) {
    stop.cancelled().await;
    tokio::time::sleep(CLOSING).await;
}
