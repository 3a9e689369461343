//! Handshakes, answers and errors, as they stand on the wire.

use serde_json::{Value, json};
use shellward_tests::Project;

use super::server::Server;

/// What each request of the newest revision says of its client.
pub fn meta(capabilities: Value) -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": capabilities,
    })
}

#[test]
fn each_revision_begins_as_its_clients_do() {
    let project = Project::new();
    for (asked, answered) in [
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2024-11-05", "2025-11-25"),
        ("2031-01-01", "2025-11-25"),
    ] {
        let mut server = Server::start(&project, &["--policy", "exec"]);
        let hello = server.hello(asked, json!({}));
        assert_eq!(hello["result"]["protocolVersion"], answered, "{hello}");
        assert_eq!(hello["result"]["serverInfo"]["name"], "shellward");
        let tools = server.request("tools/list", json!({}));
        assert_eq!(tools["result"]["tools"][0]["name"], "exec", "{tools}");
        assert_eq!(tools["result"]["resultType"], Value::Null, "older revisions know no such field: {tools}");
    }
    let mut server = Server::start(&project, &["--policy", "exec"]);
    let found = server.request("server/discover", json!({"_meta": meta(json!({}))}));
    assert_eq!(found["result"]["supportedVersions"], json!(["2025-06-18", "2025-11-25", "2026-07-28"]), "{found}");
    let tools = server.request("tools/list", json!({"_meta": meta(json!({}))}));
    assert_eq!(tools["result"]["resultType"], "complete", "{tools}");
    let without = server.request("tools/list", json!({}));
    assert_eq!(without["error"]["code"], -32602, "{without}");
}

#[test]
fn an_answer_carries_text_structure_and_who_decided() {
    let project = Project::new();
    let mut server = Server::ready(&project, &["--policy", "bash"]);
    let answer = server.call("Bash", json!({"command": "echo hello"}));
    let result = &answer["result"];
    assert_eq!(result["isError"], false, "{answer}");
    let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(text, result["structuredContent"]);
    let policy = result["_meta"]["shellward/policy"].as_str().unwrap();
    assert!(policy.starts_with("bash@"), "{policy}");
    let call = result["_meta"]["shellward/call"].as_str().unwrap();
    assert!(result["_meta"]["shellward/job"].as_str().unwrap().ends_with(call), "{answer}");
    let refused = server.call("Bash", json!({"command": "sudo ls"}));
    assert_eq!(refused["result"]["isError"], true, "{refused}");
    assert!(refused["result"]["_meta"]["shellward/job"].is_null(), "{refused}");
}

#[test]
fn a_policy_that_offers_no_tool_as_it_is_set_says_what_enables_it() {
    let project = Project::new();
    let mut server = Server::ready(&project, &["--policy", "meerkat"]);
    let tools = server.request("tools/list", json!({}));
    assert_eq!(tools["result"]["tools"], json!([]), "{tools}");
    let answer = server.call("shell", json!({"command": "ls"}));
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    assert!(answer["result"]["isError"] == true && text.contains("enabled = true"), "{answer}");
    let mut server = Server::ready(&project, &["--policy", "exec"]);
    assert_eq!(server.call("shell", json!({}))["error"]["code"], -32602);
}

#[test]
fn what_is_no_message_is_answered_and_the_server_lives() {
    let project = Project::new();
    // What comes before a session begins is no reason to go either.
    let mut server = Server::start(&project, &["--policy", "exec"]);
    server.notify("notifications/whatever", json!({}));
    server.line("{");
    assert_eq!(server.message()["error"]["code"], -32700);
    server.hello("2025-11-25", json!({}));
    for (line, id, code) in [
        ("not json", Value::Null, -32700),
        ("[]", Value::Null, -32600),
        ("7", Value::Null, -32600),
        (r#"{"jsonrpc": "2.0", "id": 70}"#, json!(70), -32600),
        (r#"{"id": 71, "method": "tools/list"}"#, json!(71), -32600),
        (r#"{"jsonrpc": "2.0", "id": 72, "method": "no/such"}"#, json!(72), -32601),
        (r#"{"jsonrpc": "2.0", "id": 73, "method": "tools/call"}"#, json!(73), -32602),
        (r#"{"jsonrpc": "2.0", "id": 74, "method": "tools/call", "params": {"name": 1}}"#, json!(74), -32602),
        (
            r#"{"jsonrpc": "2.0", "id": 75, "method": "tools/call", "params": {"name": "exec", "arguments": "ls"}}"#,
            json!(75),
            -32602,
        ),
        (
            r#"{"jsonrpc": "2.0", "id": "text", "method": "tools/call", "params": {"name": "none"}}"#,
            json!("text"),
            -32602,
        ),
        (
            r#"{"jsonrpc": "2.0", "id": 76, "method": "resources/read", "params": {"uri": "shellward://jobs/x"}}"#,
            json!(76),
            -32002,
        ),
        (r#"{"jsonrpc": "2.0", "id": 77, "method": "tasks/get", "params": {"taskId": "x"}}"#, json!(77), -32021),
    ] {
        server.line(line);
        let answer = server.message();
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&id, &json!(code)), "{line} {answer}");
        assert!(!answer["error"]["message"].as_str().unwrap().is_empty(), "{line} {answer}");
    }
    server.line(&format!(r#"{{"jsonrpc": "2.0", "id": 1, "method": "{}"}}"#, "x".repeat(17 << 20)));
    assert_eq!(server.message()["error"]["code"], -32600);
    let answer = server.call("exec", json!({"command": "echo alive"}));
    assert!(answer["result"]["content"][0]["text"].as_str().unwrap().contains("alive"), "{answer}");
    server.close();
    assert_eq!(server.exit(), 0);
}

#[test]
fn a_last_line_that_lacks_its_end_is_answered() {
    let project = Project::new();
    let mut server = Server::ready(&project, &["--policy", "exec"]);
    server.write(r#"{"jsonrpc": "2.0", "id": 80, "method": "tools/list"}"#);
    server.close();
    assert_eq!(server.message()["id"], 80);
    assert_eq!(server.exit(), 0);
}

#[test]
fn nothing_but_the_protocol_is_written_to_standard_output() {
    let project = Project::new();
    let mut server = Server::ready(&project, &["--policy", "exec", "--log", "trace"]);
    let answer = server.call("exec", json!({"command": "echo out; echo err >&2"}));
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    server.close();
    assert_eq!(server.exit(), 0);
}

#[test]
fn an_error_of_the_host_s_own_is_no_structured_answer_of_the_tool() {
    let project = Project::new();
    let mut server = Server::ready(&project, &["--policy", "bash"]);
    let answer = server.call("Bash", json!({"command": "x".repeat(1_100_000)}));
    let result = &answer["result"];
    assert!(result["isError"] == true && result["structuredContent"].is_null(), "{answer}");
    let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
    assert!(text["error"].is_string() && text["error"] == result["_meta"]["shellward/code"], "{answer}");
}
