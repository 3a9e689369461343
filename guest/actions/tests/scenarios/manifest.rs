//! What the policy says of itself.

use serde_json::{Value, json};
use shellward_kit::fake::Subject;

pub fn tool(subject: &dyn Subject) {
    let manifest = subject.describe(r#"{"default_timeout_secs": 45, "max_wait_ms": 9000}"#).expect("settings");
    let tool = &manifest.tools[0];
    assert_eq!((manifest.tools.len(), tool.name.as_str(), tool.destructive, tool.read_only), (1, "shell", true, false));
    let schema: Value = serde_json::from_str(&tool.input_schema).expect("JSON");
    let properties = schema["properties"].as_object().expect("properties");
    let of_the_specification = [
        "action",
        "command",
        "background",
        "pty",
        "timeout_secs",
        "max_output_bytes",
        "watch",
        "run_id",
        "since_seq",
        "limit",
        "stream",
        "session_id",
    ];
    for name in of_the_specification {
        assert!(properties.contains_key(name), "{name}");
    }
    assert_eq!(properties["action"]["enum"], json!(["spawn", "poll", "log", "kill", "send_keys"]));
    assert_eq!(properties["wait_ms"]["maximum"], 9000);
    let timeout = properties["timeout_secs"]["description"].as_str().unwrap_or_default();
    assert!(timeout.contains("default 45"), "{timeout}");
    assert!(properties["text"]["description"].as_str().is_some_and(|text| text.contains("\\n")));
    let output: Value = serde_json::from_str(tool.output_schema.as_deref().expect("a schema")).expect("JSON");
    assert_eq!(output["type"], "object");
}

pub fn rest(subject: &dyn Subject) {
    let manifest = subject.describe("{}").expect("settings");
    assert_eq!((manifest.name.as_str(), manifest.settings_table.as_str()), ("actions", "tools.actions"));
    let run = manifest.run.expect("a form");
    assert_eq!((run.tool.as_str(), run.command.as_str(), run.directory), ("shell", "command", None));
    let errors = subject.describe(r#"{"recovery": "maybe", "no": 1}"#).expect_err("refused");
    assert_eq!(errors.len(), 2, "{errors:?}");
}
