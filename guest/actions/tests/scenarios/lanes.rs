//! Lanes: runs of one session one after the other, runs of several at once.

use serde_json::json;
use shellward_kit::fake::{Behaviour, Fake, Subject};

use super::{act, poll, spawn};

fn starts(host: &Fake) -> Vec<Option<u64>> {
    let jobs = host.all_jobs();
    let first = jobs[0].created_at;
    jobs.iter().map(|job| job.started_at.map(|at| at - first)).collect()
}

pub fn lanes(subject: &dyn Subject) {
    let host = Fake::configured(&json!({}), Behaviour::exits(0).waits(1000));
    for session in ["a", "a", "b", "a", "b"] {
        spawn(subject, &host, "x", &json!({"session_id": session}));
    }
    host.finish(subject);
    assert_eq!(starts(&host), [Some(0), Some(1000), Some(0), Some(2000), Some(1000)], "in the order of spawning");
}

pub fn kill_queued(subject: &dyn Subject) {
    let host = Fake::configured(&json!({}), Behaviour::exits(0).waits(1000));
    let ids: Vec<String> = (0..3).map(|_| spawn(subject, &host, "x", &json!({}))).collect();
    host.pass(subject, 100);
    assert_eq!(poll(subject, &host, &ids[1])["status"], "queued");
    let answer = act(subject, &host, "kill", &ids[1], &json!({}));
    assert_eq!(
        (&answer["status"], &answer["error_message"]),
        (&json!("killed"), &json!("The run was killed before it had started."))
    );
    host.finish(subject);
    assert_eq!(starts(&host), [Some(0), None, Some(1000)]);
    assert_eq!(poll(subject, &host, &ids[1])["status"], "killed");
}

pub fn wide(subject: &dyn Subject) {
    let host = Fake::configured(&json!({"runs_per_session": 2}), Behaviour::exits(0).waits(1000));
    for _ in 0..4 {
        spawn(subject, &host, "x", &json!({}));
    }
    host.finish(subject);
    assert_eq!(starts(&host), [Some(0), Some(0), Some(1000), Some(1000)]);
}

pub fn ceiling(subject: &dyn Subject) {
    let host = Fake::configured(&json!({"max_running": 2}), Behaviour::exits(0).waits(1000));
    for session in ["a", "b", "c"] {
        spawn(subject, &host, "x", &json!({"session_id": session}));
    }
    host.pass(subject, 10);
    let answer = super::call(subject, &host, &json!({"command": "x"}));
    assert_eq!(answer["error"], "too_many_running", "what cannot wait in line is refused");
    host.finish(subject);
    assert_eq!(starts(&host), [Some(0), Some(0), Some(1000)]);
}
