//! Who this policy is and what it offers.

use shellward_kit::contract::{Manifest, Retention, RunForm, TimeoutForm, Tool};

use crate::settings::{self, Settings};

/// The name of the tool.
pub const TOOL: &str = "shell";

const INPUT: &str = include_str!("schemas/input.json");

/// Makes the manifest.
#[must_use]
pub fn manifest(settings: &Settings) -> Manifest {
    let streams = match settings.apart {
        true => "stdout and stderr come apart; programs see no terminal",
        false => "programs see a terminal, and all output comes as stdout",
    };
    Manifest {
        name: "pattern".into(),
        version: env!("CARGO_PKG_VERSION").into(),
        summary: "A lasting shell, processes with live output documents, permission tiers and path rules.".into(),
        tools: vec![Tool {
            name: TOOL.into(),
            description: format!(
                "Runs shell commands. op 'execute' runs a command in a lasting shell (directory, variables, functions and \
                 aliases stay for the next one; {streams}) and waits for its end. op 'spawn' starts a process of its own \
                 and returns a task_id and the label of a live document with its output; 'output' reads that, 'kill' \
                 ends the process, 'status' lists those that run, 'pin' and 'unpin' say whether the document stays in \
                 view. A non-zero exit code is no error."
            ),
            input_schema: INPUT.into(),
            output_schema: None,
            read_only: false,
            destructive: true,
        }],
        settings_table: settings::TABLE.into(),
        settings_schema: settings::SCHEMA.into(),
        variables: Vec::new(),
        run: Some(RunForm {
            tool: TOOL.into(),
            command: "command".into(),
            directory: None,
            timeout: Some(TimeoutForm { name: "timeout".into(), unit_millis: 1000 }),
            constant: r#"{"op":"execute"}"#.into(),
        }),
        // The record of a session's last command says where its shell is.
        retention: Retention { jobs: 500, millis: 30 * 24 * 3_600_000 },
    }
}
