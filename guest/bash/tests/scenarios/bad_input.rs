//! Arguments that are missing, wrong or too much: each a typed error, and nothing started.

use super::{call, envelope, host, refused};
use serde_json::{Value, json};
use shellward_kit::fake::Subject;

const MISSING: &str = "Missing required parameter 'command'.";
const TIMEOUT: &str = "timeout_ms must be an integer between 1 and 600000.";

pub(super) fn no_object(subject: &dyn Subject) {
    let host = host();
    for (arguments, kept) in [
        ("[]", json!([])),
        ("null", Value::Null),
        ("\"echo hi\"", json!("echo hi")),
        ("5", json!(5)),
        ("", json!("")),
        ("{", json!("{")),
        ("{\"command\":\"a\",\"command\":\"b\"}", json!("{\"command\":\"a\",\"command\":\"b\"}")),
    ] {
        let body = envelope(&host.run(subject, "Bash", arguments));
        refused(&body, "INVALID_PARAM", "The arguments ");
        assert_eq!(body["context"]["params_input"], kept);
    }
    let deep = "[".repeat(100_000);
    refused(&envelope(&host.run(subject, "Bash", &deep)), "INVALID_PARAM", "The arguments ");
    assert!(host.launches().is_empty());
}

pub(super) fn commands(subject: &dyn Subject) {
    let host = host();
    for (arguments, message) in [
        (json!({}), MISSING),
        (json!({"directory": "."}), MISSING),
        (json!({"command": null}), MISSING),
        (json!({"command": ""}), MISSING),
        (json!({"command": " \t\n"}), MISSING),
        (json!({"command": 5}), "Parameter 'command' must be a string, not the number 5."),
        (json!({"command": ["true"]}), "Parameter 'command' must be a string, not an array."),
        (json!({"command": {"a": 1}}), "Parameter 'command' must be a string, not an object."),
        (json!({"command": true}), "Parameter 'command' must be a string, not true."),
        (json!({"command": "echo a\0b"}), "Parameter 'command' contains a NUL character at byte 6; remove it."),
    ] {
        let body = envelope(&call(subject, &host, &arguments));
        refused(&body, "INVALID_PARAM", message);
        assert_eq!(body["context"], json!({"cwd": ".", "params_input": arguments}));
    }
    assert!(host.launches().is_empty());
}

pub(super) fn huge(subject: &dyn Subject) {
    let host = host();
    let command = format!("echo {}", "x".repeat(10 << 20));
    let body = envelope(&call(subject, &host, &json!({"command": command})));
    refused(&body, "INVALID_PARAM", "The arguments are too long: ");
    let kept = body["context"]["params_input"].as_str().expect("the beginning");
    assert!(kept.starts_with("{\"command\":\"echo xxx") && kept.len() <= 1000);
    // What would need more memory when read than a component has.
    let list = format!("[{}1]", "1,".repeat(2 << 20));
    refused(&envelope(&host.run(subject, "Bash", &list)), "INVALID_PARAM", "The arguments are too long: ");
    let list = format!("[{}1]", "1,".repeat((512 << 10) - 10));
    refused(&envelope(&host.run(subject, "Bash", &list)), "INVALID_PARAM", "The arguments must be a JSON object");
    // What can be read, and no shell would take.
    let command = "x".repeat(128 << 10);
    let body = envelope(&call(subject, &host, &json!({"command": command})));
    refused(&body, "INVALID_PARAM", "Parameter 'command' is too long: 131072 bytes");
    assert_eq!(body["context"]["params_input"]["command"], command);
    assert!(host.launches().is_empty());
}

pub(super) fn unknown(subject: &dyn Subject) {
    let host = host();
    for (arguments, message) in [
        (json!({"cmd": "true"}), "Unknown parameter 'cmd'. Did you mean 'command'?"),
        (json!({"command": "true", "timeout": 5}), "Unknown parameter 'timeout'. Did you mean 'timeout_ms'?"),
        (json!({"command": "true", "cwd": "."}), "Unknown parameter 'cwd'."),
    ] {
        refused(&envelope(&call(subject, &host, &arguments)), "INVALID_PARAM", message);
    }
    assert!(host.launches().is_empty());
}

