//! Rule 1, fail closed: a policy that fails runs nothing, leaves nothing running, and the host lives on.

use serde_json::{Value, json};
use shellward::{Host, Received, Reply};
use shellward_tests::{Project, Survivors};

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
        ("signals", "more than 256 signals"),
    ] {
        let survivors = Survivors::new();
        let command = format!("sleep {}", survivors.mark());
        let reply = hostile(&host, json!({"do": "run", "command": command, "when": "started", "advance": deed})).await;
        assert_eq!(reply.code.as_deref(), Some("policy_fault"), "{deed}");
        assert!(reply.text.contains(cause), "{deed}: {}", reply.text);
        survivors.wait_for(0);
        // Its policy can tell nobody that it has ended, so the host does, once.
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
    let reply = hostile(&host, json!({"do": "run", "command": "exit 0", "settle": "panic"})).await;
    assert_eq!(reply.code.as_deref(), Some("policy_fault"));
    assert!(reply.text.contains("`settle`"), "{}", reply.text);
    lives(&host).await;
    host.shutdown().await;
}

#[tokio::test]
async fn a_million_timers_and_endless_logs_are_bounded() {
    let project = Project::new();
    let host = project.hostile();
    let reply = hostile(&host, json!({"do": "run", "command": "exit 0", "when": "started", "advance": "timers"})).await;
    // Either the policy ran out of time over its million, or it was refused them one by one: both bound it.
    assert!(reply.text == "settled" || reply.text.contains("ran for more than"), "{}", reply.text);
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
    let reply = hostile(&host, json!({"do": "twice", "command": "exit 0"})).await;
    assert!(reply.text.contains("second: ") && reply.text.contains("started a job already"), "{}", reply.text);
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
            Box::pin(async { question.text == "Sure?" })
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
    let host = project.hostile();
    assert_eq!(hostile(&host, json!({"do": "huge"})).await.text.len(), 8 << 20);
    host.shutdown().await;
}
