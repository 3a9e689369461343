//! Which session a request belongs to, where the connection does not say it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::http::HeaderMap;
use axum::http::request::Parts;
use rmcp::model::Extensions;

use super::session::Session;
use crate::Caller;

/// The header by which a session is known before the newest revision.
pub(super) const SESSION_HEADER: &str = "mcp-session-id";

/// The header by which clients of the newest revision, which has no sessions, can be told apart. Ours.
pub(super) const NAME_HEADER: &str = "shellward-session";

/// The longest such name that is looked at.
const LONGEST_NAME: usize = 128;

/// What the keys of such sessions begin with.
const NAMED: &str = "name:";

/// All sessions of one server.
pub(super) struct Front {
    caller: Caller,
    sessions: Mutex<BTreeMap<String, Arc<Session>>>,
}

/// The key of the session that a request belongs to.
pub(super) fn key(headers: &HeaderMap) -> String {
    match header(headers, SESSION_HEADER) {
        Some(id) => session_key(id),
        None => {
            let name: String = header(headers, NAME_HEADER).unwrap_or_default().chars().take(LONGEST_NAME).collect();
            format!("{NAMED}{name}")
        }
    }
}

/// The key of a session of the protocol.
pub(super) fn session_key(id: &str) -> String {
    format!("session:{id}")
}

/// The id in a key, where it is that of a session of the protocol.
pub(super) fn session_id(key: &str) -> Option<&str> {
    key.strip_prefix("session:")
}

fn header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

impl Front {
    pub(super) fn new(caller: Caller) -> Arc<Self> {
        Arc::new(Self { caller, sessions: Mutex::default() })
    }

    pub(super) fn caller(&self) -> &Caller {
        &self.caller
    }

    fn sessions(&self) -> MutexGuard<'_, BTreeMap<String, Arc<Session>>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes under which key a session goes that began with `initialize`.
    pub(super) fn register(&self, extensions: &Extensions, session: &Arc<Session>) {
        if let Some(id) = extensions.get::<Parts>().and_then(|parts| header(&parts.headers, SESSION_HEADER)) {
            self.sessions().entry(session_key(id)).or_insert_with(|| Arc::clone(session));
        }
    }

    /// The session of a request that stands for itself; begun with the first of them.
    pub(super) fn session_of(&self, extensions: &Extensions) -> Arc<Session> {
        let key = extensions.get::<Parts>().map_or_else(|| NAMED.to_owned(), |parts| key(&parts.headers));
        let name = key.strip_prefix(NAMED).unwrap_or_default().to_owned();
        let mut sessions = self.sessions();
        Arc::clone(sessions.entry(key).or_insert_with(|| Session::named(&self.caller, &name)))
    }

    /// Ends one session; done when nothing of it runs.
    pub(super) async fn end(&self, key: &str) {
        let session = self.sessions().remove(key);
        if let Some(session) = session {
            session.end().await;
        }
    }

    /// Stops all sessions, as the host is about to end their jobs.
    pub(super) async fn end_all(&self) {
        let all = std::mem::take(&mut *self.sessions());
        let ends: tokio_util::task::TaskTracker = tokio_util::task::TaskTracker::new();
        for session in all.into_values() {
            ends.spawn(async move { session.end().await });
        }
        ends.close();
        ends.wait().await;
    }
}
