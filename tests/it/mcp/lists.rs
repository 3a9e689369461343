//! What clients are told without having asked: another list of tools, other resources.

use std::fs;

use serde_json::json;
use shellward_tests::{Project, component_of};

use super::protocol::meta;
use super::server::{Server, command};

fn swap(project: &Project, policy: &str) {
    let output = command(project, &["policy", "swap", policy]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_swap_is_told_and_the_next_list_has_the_new_tools() {
    let project = Project::new();
    let mut server = Server::ready(&project, &["--policy", "exec"]);
    assert_eq!(server.request("tools/list", json!({}))["result"]["tools"][0]["name"], "exec");
    swap(&project, "bash");
    server.notification("notifications/tools/list_changed");
    assert_eq!(server.request("tools/list", json!({}))["result"]["tools"][0]["name"], "Bash");
    let gone = server.call("exec", json!({"command": "true"}));
    assert_eq!(gone["error"]["code"], -32602, "{gone}");
    let answer = server.call("Bash", json!({"command": "true"}));
    assert!(answer["result"]["_meta"]["shellward/policy"].as_str().unwrap().starts_with("bash@"), "{answer}");
}

#[test]
fn a_file_that_is_watched_is_put_in_place_and_told_of() {
    let project = Project::new();
    let path = project.root().join("policy.wasm");
    fs::write(&path, component_of("exec")).unwrap();
    let mut server = Server::ready(&project, &["--policy", "policy.wasm", "--watch"]);
    assert_eq!(server.request("tools/list", json!({}))["result"]["tools"][0]["name"], "exec");
    let beside = project.root().join("next.wasm");
    fs::write(&beside, component_of("bash")).unwrap();
    fs::rename(beside, &path).unwrap();
    server.notification("notifications/tools/list_changed");
    assert_eq!(server.request("tools/list", json!({}))["result"]["tools"][0]["name"], "Bash");
}

#[test]
fn who_listens_in_the_newest_revision_is_told_too() {
    let project = Project::new();
    let mut server = Server::start(&project, &["--policy", "exec"]);
    let wanted = json!({"toolsListChanged": true, "resourcesListChanged": true});
    server.send("subscriptions/listen", json!({"notifications": wanted, "_meta": meta(json!({}))}));
    server.notification("notifications/subscriptions/acknowledged");
    // This policy remembers no job that has ended: only while one runs is there a resource.
    let arguments = json!({"command": "while [ ! -e go ]; do sleep 0.05; done"});
    let call = server.send("tools/call", json!({"name": "exec", "arguments": arguments, "_meta": meta(json!({}))}));
    server.notification("notifications/resources/list_changed");
    project.file("go", "");
    assert_eq!(server.answer(call)["result"]["isError"], false);
    swap(&project, "bash");
    server.notification("notifications/tools/list_changed");
}
