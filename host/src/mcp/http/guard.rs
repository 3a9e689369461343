//! What every request passes: the token, and the count of those who are there.

use std::sync::Arc;

use axum::extract::{ConnectInfo, Request, State};
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use rmcp::transport::streamable_http_server::session::SessionManager;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;

use super::super::front::{self, Front, SESSION_HEADER};
use super::guest::Known;
use super::origin::{self, Visit};
use super::presence::{Counted, Presence, Present};
use super::token::Token;

pub(super) struct Gate {
    pub token: Token,
    pub front: Arc<Front>,
    pub presence: Arc<Presence>,
    pub sessions: Arc<LocalSessionManager>,
}

impl Gate {
    /// Whether there is the session of the protocol that a key stands for.
    async fn knows(&self, key: &str) -> bool {
        match front::session_id(key) {
            Some(id) => self.sessions.has_session(&id.to_owned().into()).await.unwrap_or(false),
            None => false,
        }
    }
}

/// Lets a request with the token pass, and ends its session if that is what it asks for.
pub(super) async fn pass(State(gate): State<Arc<Gate>>, request: Request, next: Next) -> Response {
    match origin::admit(request.headers(), request.uri(), next.clone()).await {
        Visit::NoPage => let_in(&gate, request, next).await,
        Visit::Refused(response) => response,
        Visit::Page(page) if *request.method() == Method::OPTIONS => page.may_ask(request.headers()),
        Visit::Page(page) => page.may_read(let_in(&gate, request, next).await),
    }
}

async fn let_in(gate: &Gate, mut request: Request, next: Next) -> Response {
    let shown = request.headers().get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    if !gate.token.is_shown_in(shown) {
        return unauthorized();
    }
    if let Some(ConnectInfo(known)) = request.extensions().get::<ConnectInfo<Known>>() {
        known.set();
    }
    let key = match front::key(request.headers()) {
        Ok(key) => key,
        Err(error) => return (StatusCode::BAD_REQUEST, format!("Bad Request: {error}\n")).into_response(),
    };
    let goes = *request.method() == Method::DELETE;
    if goes && front::session_id(&key).is_some() && !gate.knows(&key).await {
        return (StatusCode::NOT_FOUND, "Not Found: Session not found\n").into_response();
    }
    let present = Present { presence: Arc::clone(&gate.presence), key: key.clone() };
    let open = present.open();
    request.extensions_mut().insert(present);
    let response = next.run(request).await;
    if goes && response.status().is_success() {
        drop(open);
        gate.presence.forget(&key);
        let front = Arc::clone(&gate.front);
        // The client need not wait until its jobs have ended.
        tokio::spawn(async move { front.end(&key).await });
        return StatusCode::NO_CONTENT.into_response();
    }
    // A session's first response tells its id.
    let begun = response.headers().get(SESSION_HEADER).and_then(|value| value.to_str().ok()).map(front::session_key);
    let open = match begun {
        Some(begun) if begun != key => {
            drop(open);
            gate.presence.open(begun)
        }
        _ => open,
    };
    response.map(|body| Counted::body(body, open))
}

fn unauthorized() -> Response {
    let message = "Unauthorized: send the header Authorization: Bearer TOKEN with the token that the server was given \
                   or has printed when it started\n";
    let mut response = (StatusCode::UNAUTHORIZED, message).into_response();
    response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    response
}
