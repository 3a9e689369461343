//! What every request passes: the token, and the count of those who are there.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::super::front::{self, Front, SESSION_HEADER};
use super::presence::{Counted, Presence};
use super::token::Token;

pub(super) struct Gate {
    pub token: Token,
    pub front: Arc<Front>,
    pub presence: Arc<Presence>,
}

/// Lets a request with the token pass, and ends its session if that is what it asks for.
pub(super) async fn pass(State(gate): State<Arc<Gate>>, request: Request, next: Next) -> Response {
    let shown = request.headers().get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    if !gate.token.is_shown_in(shown) {
        return unauthorized();
    }
    let key = front::key(request.headers());
    let goes = *request.method() == Method::DELETE;
    let open = gate.presence.open(key.clone());
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
