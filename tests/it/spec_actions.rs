//! specs/actions.md, with real commands: runs, cursors, watches, lanes, input, and hosts that come and go.

use std::collections::BTreeSet;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use shellward::{Host, Keep, Received, Runs, Subscription};
use shellward_tests::{Project, Survivors, until, wait_for};

use super::cli::command;

pub(super) const PATIENT: u64 = 30_000;

pub(super) fn host(project: &Project, settings: Value) -> Host {
    project.host("actions", "tools.actions", &settings)
}

pub(super) async fn call(host: &Host, arguments: Value) -> Value {
    let reply = host.call("one", "shell", arguments).await;
    serde_json::from_str(reply.answer()).unwrap()
}

pub(super) async fn act(host: &Host, action: &str, id: &str, more: Value) -> Value {
    let mut arguments = json!({"action": action, "run_id": id});
    arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    call(host, arguments).await
}

pub(super) async fn spawn(host: &Host, command: &str, more: Value) -> String {
    let mut arguments = json!({"action": "spawn", "command": command});
    arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let answer = call(host, arguments).await;
    assert_eq!(answer["status"], "queued", "{answer}");
    answer["run_id"].as_str().unwrap().to_owned()
}

/// Polls by cursor until a condition holds or the run has ended, and gives the last answer with every item.
pub(super) async fn follow(host: &Host, id: &str, done: impl Fn(&[Value]) -> bool) -> (Value, Vec<Value>) {
    let (mut items, mut since) = (Vec::new(), json!(0));
    let begun = Instant::now();
    loop {
        let answer = act(host, "poll", id, json!({"since_seq": since, "wait_ms": PATIENT})).await;
        items.extend(answer["items"].as_array().unwrap_or_else(|| panic!("{answer}")).iter().cloned());
        since = answer["next_seq"].clone();
        let over = !matches!(answer["status"].as_str(), Some("queued" | "running"));
        if done(&items) || (over && answer["more"] == false) {
            return (answer, items);
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "{answer} {items:?}");
    }
}

pub(super) async fn ended(host: &Host, id: &str) -> (Value, Vec<Value>) {
    follow(host, id, |_| false).await
}

pub(super) fn text(items: &[Value], stream: &str) -> String {
    items.iter().filter(|item| item["type"] == stream).map(|item| item["text"].as_str().unwrap()).collect()
}

pub(super) fn output(items: &[Value]) -> String {
    text(items, "stdout")
}

pub(super) fn has(part: &str) -> impl Fn(&[Value]) -> bool {
    move |items| output(items).contains(part)
}

