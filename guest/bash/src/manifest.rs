//! Who this policy is and what it offers.

use crate::settings::{self, Settings};
use shellward_kit::contract::{Manifest, Retention, RunForm, TimeoutForm, Tool};

/// The name of the tool.
pub const TOOL: &str = "Bash";

const INPUT: &str = include_str!("schemas/input.json");
const OUTPUT: &str = include_str!("schemas/output.json");

/// Makes the manifest.
#[must_use]
pub fn manifest(settings: &Settings) -> Manifest {
    // The number stands in the schema twice: as the default, and in its description.
    let input = INPUT.replace("120000", &settings.default_timeout_ms.to_string());
    Manifest {
        name: "bash".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        summary: "Runs shell commands within the project root under a few hard safety rules, and answers with the \
                  standard envelope."
            .to_owned(),
        tools: vec![Tool {
            name: TOOL.to_owned(),
            description: "Execute a shell command within the project sandbox.".to_owned(),
            input_schema: input,
            output_schema: Some(OUTPUT.to_owned()),
            read_only: false,
            destructive: true,
        }],
        settings_table: settings::TABLE.to_owned(),
        settings_schema: settings::SCHEMA.to_owned(),
        variables: settings::variables(),
        run: Some(RunForm {
            tool: TOOL.to_owned(),
            command: "command".to_owned(),
            directory: Some("directory".to_owned()),
            timeout: Some(TimeoutForm { name: "timeout_ms".to_owned(), unit_millis: 1 }),
            constant: "{}".to_owned(),
        }),
        // A job is never looked up once its one call is answered.
        retention: Retention { jobs: 0, millis: 0 },
    }
}

#[cfg(test)]
mod tests {
    use super::manifest;
    use crate::settings::Settings;
    use serde_json::{Value, json};

    #[test]
    fn the_tool_is_the_specifications() {
        let manifest = manifest(&Settings::default());
        let tool = &manifest.tools[0];
        assert_eq!(tool.name, "Bash");
        assert_eq!(tool.description, "Execute a shell command within the project sandbox.");
        let schema: Value = serde_json::from_str(&tool.input_schema).expect("JSON");
        assert_eq!(
            schema,
            json!({
                "type": "object",
                "properties": {
                    "command": {
                        "type": "string",
                        "description": "The shell command to execute. Command chaining (&&, ||, ;) is allowed.",
                    },
                    "directory": {
                        "type": "string",
                        "description": "Working directory relative to project root. Defaults to '.'.",
                        "default": ".",
                    },
                    "timeout_ms": {
                        "type": "integer",
                        "description": "Execution timeout in milliseconds. Default 120000, max 600000.",
                        "default": 120_000,
                    },
                },
                "required": ["command"],
                "additionalProperties": false,
            })
        );
        let output: Value = serde_json::from_str(tool.output_schema.as_deref().expect("a schema")).expect("JSON");
        assert_eq!(output["required"], json!(["status", "data", "text", "stats", "context"]));
    }

    #[test]
    fn the_schema_tells_the_default_that_is_set() {
        let settings = Settings::accepted(r#"{"default_timeout_ms":5000}"#);
        let schema: Value = serde_json::from_str(&manifest(&settings).tools[0].input_schema).expect("JSON");
        let timeout = &schema["properties"]["timeout_ms"];
        assert_eq!(timeout["default"], 5000);
        assert_eq!(timeout["description"], "Execution timeout in milliseconds. Default 5000, max 600000.");
    }
}
