//! Who this policy is and what it offers.

use shellward_kit::contract::{Manifest, Retention, RunForm, TimeoutForm, Tool};

use crate::settings::{SCHEMA, Settings, TABLE};

/// The name of the tool.
pub const TOOL: &str = "shell";

const INPUT: &str = include_str!("schemas/shell.json");
const OUTPUT: &str = include_str!("schemas/shell_output.json");

const DESCRIPTION: &str = "Run shell commands in the project, at once or in the background. Without 'action': run \
    'command', wait for its end and answer with its output. action 'spawn': start 'command' in the background and \
    answer with its run_id at once; runs of one session run one after the other. action 'poll': status of a run, a \
    snippet of its recent output and the items since 'since_seq'; with 'wait_ms' it waits for something new. action \
    'log': a page of a run's output. action 'kill': end a run. action 'send_keys': type into a run that was spawned \
    with 'pty' or 'stdin'.";

/// Makes the manifest.
#[must_use]
pub fn manifest(settings: &Settings) -> Manifest {
    Manifest {
        name: "actions".into(),
        version: env!("CARGO_PKG_VERSION").into(),
        summary: "Runs commands at once, or as durable runs with cursors, watches, lanes, input and recovery.".into(),
        tools: vec![Tool {
            name: TOOL.into(),
            description: DESCRIPTION.into(),
            input_schema: INPUT
                .replace("\"MAX_WAIT_MS\"", &settings.max_wait_ms.to_string())
                .replace("DEFAULT_TIMEOUT_SECS", &settings.default_timeout_secs.to_string()),
            output_schema: Some(OUTPUT.into()),
            read_only: false,
            destructive: true,
        }],
        settings_table: TABLE.into(),
        settings_schema: SCHEMA.into(),
        variables: Vec::new(),
        run: Some(RunForm {
            tool: TOOL.into(),
            command: "command".into(),
            directory: None,
            timeout: Some(TimeoutForm { name: "timeout_secs".into(), unit_millis: 1000 }),
            constant: "{}".into(),
        }),
        // Of runs that ended longer ago the host has its records; one-shot jobs are never looked up.
        retention: Retention { jobs: 100, millis: 3_600_000 },
    }
}
