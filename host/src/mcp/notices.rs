//! What the policy publishes without having been asked, as log messages with structured data.
#![expect(
    deprecated,
    reason = "the newest revision has replaced logging, but before it there is no other way to tell a client something"
)]

use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Weak};

use rmcp::model::{LoggingLevel, LoggingMessageNotificationParam};
use rmcp::service::RequestContext;
use rmcp::{Peer, RoleServer};
use serde_json::json;

use super::session::Session;
use crate::events::{Notice, Received, Subscription};
use crate::policy::contract::types::Ending;

/// The mildest level that a client wants to hear.
#[derive(Default)]
pub(super) struct Threshold(AtomicU8);

impl Threshold {
    pub(super) fn set(&self, level: LoggingLevel) {
        self.0.store(rank(level), Ordering::Relaxed);
    }

    fn lets_pass(&self, level: LoggingLevel) -> bool {
        rank(level) >= self.0.load(Ordering::Relaxed)
    }
}

fn rank(level: LoggingLevel) -> u8 {
    match level {
        LoggingLevel::Debug => 0,
        LoggingLevel::Info => 1,
        LoggingLevel::Notice => 2,
        LoggingLevel::Warning => 3,
        LoggingLevel::Error => 4,
        LoggingLevel::Critical => 5,
        LoggingLevel::Alert => 6,
        LoggingLevel::Emergency => 7,
    }
}

/// Sends a session's notices to its client until the session ends.
pub(super) async fn forward(session: Weak<Session>, mut events: Subscription, peer: Peer<RoleServer>) {
    while let Some(received) = events.next().await {
        let Some(session) = session.upgrade() else { return };
        let Some(message) = message(&session, &received) else { continue };
        if session.threshold.lets_pass(message.level) && peer.notify_logging_message(message).await.is_err() {
            return;
        }
    }
}

/// Sends notices while a request is on its way, to clients of the newest revision that ask for it in the request.
pub(super) struct During {
    session: Arc<Session>,
    peer: Peer<RoleServer>,
    wanted: Option<(LoggingLevel, Subscription)>,
}

impl During {
    pub(super) fn new(session: &Arc<Session>, context: &RequestContext<RoleServer>) -> Self {
        let wanted = context.meta.log_level().map(|level| (level, session.caller.shared().events.subscribe()));
        Self { session: Arc::clone(session), peer: context.peer.clone(), wanted }
    }

    /// Sends the next notice. Can be dropped and called again; never done if none are wanted.
    pub(super) async fn forward(&mut self) {
        let Some((level, events)) = &mut self.wanted else { return std::future::pending().await };
        match events.next().await {
            Some(received) => send(&self.session, &self.peer, *level, &received).await,
            None => std::future::pending().await,
        }
    }

    /// Sends what has been published meanwhile.
    pub(super) async fn rest(mut self) {
        let Some((level, events)) = &mut self.wanted else { return };
        while let Some(received) = events.try_next() {
            send(&self.session, &self.peer, *level, &received).await;
        }
    }
}

async fn send(session: &Session, peer: &Peer<RoleServer>, level: LoggingLevel, received: &Received) {
    let Some(message) = message(session, received) else { return };
    if rank(message.level) >= rank(level) {
        // A client that has gone is noticed where its requests are read.
        let _ = peer.notify_logging_message(message).await;
    }
}

/// The message for a notice of this session; none for those of others.
fn message(session: &Session, received: &Received) -> Option<LoggingMessageNotificationParam> {
    let (level, stamp, data) = match received {
        Received::Notice(notice) if *notice.session != *session.id => return None,
        Received::Notice(notice) => {
            let data = json!({
                "type": notice.event_type,
                "job": notice.job,
                "at": notice.at,
                "text": notice.text,
                "data": notice.data,
                "policy": notice.policy,
            });
            (level(session, notice), Arc::clone(&notice.policy), data)
        }
        Received::Missed(count) => {
            let stamp = session.caller.shared().policy().stamp();
            (LoggingLevel::Warning, stamp, json!({"type": "notices_missed", "count": count}))
        }
    };
    let mut message = LoggingMessageNotificationParam::new(level, data);
    // The policy may be another by now than the one that said it.
    message.logger = Some(stamp.rsplit_once('@').map_or(&*stamp, |(name, _)| name).to_owned());
    Some(message)
}

/// A notice matters more when the job it is about has not ended by itself.
fn level(session: &Session, notice: &Notice) -> LoggingLevel {
    let ended = notice.job.as_deref().and_then(|id| session.job(id)?.ended());
    match ended.map(|ended| ended.ending) {
        Some(Ending::Failed | Ending::TimedOut | Ending::Lost) => LoggingLevel::Warning,
        Some(Ending::Completed | Ending::Cancelled) | None => LoggingLevel::Info,
    }
}
