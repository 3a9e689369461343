//! Tasks and their documents.

use serde_json::{Value, json};
use shellward_kit::contract::{Ending, Notice, RunPlace, Signal, Unwanted};
use shellward_kit::fake::{Behaviour, Fake, Subject, body};

use super::{call, execute, spawn};

fn label(id: &str) -> String {
    format!("process:{id}")
}

fn op(subject: &dyn Subject, host: &Fake, op: &str, id: &str) -> Value {
    call(subject, host, &json!({"op": op, "task_id": id}))
}

fn spawn_in_session(subject: &dyn Subject, host: &Fake) -> String {
    host.directory("src");
    host.on("cd src", Behaviour::exits(0).moves_to("/project/src"));
    execute(subject, host, "cd src");
    spawn(subject, host, "npm start")
}

pub fn document(subject: &dyn Subject) {
    let host = Fake::configured(&json!({}), Behaviour::hangs());
    let id = spawn_in_session(subject, &host);
    host.pass(subject, 2500);
    let launch = host.launches().remove(1);
    assert_eq!(
        (launch.directory.as_str(), launch.place, launch.report_output),
        ("/project/src", RunPlace::OwnProcess, Some(100))
    );
    assert_eq!((host.is_pinned(&label(&id)), host.is_pinned("process:x")), (Some(true), None));
    let status = call(subject, &host, &json!({"op": "status"}));
    let expected = json!({"processes": [{
        "task_id": id, "command": "npm start", "directory": "/project/src", "block_label": label(&id),
        "started_at": status["processes"][0]["started_at"], "running_ms": 2500, "stdout_bytes": 0, "stderr_bytes": 0
    }]});
    assert_eq!(status, expected);
}

fn told(notices: &[Notice]) -> Vec<&str> {
    notices.iter().filter_map(|notice| notice.text.as_deref()).collect()
}

pub fn notices(subject: &dyn Subject) {
    let mut behaviour = Behaviour::exits(0);
    for _ in 0..100 {
        behaviour = behaviour.stdout("0123456789").waits(10);
    }
    let host = Fake::configured(&json!({"unpin_after": 1}), behaviour.stderr("!").waits(5));
    let id = spawn(subject, &host, "build");
    host.finish(subject);
    let notices = host.notices();
    let last = notices.last().expect("a notice");
    let data: Value = serde_json::from_str(&last.data).expect("JSON");
    let message = format!("process {id} exited with code 0");
    let expected = json!({
        "message": message, "blocks": [label(&id)], "task_id": id, "exit_code": 0, "signal": null, "status": "completed"
    });
    assert_eq!((last.event_type.as_str(), data), ("process_exited", expected));
    let output = &notices[..notices.len() - 1];
    assert!((9..=12).contains(&output.len()), "at most ten a second: {:?}", told(&notices));
    let bytes: Vec<(u64, u64)> = output
        .iter()
        .map(|notice| {
            assert_eq!(notice.event_type, "process_output");
            let data: Value = serde_json::from_str(&notice.data).expect("JSON");
            assert_eq!(data["blocks"], json!([label(&id)]));
            (data["stdout_bytes"].as_u64().expect("bytes"), data["stderr_bytes"].as_u64().expect("bytes"))
        })
        .collect();
    assert_eq!(told(&notices)[0], format!("process {id}: 10 bytes stdout"));
    assert!(bytes.iter().map(|bytes| bytes.0).sum::<u64>() <= 1000);
}

pub fn unpin(subject: &dyn Subject) {
    let host = Fake::configured(&json!({}), Behaviour::exits(0).waits(1000));
    let id = spawn(subject, &host, "build");
    host.pass(subject, 2000);
    let job = host.all_jobs().remove(0);
    assert_eq!((job.status.as_str(), job.ending), ("completed", None));
    assert_eq!(call(subject, &host, &json!({"op": "status"})), json!({"processes": []}));
    assert_eq!(op(subject, &host, "kill", &id)["error"], "task_completed");
    host.pass(subject, 298_000);
    assert_eq!(host.is_pinned(&label(&id)), Some(true));
    host.pass(subject, 2000);
    assert_eq!(host.is_pinned(&label(&id)), Some(false));
    host.finish(subject);
    assert_eq!(host.all_jobs()[0].ending, Some(Ending::Completed));
    assert_eq!(op(subject, &host, "output", &id)["running"], false, "it stays readable");

    let closing = super::Fake::configured(&json!({}), Behaviour::exits(0));
    closing.unwanted_at(50, Unwanted::Shutdown);
    spawn(subject, &closing, "build");
    closing.pass(subject, 60);
    assert_eq!(closing.all_jobs()[0].ending, Some(Ending::Completed), "a host that shuts down need not wait");
}

