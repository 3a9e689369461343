//! What becomes of runs when the host is started again.

use serde_json::json;
use shellward_kit::contract::{Ending, Unwanted};
use shellward_kit::fake::{Behaviour, Fake, Subject};

use super::{act, poll, shown, spawn};

pub fn requeue(subject: &dyn Subject) {
    let host = Fake::configured(&json!({}), Behaviour::exits(0).stdout("begun\n").waits(1000));
    let ids: Vec<String> = (0..2).map(|_| spawn(subject, &host, "x", &json!({}))).collect();
    host.pass(subject, 500);
    host.restart();
    host.pass(subject, 10);
    let first = poll(subject, &host, &ids[0]);
    assert_eq!((&first["status"], &first["restarts"]), (&json!("running"), &json!(1)));
    assert_eq!(shown(&first), ["[status]", "begun\n", "[recovered]", "[status]", "[status]", "begun\n"]);
    let second = poll(subject, &host, &ids[1]);
    assert_eq!((&second["status"], second.get("restarts")), (&json!("queued"), None), "it had not begun");
    host.finish(subject);
    for id in &ids {
        assert_eq!(poll(subject, &host, id)["status"], "completed");
    }
}

pub fn lost(subject: &dyn Subject) {
    let host = Fake::configured(&json!({"recovery": "lost"}), Behaviour::exits(0).stdout("begun\n").waits(1000));
    let ids: Vec<String> = (0..2).map(|_| spawn(subject, &host, "x", &json!({}))).collect();
    host.pass(subject, 500);
    host.restart();
    host.finish(subject);
    let first = poll(subject, &host, &ids[0]);
    assert_eq!((&first["status"], &first["snippet"]), (&json!("lost"), &json!("begun\n")), "its output is kept");
    assert!(first["error_message"].as_str().is_some_and(|message| message.contains("restarted")), "{first}");
    assert_eq!(host.all_jobs()[0].ending, Some(Ending::Lost));
    let second = poll(subject, &host, &ids[1]);
    assert_eq!(second["status"], "completed", "what had not begun is not lost");
    assert_eq!(act(subject, &host, "kill", &ids[0], &json!({}))["message"], "The run had ended before.");
}

pub fn shutdown(subject: &dyn Subject) {
    for (settings, status) in [(json!({}), "completed"), (json!({"recovery": "lost"}), "lost")] {
        let host = Fake::configured(&settings, Behaviour::exits(0).stdout("begun\n").waits(1000));
        host.unwanted_at(500, Unwanted::Shutdown);
        let first = spawn(subject, &host, "x", &json!({}));
        host.unwanted_at(500, Unwanted::Shutdown);
        let second = spawn(subject, &host, "x", &json!({}));
        host.pass(subject, 3000);
        assert_eq!(poll(subject, &host, &second)["status"], "queued", "what has not begun waits for the next host");
        host.restart();
        host.finish(subject);
        assert_eq!(poll(subject, &host, &first)["status"], status, "{settings}");
        assert_eq!(poll(subject, &host, &second)["status"], "completed", "{settings}");
    }
}

pub fn stopping(subject: &dyn Subject) {
    let host = Fake::configured(&json!({}), Behaviour::hangs().ignores_terminate());
    let id = spawn(subject, &host, "x", &json!({}));
    host.pass(subject, 100);
    act(subject, &host, "kill", &id, &json!({"wait_ms": 0}));
    host.pass(subject, 100);
    host.restart();
    host.finish(subject);
    assert_eq!(poll(subject, &host, &id)["status"], "killed", "it is not run again");
}
