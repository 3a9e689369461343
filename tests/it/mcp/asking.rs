//! Calls that a human is asked about, from the question to an answer that may come late or never.

use serde_json::{Value, json};
use shellward_tests::{Project, Survivors};

use super::server::{Listening, Server};
use super::sessions::{answer, send};

const ASKING: [&str; 4] = ["--policy", "bash", "--set", "on_unknown=ask"];

/// A command that the policy cannot see through.
const UNKNOWN: &str = "X=$(echo echo); $X allowed";

fn yes() -> Value {
    json!({"action": "accept", "content": {"decision": "run it once"}})
}

/// A call that asks, and the form's request.
fn ask(server: &mut Server) -> (u64, Value) {
    server.hello("2025-11-25", json!({"elicitation": {}}));
    let call = json!({"name": "Bash", "arguments": {"command": UNKNOWN}, "_meta": {"progressToken": "asked"}});
    let call = server.send("tools/call", call);
    let form = server.message();
    assert_eq!(form["method"], "elicitation/create", "{form}");
    (call, form["id"].clone())
}

#[test]
fn progress_is_told_while_a_human_thinks() {
    let project = Project::new();
    let mut server = Server::start(&project, &ASKING);
    let (call, form) = ask(&mut server);
    assert_eq!(server.notification("notifications/progress")["progressToken"], "asked");
    server.line(&json!({"jsonrpc": "2.0", "id": form, "result": yes()}).to_string());
    let answer = server.answer(call);
    assert!(answer["result"]["isError"] == false && answer.to_string().contains("allowed"), "{answer}");
}

#[test]
fn a_form_is_taken_away_when_its_call_is_cancelled() {
    let project = Project::new();
    let mut server = Server::start(&project, &ASKING);
    let (call, form) = ask(&mut server);
    server.notify("notifications/cancelled", json!({"requestId": call}));
    let cancelled = server.notification("notifications/cancelled");
    assert_eq!(cancelled["requestId"], form, "{cancelled}");
    assert!(server.request("ping", json!({}))["error"].is_null());
}

#[test]
fn a_human_may_take_longer_than_a_client_may_be_away() {
    let (project, others) = (Project::new(), Survivors::new());
    let server = Listening::start(&project, &[&ASKING[..], &["--idle", "1"]].concat());
    let name = [("shellward-session", "slow")];
    let call = |more: Value| {
        let mut call = json!({"name": "Bash", "arguments": {"command": UNKNOWN}, "capabilities": {"elicitation": {}}});
        call.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        answer(send(&server, &name, "tools/call", call)).1["result"].take()
    };
    let asked = call(json!({}));
    let question = asked["inputRequests"].as_object().unwrap().keys().next().unwrap().clone();
    // Who has left after the question was put has been away for long when its command has ended.
    let sleep = json!({"name": "Bash", "arguments": {"command": format!("sleep {}", others.mark())}});
    let other = send(&server, &[("shellward-session", "other")], "tools/call", sleep);
    others.wait_for(1);
    drop(other);
    others.wait_for(0);
    let done = call(json!({"requestState": asked["requestState"], "inputResponses": {question: yes()}}));
    assert!(done["isError"] == false && done.to_string().contains("allowed"), "{done}");
    assert_eq!(server.end(), 0);
}
