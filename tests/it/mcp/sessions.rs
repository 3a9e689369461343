//! Over HTTP in the newest revision: whose session a request belongs to, where only a header's name says it.

use std::net::TcpStream;

use serde_json::{Value, json};
use shellward_tests::{Project, Survivors, until};

use super::http::{Headers, bearer, open, read};
use super::protocol::meta;
use super::server::Listening;

const BACKGROUND: [&str; 6] = ["--policy", "meerkat", "--set", "enabled=true", "--set", "shell=sh"];

/// Sends a request of the newest revision, and leaves the answer to whoever reads it.
pub fn send(server: &Listening, headers: &[(&str, &str)], method: &str, mut params: Value) -> TcpStream {
    let name = params["name"].as_str().unwrap_or_default().to_owned();
    let capabilities = params.get_mut("capabilities").map_or_else(|| json!({}), Value::take);
    params["_meta"] = meta(capabilities);
    let bearer = bearer(server);
    let own = [("authorization", &*bearer), ("mcp-protocol-version", "2026-07-28"), ("mcp-method", method)];
    let headers = [&own[..], &[("mcp-name", &*name)], headers].concat();
    open(server, "POST", &Headers(&headers), &json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}))
}

/// An answer: its status, and the message where there is one.
pub fn answer(stream: TcpStream) -> (u16, Value) {
    let (status, answer) = read(stream);
    let message = |line: &str| serde_json::from_str(line.strip_prefix("data:").unwrap_or(line)).ok();
    let message = answer.lines().filter_map(message).find(|message: &Value| message["id"] == 1);
    (status, message.unwrap_or_else(|| json!(answer)))
}

pub fn call(server: &Listening, headers: &[(&str, &str)], tool: &str, arguments: Value) -> Value {
    let call = json!({"name": tool, "arguments": arguments});
    let (status, mut answer) = answer(send(server, headers, "tools/call", call));
    assert_eq!(status, 200, "{answer}");
    answer["result"].take()
}

fn start(server: &Listening, headers: &[(&str, &str)], command: &str) -> String {
    let answer = call(server, headers, "shell", json!({"command": command, "background": true}));
    answer["structuredContent"]["job_id"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
}

/// Whether a job is one of the session's.
fn sees(server: &Listening, headers: &[(&str, &str)], job: &str) -> bool {
    call(server, headers, "shell_job_status", json!({"job_id": job}))["isError"] == false
}

#[test]
fn who_comes_back_while_its_session_ends_gets_a_new_one_when_nothing_of_the_old_is_left() {
    let (project, survivors) = (Project::new(), Survivors::new());
    let settings = [&BACKGROUND[..], &["--set", "cancel_grace_secs=2", "--idle", "1"]].concat();
    let server = Listening::start(&project, &settings);
    let asked = project.root().join("asked");
    let mark = survivors.mark();
    // Without a program: it would be asked to end too, before it has done anything.
    let command = format!("trap ': > {}' TERM; while :; do sleep {mark} & wait; done", asked.display());
    for name in [&[("shellward-session", "me")][..], &[]] {
        // Somebody is there until the command can be asked to end.
        let there = "while [ ! -e there ]; do sleep 0.05; done";
        let there = send(&server, name, "tools/call", json!({"name": "shell", "arguments": {"command": there}}));
        start(&server, name, &command);
        survivors.wait_for(1);
        project.file("there", "");
        assert_eq!(answer(there).0, 200);
        until("the client counts as gone", || asked.exists());
        let back = call(&server, name, "shell", json!({"command": "echo back"}));
        assert!(survivors.alive().is_empty(), "the call began before the old session had ended");
        assert!(back["structuredContent"]["stdout"] == "back\n" && back["isError"] == false, "{back}");
        for file in [&asked, &project.root().join("there")] {
            std::fs::remove_file(file).unwrap();
        }
    }
    assert_eq!(server.end(), 0);
}

#[test]
fn the_header_of_older_revisions_leads_into_no_session_and_ends_none() {
    let (project, survivors) = (Project::new(), Survivors::new());
    let server = Listening::start(&project, &BACKGROUND);
    let (bogus, mine) = (("mcp-session-id", "bogus"), ("shellward-session", "mine"));
    let shared = start(&server, &[], &format!("sleep {}", survivors.mark()));
    let own = start(&server, &[bogus, mine], &format!("sleep {}", survivors.mark()));
    survivors.wait_for(2);
    assert!(sees(&server, &[mine], &own) && !sees(&server, &[mine], &shared) && !sees(&server, &[], &own));
    assert!(!sees(&server, &[bogus, mine], &shared), "the name is what counts");
    for version in ["2025-11-25", "2026-07-28"] {
        let bearer = bearer(&server);
        let headers = [("authorization", &*bearer), bogus, ("mcp-protocol-version", version)];
        let (status, answer) = read(open(&server, "DELETE", &Headers(&headers), &Value::Null));
        assert_eq!(status, if version == "2025-11-25" { 404 } else { 405 }, "{answer}");
    }
    assert!(sees(&server, &[], &shared));
    assert_eq!(survivors.alive().len(), 2);
    assert_eq!(server.end(), 0);
}

#[test]
fn a_name_that_could_be_taken_for_another_s_is_refused() {
    let project = Project::new();
    let server = Listening::start(&project, &BACKGROUND);
    let (longest, longer) = ("x".repeat(128), "x".repeat(129));
    for (names, expected) in [
        (&[("shellward-session", &*longest)][..], 200),
        (&[("shellward-session", &longer)], 400),
        (&[("shellward-session", "größe")], 400),
        (&[("shellward-session", "one"), ("shellward-session", "two")], 400),
    ] {
        let (status, answer) = answer(send(&server, names, "tools/list", json!({})));
        assert_eq!(status, expected, "{names:?} {answer}");
        assert!(status == 200 || answer.to_string().contains("at most 128 visible ASCII"), "{answer}");
    }
    assert_eq!(server.end(), 0);
}
