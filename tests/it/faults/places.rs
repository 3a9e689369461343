//! The project's directory goes while it is in use.

use std::fs;

use serde_json::json;
use shellward_tests::{Project, Survivors};

use super::said;
use crate::mcp::server::Server;

#[test]
fn what_runs_goes_on_and_what_is_new_is_refused_until_it_is_back() {
    for (policy, tool, missing) in [("exec", "exec", "does not exist"), ("bash", "Bash", "does not exist")] {
        let (project, survivors) = (Project::new(), Survivors::new());
        let place = project.root().join("project");
        fs::create_dir(&place).unwrap();
        let mut server = Server::ready(&project, &["--project", place.to_str().unwrap(), "--policy", policy]);
        let command = format!("sleep {} || echo still here", survivors.mark());
        let call = server.send("tools/call", json!({"name": tool, "arguments": {"command": command}}));
        survivors.wait_for(1);
        fs::remove_dir_all(&place).unwrap();
        let answer = server.call(tool, json!({"command": "echo hello"}));
        let (is_error, text) = said(&answer);
        assert!(is_error && text.contains(missing), "{policy}: {text}");
        drop(survivors);
        assert!(said(&server.answer(call)).1.contains("still here"), "{policy}");
        fs::create_dir(&place).unwrap();
        let answer = server.call(tool, json!({"command": "echo back"}));
        let (is_error, text) = said(&answer);
        assert!(!is_error && text.contains("back"), "{policy}: {text}");
        server.close();
        assert_eq!(server.exit(), 0);
    }
}
