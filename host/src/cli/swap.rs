//! `shellward policy swap`: another policy for servers that run.

use std::fmt::Write;

use serde_json::{Value, json};
use shellward::Source;
use shellward::control::servers;

use super::arguments::Shared;
use super::error::{CliError, Exit};
use super::output;

pub(super) fn swap(shared: &Shared, policy: &str, only: Option<u32>, json: bool) -> Result<Exit, CliError> {
    let policy = absolute(&Source::parse(policy)?)?;
    let project = shared.project.display();
    if !shared.project.is_dir() {
        return Err(CliError::Usage(format!("{project} is no directory; name a server's project with --project")));
    }
    let servers: Vec<_> =
        servers(&shared.project)?.into_iter().filter(|server| only.is_none_or(|pid| pid == server.pid)).collect();
    if servers.is_empty() {
        let which = only.map_or_else(|| "no server".to_owned(), |pid| format!("no server {pid}"));
        return Err(CliError::Usage(format!(
            "{which} runs in the project {project}; start one with `shellward mcp`, or name its project with --project"
        )));
    }
    let mut rows = Vec::new();
    let (mut text, mut all) = (String::new(), true);
    for server in servers {
        let pid = server.pid;
        // Writing to a string cannot fail.
        let _ = match server.swap(&policy) {
            Ok(swapped) => {
                rows.push(json!({"server": pid, "swapped": swapped}));
                writeln!(text, "{pid}: {} -> {}", swapped.from, swapped.to)
            }
            Err(error) => {
                all = false;
                rows.push(json!({"server": pid, "error": error.to_string()}));
                writeln!(text, "{error}")
            }
        };
    }
    if json {
        output::json(&Value::Array(rows))?
    } else {
        output::text(&text)?
    }
    Ok(if all { Exit::Success } else { Exit::Failure })
}

/// What a program in another directory calls the same policy.
fn absolute(source: &Source) -> Result<String, CliError> {
    match source {
        Source::BuiltIn(name, _) => Ok((*name).to_owned()),
        Source::File(path) => {
            let absolute = std::path::absolute(path).ok().and_then(|path| path.into_os_string().into_string().ok());
            absolute.ok_or_else(|| {
                CliError::Usage(format!(
                    "the path {} cannot be told to another program: it is no UTF-8",
                    path.display()
                ))
            })
        }
    }
}
