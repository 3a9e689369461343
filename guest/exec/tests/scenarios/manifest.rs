//! What the policy says of itself, of commands and of settings.

use serde_json::{Value, json};
use shellward_kit::bindings::shellward::policy::commands::Script;
use shellward_kit::contract::{Analysis, Decision, Request, ReviewSubject};
use shellward_kit::fake::{Fake, Subject};

pub fn review(subject: &dyn Subject) {
    for command in ["echo hi", "rm -rf /", "sudo reboot", "", "'unfinished"] {
        let request = Request {
            session: "s".into(),
            tool: String::new(),
            subject: ReviewSubject::CommandLine(command.into()),
            analysis: Analysis::Known(Script { commands: Vec::new(), functions: Vec::new(), hazards: Vec::new() }),
            directory: "/project".into(),
            root: "/project".into(),
            environment: Vec::new(),
            settings: "{}".into(),
        };
        let verdict = Fake::new().review(subject, &request);
        assert_eq!((verdict.decision, verdict.findings.len()), (Decision::Allow, 0), "{command}");
    }
}

pub fn description(subject: &dyn Subject) {
    let manifest = subject.describe("{}").unwrap();
    assert_eq!((manifest.name.as_str(), manifest.settings_table.as_str()), ("exec", "tools.exec"));
    assert_eq!(manifest.tools.len(), 1);
    let tool = &manifest.tools[0];
    assert_eq!(tool.name, "exec");
    assert_eq!(tool.description, "Execute a shell command on the device and return its output");
    let schema: Value = serde_json::from_str(&tool.input_schema).unwrap();
    let parameter = |kind: &str, description: &str| json!({ "type": kind, "description": description });
    let expected = json!({
        "type": "object",
        "properties": {
            "command": parameter("string", "The shell command to execute"),
            "timeout_seconds": parameter("integer", "Maximum execution time in seconds. Default: 30, Max: 120"),
            "working_directory": parameter("string", "Working directory for the command. Default: the project's root"),
            "max_length": parameter("integer", "Maximum output length in characters. Default: 50000"),
        },
        "required": ["command"],
    });
    assert_eq!(schema, expected);
    serde_json::from_str::<Value>(&manifest.settings_schema).unwrap();
    let run = manifest.run.unwrap();
    assert_eq!((run.tool.as_str(), run.command.as_str(), run.constant.as_str()), ("exec", "command", "{}"));
}

pub fn settings(subject: &dyn Subject) {
    let manifest =
        subject.describe(r#"{"default_timeout_secs":5,"max_timeout_secs":600,"default_max_length":9}"#).unwrap();
    assert!(manifest.tools[0].input_schema.contains("Default: 5, Max: 600"), "{}", manifest.tools[0].input_schema);
    let cases = [
        (r#"{"timeout":5}"#, "timeout", "unknown setting; did you mean 'max_timeout_secs'?"),
        (r#"{"max_timeout_secs":0}"#, "max_timeout_secs", "must be between 1 and 86400, not 0"),
        (
            r#"{"default_timeout_secs":121}"#,
            "default_timeout_secs",
            "must be at most max_timeout_secs, which is 120, not 121",
        ),
        (r#"{"default_max_length":"x"}"#, "default_max_length", "must be a whole number, not the string \"x\""),
        (r#"{"shell":""}"#, "shell", "must not be empty"),
        (r#"{"note_truncation":"yes"}"#, "note_truncation", "must be true or false, not the string \"yes\""),
        ("[]", "", "must be a table, not an array"),
    ];
    for (text, key, message) in cases {
        let errors = subject.describe(text).unwrap_err();
        assert_eq!(errors.len(), 1, "{errors:?}");
        assert_eq!((errors[0].key.join(".").as_str(), errors[0].message.as_str()), (key, message));
    }
}
