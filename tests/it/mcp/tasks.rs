//! Long calls and background jobs as tasks.

use serde_json::{Value, json};
use shellward_tests::{Project, Survivors, until};

use super::protocol::meta;
use super::server::Server;

fn request(server: &mut Server, method: &str, mut params: Value) -> Value {
    params["_meta"] = meta(json!({"extensions": {"io.modelcontextprotocol/tasks": {}}}));
    server.request(method, params)
}

fn call(server: &mut Server, tool: &str, arguments: Value) -> Value {
    request(server, "tools/call", json!({"name": tool, "arguments": arguments}))
}

fn get(server: &mut Server, id: &str) -> Value {
    request(server, "tasks/get", json!({"taskId": id}))["result"].take()
}

#[test]
fn a_long_call_becomes_a_task_with_the_call_s_result() {
    let project = Project::new();
    let mut server = Server::start(&project, &["--policy", "exec"]);
    let quick = call(&mut server, "exec", json!({"command": "echo quick"}));
    assert_eq!(quick["result"]["resultType"], "complete", "{quick}");
    let go = project.root().join("go");
    let command = format!("while [ ! -e {} ]; do sleep 0.05; done; echo finished", go.display());
    let task = call(&mut server, "exec", json!({"command": command}));
    assert_eq!(
        (&task["result"]["resultType"], &task["result"]["status"]),
        (&json!("task"), &json!("working")),
        "{task}"
    );
    let id = task["result"]["taskId"].as_str().unwrap().to_owned();
    assert_eq!(get(&mut server, &id)["status"], "working");
    project.file("go", "");
    until("the task has completed", || get(&mut server, &id)["status"] == "completed");
    let done = get(&mut server, &id);
    assert!(done["result"]["content"][0]["text"].as_str().unwrap().contains("finished"), "{done}");
}

#[test]
fn a_cancelled_task_ends_its_command() {
    let (project, survivors) = (Project::new(), Survivors::new());
    let mut server = Server::start(&project, &["--policy", "exec"]);
    let task = call(&mut server, "exec", json!({"command": format!("sleep {}", survivors.mark())}));
    let id = task["result"]["taskId"].as_str().unwrap().to_owned();
    survivors.wait_for(1);
    assert!(request(&mut server, "tasks/cancel", json!({"taskId": id}))["error"].is_null());
    survivors.wait_for(0);
    until("the task is cancelled", || get(&mut server, &id)["status"] == "cancelled");
    let unknown = request(&mut server, "tasks/get", json!({"taskId": "none"}));
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
}

#[test]
fn a_background_job_is_a_task_by_its_id() {
    let (project, survivors) = (Project::new(), Survivors::new());
    let mut server = Server::start(&project, &["--policy", "meerkat", "--set", "enabled=true", "--set", "shell=sh"]);
    let start = |server: &mut Server, command: &str| {
        let answer = call(server, "shell", json!({"command": command, "background": true}));
        answer["result"]["structuredContent"]["job_id"].as_str().unwrap().to_owned()
    };
    let (long, short) = (start(&mut server, &format!("sleep {}", survivors.mark())), start(&mut server, "exit 3"));
    assert_eq!(get(&mut server, &long)["status"], "working");
    until("the short job is over", || get(&mut server, &short)["status"] == "completed");
    let over = get(&mut server, &short);
    assert_eq!(over["result"]["structuredContent"]["exit"]["code"], 3, "{over}");
    assert!(over["ttlMs"].is_u64(), "it is not remembered for ever: {over}");
    let updated = request(&mut server, "tasks/update", json!({"taskId": long, "inputResponses": {"none": {}}}));
    assert!(updated["error"].is_null(), "{updated}");
    survivors.wait_for(1);
    assert!(request(&mut server, "tasks/cancel", json!({"taskId": long}))["error"].is_null());
    survivors.wait_for(0);
    until("the long job is cancelled", || get(&mut server, &long)["status"] == "cancelled");
}
