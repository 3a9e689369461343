//! Moves a job by one event, and tells of it.

use serde::Serialize;
use shellward_kit::Host;
use shellward_kit::contract::{Ending, Event, Exit, Exited, Happening, Job, Notice, Progress, Step};
use shellward_kit::machine::{Advance, End, Memo, Phase, Plan, cancel};
use shellward_kit::reply::json;

use crate::launch::label;
use crate::own::{Kind, Own};
use crate::paths::Allowed;
use crate::settings::Settings;
use crate::tasks::{PINNED, UNPINNED};

/// The status of a job until its process has ended.
pub const RUNNING: &str = "running";

/// The kind of notice that says that a task has printed.
pub const OUTPUT: &str = "process_output";
/// The kind of notice that says that a task has ended.
pub const EXITED: &str = "process_exited";

/// The timer after which a command that waits for input is ended.
const INPUT: &str = "input";
/// The timer after which a document is no longer pinned.
const UNPIN: &str = "unpin";

/// The content of a notice.
#[derive(Serialize)]
struct Told<'a> {
    message: &'a str,
    blocks: [&'a str; 1],
    task_id: &'a str,
    #[serde(flatten)]
    more: More<'a>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum More<'a> {
    Output { stdout_bytes: u64, stderr_bytes: u64 },
    Exit { exit_code: Option<i32>, signal: Option<&'a str>, status: &'a str },
}

/// Moves a job's machine by one event.
#[must_use]
pub fn advance<H: Host>(host: &H, settings: &Settings, job: &Job, event: &Event) -> Step {
    let kind = Own::of(job).map(|own| own.kind).unwrap_or_default();
    let plan = Plan::with_grace(settings.kill_grace_ms);
    match kind {
        Kind::Command => command(host, settings, job, event, &plan.interrupting(settings.interrupt_grace_ms)),
        Kind::Task => task(host, settings, job, event, &plan),
    }
}

/// The status: one word until the process has ended, so that who waits for its change waits for the end.
fn status(phase: &Phase) -> &'static str {
    match phase {
        Phase::Starting | Phase::Running | Phase::Stopping { .. } => RUNNING,
        Phase::Ended(End::Stopped { reason: shellward_kit::machine::Reason::Cancelled, .. }) => "killed",
        Phase::Ended(end) => end.word(),
    }
}

fn command<H: Host>(host: &H, settings: &Settings, job: &Job, event: &Event, plan: &Plan) -> Step {
    let mut advance = Advance::<Own>::new(host, job, event, plan);
    let own = &mut advance.memo.own;
    match &event.what {
        Happening::AwaitsInput => {
            // Without the timer the command's own timeout ends it.
            let _ = host.arm(&job.id, INPUT, settings.input_wait_ms);
        }
        Happening::Timer(name) if name == INPUT => {
            own.waiting = cancel(host, &job.id).is_ok();
        }
        Happening::Exited(exited) => leave(host, settings, job, own, exited),
        _ => {}
    }
    let mut step = advance.step();
    step.status = status(&advance.memo.phase).into();
    step
}

/// Notes where a command has left the session.
fn leave<H: Host>(host: &H, settings: &Settings, job: &Job, own: &mut Own, exited: &Exited) {
    if exited.session_lost {
        own.lost = true;
        return;
    }
    let allowed = Allowed::new(host, settings);
    let reached = exited.directory.clone().unwrap_or_else(|| job.directory.clone());
    match host.resolve(&reached, None) {
        Ok(place) if allowed.holds(&place.absolute) => own.directory = Some(place.absolute),
        Ok(_) | Err(_) => {
            own.directory = Some(job.directory.clone());
            own.escaped = Some(reached);
        }
    }
}

