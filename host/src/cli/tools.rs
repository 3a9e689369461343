//! `shellward tools`: the tools' definitions.

use std::io::Write;

use serde_json::{Value, json};
use shellward::contract::rules::Tool;

use super::arguments::{Format, Shared, Tools};
use super::error::{CliError, Exit};
use super::{output, setup};

pub(super) fn tools(shared: &Shared, tools: &Tools) -> Result<Exit, CliError> {
    let host = setup::passing_host(shared)?;
    if host.tools().is_empty() {
        let policy = host.policy();
        let manifest = policy.manifest();
        let told = format!("{} offers no tools with these settings: {}", manifest.name, manifest.summary);
        // Nobody may be there to read it.
        let _ = writeln!(std::io::stderr(), "shellward: {told}");
    }
    let shown: Vec<_> = host.tools().iter().map(|tool| definition(tool, tools.format)).collect();
    output::json(&match tools.format {
        Format::Mcp => json!({"tools": shown}),
        Format::Openai | Format::Anthropic => Value::Array(shown),
    })?;
    Ok(Exit::Success)
}

/// The host has checked that schemas are JSON when it loaded the policy.
fn schema(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_default()
}

fn definition(tool: &Tool, format: Format) -> Value {
    let (name, description, input) = (&tool.name, &tool.description, schema(&tool.input_schema));
    match format {
        Format::Mcp => {
            let mut shown = json!({
                "name": name,
                "description": description,
                "inputSchema": input,
                "annotations": {"readOnlyHint": tool.read_only, "destructiveHint": tool.destructive},
            });
            if let Some(output) = &tool.output_schema {
                shown["outputSchema"] = schema(output);
            }
            shown
        }
        Format::Openai => json!({
            "type": "function",
            "function": {"name": name, "description": description, "parameters": input},
        }),
        Format::Anthropic => json!({"name": name, "description": description, "input_schema": input}),
    }
}