pub(super) fn timeouts(subject: &dyn Subject) {
    let host = host();
    for timeout in [json!(0), json!(-1), json!(600_001), json!(1.5), json!(1.0), json!("5"), json!(true), json!([])] {
        let arguments = json!({"command": "true", "timeout_ms": timeout});
        refused(&envelope(&call(subject, &host, &arguments)), "INVALID_PARAM", TIMEOUT);
    }
    assert!(host.launches().is_empty());
    for (timeout, expected) in [(json!(1), 1), (json!(600_000), 600_000), (Value::Null, 120_000)] {
        let arguments = json!({"command": "true", "timeout_ms": timeout});
        assert_eq!(envelope(&call(subject, &host, &arguments))["status"], "success");
        assert_eq!(host.launches().last().and_then(|launch| launch.timeout), Some(expected));
    }
}

pub(super) fn directories(subject: &dyn Subject) {
    let host = host();
    host.directory("src/core").file("notes.txt").closed_directory("locked").directory("/outside/dir");
    host.link("out", "/outside").link("round", "round").link("inner", "src");
    const OUTSIDE: &str = "Access denied. Path must be within project root.";
    for (directory, code, message) in [
        (json!("nowhere"), "NOT_FOUND", "Directory 'nowhere' does not exist."),
        (json!("~"), "NOT_FOUND", "Directory '~' does not exist."),
        (json!("notes.txt"), "INVALID_PARAM", "'notes.txt' is not a directory."),
        (json!("locked"), "PERMISSION_DENIED", "Permission denied executing command."),
        (json!("locked/deeper"), "PERMISSION_DENIED", "Permission denied executing command."),
        (json!(".."), "ACCESS_DENIED", OUTSIDE),
        (json!("/"), "ACCESS_DENIED", OUTSIDE),
        (json!("/etc"), "ACCESS_DENIED", OUTSIDE),
        (json!("src/../../x"), "ACCESS_DENIED", OUTSIDE),
        (json!("../projectile"), "ACCESS_DENIED", OUTSIDE),
        (json!("out"), "ACCESS_DENIED", OUTSIDE),
        (json!("out/dir"), "ACCESS_DENIED", OUTSIDE),
        (json!("round"), "INVALID_PARAM", "'round' leads through links that go in circles."),
        (json!("a\0b"), "INVALID_PARAM", "Parameter 'directory' contains a NUL character"),
        (json!("x".repeat(5000)), "INVALID_PARAM", "Parameter 'directory' is longer than the system takes."),
        (json!(""), "INVALID_PARAM", "Parameter 'directory' must not be empty."),
        (json!(5), "INVALID_PARAM", "Parameter 'directory' must be a string, not the number 5."),
    ] {
        let arguments = json!({"command": "true", "directory": directory});
        refused(&envelope(&call(subject, &host, &arguments)), code, message);
    }
    assert!(host.launches().is_empty());
    for (directory, relative, absolute) in [
        (json!("."), ".", "/project"),
        (json!(null), ".", "/project"),
        (json!("src"), "src", "/project/src"),
        (json!("./src//core/../"), "src", "/project/src"),
        (json!("/project/src/core"), "src/core", "/project/src/core"),
        (json!("inner"), "src", "/project/src"),
    ] {
        let arguments = json!({"command": "true", "directory": directory});
        let body = envelope(&call(subject, &host, &arguments));
        assert_eq!(body["status"], "success", "{body}");
        assert_eq!(body["data"]["directory"], relative);
        assert_eq!(
            body["context"],
            json!({"cwd": relative, "params_input": arguments, "directory_resolved": relative})
        );
        assert_eq!(host.launches().last().map(|launch| launch.directory.clone()).as_deref(), Some(absolute));
    }
}

pub(super) fn tool(subject: &dyn Subject) {
    let host = host();
    let body = envelope(&host.run(subject, "bash", r#"{"command":"true"}"#));
    refused(&body, "INVALID_PARAM", "Unknown tool 'bash'. This policy offers 'Bash'.");
    assert!(host.launches().is_empty());
}
