//! `shellward policy`: looking at policies and guards.

use std::fmt::Write;

use serde_json::{Value, json};
use shellward::contract::rules::Manifest;
use shellward::settings::is_digest;
use shellward::{Component, Inspection, Source, built_in, inspect};

use super::arguments::{self, Shared};
use super::error::{CliError, Exit};
use super::{new, output, setup, swap, trial};

pub(super) fn policy(shared: &Shared, command: arguments::Policy) -> Result<Exit, CliError> {
    match command {
        arguments::Policy::List { json } => list(shared, json)?,
        arguments::Policy::Inspect { policy, json } => {
            let found = inspect(Source::parse(&policy)?, setup::cache(shared))?;
            if json { output::json(&as_json(&found))? } else { output::text(&as_text(&found))? }
        }
        arguments::Policy::New { lang, directory } => return new::new(lang, &directory),
        arguments::Policy::Test { policy, cases, language } => {
            return trial::test(shared, &policy, cases.as_deref(), language);
        }
        arguments::Policy::Verify { policy, sha256 } => return verify(&policy, sha256.as_deref()),
        arguments::Policy::Swap { policy, server, json } => return swap::swap(shared, &policy, server, json),
    }
    Ok(Exit::Success)
}

fn verify(policy: &str, expected: Option<&str>) -> Result<Exit, CliError> {
    let expected = expected.map(str::trim);
    if let Some(text) = expected.filter(|text| !is_digest(text)) {
        return Err(CliError::Usage(format!("--sha256 takes a SHA-256 of 64 hexadecimal digits, not '{text}'")));
    }
    let digest = Source::parse(policy)?.digest()?;
    output::text(&digest)?;
    match expected {
        Some(expected) if !expected.eq_ignore_ascii_case(&digest) => {
            output::text(&format!("{policy} is not {expected}"))?;
            Ok(Exit::Failure)
        }
        _ => Ok(Exit::Success),
    }
}

fn list(shared: &Shared, json: bool) -> Result<(), CliError> {
    let policies = built_in()
        .map(|name| Ok(inspect(Source::parse(name)?, setup::cache(shared))?))
        .collect::<Result<Vec<_>, CliError>>()?;
    if json {
        return output::json(&policies.iter().map(as_json).collect::<Vec<_>>());
    }
    let line = |found: &Inspection| {
        let manifest = found.component.manifest();
        format!("{:<10} {:<8} {}\n", manifest.name, manifest.version, manifest.summary)
    };
    output::text(&policies.iter().map(line).collect::<String>())
}

fn schema(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_default()
}

fn as_json(found: &Inspection) -> Value {
    let component = &found.component;
    let manifest = component.manifest();
    let tools = manifest.tools.iter().map(
        |tool| json!({"name": tool.name, "description": tool.description, "input_schema": schema(&tool.input_schema)}),
    );
    json!({
        "kind": component.kind().to_string(),
        "name": manifest.name,
        "version": manifest.version,
        "summary": manifest.summary,
        "sha256": component.digest(),
        "bytes": component.size(),
        "tools": tools.collect::<Vec<_>>(),
        "settings_table": manifest.settings_table,
        "settings_schema": schema(&manifest.settings_schema),
        "variables": manifest.variables.iter().map(|variable| json!({"name": variable.name, "key": variable.key})).collect::<Vec<_>>(),
        "cases": match component {
            Component::Guard(guard) => Some(guard.examples()),
            Component::Policy(_) => None,
        },
        "exports": component.exports(),
        "imports": component.imports(),
    })
}

fn as_text(found: &Inspection) -> String {
    let component = &found.component;
    let manifest = component.manifest();
    let mut text = format!("{} {}: {}\n", manifest.name, manifest.version, manifest.summary);
    let mut row = |name: &str, value: &str| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{name:<9} {value}");
    };
    row("kind", &component.kind().to_string());
    row("sha256", component.digest());
    row("size", &format!("{} bytes", component.size()));
    match component {
        Component::Guard(guard) => row("cases", &format!("{} of its own, all as it says", guard.examples())),
        Component::Policy(_) => offered(manifest, &mut row),
    }
    for (name, about) in properties(&schema(&manifest.settings_schema)) {
        row("", &format!("{name}: {about}"));
    }
    for variable in &manifest.variables {
        row("variable", &format!("{} sets {}", variable.name, variable.key));
    }
    for export in component.exports() {
        row("export", export);
    }
    for import in component.imports() {
        row("import", import);
    }
    text
}

/// The tools of a policy, and where its settings stand.
fn offered(manifest: &Manifest, row: &mut impl FnMut(&str, &str)) {
    for tool in &manifest.tools {
        row("tool", &format!("{}: {}", tool.name, tool.description));
    }
    if manifest.tools.is_empty() {
        row("tools", "none while these settings hold");
    }
    row("settings", &format!("[{}]", manifest.settings_table));
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
