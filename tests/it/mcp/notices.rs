//! What policies publish without having been asked, as log messages with structured data.

use serde_json::{Value, json};
use shellward_tests::{Project, until};

use super::server::Server;

/// The next message of a type; others before it are passed over.
fn message(server: &mut Server, kind: &str) -> Value {
    loop {
        let told = server.notification("notifications/message");
        if told["data"]["type"] == kind {
            return told;
        }
    }
}

#[test]
fn a_watch_that_matches_and_a_status_that_changes_are_told_with_their_data() {
    let project = Project::new();
    let mut server = Server::ready(&project, &["--policy", "actions"]);
    let watch = json!([{"regex": "listening on (\\d+)", "event": "up", "once": true}]);
    let command = "echo starting; echo 'listening on 8080'; while [ ! -e go ]; do sleep 0.05; done; exit 3";
    let answer = server.call("shell", json!({"action": "spawn", "command": command, "watch": watch}));
    let id = answer["result"]["structuredContent"]["run_id"].clone();
    assert!(id.is_string(), "{answer}");
    let up = message(&mut server, "shell_run_watch");
    assert_eq!((&up["level"], &up["logger"]), (&json!("info"), &json!("actions")), "{up}");
    assert_eq!(up["data"]["job"], id, "{up}");
    assert!(up["data"]["policy"].as_str().unwrap().starts_with("actions@"), "{up}");
    let data = &up["data"]["data"];
    assert_eq!((&data["run_id"], &data["event"], &data["stream"]), (&id, &json!("up"), &json!("stdout")), "{up}");
    assert_eq!((&data["line"], &data["suppressed"]), (&json!("listening on 8080"), &json!(0)), "{up}");
    assert!(data["seq"].as_u64().unwrap() > 0 && data["snippet"].as_str().unwrap().contains("listening"), "{up}");
    project.file("go", "");
    let ended = loop {
        let changed = message(&mut server, "shell_run_status");
        assert_eq!(changed["data"]["data"]["run_id"], id, "{changed}");
        if changed["data"]["data"]["status"] == "completed" {
            break changed;
        }
    };
    assert_eq!((&ended["data"]["data"]["exit_code"], &ended["level"]), (&json!(3), &json!("info")), "{ended}");
    assert!(ended["data"]["text"].as_str().unwrap().contains(id.as_str().unwrap()), "{ended}");
}

#[test]
fn what_a_task_prints_and_its_end_are_told_with_their_data() {
    let project = Project::new();
    let mut server = Server::ready(&project, &["--policy", "pattern"]);
    let command = "echo five; while [ ! -e go ]; do sleep 0.05; done";
    let answer = server.call("shell", json!({"op": "spawn", "command": command}));
    let id = answer["result"]["structuredContent"]["task_id"].clone();
    assert!(id.is_string(), "{answer}");
    let label = json!([format!("process:{}", id.as_str().unwrap())]);
    let printed = message(&mut server, "process_output");
    assert_eq!((&printed["logger"], &printed["data"]["job"]), (&json!("pattern"), &id), "{printed}");
    let data = &printed["data"]["data"];
    assert_eq!((&data["task_id"], &data["blocks"], &data["stdout_bytes"]), (&id, &label, &json!(5)), "{printed}");
    project.file("go", "");
    let gone = message(&mut server, "process_exited");
    let data = &gone["data"]["data"];
    assert_eq!((&data["task_id"], &data["blocks"], &data["exit_code"]), (&id, &label, &json!(0)), "{gone}");
    assert_eq!(gone["level"], "info", "{gone}");
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
    let record: Value = serde_json::from_str(text).unwrap();
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

#[test]
fn a_client_that_introduces_itself_again_is_told_everything_once() {
    let project = Project::new();
    let mut server = Server::ready(&project, &["--policy", "meerkat", "--set", "enabled=true", "--set", "shell=sh"]);
    for _ in 0..3 {
        server.notify("notifications/initialized", json!({}));
    }
    // Whatever is told of the first has been told when the third is.
    let told: Vec<_> = (0..3)
        .map(|_| {
            let answer = server.call("shell", json!({"command": "true", "background": true}));
            let told = server.notification("notifications/message")["data"]["job"].take();
            assert_eq!(told, answer["result"]["structuredContent"]["job_id"], "{:?}", server.heard);
            told
        })
        .collect();
    assert!(server.heard.iter().all(|message| message["method"] != "notifications/message"), "{told:?}");
}
