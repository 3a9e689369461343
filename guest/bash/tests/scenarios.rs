//! What the `bash` policy does, whatever runs it: natively in this crate, as a component in the tests crate.

#![expect(clippy::expect_used, clippy::panic, reason = "these functions are tests, called by one")]

#[path = "scenarios/answers.rs"]
mod answers;
#[path = "scenarios/bad_input.rs"]
mod bad_input;
#[path = "scenarios/directories.rs"]
mod directories;
#[path = "scenarios/rules.rs"]
mod rules;
#[path = "scenarios/settings.rs"]
mod settings;
#[path = "scenarios/starting.rs"]
mod starting;

use serde_json::{Value, json};
use shellward_kit::bindings::shellward::policy::commands::Obstacle;
use shellward_kit::contract::{Analysis, Decision, Reply, Request, ReviewSubject, Span, Verdict};
use shellward_kit::fake::{Behaviour, Fake, Subject};

/// A scenario: what it shows, and the function that shows it.
pub type Scenario = (&'static str, fn(&dyn Subject));

/// Every scenario.
pub const ALL: &[Scenario] = &[
    ("a success has the five fields", answers::success),
    ("any other exit code is partial", answers::partial),
    ("a signal has its name", answers::signalled),
    ("a timeout with output is partial", answers::timeout_with_output),
    ("a timeout without output is an error", answers::timeout_without_output),
    ("a stubborn command is killed after the grace", answers::stubborn),
    ("a timeout is what was asked for", answers::timeout_as_asked),
    ("what leaks is said", answers::leaks),
    ("dropped output is counted where it is missing", answers::dropped),
    ("a limit on characters truncates", answers::limited),
    ("output that is no UTF-8 is shown and said", answers::invalid_utf8),
    ("control characters survive", answers::control_characters),
    ("the worst output fits", answers::worst_case),
    ("long output is summarised in the text alone", answers::summarised),
    ("a cancelled command is an error with its output", answers::cancelled),
    ("arguments that are no object", bad_input::no_object),
    ("commands that are none", bad_input::commands),
    ("a command of ten megabytes", bad_input::huge),
    ("unknown arguments", bad_input::unknown),
    ("timeouts that are none", bad_input::timeouts),
    ("directories that are none", bad_input::directories),
    ("another tool", bad_input::tool),
    ("programs that wait for a person", rules::interactive),
    ("programs that destroy or raise privileges", rules::dangerous),
    ("removing the root", rules::removal),
    ("scripts from the network", rules::remote),
    ("the network", rules::network),
    ("reading, searching, listing", rules::readers),
    ("commands inside commands", rules::wrapped),
    ("what is only text", rules::text),
    ("everyday commands run", rules::everyday),
    ("what cannot be known", rules::unknown),
    ("more than is judged", rules::too_much),
    ("a refusal says what, why and what instead", rules::refusal),
    ("a review names every command", rules::review),
    ("typed text is not taken", rules::typed),
    ("cd stays within the root", directories::cd),
    ("cd that may fail is said", directories::uncertain),
    ("cd starts where the call says", directories::from_elsewhere),
    ("cd through links", directories::links),
    ("lists are extended and relaxed", settings::lists),
    ("filters in pipes", settings::filters),
    ("what becomes of the unknown is a setting", settings::on_unknown),
    ("a human is asked", settings::asked),
    ("the shell is a setting", settings::shell),
    ("limits are settings", settings::limits),
    ("wrong settings are refused", settings::wrong),
    ("the manifest", settings::manifest),
    ("how a command is launched", starting::launch),
    ("a command that cannot be started", starting::errors),
    ("a guard that asks", starting::guard),
    ("no shell at all", starting::no_shell),
    ("a command that turns out not to start", starting::late),
];

/// Calls the tool and gives the reply.
fn call(subject: &dyn Subject, host: &Fake, arguments: &Value) -> Reply {
    let reply = host.run(subject, "Bash", &arguments.to_string());
    host.finish(subject);
    reply
}

/// Calls the tool with a command alone and gives the envelope.
fn run(subject: &dyn Subject, host: &Fake, command: &str) -> Value {
    envelope(&call(subject, host, &json!({ "command": command })))
}

/// Reads the envelope of a reply and checks what is true of every envelope.
fn envelope(reply: &Reply) -> Value {
    let text = reply.structured.as_deref().expect("an envelope");
    let body: Value = serde_json::from_str(text).expect("JSON");
    let keys: Vec<&str> = body.as_object().expect("an object").keys().map(String::as_str).collect();
    let is_error = body["status"] == "error";
    let expected: &[&str] = match is_error {
        true => &["status", "data", "text", "stats", "context", "error"],
        false => &["status", "data", "text", "stats", "context"],
    };
    assert_eq!(keys, expected, "{text}");
    assert!(["success", "partial", "error"].iter().any(|status| body["status"] == *status), "{text}");
    assert_eq!(body["text"], *reply.text);
    assert_eq!(reply.is_error, is_error);
    assert_eq!(reply.code.as_deref(), body["error"]["code"].as_str());
    for key in ["time_ms", "stdout_bytes", "stderr_bytes"] {
        assert!(body["stats"][key].is_u64(), "{text}");
    }
    assert!(body["context"]["cwd"].is_string(), "{text}");
    assert!(body["context"].get("params_input").is_some(), "{text}");
    if body["data"] != json!({}) {
        let data: Vec<&str> = body["data"].as_object().expect("an object").keys().map(String::as_str).collect();
        assert_eq!(data, ["stdout", "stderr", "exit_code", "signal", "truncated", "command", "directory"]);
    }
    body
}

/// A host on which every command that is started returns 0.
fn host() -> Fake {
    let host = Fake::new();
    host.otherwise(Behaviour::exits(0));
    host
}

/// Demands that a call failed before anything was started.
fn refused(body: &Value, code: &str, message: &str) {
    assert_eq!(body["status"], "error", "{body}");
    assert_eq!(body["error"]["code"], code, "{body}");
    let found = body["error"]["message"].as_str().expect("a message");
    assert!(found.starts_with(message), "{found:?} does not begin with {message:?}");
    assert_eq!(body["text"], found);
    assert_eq!(body["data"], json!({}));
    assert_eq!(body["stats"], json!({"time_ms": 0, "stdout_bytes": 0, "stderr_bytes": 0}));
}

fn review(subject: &dyn Subject, host: &Fake, command: &str, settings: &str) -> Verdict {
    host.review(subject, &request(ReviewSubject::CommandLine(command.into()), settings))
}

/// Asks for a judgement in the root. The policy brings an analysis of its own, so the host's says nothing here.
fn request(subject: ReviewSubject, settings: &str) -> Request {
    Request {
        session: "session".into(),
        tool: "Bash".into(),
        subject,
        analysis: Analysis::Unknown(Obstacle { message: "not analysed".into(), at: Span { start: 0, end: 0 } }),
        directory: "/project".into(),
        root: "/project".into(),
        environment: Vec::new(),
        settings: settings.into(),
    }
}

/// Demands of a table of commands that each runs, or is refused by a rule; by review and by call alike.
fn judged(subject: &dyn Subject, host: &Fake, settings: &str, table: &[(&str, &str)]) {
    host.settings_json(settings);
    for (command, rule) in table {
        let verdict = review(subject, host, command, settings);
        let body = run(subject, host, command);
        let codes: Vec<&str> = verdict.findings.iter().map(|finding| finding.code.as_str()).collect();
        if *rule == "runs" {
            assert_eq!(body["status"], "success", "{command}: {body}");
            assert_eq!(verdict.decision, Decision::Allow, "{command}: {codes:?}");
            continue;
        }
        assert_eq!(verdict.decision, Decision::Deny, "{command}");
        assert!(codes.contains(rule), "{command}: {codes:?} lacks {rule}");
        let only_outside = codes.iter().all(|code| *code == "outside-root");
        let (code, message) = match only_outside {
            true => ("ACCESS_DENIED", "Access denied. Path must be within project root. "),
            false => ("INVALID_PARAM", "Command blocked by safety rules. "),
        };
        refused(&body, code, message);
        assert!(body["text"].as_str().is_some_and(|text| text.contains(&format!("(rule {rule})"))), "{body}");
    }
    let started = table.iter().filter(|(_, rule)| *rule == "runs").count();
    assert_eq!(host.launches().len(), started, "something refused was started");
}