pub fn pin(subject: &dyn Subject) {
    let host = Fake::configured(&json!({}), Behaviour::exits(0).waits(1000));
    let id = spawn(subject, &host, "build");
    let answer = op(subject, &host, "unpin", &id);
    assert_eq!(answer, json!({"task_id": id, "block_label": label(&id), "pinned": false}));
    assert_eq!(host.is_pinned(&label(&id)), Some(false));
    assert_eq!(op(subject, &host, "pin", &id)["pinned"], true);
    host.finish(subject);
    assert_eq!(host.is_pinned(&label(&id)), Some(true), "what was pinned by hand stays");
    // Pinned after its end, before the timer.
    let id = spawn(subject, &host, "again");
    host.pass(subject, 5000);
    op(subject, &host, "pin", &id);
    host.finish(subject);
    assert_eq!(host.is_pinned(&label(&id)), Some(true));
}

pub fn kill(subject: &dyn Subject) {
    let host = Fake::configured(&json!({}), Behaviour::hangs());
    let id = spawn(subject, &host, "serve");
    host.pass(subject, 10);
    let answer = op(subject, &host, "kill", &id);
    assert_eq!(answer, json!({"task_id": id, "status": "killed", "exit_code": 143}));
    assert_eq!(host.signals()[0].signal, Signal::Terminate);
    assert_eq!((host.all_jobs()[0].ending, host.is_pinned(&label(&id))), (Some(Ending::Cancelled), Some(false)));
    assert_eq!(
        op(subject, &host, "kill", &id),
        json!({"error": "task_completed", "message": "task already completed"})
    );
    host.on("stubborn", Behaviour::hangs().ignores_terminate());
    let id = spawn(subject, &host, "stubborn");
    host.pass(subject, 10);
    assert_eq!(op(subject, &host, "kill", &id)["exit_code"], 137);
    let exits = host.notices().iter().filter(|notice| notice.event_type == "process_exited").count();
    assert_eq!(exits, 2);
}

pub fn unknown(subject: &dyn Subject) {
    let host = Fake::configured(&json!({}), Behaviour::hangs());
    let id = spawn(subject, &host, "serve");
    host.on("ls", Behaviour::exits(0));
    execute(subject, &host, "ls");
    let command = host.all_jobs()[1].id.clone();
    for operation in ["kill", "output", "pin", "unpin"] {
        let arguments = json!({"op": operation, "task_id": id}).to_string();
        let error = json!({"error": "unknown_task", "message": format!("unknown task: {id}")});
        assert_eq!(body(&host.run_in("other", subject, "shell", &arguments)), error);
        assert_eq!(op(subject, &host, operation, "task_x")["error"], "unknown_task");
        assert_eq!(op(subject, &host, operation, &command)["error"], "unknown_task", "a command is no task");
    }
}

pub fn output(subject: &dyn Subject) {
    let host =
        Fake::configured(&json!({}), Behaviour::hangs().stdout("one\n").stderr("oh\n").waits(1000).stdout("two\n"));
    let id = spawn(subject, &host, "serve");
    host.pass(subject, 10);
    let answer = op(subject, &host, "output", &id);
    let expected = json!({
        "task_id": id, "block_label": label(&id), "running": true, "exit_code": null, "stdout": "one\n",
        "stderr": "oh\n", "offset": 4, "stderr_offset": 3, "stdout_bytes": 4, "stderr_bytes": 3
    });
    assert_eq!(answer, expected);
    host.pass(subject, 2000);
    let more = json!({"op": "output", "task_id": id, "offset": 4, "stderr_offset": 3});
    let answer = call(subject, &host, &more);
    assert_eq!((&answer["stdout"], &answer["stderr"], &answer["offset"]), (&json!("two\n"), &json!(""), &json!(8)));
}
