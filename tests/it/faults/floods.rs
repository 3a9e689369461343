//! Output that comes faster, or in longer lines, than anybody wants it.

use serde_json::{Value, json};
use shellward_tests::{Project, RUNNER};

use super::memory;
use crate::mcp::server::Server;

/// What a host may need more while it captures, in KiB.
const ROOM: u64 = 64 << 10;

/// Runs a command to its end, and asserts that the host did not grow by it.
fn flooded(arguments: Value) -> Value {
    let project = Project::new();
    project.file(".shellward/config.toml", "[host]\npolicy_deadline_ms = 20000\n");
    let mut server = Server::ready(&project, &["--policy", RUNNER]);
    server.call("run", json!({"do": "start", "command": "true", "wait": true, "durable": true}));
    let before = memory(&server, "VmHWM:");
    let answer = server.call("run", arguments);
    let grown = memory(&server, "VmHWM:") - before;
    assert!(grown < ROOM, "{grown} KiB more");
    serde_json::from_str(answer["result"]["content"][0]["text"].as_str().unwrap()).unwrap()
}

#[test]
fn floods_on_both_streams_are_counted_to_the_byte_and_kept_in_bounds() {
    let flood = "seq -f %099.0f 1 1000000";
    let command = format!("{flood} & {flood} >&2; wait; echo; echo >&2");
    let job = flooded(json!({"do": "start", "command": command, "wait": true}));
    for stream in ["stdout", "stderr"] {
        let told = (job[stream]["total"].as_u64(), job[stream]["dropped"].as_u64());
        assert_eq!(told, (Some(100_000_001), Some(99_998_001)), "{stream}");
    }
}

#[test]
fn a_line_of_a_hundred_megabytes_is_a_line() {
    let watches = json!([{"pattern": "^x+$", "event": "long"}, {"pattern": "^after$", "event": "after"}]);
    let command = "head -c 100000000 /dev/zero | tr '\\0' x; echo; echo after";
    let arguments = json!({"do": "enqueue", "command": command, "wait": true, "durable": true, "stored": 1_000_000,
        "watches": watches});
    let job = flooded(arguments);
    assert_eq!(job["stdout"]["total"], 100_000_007);
    let hits: Vec<_> =
        job["memo"]["events"].as_array().unwrap().iter().filter_map(|event| event.get("Matched")).collect();
    let found: Vec<_> = hits.iter().map(|hit| hit["event"].as_str().unwrap()).collect();
    assert_eq!(found.iter().filter(|event| **event == "after").count(), 1, "{found:?}");
    // What is shown of such a line is bounded as well.
    assert!(hits.iter().all(|hit| hit["line"].as_str().unwrap().len() <= 64 << 10));
}
