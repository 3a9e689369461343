//! Live documents as resources.

use serde_json::{Value, json};
use shellward_tests::{HOSTILE, Project, until};

use super::server::Server;

const URI: &str = "shellward://blocks/process:my%20document";

fn read(server: &mut Server) -> Value {
    server.request("resources/read", json!({"uri": URI}))["result"]["contents"].take()
}

#[test]
fn a_live_document_is_listed_read_and_watched() {
    let project = Project::new();
    let mut server = Server::ready(&project, &["--policy", HOSTILE]);
    let go = project.root().join("go");
    let command = format!("echo one; while [ ! -e {} ]; do sleep 0.05; done; echo two; echo wrong >&2", go.display());
    let arguments = json!({"command": command, "block": "process:my document"});
    let call = server.send("tools/call", json!({"name": "hostile", "arguments": arguments}));
    server.notification("notifications/resources/list_changed");
    let listed = server.request("resources/list", json!({}));
    assert_eq!(listed["result"]["resources"][0]["uri"], URI, "{listed}");
    until("the first line is there", || read(&mut server)[0]["text"] == "one\n");
    assert_eq!(read(&mut server)[0]["_meta"]["shellward/running"], true);
    assert!(server.request("resources/subscribe", json!({"uri": URI}))["error"].is_null());
    project.file("go", "");
    assert_eq!(server.notification("notifications/resources/updated")["uri"], URI);
    server.answer(call);
    until("the document says that its process has ended", || {
        read(&mut server)[0]["_meta"]["shellward/running"] == false
    });
    let read = read(&mut server);
    assert_eq!((&read[0]["text"], &read[1]["text"]), (&json!("one\ntwo\n"), &json!("wrong\n")), "{read}");
}
