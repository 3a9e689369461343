//! What happens when the machine fails its host: nothing hangs, nothing is left running, what is wrong is said with
//! what helps, and all goes on when the fault is over.
//!
//! Elsewhere stand: hosts that are killed (`crash.rs`), each reason for which a program does not start and a full,
//! locked or damaged database by itself (the host's own tests), clients that go (`mcp/ending.rs`, `mcp/http.rs`).

mod clients;
mod clock;
mod descriptors;
mod floods;
mod output;
mod places;
mod processes;
mod signals;
mod store;

use std::fs;

use serde_json::{Value, json};

use crate::mcp::server::Server;

/// Calls `exec`, and leaves the answer for later.
fn exec(server: &mut Server, command: &str, seconds: u64) -> u64 {
    let arguments = json!({"command": command, "timeout_seconds": seconds});
    server.send("tools/call", json!({"name": "exec", "arguments": arguments}))
}

/// Whether an answer is an error, and its text.
fn said(answer: &Value) -> (bool, &str) {
    let result = &answer["result"];
    (result["isError"].as_bool().unwrap(), result["content"][0]["text"].as_str().unwrap())
}

/// The server works as ever.
fn works(server: &mut Server) {
    let answer = server.call("exec", json!({"command": "echo as ever"}));
    assert_eq!(said(&answer), (false, "[Exit Code: 0]\n\nas ever"));
}

/// Waits for so many answers, and gives how many were none but an error with these words.
fn refused(server: &mut Server, calls: &[u64], words: &[&str]) -> usize {
    let answers: Vec<_> = calls.iter().map(|call| server.answer(*call)).collect();
    let errors: Vec<_> = answers.iter().map(said).filter(|(is_error, _)| *is_error).collect();
    for (_, text) in &errors {
        assert!(words.iter().all(|word| text.contains(word)), "{words:?} are not in {text}");
    }
    errors.len()
}

/// A line of /proc/PID/status, in KiB.
pub(super) fn memory(server: &Server, line: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", server.pid())).unwrap();
    let line = status.lines().find_map(|found| found.strip_prefix(line)).unwrap();
    line.split_whitespace().next().unwrap().parse().unwrap()
}

/// Returns true where what a test needs is there; elsewhere the test is left out, but not in CI.
#[expect(clippy::print_stderr, reason = "a test that is left out says so")]
fn there_is(what: &str, there: bool) -> bool {
    assert!(there || std::env::var_os("CI").is_none(), "CI needs {what}");
    if !there {
        eprintln!("skipped: there is no {what} here");
    }
    there
}