/// Polls until a terminal shows something behind something else.
async fn shows(host: &Host, id: &str, after: &str, part: &str) {
    let begun = Instant::now();
    loop {
        let answer = act(host, "poll", id, json!({"wait_ms": 0})).await;
        let snippet = answer["snippet"].as_str().unwrap_or_else(|| panic!("{answer}"));
        if snippet.rsplit_once(after).is_some_and(|(_, behind)| behind.contains(part)) {
            return;
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "{part:?} is not behind {after:?} in {answer}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

pub(super) fn events(items: &[Value]) -> Vec<&str> {
    items.iter().filter_map(|item| item["event"].as_str()).collect()
}

/// The next notice of a kind, which must come.
async fn notice(events: &mut Subscription, kind: &str) -> Value {
    loop {
        let next = tokio::time::timeout(Duration::from_secs(30), events.next()).await.unwrap().unwrap();
        let Received::Notice(notice) = next else { panic!("events were missed") };
        if &*notice.event_type == kind {
            return notice.data;
        }
    }
}

#[tokio::test]
async fn without_an_action_a_command_is_run_to_its_end() {
    let project = Project::new();
    let host = host(&project, json!({}));
    let answer = call(&host, json!({"command": "echo out; echo err >&2; exit 3"})).await;
    assert_eq!((&answer["status"], &answer["exit_code"]), (&json!("completed"), &json!(3)));
    assert_eq!((&answer["stdout"], &answer["stderr"]), (&json!("out\n"), &json!("err\n")));
    let answer = call(&host, json!({"command": "echo some; sleep 60", "timeout_secs": 1})).await;
    assert_eq!((&answer["status"], &answer["stdout"]), (&json!("timed_out"), &json!("some\n")));
    assert!(!project.root().join(".shellward").exists(), "nothing is kept of it");
    host.shutdown().await;
}

#[tokio::test]
async fn a_run_is_polled_by_cursor_to_its_end() {
    let project = Project::new();
    let host = host(&project, json!({"answer_bytes": 4096}));
    let id = spawn(&host, "for i in $(seq 2000); do echo line $i; done; echo problem >&2; exit 7", json!({})).await;
    let (answer, items) = ended(&host, &id).await;
    assert_eq!((&answer["status"], &answer["exit_code"]), (&json!("completed"), &json!(7)), "{answer}");
    let expected: String = (1..=2000).map(|number| format!("line {number}\n")).collect();
    assert_eq!((output(&items), text(&items, "stderr").as_str()), (expected, "problem\n"));
    let seqs: Vec<u64> = items.iter().map(|item| item["seq"].as_u64().unwrap()).collect();
    assert_eq!(seqs, (1..=seqs.len() as u64).collect::<Vec<_>>(), "each item once, in order");
    assert!(answer["snippet"].as_str().unwrap().contains("line 2000\n") && answer["truncated"] == false, "{answer}");
    let log = act(&host, "log", &id, json!({"stream": "stderr"})).await;
    assert_eq!(text(log["items"].as_array().unwrap(), "stderr"), "problem\n");
    let beyond = act(&host, "log", &id, json!({"since_seq": 1_000_000})).await;
    assert_eq!((&beyond["items"], &beyond["last_seq"]), (&json!([]), &json!(seqs.len())), "{beyond}");
    let other = host.call("two", "shell", json!({"action": "poll", "run_id": id})).await;
    assert_eq!(other.code.as_deref(), Some("run_not_found"), "{other:?}");
    host.shutdown().await;
}

#[tokio::test]
async fn what_is_stored_has_an_end_and_the_run_goes_on() {
    let project = Project::new();
    let host = host(&project, json!({}));
    let id = spawn(&host, "yes 1234567 | head -n 10000; exit 5", json!({"max_output_bytes": 1000})).await;
    let (answer, items) = ended(&host, &id).await;
    assert_eq!((&answer["exit_code"], &answer["output_bytes"]), (&json!(5), &json!(80_000)), "{answer}");
    assert_eq!((&answer["truncated"], &answer["truncated_bytes"]), (&json!(true), &json!(79_000)), "{answer}");
    assert_eq!(output(&items).len(), 1000);
    host.shutdown().await;
    // A later host still has the end of it, and says of both what is missing.
    let later = self::host(&project, json!({}));
    let past = act(&later, "poll", &id, json!({"since_seq": answer["next_seq"]})).await;
    assert_eq!((&past["snippet"], &past["truncated_bytes"]), (&answer["snippet"], &json!(79_000)), "{past}");
    let log = act(&later, "log", &id, json!({})).await;
    assert_eq!((&log["truncated"], &log["truncated_bytes"]), (&json!(true), &json!(79_000)), "{log}");
    later.shutdown().await;
    let logs = command(&project, &["logs", &id]).output().unwrap();
    let said = String::from_utf8_lossy(&logs.stderr);
    assert!(said.contains("79000 bytes more were printed") && logs.stdout.len() == 1000, "{said}");
}

#[tokio::test]
async fn a_poll_that_waits_brings_something_new_and_says_one_thing() {
    let project = Project::new();
    let host = host(&project, json!({"runs_per_session": 10}));
    for round in 0..10 {
        let watch = json!([{"regex": "x", "event": "seen"}]);
        let id = spawn(&host, "sleep .02; echo x1; sleep .02", json!({"watch": watch})).await;
        let (mut since, mut status) = (json!(0), json!("queued"));
        while status != "completed" {
            let begun = Instant::now();
            let answer = act(&host, "poll", &id, json!({"since_seq": since, "wait_ms": PATIENT})).await;
            let items = answer["items"].as_array().unwrap();
            assert!(!items.is_empty(), "round {round}, after {:?}: {answer}", begun.elapsed());
            (since, status) = (answer["next_seq"].clone(), answer["status"].clone());
            let ended = items.iter().any(|item| item["data"] == "completed");
            assert_eq!(ended, status == "completed", "round {round}: {answer}");
        }
    }
    host.shutdown().await;
}

#[tokio::test]
async fn a_run_that_the_store_has_let_go_of_is_not_found() {
    let project = Project::new();
    let host = host(&project, json!({}));
    let id = spawn(&host, "echo hello", json!({})).await;
    ended(&host, &id).await;
    let runs = Runs::open(&project.root().join(".shellward")).unwrap().unwrap();
    assert_eq!(runs.prune(Keep { runs: 0, ..Keep::default() }).unwrap(), 1);
    for action in ["log", "poll"] {
        let answer = act(&host, action, &id, json!({})).await;
        assert_eq!(answer["error"], "run_not_found", "{answer}");
    }
    host.shutdown().await;
}

#[tokio::test]
async fn another_host_sees_how_far_a_run_has_come() {
    let project = Project::new();
    let (host, other) = (host(&project, json!({})), host(&project, json!({})));
    let id = spawn(&host, "echo 1234567; sleep 1000", json!({})).await;
    follow(&other, &id, has("1234567")).await;
    let answer = act(&other, "poll", &id, json!({})).await;
    assert_eq!((&answer["status"], &answer["output_bytes"]), (&json!("running"), &json!(8)), "{answer}");
    let long = json!({"since_seq": answer["next_seq"], "wait_ms": 300});
    let later = act(&other, "poll", &id, long).await;
    assert!(later["duration_ms"].as_u64().unwrap() >= 300, "{later}");
    act(&host, "kill", &id, json!({"wait_ms": PATIENT})).await;
    host.shutdown().await;
    other.shutdown().await;
}

#[tokio::test]
async fn a_watch_wakes_the_poll_and_reaches_the_session() {
    let project = Project::new();
    let host = host(&project, json!({}));
    let mut bus = host.events();
    let watch = json!([{"regex": "ready on ([0-9]+)", "event": "up", "once": true}]);
    let script = "printf 'server rea'; sleep 0.2; echo 'dy on 8080'; echo ready on 1; sleep 1000";
    let id = spawn(&host, script, json!({"watch": watch, "session_id": "mine"})).await;
    let (answer, items) = follow(&host, &id, |items| events(items).contains(&"up")).await;
    assert_eq!(answer["status"], "running", "{answer}");
    assert_eq!(events(&items), ["status", "up"]);
    let told = notice(&mut bus, "shell_run_watch").await;
    assert_eq!((&told["run_id"], &told["session_id"]), (&json!(id), &json!("mine")));
    assert_eq!((&told["event"], &told["line"]), (&json!("up"), &json!("server ready on 8080")));
    assert!(told["snippet"].as_str().unwrap().contains("server ready"), "{told}");
    assert_eq!(act(&host, "kill", &id, json!({"wait_ms": PATIENT})).await["status"], "killed");
    let wrong = json!({"action": "spawn", "command": "true", "watch": [{"regex": "a(b", "event": "e"}]});
    let wrong = call(&host, wrong).await;
    assert_eq!(wrong["error"], "invalid_watch");
    assert!(wrong["message"].as_str().unwrap().contains("watch[0].regex"), "{wrong}");
    host.shutdown().await;
}

#[tokio::test]
async fn a_poll_waits_no_longer_than_it_was_asked_to() {
    let project = Project::new();
    let host = host(&project, json!({}));
    let id = spawn(&host, "echo first; sleep 1000", json!({})).await;
    let (answer, _) = follow(&host, &id, has("first")).await;
    let begun = Instant::now();
    let nothing = act(&host, "poll", &id, json!({"since_seq": answer["next_seq"], "wait_ms": 200})).await;
    assert!(begun.elapsed() >= Duration::from_millis(200) && nothing["items"] == json!([]), "{nothing}");
    // A poll that waits is answered when the run is killed meanwhile.
    let (caller, arguments) =
        (host.caller(), json!({"action": "poll", "run_id": id, "since_seq": answer["next_seq"], "wait_ms": PATIENT}));
    let waiting = tokio::spawn(async move { caller.call("one", "shell", arguments).await });
    act(&host, "kill", &id, json!({})).await;
    assert!(!waiting.await.unwrap().is_error);
    host.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn runs_of_a_session_run_one_after_the_other() {
    let project = Project::new();
    let host = host(&project, json!({}));
    let survivors = Survivors::new();
    let first = spawn(&host, &format!("exec sleep {}", survivors.mark()), json!({})).await;
    let killed = spawn(&host, "echo killed >> log", json!({})).await;
    let mut ids = Vec::new();
    for number in 0..4 {
        ids.push(spawn(&host, &format!("echo {number} >> log"), json!({})).await);
    }
    let beside = spawn(&host, "echo beside", json!({"session_id": "other"})).await;
    assert_eq!(ended(&host, &beside).await.0["status"], "completed", "another session is not held up");
    let answer = act(&host, "kill", &killed, json!({"wait_ms": PATIENT})).await;
    assert_eq!((&answer["status"], &answer["started_at"]), (&json!("killed"), &json!(null)), "{answer}");
    survivors.wait_for(1);
    assert_eq!(act(&host, "kill", &first, json!({"wait_ms": PATIENT})).await["status"], "killed");
    for id in &ids {
        assert_eq!(ended(&host, id).await.0["status"], "completed");
    }
    assert_eq!(std::fs::read_to_string(project.root().join("log")).unwrap(), "0\n1\n2\n3\n");
    assert_eq!(survivors.alive(), Vec::<i32>::new());
    host.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stubborn_tree_is_killed_after_its_grace() {
    let project = Project::new();
    let host = host(&project, json!({"kill_grace_ms": 300}));
    let survivors = Survivors::new();
    let mark = survivors.mark();
    let id = spawn(&host, &format!("trap '' TERM; setsid sleep {mark} & sleep {mark}; sleep {mark}"), json!({})).await;
    survivors.wait_for(2);
    let answer = act(&host, "kill", &id, json!({"wait_ms": PATIENT})).await;
    assert_eq!(answer["status"], "killed", "{answer}");
    until("the tree is gone", || survivors.alive().is_empty());
    host.shutdown().await;
}

#[tokio::test]
async fn a_pipe_is_typed_into_and_closed() {
    let project = Project::new();
    let host = host(&project, json!({}));
    let id = spawn(&host, "cat; echo over", json!({"stdin": true})).await;
    follow(&host, &id, |items| events(items).contains(&"status")).await;
    let sent = act(&host, "send_keys", &id, json!({"text": "hello\n"})).await;
    assert_eq!(sent["sent_bytes"], 6, "{sent}");
    let answer = act(&host, "poll", &id, json!({"since_seq": sent["next_seq"], "wait_ms": PATIENT})).await;
    assert_eq!(output(answer["items"].as_array().unwrap()), "hello\n", "{answer}");
    act(&host, "send_keys", &id, json!({"text": "bye", "eof": true})).await;
    let (answer, items) = ended(&host, &id).await;
    assert_eq!((output(&items).as_str(), &answer["exit_code"]), ("hello\nbyeover\n", &json!(0)));
    host.shutdown().await;
}

#[tokio::test]
async fn a_terminal_is_typed_into_and_its_shell_is_guarded() {
    let project = Project::new();
    project.file("precious/file", "");
    let host = host(&project, json!({}));
    let size = json!({"pty": {"rows": 30, "columns": 100}});
    let id = spawn(&host, "PS1='ready> ' exec bash --norc --noprofile -i", size).await;
    shows(&host, &id, "ready", ">").await;
    act(&host, "send_keys", &id, json!({"text": "test -t 0 && stty size && echo is a 'ter'minal\n"})).await;
    shows(&host, &id, "30 100\n", "is a terminal").await;
    let survivors = Survivors::new();
    act(&host, "send_keys", &id, json!({"text": format!("sleep {}\n", survivors.mark())})).await;
    survivors.wait_for(1);
    act(&host, "send_keys", &id, json!({"keys": ["Ctrl-C"]})).await;
    // What is typed before the shell is back may be lost with what the interrupt drops.
    shows(&host, &id, "^C", "ready>").await;
    act(&host, "send_keys", &id, json!({"text": "echo still h''ere\n", "pty": {"rows": 40, "columns": 100}})).await;
    shows(&host, &id, "echo still", "still here").await;
    // In two pieces, neither of which is anything by itself.
    let half = act(&host, "send_keys", &id, json!({"text": "rm -rf "})).await;
    assert!(half.get("error").is_none(), "{half}");
    shows(&host, &id, "still here", "rm -rf").await;
    let rest = act(&host, "send_keys", &id, json!({"text": "/\n"})).await;
    assert_eq!(rest["error"], "blocked", "{rest}");
    let up = act(&host, "send_keys", &id, json!({"keys": ["Ctrl-C", "Up", "Enter"]})).await;
    assert_eq!(up["error"], "blocked", "{up}");
    act(&host, "send_keys", &id, json!({"keys": ["Ctrl-C"]})).await;
    shows(&host, &id, "rm -rf ^C", "ready>").await;
    act(&host, "send_keys", &id, json!({"keys": ["Ctrl-D"]})).await;
    let (answer, items) = ended(&host, &id).await;
    assert_eq!(answer["status"], "completed", "{answer}");
    assert!(output(&items).contains("\nis a terminal\n"), "what was shown is kept: {items:?}");
    assert!(project.root().join("precious/file").exists());
    host.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_later_host_runs_again_what_ran_and_forgets_nothing() {
    let project = Project::new();
    let first = host(&project, json!({}));
    let survivors = Survivors::new();
    let done = spawn(&first, "echo done", json!({"session_id": "other"})).await;
    let before = ended(&first, &done).await;
    let gate = project.root().join("gate");
    let script = format!("echo life; test -e {} || exec sleep {}; echo second", gate.display(), survivors.mark());
    let running = spawn(&first, &script, json!({})).await;
    let queued = spawn(&first, "echo behind", json!({})).await;
    follow(&first, &running, has("life")).await;
    survivors.wait_for(1);
    first.shutdown().await;
    until("nothing is left of it", || survivors.alive().is_empty());
    std::fs::write(&gate, "").unwrap();
    let second = host(&project, json!({}));
    assert_eq!(ended(&second, &done).await.1, before.1, "the same items");
    let (answer, items) = ended(&second, &running).await;
    assert_eq!((&answer["status"], &answer["restarts"]), (&json!("completed"), &json!(1)), "{answer}");
    assert_eq!(output(&items), "life\nlife\nsecond\n");
    assert!(events(&items).contains(&"recovered"), "{items:?}");
    let seqs: BTreeSet<u64> = items.iter().map(|item| item["seq"].as_u64().unwrap()).collect();
    assert_eq!(
        (seqs.len(), seqs.last().copied()),
        (items.len(), Some(items.len() as u64)),
        "one sequence over both lives"
    );
    assert_eq!(output(&ended(&second, &queued).await.1), "behind\n");
    second.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn with_recovery_lost_nothing_runs_again() {
    let project = Project::new();
    let survivors = Survivors::new();
    // Compiled now, so that the host below is there at once.
    let ready =
        command(&project, &["call", "--policy", "actions", "shell", r#"{"command": "true"}"#]).output().unwrap();
    assert!(ready.status.success(), "{ready:?}");
    let arguments = json!({
        "action": "spawn", "background": false, "command": format!("echo life; exec sleep {}", survivors.mark())
    });
    let arguments = ["call", "--policy", "actions", "--session", "one", "shell", &arguments.to_string()];
    let mut first = command(&project, &arguments).stdout(Stdio::null()).spawn().unwrap();
    let runs = || Runs::open(&project.root().join(".shellward")).unwrap();
    let id = wait_for("the run", || Some(runs()?.list(1).ok()?.pop()?.id));
    // What it has printed is kept, and that it runs.
    until("its output is kept", || runs().is_some_and(|runs| runs.items(&id, 0, None).unwrap().len() > 1));
    survivors.wait_for(1);
    first.kill().unwrap();
    first.wait().unwrap();
    assert_eq!(survivors.alive().len(), 1, "it has survived its host");
    let second = host(&project, json!({"recovery": "lost"}));
    let (answer, items) = ended(&second, &id).await;
    assert_eq!((&answer["status"], output(&items).as_str()), (&json!("lost"), "life\n"), "{answer}");
    second.shutdown().await;
    assert_eq!(survivors.alive(), Vec::<i32>::new());
}
