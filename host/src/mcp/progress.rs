//! Progress of a call: how long it has run, and the last line it has printed.

use std::sync::Arc;
use std::time::{Duration, Instant};

use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::RequestContext;
use rmcp::{Peer, RoleServer};

use super::session::Session;
use crate::jobs::Job;
use crate::process::{Stream, Window};

/// How often progress is reported.
const EVERY: Duration = Duration::from_secs(1);

/// How much of the output's end is searched for its last line.
const TAIL: usize = 1024;

/// How many characters of the last line are shown.
const SHOWN: usize = 200;

/// Reports the progress of one call, where the client has asked for it.
pub(super) struct Progress {
    asked: Option<(ProgressToken, Peer<RoleServer>)>,
    session: Arc<Session>,
    call: String,
    since: Instant,
    next: tokio::time::Interval,
}

impl Progress {
    pub(super) fn new(session: &Arc<Session>, call: &str, context: &RequestContext<RoleServer>) -> Self {
        let mut next = tokio::time::interval_at(tokio::time::Instant::now() + EVERY, EVERY);
        next.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let asked = context.meta.get_progress_token().map(|token| (token, context.peer.clone()));
        Self { asked, session: Arc::clone(session), call: call.to_owned(), since: Instant::now(), next }
    }

    /// Waits until it is time, and reports. Can be dropped and called again; never done if nobody wants reports.
    pub(super) async fn report(&mut self) {
        let Some((token, peer)) = &self.asked else { return std::future::pending().await };
        self.next.tick().await;
        let mut report = ProgressNotificationParam::new(token.clone(), self.since.elapsed().as_secs_f64());
        report.message = self.last_line();
        // A client that has gone is noticed where its requests are read.
        let _ = peer.notify_progress(report).await;
    }

    fn last_line(&self) -> Option<String> {
        let jobs = self.session.caller.shared().jobs.list(&self.session.id, true, false, usize::MAX);
        last_line(jobs.iter().rev().find(|job| job.birth.call == self.call)?)
    }
}

/// The last line a job has printed, on whichever stream has one.
pub(super) fn last_line(job: &Job) -> Option<String> {
    let output = job.output()?;
    let last = |stream| {
        let text = output.snapshot(stream, Window::Tail(TAIL)).text;
        let line = text.lines().rev().find(|line| !line.trim().is_empty())?;
        Some(line.trim_end().chars().take(SHOWN).collect())
    };
    last(Stream::Stdout).or_else(|| last(Stream::Stderr))
}
