//! The event bus: what agents and embedders are told without having asked.

use std::sync::Arc;

use serde::Serialize;
use tokio::sync::broadcast;

use crate::clock;
use crate::policy::contract::types;

/// How many events a subscriber may be behind before it misses some.
const BACKLOG: usize = 1024;

/// Something that happened, as a policy tells it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Notice {
    /// When, in milliseconds since 1970.
    pub at: u64,
    /// The session it belongs to.
    pub session: Arc<str>,
    /// The job it is about, where it is about one.
    pub job: Option<Arc<str>>,
    /// The kind of event: the policy's word.
    pub event_type: Arc<str>,
    /// The content.
    pub data: serde_json::Value,
    /// The same for people, where the policy has words for it.
    pub text: Option<Arc<str>>,
    /// The policy that was in place then: name, version and digest.
    pub policy: Arc<str>,
}

/// Takes events as they are published, on the thread of the job: it must be quick and must not block.
pub trait Sink: Send + Sync {
    /// Takes one event.
    fn publish(&self, notice: &Notice);
}

/// What a subscription gives.
#[derive(Clone, Debug, PartialEq)]
pub enum Received {
    /// An event.
    Notice(Notice),
    /// The subscriber was too slow: so many events are lost to it.
    Missed(u64),
}

/// A bounded view of the bus from the moment it was made.
#[derive(Debug)]
pub struct Subscription(broadcast::Receiver<Notice>);

impl Subscription {
    /// Waits for the next event; none when the host has shut down.
    pub async fn next(&mut self) -> Option<Received> {
        match self.0.recv().await {
            Ok(notice) => Some(Received::Notice(notice)),
            Err(broadcast::error::RecvError::Lagged(missed)) => Some(Received::Missed(missed)),
            Err(broadcast::error::RecvError::Closed) => None,
        }
    }

    /// Gives the next event that is already there.
    pub fn try_next(&mut self) -> Option<Received> {
        match self.0.try_recv() {
            Ok(notice) => Some(Received::Notice(notice)),
            Err(broadcast::error::TryRecvError::Lagged(missed)) => Some(Received::Missed(missed)),
            Err(broadcast::error::TryRecvError::Empty | broadcast::error::TryRecvError::Closed) => None,
        }
    }
}

/// The bus of one host.
pub(crate) struct Bus {
    sender: broadcast::Sender<Notice>,
    sinks: Vec<Box<dyn Sink>>,
}

impl Bus {
    pub(crate) fn new(sinks: Vec<Box<dyn Sink>>) -> Self {
        Self { sender: broadcast::Sender::new(BACKLOG), sinks }
    }

    pub(crate) fn subscribe(&self) -> Subscription {
        Subscription(self.sender.subscribe())
    }

    /// Publishes a notice of the policy with this stamp.
    pub(crate) fn publish(&self, session: &str, job: Option<&str>, policy: Arc<str>, notice: types::Notice) {
        let notice = Notice {
            at: clock::now(),
            session: session.into(),
            job: job.map(Into::into),
            event_type: notice.event_type.into(),
            // It was checked when the policy gave it; what is no JSON all the same is shown as text.
            data: serde_json::from_str(&notice.data).unwrap_or(serde_json::Value::String(notice.data)),
            text: notice.text.map(Into::into),
            policy,
        };
        for sink in &self.sinks {
            sink.publish(&notice);
        }
        // Without subscribers there is nobody to tell.
        let _ = self.sender.send(notice);
    }
}

impl std::fmt::Debug for Bus {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Bus").field("sinks", &self.sinks.len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notice(number: usize) -> types::Notice {
        types::Notice { event_type: "test".into(), data: number.to_string(), text: None }
    }

    #[tokio::test]
    async fn a_slow_subscriber_is_told_how_many_it_missed() {
        let bus = Bus::new(Vec::new());
        let mut slow = bus.subscribe();
        for number in 0..BACKLOG + 7 {
            bus.publish("session", None, "test@1".into(), notice(number));
        }
        assert_eq!(slow.next().await, Some(Received::Missed(7)));
        assert!(matches!(slow.next().await, Some(Received::Notice(notice)) if notice.data == 7));
        drop(bus);
        while slow.try_next().is_some() {}
        assert_eq!(slow.next().await, None);
    }
}
