//! Which parameters a call may have.

use serde_json::{Value, json};
use shellward_kit::fake::{Behaviour, Fake, Subject, body};

use super::{call, spawn};

/// What each action takes beside `action`.
const ACTIONS: &[(&str, &[&str])] = &[
    ("", &["command", "timeout_secs", "max_output_bytes"]),
    ("spawn", &["command", "background", "pty", "stdin", "timeout_secs", "max_output_bytes", "watch", "session_id"]),
    ("poll", &["run_id", "since_seq", "wait_ms"]),
    ("log", &["run_id", "since_seq", "limit", "stream"]),
    ("kill", &["run_id", "wait_ms"]),
    ("send_keys", &["run_id", "text", "keys", "eof", "pty"]),
];

fn value(name: &str) -> Value {
    match name {
        "command" | "session_id" | "run_id" | "text" => json!("x"),
        "background" | "stdin" | "pty" | "eof" => json!(true),
        "watch" => json!([]),
        "keys" => json!(["Enter"]),
        "stream" => json!("stdout"),
        _ => json!(5),
    }
}

/// Every parameter with every action: taken where it belongs, refused by name where it does not.
pub fn belong(subject: &dyn Subject) {
    let host = Fake::configured(&json!({}), Behaviour::exits(0));
    for (action, own) in ACTIONS {
        for name in ACTIONS.iter().flat_map(|(_, names)| names.iter()) {
            let mut arguments = json!({});
            if !action.is_empty() {
                arguments["action"] = json!(action);
            }
            for required in own.iter().filter(|own| ["command", "run_id", "text"].contains(own)) {
                arguments[required] = value(required);
            }
            arguments[name] = value(name);
            let message = call(subject, &host, &arguments)["message"].as_str().unwrap_or_default().to_owned();
            let refused = message.starts_with(&format!("Parameter '{name}' belongs to action '"));
            assert_eq!(refused, !own.contains(name), "{action} {name}: {message}");
        }
    }
    host.finish(subject);
    let answer = call(subject, &host, &json!({"action": "poll", "run_id": "x", "limit": 5}));
    let message = "Parameter 'limit' belongs to action 'log', not to action 'poll', which takes 'run_id', 'since_seq', 'wait_ms'.";
    assert_eq!(answer, json!({"error": "invalid_parameter", "message": message}));
    let answer = call(subject, &host, &json!({"command": "x", "background": true}));
    let message = "Parameter 'background' belongs to action 'spawn', not to a call without 'action', which takes \
                   'command', 'timeout_secs', 'max_output_bytes'.";
    assert_eq!(answer["message"], message);
}

pub fn wrong(subject: &dyn Subject) {
    let host = Fake::configured(&json!({}), Behaviour::exits(0));
    let id = spawn(subject, &host, "x", &json!({}));
    for (arguments, message) in [
        (json!({}), "Missing required parameter 'command'."),
        (json!({"action": "spawn"}), "Missing required parameter 'command'."),
        (
            json!({"action": "poll"}),
            "Missing required parameter 'run_id'. Give the run_id that action 'spawn' answered.",
        ),
        (
            json!({"action": "start"}),
            "Parameter 'action' must be one of 'spawn', 'poll', 'log', 'kill', 'send_keys', not 'start'.",
        ),
        (
            json!({"action": "pol"}),
            "Parameter 'action' must be one of 'spawn', 'poll', 'log', 'kill', 'send_keys', not 'pol'. Did you mean 'poll'?",
        ),
        (json!({"command": "x", "timeout": 5}), "Unknown parameter 'timeout'. Did you mean 'timeout_secs'?"),
        (json!({"command": "x", "timeout_secs": 0}), "Parameter 'timeout_secs' must be between 1 and 31536000, not 0."),
        (json!({"command": " "}), "Parameter 'command' must not be empty or only white space."),
        (
            json!({"action": "spawn", "command": "x", "background": "yes"}),
            "Parameter 'background' must be true or false, not the string \"yes\".",
        ),
        (json!({"action": "spawn", "command": "x", "session_id": ""}), "Parameter 'session_id' must not be empty."),
        (
            json!({"action": "spawn", "command": "x", "pty": 1}),
            "Parameter 'pty' must be true, false, or a size such as {\"rows\": 24, \"columns\": 80}, not the number 1.",
        ),
        (
            json!({"action": "spawn", "command": "x", "pty": {"rows": 0}}),
            "Parameter 'pty.rows' must be between 1 and 1000, not the number 0.",
        ),
        (
            json!({"action": "spawn", "command": "x", "pty": {"cols": 80}}),
            "Unknown parameter 'pty.cols'. A size takes 'rows' and 'columns'.",
        ),
        (
            json!({"action": "spawn", "command": "x", "pty": true, "stdin": false}),
            "Parameter 'stdin' cannot be false with 'pty': a terminal is read from. Leave it out.",
        ),
        (
            json!({"action": "poll", "run_id": id, "since_seq": -1}),
            "Parameter 'since_seq' must be between 0 and 9223372036854775807, not -1.",
        ),
        (
            json!({"action": "poll", "run_id": id, "wait_ms": 120_001}),
            "Parameter 'wait_ms' must be between 0 and 120000, not 120001.",
        ),
        (
            json!({"action": "log", "run_id": id, "stream": "both"}),
            "Parameter 'stream' must be one of 'stdout', 'stderr', not 'both'.",
        ),
        (
            json!({"action": "log", "run_id": id, "limit": 0}),
            "Parameter 'limit' must be between 1 and 9223372036854775807, not 0.",
        ),
        (
            json!({"action": "send_keys", "run_id": id}),
            "Action 'send_keys' needs something to send: 'text' such as \"yes\\n\", 'keys' such as [\"Up\", \"Enter\"], or 'eof': true.",
        ),
    ] {
        let answer = call(subject, &host, &arguments);
        assert_eq!(answer, json!({"error": "invalid_parameter", "message": message}), "{arguments}");
    }
    let answer = body(&host.run(subject, "shell", "[]"));
    assert_eq!(answer["message"], "The arguments must be a JSON object with the parameters by name, not an array.");
}

