//! What the policy says of itself.

use shellward_kit::contract::{Manifest, Retention, RunForm, TimeoutForm, Tool};

use crate::request::TOOL;
use crate::settings::{SCHEMA, Settings};

/// Gives the manifest under these settings.
pub fn manifest(settings: &Settings) -> Manifest {
    Manifest {
        name: "exec".into(),
        version: env!("CARGO_PKG_VERSION").into(),
        summary: "Runs one shell command and answers with its exit code and output as plain text.".into(),
        tools: vec![Tool {
            name: TOOL.into(),
            description: "Execute a shell command on the device and return its output".into(),
            input_schema: input_schema(settings),
            output_schema: None,
            read_only: false,
            destructive: true,
        }],
        settings_table: "tools.exec".into(),
        settings_schema: SCHEMA.into(),
        variables: Vec::new(),
        run: Some(RunForm {
            tool: TOOL.into(),
            command: "command".into(),
            directory: Some("working_directory".into()),
            timeout: Some(TimeoutForm { name: "timeout_seconds".into(), unit_millis: 1000 }),
            constant: "{}".into(),
        }),
        // A job is never looked up once its one call is answered.
        retention: Retention { jobs: 0, millis: 0 },
    }
}

fn input_schema(settings: &Settings) -> String {
    let Settings { default_timeout_secs, max_timeout_secs, default_max_length, .. } = settings;
    format!(
        r#"{{"type":"object","properties":{{"command":{{"type":"string","description":"The shell command to execute"}},"timeout_seconds":{{"type":"integer","description":"Maximum execution time in seconds. Default: {default_timeout_secs}, Max: {max_timeout_secs}"}},"working_directory":{{"type":"string","description":"Working directory for the command. Default: the project's root"}},"max_length":{{"type":"integer","description":"Maximum output length in characters. Default: {default_max_length}"}}}},"required":["command"]}}"#
    )
}