fn task<H: Host>(host: &H, settings: &Settings, job: &Job, event: &Event, plan: &Plan) -> Step {
    // After its process's end a task only waits for its document to be unpinned.
    if let Some(memo) = Memo::<Own>::read(job).filter(|memo| matches!(memo.phase, Phase::Ended(_))) {
        return lingering(host, job, event, memo);
    }
    let mut advance = Advance::<Own>::new(host, job, event, plan);
    let mut notices = Vec::new();
    match &event.what {
        Happening::Posted(post) if post.name == PINNED => advance.memo.own.keep = true,
        Happening::Posted(post) if post.name == UNPINNED => advance.memo.own.keep = false,
        Happening::Printed(progress) => notices.push(printed(job, progress)),
        _ => {}
    }
    let status = status(&advance.memo.phase);
    let mut ended = advance.ended().map(End::ending);
    if let Some(ending) = ended {
        notices.push(gone(job, event, status));
        let keep = advance.memo.own.keep;
        match ending {
            // Nothing is left of it, but its document stays pinned for a while.
            Ending::Completed if !keep && host.arm(&job.id, UNPIN, settings.unpin_after * 1000).is_ok() => ended = None,
            Ending::Completed => {}
            // Of a task that was ended nothing may be left when that is told, and then there are no timers any more.
            Ending::Failed | Ending::TimedOut | Ending::Cancelled | Ending::Lost if !keep => unpin(host, job),
            Ending::Failed | Ending::TimedOut | Ending::Cancelled | Ending::Lost => {}
        }
    }
    let mut step = advance.step();
    (step.status, step.notices, step.ended) = (status.into(), notices, ended);
    step
}

fn lingering<H: Host>(host: &H, job: &Job, event: &Event, mut memo: Memo<Own>) -> Step {
    let over = match &event.what {
        Happening::Timer(name) if name == UNPIN => {
            unpin(host, job);
            true
        }
        Happening::Posted(post) if post.name == PINNED => {
            memo.own.keep = true;
            true
        }
        Happening::Posted(post) if post.name == UNPINNED => true,
        Happening::Unwanted(_) | Happening::Recovered(_) => true,
        _ => false,
    };
    let ended = match &memo.phase {
        Phase::Ended(end) if over => Some(end.ending()),
        _ => None,
    };
    let status = job.status.clone();
    Step { status, memo: memo.write(), notices: Vec::new(), ended, release: false, requeue: false }
}

/// A document that is forgotten already needs no unpinning.
fn unpin<H: Host>(host: &H, job: &Job) {
    let _ = host.unpin(&label(&job.id));
}

fn printed(job: &Job, progress: &Progress) -> Notice {
    let Progress { stdout, stderr } = *progress;
    let counts: Vec<String> = [(stdout, "stdout"), (stderr, "stderr")]
        .into_iter()
        .filter(|(bytes, _)| *bytes > 0)
        .map(|(bytes, name)| format!("{bytes} bytes {name}"))
        .collect();
    let message = format!("process {}: {}", job.id, counts.join(", "));
    notice(job, OUTPUT, message, More::Output { stdout_bytes: stdout, stderr_bytes: stderr })
}

fn gone(job: &Job, event: &Event, status: &'static str) -> Notice {
    let exit = match &event.what {
        Happening::Exited(exited) => Some(&exited.exit),
        _ => None,
    };
    let (how, exit_code, signal) = match exit {
        Some(Exit::Code(code)) => (format!("exited with code {code}"), Some(*code), None),
        Some(Exit::Signal(name)) => (format!("was ended by {name}"), None, Some(name.as_str())),
        None => (format!("has ended: {status}"), None, None),
    };
    notice(job, EXITED, format!("process {} {how}", job.id), More::Exit { exit_code, signal, status })
}

fn notice(job: &Job, event_type: &str, message: String, more: More<'_>) -> Notice {
    let label = label(&job.id);
    let data = json(&Told { message: &message, blocks: [&label], task_id: &job.id, more });
    Notice { event_type: event_type.into(), data, text: Some(message) }
}
