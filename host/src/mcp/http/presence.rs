//! Who is there: a client that has a request or a stream open, or had one a short while ago.
//!
//! A client that ends its session in good order says so. One that was killed, or lost its network, says nothing; its
//! jobs must end all the same.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes, HttpBody};
use http_body::{Frame, SizeHint};
use rmcp::transport::streamable_http_server::session::SessionManager;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;

use super::super::front::{self, Front};

/// How often at most those who have gone are looked for.
const LOOK: Duration = Duration::from_secs(5);

/// Who is there, by their sessions' keys.
#[derive(Default)]
pub(super) struct Presence(Mutex<BTreeMap<String, Seen>>);

struct Seen {
    open: usize,
    last: Instant,
}

/// An open request or stream; closed when dropped.
pub(in super::super) struct Open {
    presence: Arc<Presence>,
    key: String,
}

/// Whose a request is, for what is to count as open beyond it.
#[derive(Clone)]
pub(in super::super) struct Present {
    pub(super) presence: Arc<Presence>,
    pub(super) key: String,
}

impl Present {
    pub(in super::super) fn open(&self) -> Open {
        self.presence.open(self.key.clone())
    }
}

impl Presence {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self::default())
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Seen>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that a client has opened something.
    pub(super) fn open(self: &Arc<Self>, key: String) -> Open {
        let mut all = self.lock();
        let seen = all.entry(key.clone()).or_insert(Seen { open: 0, last: Instant::now() });
        seen.open += 1;
        Open { presence: Arc::clone(self), key }
    }

    /// Forgets a client that has said good-bye.
    pub(super) fn forget(&self, key: &str) {
        self.lock().remove(key);
    }

    /// Takes out those who have been away for so long, and has their sessions barred before any of them can come back.
    fn take_gone(&self, idle: Duration, front: &Front) -> Vec<String> {
        let mut all = self.lock();
        let gone = |seen: &Seen| seen.open == 0 && seen.last.elapsed() >= idle;
        all.extract_if(.., |_, seen| gone(seen)).map(|(key, _)| key).inspect(|key| front.bar(key)).collect()
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        if let Some(seen) = self.presence.lock().get_mut(&self.key) {
            seen.open = seen.open.saturating_sub(1);
            seen.last = Instant::now();
        }
    }
}

/// Ends the sessions of clients that have gone, for ever.
pub(super) async fn reap(
    presence: Arc<Presence>,
    front: Arc<Front>,
    manager: Arc<LocalSessionManager>,
    idle: Duration,
) {
    let mut looks = tokio::time::interval((idle / 4).clamp(Duration::from_millis(50), LOOK));
    looks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        looks.tick().await;
        for key in presence.take_gone(idle, &front) {
            let (front, manager) = (Arc::clone(&front), Arc::clone(&manager));
            tokio::spawn(async move {
                tracing::debug!(key, "a client has gone");
                if let Some(id) = front::session_id(&key) {
                    // One that has ended by itself is gone already.
                    let _ = manager.close_session(&id.to_owned().into()).await;
                }
                front.end(&key).await;
            });
        }
    }
}

/// A response's body that counts as open until it has been sent, or nobody takes it any more.
pub(super) struct Counted {
    body: Body,
    _open: Open,
}

impl Counted {
    pub(super) fn body(body: Body, open: Open) -> Body {
        Body::new(Self { body, _open: open })
    }
}

impl HttpBody for Counted {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
