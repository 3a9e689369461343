//! Moves a run by one event, and tells of it.

use shellward_kit::Host;
use shellward_kit::contract::{Event, Happening, Job, Recovery as Found, Step, Unwanted};
use shellward_kit::machine::{Advance, Memo, Phase, Plan};

use crate::notices;
use crate::run::{Own, PREFIX, Status};
use crate::settings::{Recovery, Settings};
use crate::typing;
use crate::view::snippet;

/// Moves a run's machine by one event.
#[must_use]
pub fn advance<H: Host>(host: &H, settings: &Settings, job: &Job, event: &Event) -> Step {
    if is_left(job, event) {
        return left(job);
    }
    let mut advance = Advance::<Own>::new(host, job, event, &plan(settings, event));
    let job = after(job, event);
    let status = Status::at(&advance.memo.phase, &job);
    let mut notices = Vec::new();
    let mut release = false;
    match &event.what {
        Happening::Recovered(found) if advance.memo.phase == Phase::Starting => {
            let own = &mut advance.memo.own;
            // What was typed went to a process that is gone.
            own.typing = typing::Typing::default();
            own.awaits = None;
            own.restarts += u32::from(*found != Found::WasQueued);
        }
        Happening::Matched(hit) => {
            let own = &mut advance.memo.own;
            let told = own.flood.count(hit, event.elapsed, settings.watch_notices_per_minute);
            notices
                .extend(told.map(|left_out| notices::matched(&job, hit, left_out, snippet(host, settings, &job, own))));
        }
        Happening::Posted(post) if post.name == typing::POST => {
            typing::advance(host, settings, &job, &mut advance.memo, &post.data);
            advance.memo.own.awaits = None;
            release = true;
        }
        // What it asks stands in the snippet, and nothing more comes before it is answered.
        Happening::AwaitsInput => {
            advance.memo.own.awaits = Some(job.last_seq);
            release = true;
        }
        _ => {}
    }
    if job.id.starts_with(PREFIX) && status != Status::at(&advance.before, &job) {
        let snippet = snippet(host, settings, &job, &advance.memo.own);
        notices.push(notices::changed(&job, &status, snippet));
    }
    Step { status: status.word().into(), notices, release, ..advance.step() }
}

/// Tells whether a host that shuts down leaves a run to the next one, as a host does that is killed: that one then does
/// with it what the setting `recovery` says, however the first has ended.
fn is_left(job: &Job, event: &Event) -> bool {
    let shutdown = matches!(event.what, Happening::Unwanted(Unwanted::Shutdown)) && job.durable;
    let phase = Memo::<Own>::read(job).map(|memo| memo.phase);
    match phase {
        Some(Phase::Starting | Phase::Running) => shutdown,
        Some(Phase::Stopping { .. } | Phase::Ended(_)) | None => false,
    }
}

fn left(job: &Job) -> Step {
    Step {
        status: job.status.clone(),
        memo: job.memo.clone(),
        notices: Vec::new(),
        ended: None,
        release: false,
        requeue: true,
    }
}

/// A run that had not started when the host ended has done nothing yet, and is always queued again.
fn plan(settings: &Settings, event: &Event) -> Plan {
    let unstarted = matches!(event.what, Happening::Recovered(Found::WasQueued));
    let requeue = settings.recovery == Recovery::Requeue || unstarted;
    Plan { requeue, ..Plan::with_grace(settings.kill_grace_ms) }
}

/// The job as it is after the event: the host tells of the exit by the event.
fn after(job: &Job, event: &Event) -> Job {
    let mut job = job.clone();
    if let Happening::Exited(exited) = &event.what {
        job.exit = Some(exited.exit.clone());
    }
    job
}
