//! Calls without an action.

use serde_json::json;
use shellward_kit::contract::{StartError, Stdin, Stdio};
use shellward_kit::fake::{Behaviour, Fake, Subject, body};

use super::call;

pub fn answers(subject: &dyn Subject) {
    let host = Fake::configured(&json!({}), Behaviour::exits(3).stdout("out\n").stderr("err\n").waits(1500));
    let reply = host.run(subject, "shell", r#"{"command": "x"}"#);
    assert_eq!(reply.text, "out\nerr\n[exit code 3]");
    let expected = json!({
        "status": "completed", "exit_code": 3, "stdout": "out\n", "stderr": "err\n", "truncated": false,
        "truncated_bytes": 0, "duration_ms": 1500, "error_message": null,
    });
    assert_eq!(body(&reply), expected);
    let launch = host.launches().remove(0);
    assert!(!launch.durable && launch.lane.is_none() && launch.job.starts_with("shell_"), "{launch:?}");
    assert_eq!((launch.timeout, launch.directory.as_str()), (Some(120_000), "/project"));
    assert!(matches!(launch.stdio, Stdio::Pipes(Stdin::Empty)));
    // It is no run: nobody can ask for it, and nothing is published.
    let answer = call(subject, &host, &json!({"action": "poll", "run_id": launch.job}));
    assert_eq!(answer["error"], "run_not_found");
    assert!(host.notices().is_empty());
}

pub fn fails(subject: &dyn Subject) {
    let timed_out = Fake::configured(&json!({}), Behaviour::hangs().stdout("some\n"));
    let answer = call(subject, &timed_out, &json!({"command": "x", "timeout_secs": 2}));
    assert_eq!(
        (&answer["status"], &answer["stdout"], &answer["exit_code"]),
        (&json!("timed_out"), &json!("some\n"), &json!(null))
    );
    assert_eq!(answer["error_message"], "The command took longer than 2 s and was ended.");
    let signalled = Fake::configured(&json!({}), Behaviour::signalled("SIGSEGV"));
    let answer = call(subject, &signalled, &json!({"command": "x"}));
    assert_eq!((&answer["signal"], &answer["exit_code"]), (&json!("SIGSEGV"), &json!(null)));
    let cancelled = Fake::configured(&json!({}), Behaviour::hangs());
    cancelled.cancelled_at(100);
    assert_eq!(call(subject, &cancelled, &json!({"command": "x"}))["error"], "cancelled");
    let missing = Fake::configured(&json!({}), Behaviour::cannot_start(StartError::Resources("processes".into())));
    let answer = call(subject, &missing, &json!({"command": "x"}));
    let message = "The command could not be run: the system is short of resources: processes.";
    assert_eq!(answer, json!({"error": "io_error", "message": message}));
    missing.without_program("bash").without_program("sh");
    let answer = call(subject, &missing, &json!({"command": "x"}));
    assert_eq!(answer, json!({"error": "no_shell", "message": "No shell is installed: there is no bash and no sh."}));
    let unknown = body(&missing.run(subject, "Shell", "{}"));
    assert_eq!(
        unknown,
        json!({"error": "unknown_tool", "message": "Unknown tool 'Shell'. This policy offers 'shell'."})
    );
}

pub fn caps(subject: &dyn Subject) {
    let host = Fake::configured(&json!({}), Behaviour::exits(0).stdout("0123456789"));
    let answer = call(subject, &host, &json!({"command": "x", "max_output_bytes": 4}));
    assert_eq!(answer["stdout"], "01\n[... 6 bytes were not kept ...]\n89");
    assert_eq!((&answer["truncated"], &answer["truncated_bytes"]), (&json!(true), &json!(6)));
}
