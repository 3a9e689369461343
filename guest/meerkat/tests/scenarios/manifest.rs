//! What the policy says of itself.

use serde_json::{Value, json};
use shellward_kit::fake::{Behaviour, Fake, Subject};

use super::call;

pub fn disabled(subject: &dyn Subject) {
    let manifest = subject.describe("{}").expect("a manifest");
    assert_eq!((manifest.tools.len(), manifest.run.is_some()), (0, true));
    serde_json::from_str::<Value>(&manifest.settings_schema).expect("JSON");
    let host = Fake::new();
    host.otherwise(Behaviour::exits(0));
    for tool in ["shell", "shell_job_status", "shell_jobs", "shell_job_cancel"] {
        let answer = call(subject, &host, tool, &json!({ "command": "x" }));
        assert_eq!(answer["error"], "shell_disabled", "{tool}");
        let message = answer["message"].as_str().expect("a text");
        for part in ["[tools.shell]", "enabled = true", ".shellward/config.toml"] {
            assert!(message.contains(part), "{message}");
        }
    }
    assert_eq!(host.launches().len(), 0);
}

pub fn tools(subject: &dyn Subject) {
    let manifest = subject.describe(r#"{"enabled":true}"#).expect("a manifest");
    let schema = |index: usize| -> Value { serde_json::from_str(&manifest.tools[index].input_schema).expect("JSON") };
    let names: Vec<_> = manifest.tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["shell", "shell_job_status", "shell_jobs", "shell_job_cancel"]);
    let shell = json!({
        "type": "object",
        "properties": {
            "command": { "type": "string", "description": "The command to execute (Nushell syntax)" },
            "working_dir": { "type": "string", "description": "Working directory (relative to project root)" },
            "timeout_secs": {
                "type": "integer", "description": "Timeout in seconds (uses config default if not specified)"
            },
            "background": {
                "type": "boolean",
                "description": "If true, run in background and return job ID immediately",
                "default": false
            }
        },
        "required": ["command"]
    });
    let job = |description: &str| {
        json!({
            "type": "object",
            "properties": { "job_id": { "type": "string", "description": description } },
            "required": ["job_id"]
        })
    };
    assert_eq!(schema(0), shell);
    assert_eq!(schema(1), job("The job ID to check"));
    assert_eq!(schema(2), json!({ "type": "object", "properties": {} }));
    assert_eq!(schema(3), job("The job ID to cancel"));
    for tool in &manifest.tools {
        if let Some(output) = &tool.output_schema {
            let output: Value = serde_json::from_str(output).expect("JSON");
            assert_eq!(output["type"], "object", "{}", tool.name);
        }
    }
    for (shell, said) in [("bash", "(Bash syntax)"), ("fish", "(fish syntax)"), ("a\"b", "(a?b syntax)")] {
        let settings = json!({ "enabled": true, "shell": shell }).to_string();
        let manifest = subject.describe(&settings).expect("a manifest");
        let schema: Value = serde_json::from_str(&manifest.tools[0].input_schema).expect("JSON");
        let description = schema["properties"]["command"]["description"].as_str().expect("a text");
        assert!(description.ends_with(said), "{description}");
    }
}

pub fn rest(subject: &dyn Subject) {
    let manifest = subject.describe("{}").expect("a manifest");
    assert_eq!((manifest.name.as_str(), manifest.settings_table.as_str()), ("meerkat", "tools.shell"));
    assert_eq!((manifest.retention.jobs, manifest.retention.millis), (100, 300_000));
    let run = manifest.run.expect("a run form");
    let timeout = run.timeout.expect("a timeout");
    assert_eq!(
        (run.tool.as_str(), run.command.as_str(), run.directory.as_deref()),
        ("shell", "command", Some("working_dir"))
    );
    assert_eq!((timeout.name.as_str(), timeout.unit_millis, run.constant.as_str()), ("timeout_secs", 1000, "{}"));
    let settings = r#"{"max_completed_jobs":5,"completed_job_ttl_secs":60}"#;
    let manifest = subject.describe(settings).expect("a manifest");
    assert_eq!((manifest.retention.jobs, manifest.retention.millis), (5, 60_000));
    let errors = subject.describe(r#"{"enable":true}"#).expect_err("accepted");
    assert_eq!(errors[0].message, "unknown setting; did you mean 'enabled'?");
}
