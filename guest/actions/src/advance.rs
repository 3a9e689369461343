//! Moves a run by one event, and tells of it.

use shellward_kit::Host;
use shellward_kit::contract::{Event, Happening, Job, Recovery as Found, Step};
use shellward_kit::machine::{Advance, Phase, Plan};

use crate::notices;
use crate::run::{Own, PREFIX, Status};
use crate::settings::{Recovery, Settings};
use crate::typing;

/// Moves a run's machine by one event.
#[must_use]
pub fn advance<H: Host>(host: &H, settings: &Settings, job: &Job, event: &Event) -> Step {
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
            own.restarts += u32::from(*found != Found::WasQueued);
        }
        Happening::Matched(hit) => {
            let flood = &mut advance.memo.own.flood;
            notices.extend(notices::matched(host, settings, &job, hit, event.elapsed, flood));
        }
        Happening::Posted(post) if post.name == typing::POST => {
            typing::advance(host, settings, &job, &mut advance.memo, &post.data);
            release = true;
        }
        _ => {}
    }
    if job.id.starts_with(PREFIX) && status != Status::at(&advance.before, &job) {
        notices.push(notices::changed(host, settings, &job, &status));
    }
    Step { status: status.word().into(), notices, release, ..advance.step() }
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
