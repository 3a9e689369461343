//! Rule 1, fail closed: a policy that fails runs nothing, leaves nothing running, and the host lives on.

use std::time::Duration;

use serde_json::{Value, json};
use shellward::{Host, Limits, Received, Reply};
use shellward_tests::{HOSTILE, Project, Survivors};

use super::mcp::server::Server;

async fn hostile(host: &Host, arguments: Value) -> Reply {
    host.call("one", "hostile", arguments).await
}

/// The host still answers.
async fn lives(host: &Host) {
    let reply = hostile(host, json!({"do": "run", "command": "exit 0"})).await;
    assert_eq!(reply.text, "settled", "{reply:?}");
}

#[tokio::test]
async fn each_way_of_failing_in_call_is_told_with_its_cause() {
    let project = Project::new();
    let host = project.hostile();
    for (deed, cause) in [
        ("panic", "told to panic"),
        ("loop", "ran for more than 100 ms"),
        ("recurse", "stack"),
        ("allocate", "wanted more memory"),
        ("nonsense", "the structured answer is not JSON"),
        ("wait", "that its session does not have"),
    ] {
        let reply = hostile(&host, json!({"do": deed})).await;
        assert_eq!((reply.is_error, reply.code.as_deref()), (true, Some("policy_fault")), "{reply:?}");
        assert!(reply.text.contains(cause), "{deed}: {}", reply.text);
        let structured: Value = serde_json::from_str(reply.structured.as_deref().unwrap()).unwrap();
        assert_eq!(structured["error"], "policy_fault");
        lives(&host).await;
    }
    host.shutdown().await;
}

#[test]
fn review_that_fails_is_told_with_its_cause_and_judges_nothing() {
    let project = Project::new();
    let host = project.hostile();
    for (deed, cause) in
        [("panic", "told to panic"), ("loop", "ran for more than 100 ms"), ("recurse", "stack"), ("allocate", "memory")]
    {
        let fault = host.check(deed).unwrap_err().to_string();
        assert!(fault.contains(cause) && fault.contains("`review`"), "{deed}: {fault}");
        assert_eq!(host.check("true").unwrap().verdict.findings, [], "{deed}: the next one is judged");
    }
}

#[tokio::test]
async fn a_fault_names_the_functions_that_were_running() {
    let project = Project::new();
    let host = project.hostile();
    let reply = hostile(&host, json!({"do": "loop"})).await;
    assert!(reply.text.contains("hostile") && reply.text.contains("`call`"), "{}", reply.text);
    let reply = hostile(&host, json!({"do": "panic"})).await;
    assert!(reply.text.contains("src/lib.rs:") && reply.text.contains("shellward_hostile::"), "{}", reply.text);
    host.shutdown().await;
}

#[tokio::test]
async fn a_command_started_by_a_call_that_then_fails_is_ended() {
    let project = Project::new();
    let host = project.hostile();
    for deed in ["panic", "loop"] {
        let survivors = Survivors::new();
        let command = format!("sleep {}", survivors.mark());
        let reply = hostile(&host, json!({"do": "run", "command": command, "then": deed})).await;
        assert_eq!(reply.code.as_deref(), Some("policy_fault"));
        survivors.wait_for(0);
    }
    assert_eq!(host.running_jobs(), 0);
    lives(&host).await;
    host.shutdown().await;
}

#[tokio::test]
async fn a_job_whose_advance_fails_is_killed_and_failed() {
    let project = Project::new();
    let host = project.hostile();
    let mut events = host.events();
    for (deed, cause) in [
        ("panic", "told to panic"),
        ("loop", "ran for more than"),
        ("nonsense", "the memo is not JSON"),
        ("recurse", "stack"),
        ("allocate", "wanted more memory"),
        ("signals", "more than 256 signals"),
    ] {
        let survivors = Survivors::new();
        let command = format!("sleep {}", survivors.mark());
        let reply = hostile(&host, json!({"do": "run", "command": command, "when": "started", "advance": deed})).await;
        assert_eq!(reply.code.as_deref(), Some("policy_fault"), "{deed}");
        assert!(reply.text.contains(cause), "{deed}: {}", reply.text);
        survivors.wait_for(0);
        // Its policy can tell nobody that it has ended, so the host does, once.
        host.idle().await;
        let Some(Received::Notice(notice)) = events.try_next() else { panic!("{deed}: nobody was told") };
        assert_eq!((&*notice.event_type, &notice.data["ending"]), ("job_ended_by_host", &json!("failed")), "{deed}");
        assert!(notice.data["reason"].as_str().unwrap().contains(cause), "{deed}: {}", notice.data);
        assert_eq!(events.try_next(), None, "{deed}");
        lives(&host).await;
    }
    host.shutdown().await;
}

