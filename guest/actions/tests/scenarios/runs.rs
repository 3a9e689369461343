//! Runs: from spawn to their end.

use serde_json::json;
use shellward_kit::contract::{Ending, Signal, StartError, Stdin, Stdio};
use shellward_kit::fake::{Behaviour, Fake, Human, Subject, body};

use super::{act, call, poll, shown, spawn};

pub fn life(subject: &dyn Subject) {
    let behaviour = Behaviour::exits(2).waits(1000).stdout("one\n").waits(1000).stderr("two\n").waits(500);
    let host = Fake::configured(&json!({}), behaviour);
    let id = spawn(subject, &host, "x", &json!({}));
    let queued = poll(subject, &host, &id);
    assert_eq!(
        (&queued["status"], &queued["started_at"], &queued["items"]),
        (&json!("queued"), &json!(null), &json!([]))
    );
    host.pass(subject, 1500);
    let running = poll(subject, &host, &id);
    assert_eq!((&running["status"], &running["snippet"]), (&json!("running"), &json!("one\n")));
    assert_eq!(shown(&running), ["[status]", "one\n"]);
    host.finish(subject);
    let ended = act(subject, &host, "poll", &id, &json!({"since_seq": running["next_seq"]}));
    let expected = json!({
        "run_id": id, "session_id": "session", "command": "x", "status": "completed", "exit_code": 2,
        "error_message": null, "created_at": "2026-11-20T12:00:00.000Z", "started_at": "2026-11-20T12:00:00.000Z",
        "ended_at": "2026-11-20T12:00:02.500Z", "duration_ms": 2500, "pty": false, "output_bytes": 8,
        "truncated": false, "truncated_bytes": 0, "snippet": "one\ntwo\n",
        "items": [
            {"seq": 3, "at": "2026-11-20T12:00:02.000Z", "type": "stderr", "text": "two\n"},
            {"seq": 4, "at": "2026-11-20T12:00:02.500Z", "type": "event", "event": "status", "data": "completed"},
        ],
        "next_seq": 4, "last_seq": 4, "more": false, "limit_cap": 100,
    });
    assert_eq!(ended, expected);
}

pub fn foreground(subject: &dyn Subject) {
    let host = Fake::configured(&json!({}), Behaviour::exits(0).waits(3000).stdout("done\n"));
    let answer = call(subject, &host, &json!({"action": "spawn", "command": "x", "background": false}));
    assert_eq!((&answer["status"], &answer["snippet"]), (&json!("completed"), &json!("done\n")), "{answer}");
    assert_eq!(host.elapsed(), 3000);
    // It is a run like any other.
    let id = answer["run_id"].as_str().unwrap_or_default();
    assert_eq!(poll(subject, &host, id)["status"], "completed");
}

pub fn launch(subject: &dyn Subject) {
    let settings = json!({"max_output_bytes": 77, "runs_per_session": 3, "max_running": 5});
    let host = Fake::configured(&settings, Behaviour::exits(0));
    let more = json!({
        "pty": {"rows": 30, "columns": 100}, "timeout_secs": 9, "session_id": "mine", "max_output_bytes": 1000,
        "watch": [{"regex": "ready", "event": "up", "once": true}],
    });
    let id = spawn(subject, &host, "echo x", &more);
    spawn(subject, &host, "echo y", &json!({"stdin": true}));
    spawn(subject, &host, "echo z", &json!({}));
    let launches = host.launches();
    let first = &launches[0];
    assert!(first.durable && first.job == id && first.command == "echo x", "{first:?}");
    assert_eq!((first.session.as_str(), first.lane.as_deref(), first.lane_width), ("mine", Some("mine"), 3));
    assert_eq!((first.at_most, first.timeout, first.keep.stored), (Some(5), Some(9000), Some(1000)));
    assert_eq!(
        (first.program.as_str(), first.arguments.as_slice()),
        ("/bin/bash", &["-c".to_owned(), "echo x".into()][..])
    );
    assert!(matches!(first.stdio, Stdio::Terminal(size) if (size.rows, size.columns) == (30, 100)));
    let variable =
        |name: &str| first.environment.iter().find(|change| change.name == name).map(|change| change.value.clone());
    assert_eq!(variable("TERM"), Some(Some("xterm-256color".into())));
    assert_eq!((variable("BASH_ENV"), variable("PWD")), (Some(None), Some(Some("/project".into()))));
    let watch = &first.watches[0];
    assert_eq!((watch.pattern.as_str(), watch.event.as_str(), watch.once, watch.scope), ("ready", "up", true, None));
    assert!(matches!(launches[1].stdio, Stdio::Pipes(Stdin::Open)), "{:?}", launches[1]);
    assert_eq!(
        (launches[1].timeout, launches[1].keep.stored, launches[1].lane.as_deref()),
        (None, Some(77), Some("session"))
    );
    assert!(matches!(launches[2].stdio, Stdio::Pipes(Stdin::Empty)), "{:?}", launches[2]);
}

