//! Calls that wait for a human whose answer comes with another request.
//!
//! The newest revision lets a server send no requests: a question is the answer to the call, and the client makes the
//! call again with what the human said. The call itself is kept here meanwhile, under a handle nobody can guess.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use serde_json::Value;
use ulid::Ulid;

use super::call::InFlight;
use super::http::Open;
use super::human::Asked;
use super::session::Session;

/// How long a human may take.
pub(super) const PATIENCE: Duration = Duration::from_secs(15 * 60);

/// How many questions of one session may be open at once.
const MOST: usize = 64;

/// A call with its open question.
pub(super) struct Waiting {
    pub call: InFlight,
    pub asked: Asked,
    pub tool: String,
    pub arguments: Value,
    /// Its client is there while it asks a human, though nothing of it may be open.
    pub _present: Option<Open>,
}

/// The calls of one session that wait for a human.
#[derive(Default)]
pub(super) struct Suspended(Mutex<BTreeMap<String, Waiting>>);

impl Suspended {
    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, Waiting>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a call back; none if nobody has come for it in time, or it never was.
    pub(super) fn take(&self, handle: &str) -> Option<Waiting> {
        self.lock().remove(handle)
    }

    pub(super) fn clear(&self) {
        let all = std::mem::take(&mut *self.lock());
        // Dropped outside the lock: what a call does when it is dropped is its own.
        drop(all);
    }
}

/// Why a call cannot be kept.
#[derive(Debug, thiserror::Error)]
pub(super) enum NotKept {
    #[error("too many questions of this session wait for an answer")]
    TooMany,
    #[error("the session has ended")]
    Ended,
}

/// Keeps a call until its answer comes, and gives the handle.
pub(super) fn keep(session: &Arc<Session>, waiting: Waiting) -> Result<String, NotKept> {
    let handle = format!("q-{}", Ulid::generate().to_string().to_lowercase());
    {
        let mut kept = session.suspended.lock();
        // What came after the session was cleared would stay, and the session's end wait for it.
        if session.ended().is_cancelled() {
            return Err(NotKept::Ended);
        }
        if kept.len() >= MOST {
            return Err(NotKept::TooMany);
        }
        kept.insert(handle.clone(), waiting);
    }
    tokio::spawn(forget(Arc::downgrade(session), session.ended().clone(), handle.clone()));
    Ok(handle)
}

async fn forget(session: Weak<Session>, ended: tokio_util::sync::CancellationToken, handle: String) {
    tokio::select! {
        () = ended.cancelled() => {}
        () = tokio::time::sleep(PATIENCE) => {
            drop(session.upgrade().and_then(|session| session.suspended.take(&handle)));
        }
    }
}