#[tokio::test]
async fn a_job_that_is_never_ended_by_its_policy_is_ended_by_the_host() {
    let project = Project::new();
    let host = project.hostile();
    let reply = hostile(&host, json!({"do": "run", "command": "exit 0", "advance": "never-end"})).await;
    assert_eq!(reply.code.as_deref(), Some("policy_fault"));
    assert!(reply.text.contains("has not ended"), "{}", reply.text);
    host.shutdown().await;
}

#[tokio::test]
async fn settle_that_fails_is_an_error_and_no_more() {
    let project = Project::new();
    let host = project.hostile();
    for (deed, cause) in
        [("panic", "told to panic"), ("loop", "ran for more than"), ("recurse", "stack"), ("allocate", "memory")]
    {
        let reply = hostile(&host, json!({"do": "run", "command": "exit 0", "settle": deed})).await;
        assert_eq!(reply.code.as_deref(), Some("policy_fault"), "{deed}");
        assert!(reply.text.contains("`settle`") && reply.text.contains(cause), "{deed}: {}", reply.text);
        lives(&host).await;
    }
    host.shutdown().await;
}

#[tokio::test]
async fn a_status_that_goes_backwards_and_a_wish_nobody_asked_for_run_nothing_again() {
    let project = Project::new();
    let host = project.hostile();
    for deed in ["backwards", "requeue"] {
        let file = project.root().join(deed);
        let command = format!("echo ran >> '{}'", file.display());
        for when in ["started", "exited"] {
            let arguments = json!({"do": "run", "command": command, "advance": deed, "when": when, "settle": "status"});
            let reply = hostile(&host, arguments).await;
            assert!(!reply.is_error, "{deed}: {}", reply.text);
            assert_eq!(reply.text, if deed == "backwards" { "new" } else { "exited" }, "a status is the policy's word");
        }
        assert_eq!(std::fs::read_to_string(file).unwrap(), "ran\nran\n", "{deed}: each ran once");
    }
    assert_eq!(host.running_jobs(), 0);
    host.shutdown().await;
}

#[tokio::test]
async fn a_flood_of_notices_is_bounded_and_told_as_such() {
    let project = Project::new();
    let host = project.hostile();
    let mut events = host.events();
    let reply = hostile(&host, json!({"do": "run", "command": "exit 0", "advance": "notices", "when": "exited"})).await;
    assert_eq!(reply.text, "settled");
    host.idle().await;
    // Who listens is told what was missed, and gets the latest.
    let (mut missed, mut heard) = (0, 0);
    while let Some(event) = events.try_next() {
        match event {
            Received::Notice(notice) => heard += u64::from(&*notice.event_type == "hostile"),
            Received::Missed(count) => missed += count,
        }
    }
    assert_eq!(missed + heard, 100_000);
    assert!(missed > heard, "{missed} missed, {heard} heard");
    lives(&host).await;
    host.shutdown().await;
}

#[tokio::test]
async fn jobs_of_others_and_processes_of_the_system_cannot_be_reached() {
    let project = Project::new();
    let host = project.hostile();
    let survivors = Survivors::new();
    let command = format!("exec sleep {}", survivors.mark());
    let job = host.call("two", "hostile", json!({"do": "background", "command": command})).await.text;
    survivors.wait_for(1);
    let own_pid = std::process::id().to_string();
    for id in [job.as_str(), "1", "0", "-1", "", &own_pid, "../1"] {
        let reply = hostile(&host, json!({"do": "reach", "job": id})).await;
        let tried: Value = serde_json::from_str(&reply.text).unwrap();
        assert_eq!((&tried["get"], &tried["list"]), (&json!("None"), &json!(0)), "{id}: {tried}");
        for (what, said) in tried.as_object().unwrap().iter().filter(|(what, _)| !["get", "list"].contains(&&***what)) {
            let said = said.as_str().unwrap();
            assert!(said.starts_with("Err(") && said.ends_with("::NotFound)"), "{id}: {what}: {said}");
        }
    }
    assert_eq!((survivors.alive().len(), host.running_jobs()), (1, 1), "it runs on");
    host.shutdown().await;
    survivors.wait_for(0);
}

#[tokio::test]
async fn while_one_session_misbehaves_another_is_served() {
    let project = Project::new();
    let host = project.hostile();
    let gate = project.root().join("gate");
    let caller = host.caller();
    let command = format!("until [ -e '{}' ]; do sleep 0.05; done", gate.display());
    let other = tokio::spawn(async move { caller.call("two", "hostile", json!({"command": command})).await });
    for deed in DEEDS {
        hostile(&host, json!({"do": deed, "command": "exit 0", "job": "none"})).await;
        let reply = host.call("two", "hostile", json!({"do": "version"})).await;
        assert!(!reply.is_error, "{deed}: {}", reply.text);
    }
    project.file("gate", "");
    assert_eq!(other.await.unwrap().text, "settled");
    // What a misbehaving call has started may still be on its way to its end.
    tokio::time::timeout(Duration::from_secs(60), host.idle()).await.expect("a job goes on");
    assert_eq!(host.running_jobs(), 0);
    host.shutdown().await;
}

