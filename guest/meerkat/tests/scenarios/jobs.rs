//! Background jobs: what agents see of them, and what is published of their end.

use serde_json::{Value, json};
use shellward_kit::contract::{Ending, Exit, StartError, Unwanted};
use shellward_kit::fake::{Behaviour, Subject, keys};

use super::{call, error, host, notices as published, spawn, status};

/// When a fake is made, in seconds since 1970.
const EPOCH: u64 = 1_795_176_000;

pub fn background(subject: &dyn Subject) {
    let behaviour = Behaviour::exits(0).stdout("Compiling...\nFinished release").waits(45_200);
    let host = host(&json!({}), behaviour);
    let id = spawn(subject, &host, "cargo build --release", &json!({ "timeout_secs": 300 }));
    assert_eq!(host.elapsed(), 0, "a background call does not wait");
    host.finish(subject);
    let result = json!({
        "status": "completed", "exit_code": 0, "stdout": "Compiling...\nFinished release", "stderr": "",
        "duration_secs": 45.2
    });
    let expected = json!({
        "id": id, "command": "cargo build --release", "working_dir": "/project", "timeout_secs": 300, "status": result
    });
    let answer = status(subject, &host, &id);
    assert_eq!((&answer, keys(&answer)), (&expected, keys(&expected)));
    assert_eq!(keys(&answer["status"]), keys(&result));
    let expected = json!({ "job_id": id, "command": "cargo build --release", "result": result });
    assert_eq!(published(&host), [expected]);
    let text = format!("Background job {id} completed with exit code 0 after 45.2 s: cargo build --release");
    assert_eq!(host.notices()[0].text, Some(text));
}

/// Every status, seen on its way and at its end.
pub fn transitions(subject: &dyn Subject) {
    let cases: [(Behaviour, Option<u64>, Value); 6] = [
        (
            Behaviour::exits(7).stderr("no").waits(2000),
            None,
            json!({ "status": "completed", "exit_code": 7, "stdout": "", "stderr": "no", "duration_secs": 2.0 }),
        ),
        (
            Behaviour::signalled("SIGKILL").waits(2000),
            None,
            json!({ "status": "completed", "exit_code": null, "stdout": "", "stderr": "", "duration_secs": 2.0 }),
        ),
        (
            Behaviour::hangs().stdout("part"),
            None,
            json!({ "status": "timed_out", "stdout": "part", "stderr": "", "duration_secs": 10.0 }),
        ),
        (
            Behaviour::hangs().stdout("part").ends_when_asked(500, 0),
            None,
            json!({ "status": "timed_out", "stdout": "part", "stderr": "", "duration_secs": 10.5 }),
        ),
        (Behaviour::hangs().stdout("part"), Some(3000), json!({ "status": "cancelled", "duration_secs": 3.0 })),
        (Behaviour::hangs().ignores_terminate(), Some(3000), json!({ "status": "cancelled", "duration_secs": 8.0 })),
    ];
    for (behaviour, cancelled, expected) in cases {
        let host = host(&json!({}), behaviour);
        if let Some(at) = cancelled {
            host.cancelled_at(at);
        }
        let id = spawn(subject, &host, "x", &json!({ "timeout_secs": 10 }));
        host.pass(subject, 1000);
        let running = status(subject, &host, &id);
        assert_eq!(running["status"], json!({ "status": "running", "started_at_unix": EPOCH }));
        if expected["duration_secs"].as_f64() > Some(8.5) {
            host.pass(subject, 7500);
            assert_eq!(status(subject, &host, &id)["status"]["status"], "running");
        }
        host.finish(subject);
        let answer = status(subject, &host, &id);
        assert_eq!((&answer["status"], keys(&answer["status"])), (&expected, keys(&expected)));
        assert_eq!(host.all_jobs()[0].status, expected["status"]);
        assert_eq!(published(&host), [json!({ "job_id": id, "command": "x", "result": expected })]);
    }
}

pub fn list(subject: &dyn Subject) {
    let host = host(&json!({}), Behaviour::hangs());
    host.on("cargo build", Behaviour::exits(0).waits(100));
    assert_eq!(call(subject, &host, "shell_jobs", &json!({})), json!([]));
    let first = spawn(subject, &host, "cargo build", &json!({}));
    host.pass(subject, 44_000);
    let second = spawn(subject, &host, "npm test", &json!({ "timeout_secs": 1000 }));
    host.pass(subject, 1);
    let expected = json!([
        { "id": first, "command": "cargo build", "status": "completed", "started_at_unix": EPOCH },
        { "id": second, "command": "npm test", "status": "running", "started_at_unix": EPOCH + 44 },
    ]);
    let answer = call(subject, &host, "shell_jobs", &json!({}));
    assert_eq!(answer, expected);
    assert_eq!(keys(&answer[0]), ["id", "command", "status", "started_at_unix"]);
    let text = host.run(subject, "shell_jobs", "{}").text;
    let told =
        format!("{first} completed with exit code 0 after 0.1 s: cargo build\n{second} running for 0.0 s: npm test");
    assert_eq!(text, told);
}

