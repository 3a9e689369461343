//! The wall clock steps back.

use std::path::PathBuf;
use std::process::Stdio;
use std::time::Instant;

use serde_json::{Value, json};
use shellward_tests::{Project, RUNNER, Survivors, until};

use super::there_is;
use crate::mcp::server::{Server, command};

/// The library that gives a program another clock, where Debian puts it.
fn library() -> Option<PathBuf> {
    let machine = std::env::consts::ARCH;
    Some(PathBuf::from(format!("/usr/lib/{machine}-linux-gnu/faketime/libfaketime.so.1"))).filter(|path| path.is_file())
}

fn job(answer: &Value) -> Value {
    serde_json::from_str(answer["result"]["content"][0]["text"].as_str().unwrap()).unwrap()
}

#[test]
fn lengths_of_time_and_timeouts_do_not_follow_it() {
    let library = library();
    if !there_is("libfaketime (Debian has it)", library.is_some()) {
        return;
    }
    let (project, survivors) = (Project::new(), Survivors::new());
    project.file("clock", "+0");
    let mut program = command(&project, &["mcp", "--policy", RUNNER]);
    program.env("LD_PRELOAD", library.unwrap()).env("FAKETIME_TIMESTAMP_FILE", project.root().join("clock"));
    program.env("FAKETIME_NO_CACHE", "1").env("FAKETIME_DONT_FAKE_MONOTONIC", "1").env("DONT_FAKE_MONOTONIC", "1");
    let mut server = Server::of(program.stderr(Stdio::null()));
    server.hello("2025-11-25", json!({}));
    let begun = Instant::now();
    let waits = |file: &str| format!("until [ -e '{}' ]; do sleep 0.05; done", project.root().join(file).display());
    let arguments = json!({"do": "start", "command": format!("echo begun > '{}'; {}",
        project.root().join("begun").display(), waits("gate")), "wait": true, "durable": true});
    let long = server.send("tools/call", json!({"name": "run", "arguments": arguments}));
    let asleep = format!("exec sleep {}", survivors.mark());
    let arguments = json!({"do": "start", "command": asleep, "wait": true, "timeout_ms": 5000});
    let late = server.send("tools/call", json!({"name": "run", "arguments": arguments}));
    until("it runs", || project.root().join("begun").exists());
    survivors.wait_for(1);
    project.file("clock", "-3600");
    let timed_out = job(&server.answer(late));
    assert!(timed_out["status"] == "timed out", "{timed_out}");
    assert!(begun.elapsed().as_millis() >= 5000, "the timeout came in its time");
    assert!(survivors.alive().is_empty());
    project.file("gate", "");
    let long = job(&server.answer(long));
    let (begun_at, ended_at) = (long["created_at"].as_i64().unwrap(), long["ended_at"].as_i64().unwrap());
    assert!(ended_at - begun_at < -3_500_000, "the clock was not put back: {long}");
    let duration = u128::from(long["duration"].as_u64().unwrap());
    assert!(duration >= 1_000_000 && duration <= begun.elapsed().as_micros(), "{long}");
    // What comes later is kept and found, though it seems to be older.
    let arguments = json!({"do": "start", "command": "echo later", "wait": true, "durable": true});
    assert_eq!(job(&server.call("run", arguments))["status"], "exited");
    let listed = job(&server.call("run", json!({"do": "list"})));
    assert_eq!(listed.as_array().unwrap().len(), 3, "{listed}");
    server.close();
    assert_eq!(server.exit(), 0);
}
