//! `shellward policy`: looking at policies.

use std::fmt::Write;

use serde_json::{Value, json};
use shellward::{Policy, Source, built_in, inspect};

use super::arguments::{self, Shared};
use super::error::{CliError, Exit};
use super::{output, setup, swap};

pub(super) fn policy(shared: &Shared, command: arguments::Policy) -> Result<Exit, CliError> {
    match command {
        arguments::Policy::List { json } => list(shared, json)?,
        arguments::Policy::Inspect { policy, json } => {
            let found = inspect(Source::parse(&policy)?, setup::cache(shared))?;
            if json { output::json(&as_json(&found.policy))? } else { output::text(&as_text(&found.policy))? }
        }
        arguments::Policy::Swap { policy, server, json } => return swap::swap(shared, &policy, server, json),
    }
    Ok(Exit::Success)
}

fn list(shared: &Shared, json: bool) -> Result<(), CliError> {
    let policies = built_in()
        .map(|name| Ok(inspect(Source::parse(name)?, setup::cache(shared))?.policy))
        .collect::<Result<Vec<_>, CliError>>()?;
    if json {
        return output::json(&policies.iter().map(as_json).collect::<Vec<_>>());
    }
    let line = |policy: &Policy| {
        let manifest = policy.manifest();
        format!("{:<10} {:<8} {}\n", manifest.name, manifest.version, manifest.summary)
    };
    output::text(&policies.iter().map(line).collect::<String>())
}

fn schema(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_default()
}

fn as_json(policy: &Policy) -> Value {
    let manifest = policy.manifest();
    let tools = manifest.tools.iter().map(
        |tool| json!({"name": tool.name, "description": tool.description, "input_schema": schema(&tool.input_schema)}),
    );
    json!({
        "name": manifest.name,
        "version": manifest.version,
        "summary": manifest.summary,
        "sha256": policy.digest(),
        "bytes": policy.size(),
        "tools": tools.collect::<Vec<_>>(),
        "settings_table": manifest.settings_table,
        "settings_schema": schema(&manifest.settings_schema),
        "variables": manifest.variables.iter().map(|variable| json!({"name": variable.name, "key": variable.key})).collect::<Vec<_>>(),
        "imports": policy.imports(),
    })
}

fn as_text(policy: &Policy) -> String {
    let manifest = policy.manifest();
    let mut text = format!("{} {}: {}\n", manifest.name, manifest.version, manifest.summary);
    let mut row = |name: &str, value: &str| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{name:<9} {value}");
    };
    row("sha256", policy.digest());
    row("size", &format!("{} bytes", policy.size()));
    for tool in &manifest.tools {
        row("tool", &format!("{}: {}", tool.name, tool.description));
    }
    if manifest.tools.is_empty() {
        row("tools", "none while these settings hold");
    }
    row("settings", &format!("[{}]", manifest.settings_table));
    for (name, about) in properties(&schema(&manifest.settings_schema)) {
        row("", &format!("{name}: {about}"));
    }
    for variable in &manifest.variables {
        row("variable", &format!("{} sets {}", variable.name, variable.key));
    }
    for import in policy.imports() {
        row("import", import);
    }
    text
}

/// The settings' names with what the schema says of each.
fn properties(schema: &Value) -> Vec<(String, String)> {
    let about = |value: &Value| {
        let text = value.get("description").and_then(Value::as_str).unwrap_or_default();
        let default = value.get("default").map(|value| format!(" [default: {value}]")).unwrap_or_default();
        format!("{text}{default}")
    };
    let properties = schema.get("properties").and_then(Value::as_object);
    properties.map(|all| all.iter().map(|(name, value)| (name.clone(), about(value))).collect()).unwrap_or_default()
}
