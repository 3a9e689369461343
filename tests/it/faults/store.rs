//! The disk is full, the database locked or damaged.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use shellward::Runs;
use shellward_tests::{Project, RUNNER};

use super::there_is;
use crate::mcp::server::{Server, shell};

/// Where the database is.
const DATABASE: &str = ".shellward/memory/sessions.db";

fn run(server: &mut Server, command: &str, durable: bool) -> (bool, Value) {
    let arguments = json!({"do": "enqueue", "command": command, "durable": durable, "wait": true});
    let answer = server.call("run", arguments);
    let (is_error, text) = super::said(&answer);
    (is_error, serde_json::from_str(text).unwrap_or_else(|_| text.into()))
}

/// A server whose data directory has room for two megabytes, which only it sees; a copy of them is left in `kept`.
fn on_a_small_disk(project: &Project, policy: &str) -> Option<Server> {
    let mounts =
        Command::new("unshare").args(["-m", "mount", "-t", "tmpfs", "none", "/mnt"]).stderr(Stdio::null()).status();
    if !there_is("leave to mount", mounts.is_ok_and(|status| status.success())) {
        return None;
    }
    project.file(".shellward/keep", "");
    let before = "exec unshare -m bash -c 'mount -t tmpfs -o size=2m none .shellward && \
        (\"$0\" \"$@\"; code=$?; cp -r .shellward kept; exit $code)' \"$0\" \"$@\";";
    let mut server = Server::of(shell(project, before, &["mcp", "--policy", policy]).stderr(Stdio::null()));
    server.hello("2025-11-25", json!({}));
    Some(server)
}

/// What is kept is refused with these words; what is not runs as ever.
fn refuses(server: &mut Server, words: &[&str]) {
    let (is_error, said) = run(server, "echo hello", true);
    assert!(is_error && words.iter().all(|word| said.to_string().contains(word)), "{words:?} are not in {said}");
    let (is_error, job) = run(server, "echo hello", false);
    assert!(!is_error && job["stdout"]["total"] == 6, "{job}");
}

#[test]
fn a_full_disk_ends_the_record_and_not_the_run() {
    let project = Project::new();
    let Some(mut server) = on_a_small_disk(&project, RUNNER) else { return };
    let (is_error, job) = run(&mut server, "seq -f %099.0f 1 80000; echo end", true);
    assert!(!is_error && job["status"] == "exited" && job["exit"]["Code"] == 0, "{job}");
    assert_eq!(job["stdout"]["total"], 8_000_004, "all of it was read");
    // What is left of the disk may have room for some small ones.
    let small = (0..100).take_while(|_| !run(&mut server, "echo hello", true).0).count();
    refuses(&mut server, &["the disk is full", "free some space", "shellward jobs prune"]);
    server.close();
    assert_eq!(server.exit(), 0);
    // What was kept is the beginning, without a gap.
    let runs = Runs::open(&project.root().join("kept")).unwrap().unwrap();
    let kept = runs.list(200).unwrap();
    assert_eq!(kept.len(), 1 + small, "{kept:?}");
    let large = kept.iter().find(|run| job["id"] == *run.id).unwrap();
    let items = runs.items(&large.id, 0, None).unwrap();
    let seqs: Vec<_> = items.iter().map(|item| item.seq).collect();
    assert_eq!(seqs, (1..=seqs.len() as u64).collect::<Vec<_>>());
    assert!(seqs.len() > 1);
}

#[test]
fn what_a_full_disk_does_not_take_is_said_with_the_end_of_the_run() {
    let project = Project::new();
    let Some(mut server) = on_a_small_disk(&project, "actions") else { return };
    let command = "seq -f %099.0f 1 80000; exit 7";
    let spawned = server.call("shell", json!({"action": "spawn", "command": command}));
    let id = spawned["result"]["structuredContent"]["run_id"].clone();
    let (mut bytes, mut since, deadline) = (0, json!(0), Instant::now() + Duration::from_secs(60));
    let end = loop {
        let asked = json!({"action": "poll", "run_id": id, "since_seq": since, "wait_ms": 1000});
        let answer = server.call("shell", asked)["result"]["structuredContent"].clone();
        let items = answer["items"].as_array().unwrap_or_else(|| panic!("{answer}"));
        bytes += items.iter().filter_map(|item| item["text"].as_str()).map(str::len).sum::<usize>();
        since = answer["next_seq"].clone();
        if items.is_empty() && answer["status"] == "completed" {
            break answer;
        }
        assert!(Instant::now() < deadline, "{answer}");
    };
    assert_eq!((&end["exit_code"], &end["output_bytes"]), (&json!(7), &json!(8_000_000)), "{end}");
    assert_eq!((&end["truncated"], &end["truncated_bytes"]), (&json!(true), &json!(8_000_000 - bytes)), "{end}");
    assert!(end["error_message"].as_str().is_some_and(|why| why.contains("the disk is full")), "{end}");
    server.close();
    assert_eq!(server.exit(), 0);
}

#[test]
fn a_database_that_somebody_locks_is_said_and_used_again_when_it_is_free() {
    let project = Project::new();
    let mut server = Server::ready(&project, &["--policy", RUNNER]);
    assert!(!run(&mut server, "echo hello", true).0);
    let other = rusqlite::Connection::open(project.root().join(DATABASE)).unwrap();
    other.execute_batch("BEGIN EXCLUSIVE").unwrap();
    refuses(&mut server, &["locked by another program"]);
    other.execute_batch("ROLLBACK").unwrap();
    let (is_error, job) = run(&mut server, "echo hello", true);
    assert!(!is_error && job["stdout"]["total"] == 6, "{job}");
}

#[test]
fn a_damaged_database_is_said_with_what_to_do() {
    let project = Project::new();
    project.file(DATABASE, &"this is no database ".repeat(10_000));
    let mut server = Server::ready(&project, &["--policy", RUNNER]);
    refuses(&mut server, &["sessions.db", "damaged"]);
    server.close();
    assert_eq!(server.exit(), 0);
}