/// What it can be told to do in a call.
const DEEDS: [&str; 12] =
    ["panic", "loop", "recurse", "allocate", "nonsense", "huge", "hugest", "log", "wrong-id", "twice", "same", "wait"];

#[test]
fn memory_is_back_where_it_was() {
    let project = Project::new();
    // A server of its own, whose memory nobody else changes.
    let mut server = Server::ready(&project, &["--policy", HOSTILE, "--log", "off"]);
    let mut round = || {
        for deed in ["panic", "recurse", "allocate", "nonsense", "huge", "log", "wrong-id", "twice"] {
            server.call("hostile", json!({"do": deed, "command": "exit 0"}));
        }
        for deed in ["panic", "allocate", "never-end"] {
            server.call("hostile", json!({"command": "exit 0", "when": "exited", "advance": deed}));
        }
        super::faults::memory(&server, "VmRSS:")
    };
    // The pool of memory that instances take turns in stays, and so do a job's remains for a while.
    let before = (0..2).map(|_| round()).max().unwrap();
    let after = (0..2).map(|_| round()).min().unwrap();
    assert!(after < before + (32 << 10), "{before} KiB before, {after} KiB after");
}

#[tokio::test]
async fn a_million_timers_and_endless_logs_are_bounded() {
    let project = Project::new();
    let host = project.hostile();
    let reply = hostile(&host, json!({"do": "run", "command": "exit 0", "when": "started", "advance": "timers"})).await;
    // Either the policy ran out of time over its million, or it was refused them one by one: both bound it.
    assert!(reply.text == "settled" || reply.text.contains("ran for more than"), "{}", reply.text);
    let arguments = json!({"command": "exit 0", "advance": "one-timer-too-many", "settle": "status"});
    // The host's own, of the timeout, is none of these: the launch has none.
    assert_eq!(hostile(&host, arguments).await.text, "32 and then TimerError::TooMany(32)");
    let reply = hostile(&host, json!({"do": "log"})).await;
    assert!(reply.text == "logged" || reply.text.contains("ran for more than"), "{}", reply.text);
    lives(&host).await;
    host.shutdown().await;
}

#[tokio::test]
async fn wrong_and_double_launches_are_refused() {
    let project = Project::new();
    let host = project.hostile();
    let reply = hostile(&host, json!({"do": "wrong-id", "command": "exit 0"})).await;
    assert!(reply.text.contains("Invalid") && reply.text.contains("followed by the call's id"), "{}", reply.text);
    for deed in ["twice", "same"] {
        let reply = hostile(&host, json!({"do": deed, "command": "exit 0"})).await;
        assert!(reply.text.contains("second: ") && reply.text.contains("started a job already"), "{}", reply.text);
    }
    host.shutdown().await;
}

#[tokio::test]
async fn a_question_without_anyone_to_ask_is_refused() {
    let project = Project::new();
    let host = project.hostile();
    let reply = hostile(&host, json!({"do": "ask"})).await;
    assert_eq!((reply.text.as_str(), reply.is_error), ("nobody said yes", true));
    host.shutdown().await;
}

#[tokio::test]
async fn a_question_that_is_answered_with_yes_goes_on() {
    struct Yes;
    impl shellward::Approver for Yes {
        fn ask<'a>(
            &'a self,
            _: &'a str,
            question: &'a shellward::contract::types::Question,
        ) -> std::pin::Pin<Box<dyn Future<Output = bool> + Send + 'a>> {
            Box::pin(async { question.text == "Sure?\n\n`hostile` is called with\n  do: ask" })
        }
    }
    let project = Project::new();
    let host = project.builder(shellward_tests::HOSTILE).approver(Yes).build().unwrap();
    let reply = hostile(&host, json!({"do": "ask"})).await;
    assert_eq!(reply.text, "somebody said yes");
    host.shutdown().await;
}

#[tokio::test]
async fn a_large_answer_is_an_answer() {
    let project = Project::new();
    // What is tried here is the length: a machine with other work would take it for a policy that takes too long.
    let patient = Limits { deadline: Duration::from_secs(20), ..Limits::default() };
    let host = project.builder(HOSTILE).policy_limits(patient).build().unwrap();
    assert_eq!(hostile(&host, json!({"do": "huge"})).await.text.len(), 8 << 20);
    // One that a policy's memory does not hold twice is still one.
    let reply = hostile(&host, json!({"do": "hugest"})).await;
    assert!(reply.text.len() == 40 << 20 || reply.text.contains("wanted more memory"), "{} bytes", reply.text.len());
    host.shutdown().await;
}