pub fn ends(subject: &dyn Subject) {
    for (behaviour, status, exit_code, signal, message) in [
        (Behaviour::exits(0), "completed", json!(0), json!(null), json!(null)),
        (Behaviour::exits(7), "completed", json!(7), json!(null), json!(null)),
        (
            Behaviour::signalled("SIGSEGV"),
            "completed",
            json!(null),
            json!("SIGSEGV"),
            json!("The process was ended by SIGSEGV."),
        ),
        (
            Behaviour::hangs(),
            "timed_out",
            json!(null),
            json!("SIGTERM"),
            json!("The command took longer than 5 s and was ended."),
        ),
        (
            Behaviour::fails_to_start(StartError::Resources("memory".into())),
            "failed",
            json!(null),
            json!(null),
            json!("The command could not be run: the system is short of resources: memory."),
        ),
    ] {
        let host = Fake::configured(&json!({}), behaviour);
        let id = spawn(subject, &host, "x", &json!({"timeout_secs": 5}));
        host.finish(subject);
        let answer = poll(subject, &host, &id);
        let found = (
            &answer["status"],
            &answer["exit_code"],
            answer.get("signal").unwrap_or(&json!(null)).clone(),
            &answer["error_message"],
        );
        assert_eq!(found, (&json!(status), &exit_code, signal, &message));
    }
}

pub fn not_started(subject: &dyn Subject) {
    for (error, code, part) in [
        (StartError::TooLong("x".into()), "io_error", "put what is long into a file"),
        (StartError::Unsupported("durable".into()), "unsupported", "This host cannot do it: durable."),
        (StartError::TooMany(3), "too_many_running", "3 commands run already"),
    ] {
        let host = Fake::configured(&json!({}), Behaviour::cannot_start(error));
        let answer = call(subject, &host, &json!({"action": "spawn", "command": "x"}));
        assert_eq!(answer["error"], code);
        assert!(answer["message"].as_str().is_some_and(|message| message.contains(part)), "{answer}");
    }
    let long = format!("echo {}", "x".repeat(200_000));
    let answer =
        call(subject, &Fake::configured(&json!({}), Behaviour::exits(0)), &json!({"action": "spawn", "command": long}));
    assert_eq!(
        answer["message"],
        "Parameter 'command' is 200005 bytes long, and a shell takes 131071. Write it to a script file and run that."
    );
}

pub fn kill(subject: &dyn Subject) {
    let host = Fake::configured(&json!({}), Behaviour::hangs().stdout("part\n"));
    let id = spawn(subject, &host, "x", &json!({}));
    host.pass(subject, 100);
    let answer = act(subject, &host, "kill", &id, &json!({}));
    assert_eq!(
        (&answer["status"], &answer["signal"], &answer["error_message"]),
        (&json!("killed"), &json!("SIGTERM"), &json!("The run was killed."))
    );
    assert_eq!(host.elapsed(), 100, "it waits no longer than the run lasts");
    let again = act(subject, &host, "kill", &id, &json!({}));
    assert_eq!((&again["status"], &again["message"]), (&json!("killed"), &json!("The run had ended before.")));
    assert_eq!(poll(subject, &host, &id)["snippet"], "part\n", "its output stays");
    assert_eq!(host.all_jobs()[0].ending, Some(Ending::Cancelled));
}

pub fn kill_stubborn(subject: &dyn Subject) {
    let host = Fake::configured(&json!({"kill_grace_ms": 3000}), Behaviour::hangs().ignores_terminate());
    let id = spawn(subject, &host, "x", &json!({}));
    host.pass(subject, 100);
    let answer = act(subject, &host, "kill", &id, &json!({}));
    assert_eq!((&answer["status"], &answer["stopping"]), (&json!("running"), &json!(true)), "{answer}");
    assert_eq!(host.elapsed(), 600, "kill returns quickly");
    let answer = act(subject, &host, "kill", &id, &json!({"wait_ms": 60_000}));
    assert_eq!((&answer["status"], &answer["signal"]), (&json!("killed"), &json!("SIGKILL")), "{answer}");
    let sent: Vec<_> = host.signals().into_iter().map(|sent| (sent.at, sent.signal)).collect();
    assert_eq!(sent, [(100, Signal::Terminate), (3100, Signal::Kill)]);
}

pub fn blocked(subject: &dyn Subject) {
    let host = Fake::configured(&json!({}), Behaviour::exits(0));
    for arguments in [json!({"command": "rm -rf /"}), json!({"action": "spawn", "command": "echo a; rm  -fr ~"})] {
        let answer = call(subject, &host, &arguments);
        assert_eq!(answer["error"], "blocked", "{answer}");
    }
    let answer = call(subject, &host, &json!({"command": "rm -rf /"}));
    let message = "`rm -rf /` removes the root of the file system. Name the directory of the project that is to go.";
    assert_eq!(answer["message"], message);
    let answer = call(subject, &host, &json!({"command": "$X y"}));
    let message = answer["message"].as_str().unwrap_or_default();
    assert!(message.contains("`on_unknown`") && message.contains("[tools.actions]"), "{message}");
    assert!(host.launches().is_empty());
    assert_eq!(call(subject, &host, &json!({"command": "echo 'rm -rf /'"}))["status"], "completed");
}

pub fn asked(subject: &dyn Subject) {
    for (human, runs) in [(Human::Absent, false), (Human::Refuses, false), (Human::Approves, true)] {
        let host = Fake::configured(&json!({"on_unknown": "ask"}), Behaviour::exits(0));
        host.human(human);
        let answer = body(&host.run(subject, "shell", r#"{"action": "spawn", "command": "$X y"}"#));
        assert_eq!(answer.get("error").is_none(), runs, "{human:?}: {answer}");
        assert_eq!(host.launches().len(), usize::from(runs));
    }
}