pub fn lists(subject: &dyn Subject) {
    let host = Fake::configured(&json!({}), Behaviour::exits(0));
    let watch = |watch: Value| call(subject, &host, &json!({"action": "spawn", "command": "x", "watch": watch}));
    for (given, message) in [
        (
            json!("x"),
            "Parameter 'watch' must be a list such as [{\"regex\": \"listening on\", \"event\": \"ready\"}], not the string \"x\".",
        ),
        (json!(["x"]), "Parameter 'watch[0]' must be an object with 'regex' and 'event', not the string \"x\"."),
        (json!([{"regex": "x"}]), "Missing required parameter 'watch[0].event'."),
        (json!([{"regex": "x", "event": "e"}, {"event": "e"}]), "Missing required parameter 'watch[1].regex'."),
        (json!([{"regex": "", "event": "e"}]), "Parameter 'watch[0].regex' must not be empty."),
        (json!([{"regex": 5, "event": "e"}]), "Parameter 'watch[0].regex' must be a string, not the number 5."),
        (json!([{"regx": "x", "event": "e"}]), "Unknown parameter 'watch[0].regx'. Did you mean 'regex'?"),
        (
            json!([{"regex": "x", "event": "e", "once": 1}]),
            "Parameter 'watch[0].once' must be true or false, not the number 1.",
        ),
        (
            json!([{"regex": "x", "event": "e", "scope": "all"}]),
            "Parameter 'watch[0].scope' must be 'stdout', 'stderr' or 'both', not the string \"all\".",
        ),
    ] {
        assert_eq!(watch(given), json!({"error": "invalid_parameter", "message": message}));
    }
    assert_eq!(
        watch(json!(vec![json!({"regex": "x", "event": "e"}); 33]))["message"],
        "Parameter 'watch' takes at most 32 watches, not 33."
    );
    let wrong = watch(json!([{"regex": "fine", "event": "e"}, {"regex": "a(b", "event": "e"}]));
    let message = "Parameter 'watch[1].regex' is wrong at byte 1: unclosed group. Patterns are regular expressions without look-around and back-references.";
    assert_eq!(wrong, json!({"error": "invalid_watch", "message": message}));
    assert!(host.launches().is_empty());
    let terminal = json!({"action": "spawn", "command": "x", "pty": true, "watch": [{"regex": "x", "event": "e", "scope": "stderr"}]});
    let message = "Parameter 'watch[0].scope' cannot be 'stderr' with 'pty': a terminal shows both streams as stdout.";
    assert_eq!(call(subject, &host, &terminal)["message"], message);
    let keys = |keys: Value| call(subject, &host, &json!({"action": "send_keys", "run_id": "x", "keys": keys}));
    let message = keys(json!(["Enter", "Entr"]))["message"].as_str().unwrap_or_default().to_owned();
    assert!(
        message.starts_with("Parameter 'keys[1]' must be the name of a key, not the string \"Entr\". Keys are"),
        "{message}"
    );
    assert_eq!(keys(json!("Enter"))["error"], "run_not_found", "one key need not stand in a list");
}

pub fn others(subject: &dyn Subject) {
    let host = Fake::configured(&json!({}), Behaviour::hangs());
    let id = spawn(subject, &host, "x", &json!({}));
    host.pass(subject, 10);
    for action in ["poll", "log", "kill", "send_keys"] {
        let mut arguments = json!({"action": action, "run_id": id});
        if action == "send_keys" {
            arguments["text"] = json!("x");
        }
        let answer = body(&host.run_in("other", subject, "shell", &arguments.to_string()));
        assert_eq!(answer["error"], "run_not_found", "{action}");
        assert!(answer["message"].as_str().is_some_and(|message| message.contains(&id)), "{answer}");
    }
    let answer = call(subject, &host, &json!({"action": "kill", "run_id": id}));
    assert_eq!(answer["status"], "killed");
}