pub fn invisible(subject: &dyn Subject) {
    let host = host(&json!({}), Behaviour::hangs());
    let id = spawn(subject, &host, "x", &json!({}));
    host.pass(subject, 10);
    let arguments = json!({ "job_id": id }).to_string();
    for tool in ["shell_job_status", "shell_job_cancel"] {
        let reply = host.run_in("other", subject, tool, &arguments);
        assert_eq!(super::body(&reply), error("job_not_found", &format!("Job not found: {id}")));
        let unknown = call(subject, &host, tool, &json!({ "job_id": "job_unknown" }));
        assert_eq!(unknown, error("job_not_found", "Job not found: job_unknown"));
    }
    assert_eq!(super::body(&host.run_in("other", subject, "shell_jobs", "{}")), json!([]));
    host.finish(subject);
    // A command that its caller waits for is none of the background jobs.
    host.on("wait", Behaviour::exits(0));
    call(subject, &host, "shell", &json!({ "command": "wait" }));
    let waited = host.all_jobs()[1].id.clone();
    assert_eq!(status(subject, &host, &waited), error("job_not_found", &format!("Job not found: {waited}")));
    let listed = call(subject, &host, "shell_jobs", &json!({}));
    assert_eq!(listed.as_array().map(Vec::len), Some(1));
}

/// What `start` refuses is the call's error, and there is no job; what turns out later is a failed job.
pub fn fails_to_start(subject: &dyn Subject) {
    let failing = StartError::Resources("no processes left".into());
    let message = "IO error: the system is short of resources: no processes left";
    let arguments = json!({ "command": "x", "background": true });

    let refusing = host(&json!({}), Behaviour::cannot_start(failing.clone()));
    assert_eq!(call(subject, &refusing, "shell", &arguments), error("io_error", message));
    assert_eq!((refusing.all_jobs().len(), published(&refusing).len()), (0, 0));

    let late = host(&json!({}), Behaviour::fails_to_start(failing));
    let id = spawn(subject, &late, "x", &json!({}));
    late.finish(subject);
    let result = json!({ "status": "failed", "error": message, "duration_secs": 0.0 });
    assert_eq!(status(subject, &late, &id)["status"], result);
    assert_eq!(published(&late), [json!({ "job_id": id, "command": "x", "result": result })]);
}

/// Whatever ends a background job, its end is published exactly once, and says what the status says.
pub fn notices(subject: &dyn Subject) {
    let cases = [
        (Behaviour::exits(0).waits(10), None, "completed"),
        (Behaviour::fails_to_start(StartError::Other("no".into())), None, "failed"),
        (Behaviour::hangs(), None, "timed_out"),
        (Behaviour::hangs().unkillable(), None, "timed_out"),
        (Behaviour::hangs(), Some(Unwanted::Shutdown), "cancelled"),
        (Behaviour::hangs(), Some(Unwanted::SessionClosed), "cancelled"),
        (Behaviour::hangs(), Some(Unwanted::ByHand), "cancelled"),
        (Behaviour::hangs().unkillable(), Some(Unwanted::Shutdown), "cancelled"),
    ];
    for (behaviour, why, expected) in cases {
        let host = host(&json!({}), behaviour);
        if let Some(why) = why {
            host.unwanted_at(500, why);
        }
        let id = spawn(subject, &host, "x", &json!({ "timeout_secs": 10 }));
        host.finish(subject);
        let found = published(&host);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!((&found[0]["job_id"], &found[0]["result"]["status"]), (&json!(id), &json!(expected)));
        assert_eq!(status(subject, &host, &id)["status"], found[0]["result"]);
    }
    let host = host(&json!({}), Behaviour::hangs());
    let id = spawn(subject, &host, "x", &json!({}));
    host.pass(subject, 10);
    host.restart();
    host.finish(subject);
    assert_eq!(published(&host).len(), 1);
    assert_eq!(status(subject, &host, &id)["status"]["status"], "failed");
}

pub fn concurrent(subject: &dyn Subject) {
    let host = host(&json!({ "max_concurrent_processes": 500 }), Behaviour::hangs());
    let mut ids = Vec::new();
    for number in 0..200 {
        let command = format!("job {number}");
        let behaviour = match number % 4 {
            0 => Behaviour::exits(number).stdout(command.as_bytes()).waits(50),
            1 => Behaviour::hangs(),
            2 => Behaviour::hangs().ignores_terminate(),
            _ => Behaviour::signalled("SIGABRT").waits(20),
        };
        host.on(&command, behaviour);
        ids.push(spawn(subject, &host, &command, &json!({ "timeout_secs": 1 })));
    }
    host.finish(subject);
    let published = published(&host);
    assert_eq!(published.len(), 200);
    for (number, id) in ids.iter().enumerate() {
        let result = &published.iter().find(|notice| notice["job_id"] == **id).expect("a notice")["result"];
        let expected = if number % 4 == 1 || number % 4 == 2 { "timed_out" } else { "completed" };
        assert_eq!(result["status"], expected, "job {number}");
        if number % 4 == 0 {
            assert_eq!((&result["exit_code"], &result["stdout"]), (&json!(number), &json!(format!("job {number}"))));
        }
    }
    assert!(host.all_jobs().iter().all(|job| job.timers.is_empty()));
}

/// The host ends a job itself when a policy fails on one of its events; the memo then says nothing of an end.
pub fn given_up(subject: &dyn Subject) {
    let host = host(&json!({}), Behaviour::hangs());
    host.on("other", Behaviour::exits(0));
    call(subject, &host, "shell", &json!({ "command": "other" }));
    let mut job = host.all_jobs().remove(0);
    job.memo = r#"{"phase":"running","own":{"background":false}}"#.into();
    let call = shellward_kit::contract::ToolCall {
        id: "01".into(),
        session: "session".into(),
        tool: "shell".into(),
        arguments: "{}".into(),
        now: 0,
        approved: Vec::new(),
    };
    for (ending, code) in [
        (Ending::Failed, Some("io_error")),
        (Ending::Lost, Some("io_error")),
        (Ending::Cancelled, Some("cancelled")),
        (Ending::Completed, None),
    ] {
        (job.ending, job.exit) = (Some(ending), Some(Exit::Code(0)));
        assert_eq!(subject.settle(&host, &call, &job).code.as_deref(), code, "{ending:?}");
    }
}
