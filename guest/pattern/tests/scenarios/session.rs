//! Commands in the lasting shell.

use serde_json::{Value, json};
use shellward_kit::contract::{Happening, RunPlace, Signal, StartError, Stdio, Whom};
use shellward_kit::fake::{Behaviour, Fake, Subject, body};

use super::{call, execute, spawn};

pub fn answer(subject: &dyn Subject) {
    let host = Fake::configured(&json!({}), Behaviour::exits(3).stdout("out\n").stderr("err\n").waits(1234));
    let answer = execute(subject, &host, "make");
    let expected = json!({
        "stdout": "out\n", "stderr": "err\n", "exit_code": 3, "duration_ms": 1234, "session": "apart",
        "directory": "/project"
    });
    assert_eq!(answer, expected);
    let text = host.run(subject, "shell", r#"{"op":"execute","command":"make"}"#).text;
    assert_eq!(text, "out\nerr\n[exit code 3]");
    let launch = host.launches().remove(0);
    let RunPlace::ShellSession(shell) = launch.place else { panic!("no session") };
    assert!(shell.apart && shell.moved && launch.timeout == Some(60_000));
    assert_eq!((launch.program.as_str(), launch.arguments.len()), ("/bin/bash", 0));
}

pub fn terminal(subject: &dyn Subject) {
    let host = Fake::configured(&json!({"session": "terminal"}), Behaviour::exits(0));
    assert_eq!(execute(subject, &host, "ls")["session"], "terminal");
    let launch = host.launches().remove(0);
    let RunPlace::ShellSession(shell) = launch.place else { panic!("no session") };
    assert!(!shell.apart && matches!(launch.stdio, Stdio::Terminal(_)));
}

pub fn directory(subject: &dyn Subject) {
    let host = Fake::configured(&json!({}), Behaviour::exits(0));
    host.directory("src/deep").file("src/deep/a");
    host.on("cd src", Behaviour::exits(0).moves_to("/project/src"));
    assert_eq!(execute(subject, &host, "cd src")["directory"], "/project/src");
    // A relative path is now one from there, and the shell is left where it is.
    assert_eq!(execute(subject, &host, "cat deep/a ../src/deep/a")["directory"], "/project/src");
    let RunPlace::ShellSession(shell) = host.launches()[1].place.clone() else { panic!("no session") };
    assert!(!shell.moved);
    assert_eq!(execute(subject, &host, "cat ../../etc/passwd")["error"], "path_outside_sandbox");
    let other = body(&host.run_in("other", subject, "shell", r#"{"op":"execute","command":"pwd"}"#));
    assert_eq!(other["directory"], "/project", "sessions are apart");
}

pub fn behind_tasks(subject: &dyn Subject) {
    let host = Fake::configured(&json!({}), Behaviour::exits(0));
    host.directory("src").on("cd src", Behaviour::exits(0).moves_to("/project/src"));
    execute(subject, &host, "cd src");
    for _ in 0..600 {
        spawn(subject, &host, ":");
        host.finish(subject);
    }
    assert_eq!(execute(subject, &host, "pwd")["directory"], "/project/src");
    let RunPlace::ShellSession(shell) = host.launches().remove(601).place else { panic!("no session") };
    assert!(!shell.moved);
}

pub fn escape(subject: &dyn Subject) {
    let host = Fake::configured(&json!({}), Behaviour::exits(0));
    host.on("run", Behaviour::exits(0).moves_to("/etc"));
    let answer = execute(subject, &host, "run");
    assert_eq!(answer["directory"], "/project");
    let note = answer["notes"][0].as_str().expect("a note");
    assert!(note.contains("/etc") && note.contains("put back into /project"), "{note}");
    assert_eq!(host.shell("apart").as_deref(), Some("/etc"));
    let answer = execute(subject, &host, "ls");
    assert_eq!((&answer["directory"], answer.get("notes")), (&json!("/project"), None));
    assert_eq!(host.shell("apart").as_deref(), Some("/project"));
    let RunPlace::ShellSession(shell) = host.launches()[1].place.clone() else { panic!("no session") };
    assert!(shell.moved);
}

pub fn lost(subject: &dyn Subject) {
    let host = Fake::configured(&json!({}), Behaviour::exits(0));
    host.directory("src");
    host.on("cd src", Behaviour::exits(0).moves_to("/project/src"));
    host.on("exit 4", Behaviour::exits(4).loses_session());
    execute(subject, &host, "cd src");
    let answer = execute(subject, &host, "exit 4");
    assert_eq!((&answer["exit_code"], &answer["session_lost"]), (&json!(4), &json!(true)));
    assert!(answer["notes"][0].as_str().is_some_and(|note| note.contains("finds a new one")), "{answer}");
    assert_eq!(execute(subject, &host, "ls")["directory"], "/project", "a new shell begins anew");
}

pub fn timeout(subject: &dyn Subject) {
    let host = Fake::configured(&json!({}), Behaviour::hangs().stdout("part\n").ignores_terminate());
    let answer = call(subject, &host, &json!({"op": "execute", "command": "x", "timeout": 5}));
    assert_eq!((&answer["stdout"], &answer["timed_out"]), (&json!("part\n"), &json!(true)), "{answer}");
    let sent: Vec<_> = host.signals().into_iter().map(|sent| (sent.at, sent.signal, sent.whom)).collect();
    let expected = [
        (5000, Signal::Interrupt, Whom::Group),
        (6000, Signal::Terminate, Whom::Tree),
        (8000, Signal::Kill, Whom::Tree),
    ];
    assert_eq!(sent, expected);
    let note = answer["notes"][0].as_str().expect("a note");
    assert!(note.starts_with("timed out after 5 s"), "{note}");
    host.on("y", Behaviour::hangs());
    let answer = call(subject, &host, &json!({"op": "execute", "command": "y", "timeout": 5}));
    assert_eq!(answer["duration_ms"], 5000, "SIGINT was enough");
}

pub fn waiting(subject: &dyn Subject) {
    let host = Fake::configured(&json!({"session": "terminal"}), Behaviour::hangs().stdout("Name? "));
    host.at(1000, Happening::AwaitsInput);
    let answer = execute(subject, &host, "./ask");
    assert_eq!((&answer["stdout"], &answer["waiting_for_input"]), (&json!("Name? "), &json!(true)), "{answer}");
    assert_eq!(answer["duration_ms"], 6000);
    host.on("quick", Behaviour::exits(0).waits(2000));
    host.at(1000, Happening::AwaitsInput);
    assert_eq!(execute(subject, &host, "quick").get("waiting_for_input"), None, "it went on by itself");
}

pub fn busy(subject: &dyn Subject) {
    let host = Fake::configured(&json!({}), Behaviour::cannot_start(StartError::TooMany(1)));
    let answer = execute(subject, &host, "ls");
    assert_eq!(answer["error"], "session_busy");
}

pub fn unsupported(subject: &dyn Subject) {
    let host = Fake::configured(&json!({}), Behaviour::cannot_start(StartError::Unsupported("shell sessions".into())));
    let answer = execute(subject, &host, "ls");
    assert_eq!(
        (&answer["error"], &answer["message"]),
        (&json!("pty_error"), &json!("pty error: this host cannot do it: shell sessions"))
    );
    let host = super::Fake::configured(&json!({}), Behaviour::cannot_start(StartError::Resources("processes".into())));
    let answer = call(subject, &host, &json!({"op": "spawn", "command": "x"}));
    let message = "process spawn failed: the system is short of resources: processes";
    assert_eq!((&answer["error"], &answer["message"]), (&json!("spawn_failed"), &json!(message)));
}

pub fn wrong_arguments(subject: &dyn Subject) {
    let host = Fake::configured(&json!({}), Behaviour::exits(0));
    let cases: [(Value, &str); 7] = [
        (json!({}), "Missing required parameter 'op'."),
        (
            json!({"op": "run"}),
            "Parameter 'op' must be one of 'execute', 'spawn', 'kill', 'status', 'output', 'pin', 'unpin', not 'run'.",
        ),
        (json!({"op": "execute"}), "Missing required parameter 'command'."),
        (json!({"op": "kill"}), "Missing required parameter 'task_id'."),
        (
            json!({"op": "execute", "command": "x", "timeout": 0}),
            "Parameter 'timeout' must be between 1 and 86400, not 0.",
        ),
        (json!({"op": "spawn", "command": "x", "timeout": 5}), "Parameter 'timeout' is of no use with op 'spawn'."),
        (json!({"op": "status", "cmd": "x"}), "Unknown parameter 'cmd'. Did you mean 'command'?"),
    ];
    for (arguments, message) in cases {
        let answer = call(subject, &host, &arguments);
        assert_eq!((&answer["error"], &answer["message"]), (&json!("invalid_arguments"), &json!(message)));
    }
    assert_eq!(host.run(subject, "bash", "{}").code.as_deref(), Some("unknown_tool"));
}
