//! Who this policy is and what it offers.

use crate::settings::{self, Settings};
use crate::shells;
use shellward_kit::contract::{self, Manifest, Retention, RunForm, TimeoutForm};

/// A tool of this policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// Runs a command.
    Shell,
    /// Says how a background job stands.
    Status,
    /// Lists the background jobs.
    Jobs,
    /// Ends a background job.
    Cancel,
}

impl Tool {
    /// Every tool, in the order of the specification.
    pub const ALL: [Self; 4] = [Self::Shell, Self::Status, Self::Jobs, Self::Cancel];

    /// Finds a tool by its name.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tool| tool.name() == name)
    }

    /// Gives the tool's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Shell => "shell",
            Self::Status => "shell_job_status",
            Self::Jobs => "shell_jobs",
            Self::Cancel => "shell_job_cancel",
        }
    }

    fn described(self, settings: &Settings) -> contract::Tool {
        let (description, input, output) = match self {
            Self::Shell => ("Execute a shell command.", shell_input(settings), Some(SHELL_OUTPUT)),
            Self::Status => {
                ("Check status of a background job.", job_input("The job ID to check"), Some(STATUS_OUTPUT))
            }
            // The answer is an array, and the protocols that carry schemas of answers take objects only.
            Self::Jobs => ("List all background jobs.", r#"{"type":"object","properties":{}}"#.into(), None),
            Self::Cancel => {
                ("Cancel a running background job.", job_input("The job ID to cancel"), Some(CANCEL_OUTPUT))
            }
        };
        contract::Tool {
            name: self.name().into(),
            description: description.into(),
            input_schema: input,
            output_schema: output.map(Into::into),
            read_only: matches!(self, Self::Status | Self::Jobs),
            destructive: matches!(self, Self::Shell | Self::Cancel),
        }
    }
}

const SHELL_INPUT: &str = include_str!("schemas/shell.json");
const SHELL_OUTPUT: &str = include_str!("schemas/shell_output.json");
const STATUS_OUTPUT: &str = include_str!("schemas/status_output.json");
const CANCEL_OUTPUT: &str = include_str!("schemas/cancel_output.json");

/// The specification's schema; where the settings name another shell, its language is named.
fn shell_input(settings: &Settings) -> String {
    let shell = settings.shell_path.as_deref().filter(|path| shells::reads(path).is_some());
    let shell = shell.or(settings.shell.as_deref()).or(settings.shell_path.as_deref()).unwrap_or(shells::NU);
    let plain = |letter: char| if letter.is_alphanumeric() || "-_. ".contains(letter) { letter } else { '?' };
    let called: String = shells::called(shell).chars().map(plain).collect();
    SHELL_INPUT.replace("Nushell", &called)
}

fn job_input(description: &str) -> String {
    format!(
        r#"{{"type":"object","properties":{{"job_id":{{"type":"string","description":"{description}"}}}},"required":["job_id"]}}"#
    )
}

/// Makes the manifest.
#[must_use]
pub fn manifest(settings: &Settings) -> Manifest {
    let tools = match settings.enabled {
        true => Tool::ALL.into_iter().map(|tool| tool.described(settings)).collect(),
        false => Vec::new(),
    };
    Manifest {
        name: "meerkat".into(),
        version: env!("CARGO_PKG_VERSION").into(),
        summary: "Runs commands in Nushell, at once or in the background, and says when background jobs have ended. \
                  Disabled until `enabled = true` in [tools.shell]."
            .into(),
        tools,
        settings_table: settings::TABLE.into(),
        settings_schema: settings::SCHEMA.into(),
        variables: Vec::new(),
        run: Some(RunForm {
            tool: Tool::Shell.name().into(),
            command: "command".into(),
            directory: Some("working_dir".into()),
            timeout: Some(TimeoutForm { name: "timeout_secs".into(), unit_millis: 1000 }),
            constant: "{}".into(),
        }),
        retention: Retention { jobs: settings.max_completed_jobs, millis: settings.completed_job_ttl_secs * 1000 },
    }
}
