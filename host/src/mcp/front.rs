//! Which session a request belongs to, where the connection does not say it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::http::HeaderMap;
use axum::http::request::Parts;
use rmcp::model::{ErrorData, Extensions, ProtocolVersion};

use super::session::Session;
use crate::Caller;

/// The header by which a session is known before the newest revision.
pub(super) const SESSION_HEADER: &str = "mcp-session-id";

/// The header by which clients of the newest revision, which has no sessions, can be told apart. Ours.
pub(super) const NAME_HEADER: &str = "shellward-session";

/// The header that names a request's revision; one of the newest cannot do without.
const VERSION_HEADER: &str = "mcp-protocol-version";

/// The longest such name.
const LONGEST_NAME: usize = 128;

/// How much longer than the host's patience with jobs a session's end is waited for.
const ENDING: Duration = Duration::from_secs(20);

/// What the keys of such sessions begin with.
const NAMED: &str = "name:";

/// All sessions of one server.
pub(super) struct Front {
    caller: Caller,
    sessions: Mutex<BTreeMap<String, Arc<Session>>>,
}

/// A name for a session that none can have: another's could be taken for it.
#[derive(Debug, PartialEq, thiserror::Error)]
#[error("the header Shellward-Session takes one name of at most {LONGEST_NAME} visible ASCII characters")]
pub(super) struct NoName;

/// The key of the session that a request belongs to.
pub(super) fn key(headers: &HeaderMap) -> Result<String, NoName> {
    match header(headers, SESSION_HEADER) {
        Some(id) if !stands_for_itself(headers) => Ok(session_key(id)),
        _ => Ok(format!("{NAMED}{}", name(headers)?)),
    }
}

/// Whether a request is of a revision without sessions, whatever else its headers say.
fn stands_for_itself(headers: &HeaderMap) -> bool {
    header(headers, VERSION_HEADER).is_some_and(|version| version >= ProtocolVersion::V_2026_07_28.as_str())
}

fn name(headers: &HeaderMap) -> Result<&str, NoName> {
    let mut names = headers.get_all(NAME_HEADER).iter();
    let Some(name) = names.next() else { return Ok("") };
    let name = name.to_str().ok().filter(|name| name.len() <= LONGEST_NAME && names.next().is_none());
    name.ok_or(NoName)
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

    /// The session of a request that stands for itself; begun with the first of them, and anew when the one before has
    /// ended: what is ended with a session is found by its name.
    pub(super) async fn session_of(&self, extensions: &Extensions) -> Result<Arc<Session>, ErrorData> {
        let refused = |message: String| ErrorData::invalid_request(message, None);
        let key = match extensions.get::<Parts>() {
            Some(parts) => key(&parts.headers).map_err(|error| refused(error.to_string()))?,
            None => NAMED.to_owned(),
        };
        let name = key.strip_prefix(NAMED);
        let name = name.ok_or_else(|| refused("a request of no session has no header Mcp-Session-Id".to_owned()))?;
        let longest = self.caller.shared().limits.patience * 2 + ENDING;
        let session = tokio::time::timeout(longest, self.begun(&key, name)).await;
        session
            .map_err(|_| refused("the session before this one of the same name is still ending; try again".to_owned()))
    }

    async fn begun(&self, key: &str, name: &str) -> Arc<Session> {
        loop {
            let before = {
                let mut sessions = self.sessions();
                let session = sessions.entry(key.to_owned()).or_insert_with(|| Session::named(&self.caller, name));
                if session.ended().is_cancelled() { Arc::clone(session) } else { return Arc::clone(session) }
            };
            before.gone().cancelled().await;
            self.forget(key, &before);
        }
    }

    /// Ends one session; done when nothing of it runs. Until then its key is nobody else's.
    pub(super) async fn end(&self, key: &str) {
        let session = self.sessions().get(key).map(Arc::clone);
        if let Some(session) = session {
            session.end().await;
            self.forget(key, &session);
        }
    }

    fn forget(&self, key: &str, session: &Arc<Session>) {
        let mut sessions = self.sessions();
        if sessions.get(key).is_some_and(|kept| Arc::ptr_eq(kept, session)) {
            sessions.remove(key);
        }
    }

    /// Lets no request into a session any more, which is about to be ended.
    pub(super) fn bar(&self, key: &str) {
        if let Some(session) = self.sessions().get(key) {
            session.ended().cancel();
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
