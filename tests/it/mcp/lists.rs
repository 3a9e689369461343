//! What clients are told without having asked: another list of tools, other resources, the end of a job.

use serde_json::json;
use shellward_tests::{Project, until};

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

#[test]
fn the_end_of_a_job_is_told_as_a_message_as_loud_as_the_client_wants() {
    let project = Project::new();
    let mut server = Server::ready(&project, &["--policy", "meerkat", "--set", "enabled=true", "--set", "shell=sh"]);
    let answer = server.call("shell", json!({"command": "echo done", "background": true}));
    let id = answer["result"]["structuredContent"]["job_id"].as_str().unwrap().to_owned();
    let told = server.notification("notifications/message");
    assert_eq!((&told["level"], &told["logger"]), (&json!("info"), &json!("meerkat")), "{told}");
    assert_eq!((&told["data"]["type"], &told["data"]["job"]), (&json!("shell_job_completed"), &json!(id)), "{told}");
    let record = server.request("resources/read", json!({"uri": format!("shellward://jobs/{id}")}));
    let text = record["result"]["contents"][0]["text"].as_str().unwrap();
    let record: serde_json::Value = serde_json::from_str(text).unwrap();
    assert_eq!((&record["running"], &record["ending"]), (&json!(false), &json!("completed")), "{record}");
    // A client that wants errors only is not told of what went well.
    assert!(server.request("logging/setLevel", json!({"level": "error"}))["error"].is_null());
    let answer = server.call("shell", json!({"command": "echo quiet", "background": true}));
    let id = answer["result"]["structuredContent"]["job_id"].as_str().unwrap().to_owned();
    let uri = format!("shellward://jobs/{id}");
    until("the second job has ended", || {
        let record = server.request("resources/read", json!({"uri": uri}));
        record["result"]["contents"][0]["text"].as_str().unwrap().contains(r#""running":false"#)
    });
    let heard = server.heard.iter().filter(|message| message["method"] == "notifications/message");
    assert_eq!(heard.count(), 0, "{:?}", server.heard);
}
