//! Telling clients of changes: by subscriptions of single resources, or by one request that listens.

use std::sync::Arc;

use rmcp::model::{ErrorData, ResourceUpdatedNotificationParam};
use rmcp::service::{SubscriptionContext, SubscriptionSink};
use rmcp::{Peer, RoleServer};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::resources;
use super::session::Session;
use super::watching::{Change, Changes, Watch};

/// How many resources a session may watch at once.
const MOST: usize = 256;

/// Subscribes to a resource, as clients do before the newest revision.
pub(super) fn subscribe(session: &Arc<Session>, uri: &str, peer: Peer<RoleServer>) -> Result<(), ErrorData> {
    let mut watch = Watch::new(resources::find(session, uri)?);
    let stop = CancellationToken::new();
    {
        let mut subscriptions = session.subscriptions();
        if subscriptions.len() >= MOST && !subscriptions.contains_key(uri) {
            let message = format!("this session watches {MOST} resources already; unsubscribe from one");
            return Err(ErrorData::invalid_request(message, None));
        }
        // A second subscription takes the place of the first.
        subscriptions.insert(uri.to_owned(), stop.clone().drop_guard());
    }
    let (session, uri) = (Arc::downgrade(session), uri.to_owned());
    tokio::spawn(async move {
        let told = async {
            while watch.next().await.is_some() {
                let update = ResourceUpdatedNotificationParam::new(uri.clone());
                if peer.notify_resource_updated(update).await.is_err() {
                    return;
                }
            }
        };
        tokio::select! {
            () = stop.cancelled() => {}
            () = told => {
                // What will not change any more takes no place.
                if let Some(session) = session.upgrade().filter(|_| !stop.is_cancelled()) {
                    session.subscriptions().remove(&uri);
                }
            }
        }
    });
    Ok(())
}

/// Tells a client of another list of tools or resources until its session ends, as before the newest revision.
pub(super) async fn tell_lists(mut changes: Changes, peer: Peer<RoleServer>) {
    while let Some(change) = changes.next().await {
        let told = match change {
            Change::Tools => peer.notify_tool_list_changed().await,
            Change::Resources => peer.notify_resource_list_changed().await,
        };
        if told.is_err() {
            return;
        }
    }
}

/// Serves one listening request until it is cancelled or the session ends.
pub(super) async fn listen(session: &Arc<Session>, context: &SubscriptionContext) {
    let sink = context.sink();
    let accepted = context.accepted();
    // Ended with this future: the set aborts its tasks when it is dropped.
    let mut watching = JoinSet::new();
    for uri in accepted.resource_subscriptions.iter().flatten().take(MOST) {
        // What is not there (any more) has nothing to be told of.
        if let Ok(found) = resources::find(session, uri) {
            watching.spawn(tell(Watch::new(found), uri.clone(), sink.clone()));
        }
    }
    let mut changes = Changes::new(session);
    let ended = session.ended().clone();
    let lists = async {
        while let Some(change) = changes.next().await {
            let told = match change {
                Change::Tools if accepted.tools_list_changed == Some(true) => sink.notify_tool_list_changed().await,
                Change::Resources if accepted.resources_list_changed == Some(true) => {
                    sink.notify_resource_list_changed().await
                }
                Change::Tools | Change::Resources => Ok(()),
            };
            if told.is_err() {
                return;
            }
        }
    };
    tokio::select! {
        () = context.cancelled() => {}
        () = ended.cancelled() => {}
        () = lists => {}
    }
}

async fn tell(mut watch: Watch, uri: String, sink: SubscriptionSink) {
    while watch.next().await.is_some() {
        if sink.notify_resource_updated(uri.clone()).await.is_err() {
            return;
        }
    }
}
