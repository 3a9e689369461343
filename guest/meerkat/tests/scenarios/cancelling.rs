//! Ending background jobs, and what such an end races with.

use serde_json::{Value, json};
use shellward_kit::contract::{Happening, Signal, Stdstream};
use shellward_kit::fake::{Behaviour, Fake, Subject};

use super::{cancel, error, host, notices, signals, spawn, status};

const TERMINATE: Signal = Signal::Terminate;
const KILL: Signal = Signal::Kill;

fn not_running() -> Value {
    error("job_not_running", "Job is not running")
}

/// Demands that the job's end was published once, as this.
fn published(host: &Fake, expected: &str) {
    let found = notices(host);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0]["result"]["status"], expected);
}

pub fn cancels(subject: &dyn Subject) {
    let host = host(&json!({}), Behaviour::hangs().ends_when_asked(700, 0));
    let id = spawn(subject, &host, "x", &json!({}));
    host.pass(subject, 2000);
    assert_eq!(cancel(subject, &host, &id), json!({ "job_id": id, "status": "cancelled" }));
    assert_eq!((host.elapsed(), signals(&host)), (2700, vec![(2000, TERMINATE)]), "the answer waits for the end");
    assert_eq!(status(subject, &host, &id)["status"], json!({ "status": "cancelled", "duration_secs": 2.7 }));
    published(&host, "cancelled");
}

pub fn stubborn(subject: &dyn Subject) {
    for (behaviour, ended) in
        [(Behaviour::hangs().ignores_terminate(), 6000), (Behaviour::hangs().unkillable(), 11_000)]
    {
        let host = host(&json!({}), behaviour);
        let id = spawn(subject, &host, "x", &json!({}));
        host.pass(subject, 1000);
        assert_eq!(cancel(subject, &host, &id)["status"], "cancelled");
        assert_eq!((host.elapsed(), signals(&host)), (ended, vec![(1000, TERMINATE), (6000, KILL)]));
        published(&host, "cancelled");
    }
}

pub fn ended(subject: &dyn Subject) {
    for behaviour in [Behaviour::exits(0), Behaviour::signalled("SIGTERM"), Behaviour::hangs()] {
        let host = host(&json!({}), behaviour);
        let id = spawn(subject, &host, "x", &json!({ "timeout_secs": 1 }));
        host.finish(subject);
        let before = signals(&host);
        assert_eq!(cancel(subject, &host, &id), not_running());
        assert_eq!((signals(&host), notices(&host).len()), (before, 1));
    }
}

pub fn while_starting(subject: &dyn Subject) {
    // The event is there before the start is.
    let early = host(&json!({}), Behaviour::hangs());
    early.cancelled_at(0);
    let id = spawn(subject, &early, "x", &json!({}));
    early.finish(subject);
    assert_eq!(status(subject, &early, &id)["status"], json!({ "status": "cancelled", "duration_secs": 0.0 }));
    published(&early, "cancelled");
    // The tool is called before the process has begun.
    let host = host(&json!({}), Behaviour::hangs());
    let id = spawn(subject, &host, "x", &json!({}));
    assert_eq!(cancel(subject, &host, &id), json!({ "job_id": id, "status": "cancelled" }));
    host.finish(subject);
    published(&host, "cancelled");
}

pub fn races_with_exit(subject: &dyn Subject) {
    // The process has ended, and the job not yet, because its output is still being drained.
    let draining = host(&json!({}), Behaviour::exits(5).waits(1000).leaks(Stdstream::Stdout));
    let id = spawn(subject, &draining, "x", &json!({}));
    draining.pass(subject, 1050);
    assert_eq!(cancel(subject, &draining, &id), not_running());
    assert_eq!(status(subject, &draining, &id)["status"]["exit_code"], 5);
    published(&draining, "completed");
    // It ends by itself while it is being ended.
    let ending = host(&json!({}), Behaviour::exits(5).waits(1000).ignores_terminate());
    let id = spawn(subject, &ending, "x", &json!({}));
    ending.pass(subject, 990);
    assert_eq!(cancel(subject, &ending, &id)["status"], "cancelled");
    assert_eq!((ending.elapsed(), signals(&ending)), (1000, vec![(990, TERMINATE)]));
    published(&ending, "cancelled");
}

pub fn races_with_timeout(subject: &dyn Subject) {
    let grace = || host(&json!({}), Behaviour::hangs().ignores_terminate());
    // Cancelled while the timeout is already ending it: one grace, one SIGKILL, one end.
    let late = grace();
    let id = spawn(subject, &late, "x", &json!({ "timeout_secs": 1 }));
    late.pass(subject, 3000);
    assert_eq!(cancel(subject, &late, &id)["status"], "cancelled");
    assert_eq!(signals(&late), [(1000, TERMINATE), (6000, KILL)]);
    published(&late, "cancelled");
    // The timeout fires while it is being cancelled.
    let early = grace();
    early.cancelled_at(500).at(1000, Happening::Timer("timeout".into()));
    let id = spawn(subject, &early, "x", &json!({ "timeout_secs": 1 }));
    early.finish(subject);
    assert_eq!(signals(&early), [(500, TERMINATE), (5500, KILL)]);
    assert_eq!(status(subject, &early, &id)["status"]["status"], "cancelled");
    published(&early, "cancelled");
}

pub fn second(subject: &dyn Subject) {
    let host = host(&json!({}), Behaviour::hangs().ignores_terminate());
    host.cancelled_at(1000).cancelled_at(1000).cancelled_at(1500);
    let id = spawn(subject, &host, "x", &json!({}));
    host.pass(subject, 2000);
    assert_eq!(cancel(subject, &host, &id), json!({ "job_id": id, "status": "cancelled" }));
    assert_eq!(signals(&host), [(1000, TERMINATE), (6000, KILL)]);
    assert_eq!(cancel(subject, &host, &id), not_running());
    published(&host, "cancelled");
}

pub fn grace(subject: &dyn Subject) {
    for (secs, sent) in [(0, vec![(1000, KILL)]), (2, vec![(1000, TERMINATE), (3000, KILL)])] {
        let host = host(&json!({ "cancel_grace_secs": secs }), Behaviour::hangs().ignores_terminate());
        let id = spawn(subject, &host, "x", &json!({}));
        host.pass(subject, 1000);
        assert_eq!(cancel(subject, &host, &id)["status"], "cancelled");
        assert_eq!(signals(&host), sent);
    }
}
