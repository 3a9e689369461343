//! Durable runs: lanes, items, watches, waiting, and what a later host finds of them.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use shellward::{Host, HostBuilder, HostLimits, Keep, Limits, Reply, Runs, Storage};
use shellward_tests::{Project, RUNNER, Survivors, until};

fn host(project: &Project) -> Host {
    builder(project).build().unwrap()
}

/// A machine that has other work too must not be taken for a policy that takes too long.
fn builder(project: &Project) -> HostBuilder {
    project.builder(RUNNER).policy_limits(Limits { deadline: Duration::from_secs(20), ..Limits::default() })
}

async fn ask(host: &Host, arguments: Value) -> Reply {
    host.call("one", "run", arguments).await
}

async fn get(host: &Host, arguments: Value) -> Value {
    let reply = ask(host, arguments).await;
    assert!(!reply.is_error, "{}", reply.text);
    serde_json::from_str(reply.answer()).unwrap()
}

async fn enqueue(host: &Host, mut arguments: Value) -> String {
    arguments["do"] = "enqueue".into();
    get(host, arguments).await.as_str().unwrap().to_owned()
}

async fn job(host: &Host, id: &str) -> Value {
    get(host, json!({"do": "job", "job": id})).await
}

async fn ended(host: &Host, id: &str) -> Value {
    let job = get(host, json!({"do": "wait", "job": id, "at_most_ms": 30_000})).await;
    assert!(!job["ending"].is_null(), "{job}");
    job
}

