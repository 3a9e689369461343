//! Hosts that go away, in whatever way: nothing of their durable runs lives on, and the next has them as they stood.

use nix::sys::signal::Signal;
use serde_json::{Value, json};
use shellward::contract::output::Content;
use shellward::contract::types::{Ending, Stdstream};
use shellward::{KillRequest, Phase, Run, Runs};
use shellward_tests::{Project, Survivors, until};

use super::cli::command;
use super::crash::Served;
use super::guards::{Person, guarded};
use super::spec_actions::{PATIENT, act, ended, events, follow, has, host, output, spawn};

fn runs(project: &Project) -> Runs {
    Runs::open(&project.root().join(".shellward")).unwrap().unwrap()
}

fn run(project: &Project, id: &str) -> Run {
    runs(project).find(id).unwrap().unwrap()
}

/// What a run has on record of its standard output.
fn printed(project: &Project, id: &str) -> String {
    let items = runs(project).items(id, 0, Some(Stdstream::Stdout)).unwrap();
    items
        .iter()
        .filter_map(|item| match &item.content {
            Content::Stdout(chunk) => Some(chunk.text.as_str()),
            Content::Stderr(_) | Content::Event(_) => None,
        })
        .collect()
}

/// A run stands on record as it stood, and no host has it.
fn assert_left(project: &Project, id: &str, phase: Phase, status: &str) {
    let Run { standing, .. } = run(project, id);
    assert_eq!((standing.phase, standing.status.as_str(), standing.ending), (phase, status, None), "{standing:?}");
    assert_eq!((standing.exit, standing.ended_at), (None, None));
    assert!(!runs(project).has_host(id).unwrap(), "the next host can have it at once");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dropped_host_leaves_its_runs_as_they_stood() {
    let project = Project::new();
    let survivors = Survivors::new();
    let mark = survivors.mark();
    let gate = project.root().join("gate");
    // Its last words, should only a part of it be ended.
    let script = format!(
        "echo life; test -e {} || {{ setsid sleep {mark} & sleep {mark}; echo survived; }}; echo over",
        gate.display()
    );
    let mut first = host(&project, json!({}));
    let running = spawn(&first, &script, json!({})).await;
    let queued = spawn(&first, "echo behind", json!({})).await;
    // Again and again, as what is to be excluded would be a matter of moments.
    for life in 1..=8 {
        follow(&first, &running, |items| output(items).matches("life\n").count() == life).await;
        survivors.wait_for(2);
        let (caller, last) = (first.caller(), run(&project, &running).last_seq);
        let arguments = json!({"action": "poll", "run_id": running, "since_seq": last, "wait_ms": PATIENT});
        let waiting = tokio::spawn(async move { caller.call("one", "shell", arguments).await });
        tokio::task::block_in_place(|| drop(first));
        assert_eq!(survivors.alive(), Vec::<i32>::new());
        assert_left(&project, &running, Phase::Running, "running");
        assert_left(&project, &queued, Phase::Queued, "queued");
        // Either the poll was there and saw it run, or it came too late.
        let reply = waiting.await.unwrap();
        let answer: Value = serde_json::from_str(reply.answer()).unwrap_or_default();
        assert!(reply.code.as_deref() == Some("shutting_down") || answer["status"] == "running", "{reply:?}");
        if life == 8 {
            std::fs::write(&gate, "").unwrap();
        }
        first = host(&project, json!({}));
    }
    let (answer, items) = ended(&first, &running).await;
    assert_eq!((&answer["status"], &answer["restarts"]), (&json!("completed"), &json!(8)), "{answer}");
    assert_eq!(output(&items), "life\n".repeat(9) + "over\n");
    assert_eq!(ended(&first, &queued).await.0["status"], "completed");
    first.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_dropped_host_leaves_is_lost_where_nothing_is_to_run_again() {
    let project = Project::new();
    let survivors = Survivors::new();
    for in_good_order in [true, false] {
        let settings = json!({"recovery": "lost"});
        let first = host(&project, settings.clone());
        let running = spawn(&first, &format!("echo life; sleep {}", survivors.mark()), json!({})).await;
        let queued = spawn(&first, "echo behind", json!({})).await;
        follow(&first, &running, has("life")).await;
        survivors.wait_for(1);
        match in_good_order {
            true => first.shutdown().await,
            false => tokio::task::block_in_place(|| drop(first)),
        }
        assert_eq!(survivors.alive(), Vec::<i32>::new());
        assert_left(&project, &running, Phase::Running, "running");
        let second = host(&project, settings);
        let (answer, items) = ended(&second, &running).await;
        assert_eq!((&answer["status"], output(&items).as_str()), (&json!("lost"), "life\n"), "{answer}");
        assert!(answer["error_message"].as_str().unwrap().contains("restarted"), "{answer}");
        let (answer, items) = ended(&second, &queued).await;
        assert_eq!((&answer["status"], output(&items).as_str()), (&json!("completed"), "behind\n"), "it had not begun");
        second.shutdown().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_signalled_leaves_its_runs_to_the_next() {
    for (signal, recovery) in [(Signal::SIGTERM, "requeue"), (Signal::SIGINT, "lost"), (Signal::SIGHUP, "requeue")] {
        let project = Project::new();
        let survivors = Survivors::new();
        let setting = format!("recovery={recovery}");
        let mut server = Served::with(&project, &["--policy", "actions", "--session", "one", "--set", &setting]);
        // It is asked to end before it is made to.
        let script = format!("trap 'echo tidied; exit 0' TERM; echo life; sleep {} & wait", survivors.mark());
        server.call(1, "shell", &json!({"action": "spawn", "command": script}));
        let newest = || Runs::open(&project.root().join(".shellward")).unwrap()?.list(1).unwrap().pop();
        until("it runs", || newest().is_some_and(|run| run.last_seq > 1));
        let id = newest().unwrap().id;
        survivors.wait_for(1);
        let status = server.end_by(signal);
        assert!(status.success(), "{signal}: {status}");
        assert_eq!(survivors.alive(), Vec::<i32>::new(), "{signal}");
        assert_left(&project, &id, Phase::Running, "running");
        assert_eq!(printed(&project, &id), "life\ntidied\n", "{signal}");
        let next = host(&project, json!({"recovery": recovery}));
        let ending = if recovery == "lost" {
            Ending::Lost
        } else {
            until("it runs again", || printed(&project, &id) == "life\ntidied\nlife\n");
            assert_eq!(runs(&project).kill(&id), Ok(KillRequest::Asked));
            Ending::Cancelled
        };
        until("it has ended", || run(&project, &id).standing.ending == Some(ending));
        next.shutdown().await;
        assert_eq!(survivors.alive(), Vec::<i32>::new(), "{signal}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn runs_of_a_session_whose_name_was_made_up_end_with_it() {
    // One that heeds SIGTERM, and one for which a server in haste has no time.
    for (trap, signal) in [("", None), ("", Some(Signal::SIGTERM)), ("trap '' TERM;", None)] {
        let project = Project::new();
        let survivors = Survivors::new();
        let mut server = Served::with(&project, &["--policy", "actions"]);
        let script = format!("{trap} echo life; while :; do sleep {}; done", survivors.mark());
        server.call(1, "shell", &json!({"action": "spawn", "command": script}));
        let all = || Runs::open(&project.root().join(".shellward")).unwrap().map(|runs| runs.list(9).unwrap());
        until("it runs", || all().is_some_and(|runs| runs.first().is_some_and(|run| run.last_seq > 1)));
        survivors.wait_for(1);
        server.call(2, "shell", &json!({"action": "spawn", "command": "echo behind"}));
        until("another waits", || all().is_some_and(|runs| runs.len() == 2));
        let status = match signal {
            Some(signal) => server.end_by(signal),
            None => server.close(),
        };
        assert!(status.success(), "{signal:?}: {status}");
        assert_eq!(survivors.alive(), Vec::<i32>::new());
        let next = host(&project, json!({}));
        if trap.is_empty() {
            assert!(all().unwrap().iter().all(|run| run.standing.phase == Phase::Ended), "{:?}", all());
        }
        until("both have ended", || all().unwrap().iter().all(|run| run.standing.ending == Some(Ending::Cancelled)));
        assert_eq!(printed(&project, &all().unwrap()[0].id), "life\n", "it did not run again");
        next.shutdown().await;
    }
}

#[test]
fn a_call_says_what_it_leaves_to_the_next_host() {
    let project = Project::new();
    let spawn = json!({"action": "spawn", "command": "sleep 1000"}).to_string();
    let called = command(&project, &["call", "--policy", "actions", "shell", &spawn]).output().unwrap();
    assert!(called.status.success(), "{called:?}");
    let left = runs(&project).list(1).unwrap().pop().unwrap();
    let said = String::from_utf8_lossy(&called.stderr);
    assert!(said.contains(&left.id) && said.contains("the next host"), "{said}");
    let called = command(&project, &["call", "--policy", "actions", "shell", r#"{"command": "true"}"#]).output();
    assert!(called.unwrap().stderr.is_empty(), "there is nothing to say of what has ended");
    assert_eq!(runs(&project).kill(&left.id), Ok(KillRequest::Orphan { killed: 0, left: Vec::new() }));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_new_guard_denies_does_not_run_again() {
    let project = Project::new();
    let survivors = Survivors::new();
    let first = host(&project, json!({}));
    let script = format!("echo life; touch made; exec sleep {}", survivors.mark());
    let running = spawn(&first, &script, json!({})).await;
    let queued = spawn(&first, "touch queued", json!({})).await;
    let allowed = spawn(&first, "echo allowed", json!({})).await;
    follow(&first, &running, has("life")).await;
    survivors.wait_for(1);
    tokio::task::block_in_place(|| drop(first));
    let second = guarded(&project, "actions", &[json!({"name": "no-touch", "deny": ["touch"]})]).build().unwrap();
    for (id, lives) in [(&running, "life\n"), (&queued, "")] {
        let (answer, items) = ended(&second, id).await;
        assert_eq!((&answer["status"], output(&items).as_str()), (&json!("failed"), lives), "{answer}");
        let why = answer["error_message"].as_str().unwrap();
        assert!(why.contains("no-touch") && why.contains("touch is on the list"), "{why}");
        assert!(events(&items).contains(&"refused"), "{items:?}");
        assert_eq!(run(&project, id).standing.ending, Some(Ending::Failed));
    }
    assert_eq!(ended(&second, &allowed).await.0["status"], "completed", "its lane goes on");
    assert!(survivors.alive().is_empty() && !project.root().join("queued").exists());
    second.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_human_has_allowed_runs_again_unless_another_guard_asks() {
    let project = Project::new();
    let survivors = Survivors::new();
    let asker = |name: &str| [json!({"name": name, "ask": ["sleep"]})];
    let person = Person::who_says(true);
    let first = guarded(&project, "actions", &asker("asker")).approver(person.clone()).build().unwrap();
    let id = spawn(&first, &format!("echo life; exec sleep {}", survivors.mark()), json!({})).await;
    follow(&first, &id, has("life")).await;
    tokio::task::block_in_place(|| drop(first));
    let second = guarded(&project, "actions", &asker("asker")).build().unwrap();
    follow(&second, &id, has("life\nlife\n")).await;
    tokio::task::block_in_place(|| drop(second));
    let third = guarded(&project, "actions", &asker("another")).approver(person.clone()).build().unwrap();
    let (answer, items) = ended(&third, &id).await;
    assert_eq!((&answer["status"], output(&items).as_str()), (&json!("failed"), "life\nlife\n"), "{answer}");
    assert!(answer["error_message"].as_str().unwrap().contains("another"), "{answer}");
    assert_eq!((person.asked().len(), survivors.alive()), (1, Vec::new()), "nobody is asked once it was accepted");
    third.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_is_typed_into_and_ended_from_another_host() {
    let project = Project::new();
    let (owner, other) = (host(&project, json!({})), host(&project, json!({})));
    let id = spawn(&owner, "cat; echo over; sleep 1000", json!({"stdin": true})).await;
    follow(&other, &id, |items| events(items).contains(&"status")).await;
    let sent = act(&other, "send_keys", &id, json!({"text": "hello\n"})).await;
    assert_eq!(sent["sent_bytes"], 6, "{sent}");
    follow(&other, &id, has("hello\n")).await;
    let blocked = act(&other, "send_keys", &id, json!({"text": "x", "pty": true})).await;
    assert_eq!(blocked["error"], "input_unavailable", "{blocked}");
    let sent = act(&other, "send_keys", &id, json!({"eof": true})).await;
    assert_eq!(sent["status"], "running", "{sent}");
    follow(&other, &id, has("over\n")).await;
    let killed = act(&other, "kill", &id, json!({"wait_ms": PATIENT})).await;
    assert_eq!(killed["status"], "killed", "{killed}");
    assert_eq!(act(&owner, "poll", &id, json!({})).await["status"], "killed");
    assert_eq!(act(&other, "kill", &id, json!({})).await["message"], "The run had ended before.");
    // With its owner gone and nobody in its place, nothing is pretended.
    let orphan = spawn(&owner, "sleep 1000", json!({})).await;
    follow(&other, &orphan, |items| events(items).contains(&"status")).await;
    tokio::task::block_in_place(|| drop(owner));
    for action in [json!({"action": "kill"}), json!({"action": "send_keys", "text": "x"})] {
        let mut arguments = action.clone();
        arguments["run_id"] = orphan.as_str().into();
        let reply = other.call("one", "shell", arguments).await;
        let expected = if action["action"] == "kill" { "run_unattended" } else { "input_unavailable" };
        assert_eq!(reply.code.as_deref(), Some(expected), "{reply:?}");
    }
    other.shutdown().await;
    let last = host(&project, json!({}));
    assert_eq!(act(&last, "kill", &orphan, json!({"wait_ms": PATIENT})).await["status"], "killed");
    last.shutdown().await;
}