/// Waits until a job has a status.
async fn reaches(host: &Host, id: &str, status: &str) -> Value {
    let begun = Instant::now();
    loop {
        let job = job(host, id).await;
        if job["status"] == status {
            return job;
        }
        assert!(begun.elapsed() < Duration::from_secs(30), "{job}");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

/// Waits until a job was recovered, and gives how.
async fn recovered(host: &Host, id: &str) -> Value {
    let begun = Instant::now();
    loop {
        let job = job(host, id).await;
        if let Some(how) = happened(&job, "Recovered").pop() {
            return how;
        }
        assert!(begun.elapsed() < Duration::from_secs(30), "{job}");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

/// All items, a page at a time.
async fn items(host: &Host, id: &str, limit: u32) -> Vec<Value> {
    let (mut items, mut since) = (Vec::new(), json!(0));
    loop {
        let page = get(host, json!({"do": "items", "job": id, "since": since, "limit": limit})).await;
        let found = page["items"].as_array().unwrap().clone();
        if found.is_empty() {
            return items;
        }
        items.extend(found);
        since = page["next"].clone();
    }
}

/// The text of one stream, from the items.
fn text(items: &[Value], stream: &str) -> String {
    items.iter().filter_map(|item| item["content"][stream]["text"].as_str()).collect()
}

fn events(items: &[Value]) -> Vec<(String, Value)> {
    let events = items.iter().filter_map(|item| item["content"].get("Event"));
    events
        .map(|event| {
            (event["name"].as_str().unwrap().to_owned(), serde_json::from_str(event["data"].as_str().unwrap()).unwrap())
        })
        .collect()
}

fn assert_numbered(items: &[Value]) {
    let seqs: Vec<_> = items.iter().map(|item| item["seq"].as_u64().unwrap()).collect();
    assert_eq!(seqs, (1..=seqs.len() as u64).collect::<Vec<_>>());
}

/// What the memo remembers of a kind of event.
fn happened(job: &Value, kind: &str) -> Vec<Value> {
    job["memo"]["events"].as_array().unwrap().iter().filter_map(|event| event.get(kind)).cloned().collect()
}

fn runs(root: &Path) -> Runs {
    Runs::open(&root.join(".shellward")).unwrap().unwrap()
}

#[tokio::test]
async fn nothing_is_made_before_a_run_is_durable() {
    let project = Project::new();
    let host = host(&project);
    let id = enqueue(&host, json!({"command": "echo hello", "lane": "a"})).await;
    assert_eq!(ended(&host, &id).await["status"], "exited");
    assert!(!project.root().join(".shellward").exists());
    let reply = ask(&host, json!({"do": "items", "job": id})).await;
    assert!(reply.is_error && reply.text.contains("not durable"), "{}", reply.text);
    let id = enqueue(&host, json!({"command": "echo hello", "durable": true})).await;
    assert!(project.root().join(".shellward/memory/sessions.db").exists());
    ended(&host, &id).await;
    host.shutdown().await;
}

#[tokio::test]
async fn items_are_what_was_printed_and_reading_again_gives_the_same() {
    let project = Project::new();
    let host = host(&project);
    let script = "for i in $(seq 3000); do echo line $i; done; echo problem >&2; printf 'no end \\377'";
    let id = enqueue(&host, json!({"command": script, "durable": true})).await;
    let job = ended(&host, &id).await;
    let all = items(&host, &id, 1000).await;
    assert_numbered(&all);
    assert_eq!(job["last_seq"], all.len());
    let expected: String = (1..=3000).map(|number| format!("line {number}\n")).collect();
    assert_eq!(text(&all, "Stdout"), expected + "no end \u{fffd}");
    assert_eq!(text(&all, "Stderr"), "problem\n");
    assert!(all.iter().any(|item| item["content"]["Stdout"]["invalid"] == true));
    assert_eq!(events(&all), [("status".into(), "running".into()), ("status".into(), "exited".into())]);
    assert_eq!(items(&host, &id, 1).await, all, "any page size gives the same");
    let page = get(&host, json!({"do": "items", "job": id, "since": 0, "stream": "stderr"})).await;
    assert_eq!(text(page["items"].as_array().unwrap(), "Stderr"), "problem\n");
    assert_eq!(page["items"].as_array().unwrap().len(), 1);
    host.shutdown().await;
}

#[tokio::test]
async fn what_is_stored_has_an_end_and_the_run_goes_on() {
    let project = Project::new();
    let host = host(&project);
    let id = enqueue(&host, json!({"command": "yes ääää | head -n 100000", "durable": true, "stored": 10_000})).await;
    let job = ended(&host, &id).await;
    let stored = text(&items(&host, &id, 1000).await, "Stdout");
    assert_eq!(job["stdout"]["total"], 900_000);
    assert_eq!(stored.len(), 9_999, "a character is not cut");
    assert!("ääää\n".repeat(2000).starts_with(&stored));
    host.shutdown().await;
}

#[tokio::test]
async fn a_lane_is_served_in_order_and_a_killed_job_never_starts() {
    let project = Project::new();
    let host = host(&project);
    let file = project.root().join("log");
    let command =
        |name: &str| json!({"command": format!("echo {name} >> {}", file.display()), "durable": true, "lane": "a"});
    let gate = project.root().join("gate");
    let first = json!({
        "command": format!("until test -e {}; do sleep 0.01; done", gate.display()), "durable": true, "lane": "a"
    });
    let first = enqueue(&host, first).await;
    let mut ids = Vec::new();
    for number in 0..8 {
        ids.push(enqueue(&host, command(&number.to_string())).await);
    }
    let beside = enqueue(&host, json!({"command": "echo beside", "durable": true, "lane": "b"})).await;
    assert_eq!(ended(&host, &beside).await["status"], "exited", "another lane is not held up");
    let waiting = job(&host, &ids[3]).await;
    assert_eq!((waiting["status"].as_str(), waiting["started_at"].is_null()), (Some("queued"), true));
    get(&host, json!({"do": "post", "job": ids[3], "name": "kill"})).await;
    let killed = ended(&host, &ids[3]).await;
    assert_eq!((killed["status"].as_str(), killed["pid"].is_null()), (Some("cancelled"), true));
    std::fs::write(&gate, "").unwrap();
    ended(&host, &first).await;
    for id in &ids {
        ended(&host, id).await;
    }
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "0\n1\n2\n4\n5\n6\n7\n");
    host.shutdown().await;
}

#[tokio::test]
async fn a_wide_lane_under_the_ceiling() {
    let project = Project::new();
    let host = host(&project);
    let survivors = Survivors::new();
    for _ in 0..6 {
        let command = format!("exec sleep {}", survivors.mark());
        enqueue(&host, json!({"command": command, "lane": "a", "width": 4, "at_most": 3})).await;
    }
    survivors.wait_for(3);
    assert_eq!(host.running_jobs(), 6);
    host.shutdown().await;
    survivors.wait_for(0);
}

#[tokio::test]
async fn watches_tell_of_lines_across_every_border() {
    let project = Project::new();
    let host = host(&project);
    let watches = json!([
        {"pattern": "^needle [0-9]+$", "event": "found"},
        {"pattern": "trouble", "event": "trouble", "scope": "stderr"},
        {"pattern": "once", "event": "once", "once": true},
    ]);
    let script = "printf nee; sleep 0.3; printf 'dle 1\\ntrouble\\n'; head -c 200000 /dev/zero | tr '\\0' x; echo; \
        echo needle 22; echo trouble >&2; echo once once; echo once; printf 'needle 333'";
    let id = enqueue(&host, json!({"command": script, "durable": true, "watches": watches})).await;
    let job = ended(&host, &id).await;
    let hits = happened(&job, "Matched");
    let found: Vec<_> =
        hits.iter().map(|hit| (hit["event"].as_str().unwrap(), hit["line"].as_str().unwrap())).collect();
    for expected in [("found", "needle 1"), ("found", "needle 22"), ("found", "needle 333"), ("trouble", "trouble")] {
        assert_eq!(found.iter().filter(|hit| **hit == expected).count(), 1, "{expected:?} in {found:?}");
    }
    assert_eq!(found.iter().filter(|(event, _)| *event == "once").count(), 1);
    assert_eq!(found.len(), 5, "{found:?}");
    let all = items(&host, &id, 1000).await;
    assert_numbered(&all);
    for hit in &hits {
        let at = usize::try_from(hit["seq"].as_u64().unwrap()).unwrap() - 1;
        assert_eq!(all[at]["content"]["Event"]["name"], hit["event"]);
        // The line stands right before the event that tells of it.
        let stream = hit["printed_on"].as_str().unwrap();
        let before = text(&all[..at], stream);
        assert!(before.trim_end_matches('\n').ends_with(hit["line"].as_str().unwrap()), "{hit}");
    }
    host.shutdown().await;
}

#[tokio::test]
async fn a_match_across_the_borders_of_items_and_windows_is_found() {
    let project = Project::new();
    let host = host(&project);
    let watches = json!([
        {"pattern": "needle [a-z]+ found$", "event": "near"},
        {"pattern": "needle [a-z]+ deep", "event": "deep"},
        {"pattern": "^00*$", "event": "no such line"},
    ]);
    // Items have at most 64 KiB, and lines longer than 256 KiB are looked at in windows.
    let script = "printf '%065530d' 0; printf 'needle gets'; echo ' found'; \
        printf '%0262140d' 0; printf 'needle lies'; printf ' deep'; printf '%0600000d' 0; echo .";
    let id = enqueue(&host, json!({"command": script, "durable": true, "watches": watches})).await;
    let job = ended(&host, &id).await;
    let found: Vec<_> = happened(&job, "Matched").iter().map(|hit| hit["line"].as_str().unwrap().to_owned()).collect();
    let [near, deep] = found.as_slice() else { panic!("{found:?}") };
    assert!(near.starts_with('…') && near.ends_with("000needle gets found"), "{near}");
    assert!(deep.contains("000needle lies deep000") && deep.ends_with('…') && deep.len() < 5000, "{deep}");
    let all = items(&host, &id, 1000).await;
    assert_numbered(&all);
    assert!(
        all.iter().all(|item| item["content"]["Stdout"]["text"].as_str().is_none_or(|text| text.len() <= 64 << 10))
    );
    let at = all.iter().position(|item| item["content"]["Event"]["name"] == "deep").unwrap();
    assert!(text(&all[..at], "Stdout").contains("needle lies deep"), "what matched stands before the event");
    host.shutdown().await;
}

#[tokio::test]
async fn a_flood_of_matches_is_counted_and_slows_nobody() {
    let project = Project::new();
    let host = host(&project);
    let watches = json!([{"pattern": "(x+x+)+y|x", "event": "x"}]);
    let arguments = json!({
        "do": "start", "wait": true, "command": "yes xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx | head -n 200000", "watches": watches
    });
    let job = get(&host, arguments).await;
    let hits = happened(&job, "Matched");
    let count: u64 = hits.iter().map(|hit| 1 + hit["suppressed"].as_u64().unwrap()).sum();
    assert_eq!(count, 200_000);
    assert!(hits.len() < 200, "{}", hits.len());
    let reply = ask(&host, json!({"command": "true", "watches": [{"pattern": "a"}, {"pattern": "b("}]})).await;
    assert!(reply.text.contains("WatchInvalid") && reply.text.contains("index: 1, offset: 1"), "{}", reply.text);
    host.shutdown().await;
}

#[tokio::test]
async fn printed_bytes_are_reported_to_the_last_one() {
    let project = Project::new();
    let host = host(&project);
    let gate = project.root().join("gate");
    let print = "echo 1234567; echo 12 >&2";
    let command = format!("{print}; until test -e {}; do sleep 0.01; done; {print}; {print}", gate.display());
    let id = get(&host, json!({"do": "start", "command": command, "report_ms": 50})).await;
    let id = id.as_str().unwrap();
    let begun = Instant::now();
    while happened(&job(&host, id).await, "Printed").is_empty() {
        assert!(begun.elapsed() < Duration::from_secs(30), "nothing is reported");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    std::fs::write(&gate, "").unwrap();
    let job = ended(&host, id).await;
    let reports = happened(&job, "Printed");
    let sum = |stream: &str| reports.iter().map(|report| report[stream].as_u64().unwrap()).sum::<u64>();
    assert_eq!((sum("stdout"), sum("stderr")), (24, 9));
    // No more than there were lines, and what came after the first was told too.
    assert!((2..=6).contains(&reports.len()), "{reports:?}");
    host.shutdown().await;
}

#[tokio::test]
async fn a_call_may_wait_for_items_status_and_hits() {
    let project = Project::new();
    let host = host(&project);
    let gate = |name: &str| project.root().join(name);
    let until_gate = |name: &str| format!("until test -e {}; do sleep 0.01; done", gate(name).display());
    let command = format!("{}; echo first; {}; echo match; {}", until_gate("a"), until_gate("b"), until_gate("c"));
    let id =
        enqueue(&host, json!({"command": command, "durable": true, "watches": [{"pattern": "match", "event": "m"}]}))
            .await;
    // The status item.
    until("it runs", || !runs(&project.root()).items(&id, 0, None).unwrap().is_empty());
    let begun = Instant::now();
    let job = get(&host, json!({"do": "wait", "job": id, "item": true, "since": 1, "at_most_ms": 200})).await;
    assert!(begun.elapsed() >= Duration::from_millis(200) && job["ending"].is_null());
    let at_once = get(&host, json!({"do": "wait", "job": id, "item": true, "since": 0})).await;
    assert_eq!(at_once["last_seq"], 1);
    for (gate_name, wakes) in [("a", "item"), ("b", "hit"), ("c", "status")] {
        let (caller, arguments) =
            (host.caller(), json!({"do": "wait", "job": id, wakes: true, "since": 1, "at_most_ms": 30_000}));
        let waiting = tokio::spawn(async move { caller.call("one", "run", arguments).await });
        std::fs::write(gate(gate_name), "").unwrap();
        let reply = waiting.await.unwrap();
        assert!(!reply.is_error, "{}", reply.text);
    }
    let snippet = get(&host, json!({"do": "snippet", "job": id, "max": 8})).await;
    assert_eq!(snippet, "t\nmatch\n");
    host.shutdown().await;
}

#[tokio::test]
async fn snippets_are_in_the_order_of_arrival() {
    let project = Project::new();
    let host = host(&project);
    let gate = |name: &str| project.root().join(name);
    let until_gate = |name: &str| format!("until test -e {}; do sleep 0.01; done", gate(name).display());
    let command = format!("echo a; {}; echo b >&2; {}; echo c", until_gate("1"), until_gate("2"));
    let job = get(&host, json!({"do": "start", "command": command})).await;
    for (shown, next) in [("a\n", Some("1")), ("a\nb\n", Some("2")), ("a\nb\nc\n", None)] {
        let begun = Instant::now();
        while get(&host, json!({"do": "snippet", "job": job})).await != shown {
            assert!(begun.elapsed() < Duration::from_secs(30), "{shown:?} is not shown");
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        if let Some(next) = next {
            std::fs::write(gate(next), "").unwrap();
        }
    }
    host.shutdown().await;
}

#[tokio::test]
async fn a_later_host_finds_what_an_earlier_one_ran() {
    let project = Project::new();
    let first = host(&project);
    let id = enqueue(&first, json!({"command": "echo hello; exit 3", "durable": true})).await;
    let before = ended(&first, &id).await;
    let all = items(&first, &id, 1000).await;
    first.shutdown().await;
    let second = host(&project);
    let after = job(&second, &id).await;
    for key in ["status", "ending", "exit", "last_seq", "created_at", "started_at", "ended_at", "stdout", "memo", "pid"]
    {
        assert_eq!(after[key], before[key], "{key}");
    }
    assert_eq!(items(&second, &id, 1000).await, all);
    assert_eq!(get(&second, json!({"do": "snippet", "job": id})).await, "hello\n");
    assert_eq!(get(&second, json!({"do": "list"})).await.as_array().unwrap().len(), 1);
    assert_eq!(ended(&second, &id).await["status"], "exited");
    let other = second.call("two", "run", json!({"do": "job", "job": id})).await;
    assert_eq!(other.text, "null", "other sessions do not see it");
    second.shutdown().await;
}

#[tokio::test]
async fn what_a_host_leaves_is_run_again_by_the_next() {
    let project = Project::new();
    let first = host(&project);
    let file = project.root().join("lives");
    let survivors = Survivors::new();
    let command = format!("echo life >> {}; echo output; exec sleep {}", file.display(), survivors.mark());
    let arguments = json!({"command": command, "durable": true, "lane": "a", "on_shutdown": "leave"});
    let running = enqueue(&first, arguments.clone()).await;
    let queued = enqueue(&first, arguments).await;
    let lost = enqueue(&first, json!({
        "command": format!("exec sleep {}", survivors.mark()), "durable": true, "on_shutdown": "leave", "on_recovered": "lost"
    }))
    .await;
    survivors.wait_for(2);
    first.shutdown().await;
    survivors.wait_for(0);
    let second = host(&project);
    assert_eq!(recovered(&second, &running).await, "WasRunning");
    assert_eq!(recovered(&second, &queued).await, "WasQueued");
    // The first in its lane runs first again.
    reaches(&second, &running, "running").await;
    assert_eq!(job(&second, &queued).await["status"], "queued");
    let lost = reaches(&second, &lost, "lost").await;
    survivors.wait_for(1);
    assert_eq!((lost["status"].as_str(), lost["ending"].as_str()), (Some("lost"), Some("Lost")));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "life\nlife\n");
    until("both lives are on record", || {
        let found = runs(&project.root()).items(&running, 0, None).unwrap();
        let found: Vec<_> = found.iter().map(|item| serde_json::to_value(item).unwrap()).collect();
        assert_numbered(&found);
        text(&found, "Stdout") == "output\noutput\n"
            && events(&found).contains(&("recovered".into(), "was-running".into()))
    });
    second.shutdown().await;
    survivors.wait_for(0);
}

#[tokio::test]
async fn two_hosts_do_not_take_each_others_runs() {
    let project = Project::new();
    let first = host(&project);
    let survivors = Survivors::new();
    let id = enqueue(&first, json!({"command": format!("exec sleep {}", survivors.mark()), "durable": true})).await;
    survivors.wait_for(1);
    let second = host(&project);
    let other = enqueue(&second, json!({"command": "echo hello", "durable": true})).await;
    ended(&second, &other).await;
    let seen = job(&second, &id).await;
    assert_eq!((seen["status"].as_str(), happened(&seen, "Recovered").len()), (Some("running"), 0));
    let begun = Instant::now();
    let waited = get(&second, json!({"do": "wait", "job": id, "at_most_ms": 300})).await;
    assert!(waited["ending"].is_null() && begun.elapsed() >= Duration::from_millis(300));
    assert_eq!(runs(&project.root()).kill(&id).unwrap(), shellward::KillRequest::Asked);
    let ended = ended(&first, &id).await;
    assert_eq!((ended["status"].as_str(), happened(&ended, "Unwanted")), (Some("cancelled"), vec![json!("ByHand")]));
    let elsewhere = get(&second, json!({"do": "wait", "job": id})).await;
    assert_eq!(elsewhere["status"], "cancelled");
    survivors.wait_for(0);
    first.shutdown().await;
    second.shutdown().await;
}

#[tokio::test]
async fn old_runs_go_and_the_file_shrinks() {
    let project = Project::new();
    let host = host(&project);
    let mut ids = Vec::new();
    for _ in 0..5 {
        let id = enqueue(&host, json!({"command": "head -c 2000000 /dev/zero | tr '\\0' x", "durable": true})).await;
        ended(&host, &id).await;
        ids.push(id);
    }
    let database = project.root().join(".shellward/memory/sessions.db");
    let runs = runs(&project.root());
    let size = || std::fs::metadata(&database).unwrap().len();
    until("all is in the file", || {
        assert_eq!(runs.prune(Keep { runs: 5, ..Keep::default() }).unwrap(), 0);
        size() > 10_000_000
    });
    assert_eq!(runs.prune(Keep { runs: 3, ..Keep::default() }).unwrap(), 2);
    until("the file has shrunk", || {
        assert_eq!(runs.prune(Keep { runs: 3, ..Keep::default() }).unwrap(), 0);
        size() < 7_000_000
    });
    assert_eq!(runs.prune(Keep { bytes: 3_000_000, ..Keep::default() }).unwrap(), 2);
    assert_eq!(runs.list(10).unwrap().iter().map(|run| run.id.as_str()).collect::<Vec<_>>(), [&ids[4]]);
    assert_eq!(runs.prune(Keep { age: Duration::ZERO, ..Keep::default() }).unwrap(), 1);
    host.shutdown().await;
}

#[tokio::test]
async fn memory_keeps_runs_as_long_as_the_host_lives() {
    let project = Project::new();
    let limits = HostLimits { keep: Keep { runs: 2, ..Keep::default() }, ..HostLimits::default() };
    let host = builder(&project).storage(Storage::Memory).limits(limits).build().unwrap();
    for _ in 0..4 {
        let id = enqueue(&host, json!({"command": "echo hello", "durable": true})).await;
        ended(&host, &id).await;
        assert_eq!(text(&items(&host, &id, 10).await, "Stdout"), "hello\n");
    }
    assert!(!project.root().join(".shellward").exists());
    host.shutdown().await;
}

/// Where the database is.
const DATABASE: &str = ".shellward/memory/sessions.db";

#[tokio::test]
async fn a_store_that_opens_slowly_holds_nobody_up() {
    let project = Project::new();
    let first = host(&project);
    let id = enqueue(&first, json!({"command": "true", "durable": true})).await;
    ended(&first, &id).await;
    first.shutdown().await;
    let other = rusqlite::Connection::open(project.root().join(DATABASE)).unwrap();
    other.execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; CREATE TABLE other (a)").unwrap();
    let host = host(&project);
    let asking: Vec<_> = (0..4)
        .map(|_| {
            let (caller, arguments) = (host.caller(), json!({"do": "job", "job": id}));
            tokio::spawn(async move { caller.call("one", "run", arguments).await })
        })
        .collect();
    // All four have asked when this thread is here again, and wait for what this lets go of.
    tokio::task::yield_now().await;
    drop(other);
    for asked in asking {
        let reply = asked.await.unwrap();
        assert!(!reply.is_error && reply.text.contains(&id), "{reply:?}");
    }
    host.shutdown().await;
}

#[tokio::test]
async fn a_run_whose_record_cannot_be_read_is_not_said_to_be_missing() {
    let project = Project::new();
    project.file(DATABASE, &"this is no database ".repeat(1000));
    let host = host(&project);
    let reply = ask(&host, json!({"do": "job", "job": "nobody"})).await;
    assert_eq!(reply.code.as_deref(), Some("store_failed"), "{reply:?}");
    assert!(reply.is_error && reply.text.contains("damaged"), "{reply:?}");
    host.shutdown().await;
}
