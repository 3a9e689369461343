//! `shellward call`: one tool call.

use std::io::Read;

use super::arguments::{Call, Shared};
use super::error::{CliError, Exit};
use super::{interrupt, output, setup};

pub(super) fn call(shared: &Shared, call: &Call) -> Result<Exit, CliError> {
    let text = text(&call.json)?;
    let arguments = serde_json::from_str(&text).map_err(|error| {
        CliError::Usage(format!("the arguments are not JSON: {error}; write them like '{{\"command\": \"ls\"}}'"))
    })?;
    // One that waits for background jobs stays as long as they do.
    let host = if call.events { setup::host(shared)? } else { setup::passing_host(shared)? };
    let request =
        interrupt::Call { session: &call.session, tool: &call.tool, arguments, label: &call.tool, events: call.events };
    let Some(reply) = interrupt::call(host, request, |reply| output::text(reply.answer()))? else {
        return Ok(Exit::Interrupted);
    };
    Ok(match (reply.is_error, reply.code.as_deref()) {
        (false, _) => Exit::Success,
        (true, Some("policy_fault")) => Exit::Fault,
        (true, _) => Exit::Failure,
    })
}

fn text(argument: &str) -> Result<String, CliError> {
    if argument != "-" {
        return Ok(argument.to_owned());
    }
    let mut text = String::new();
    std::io::stdin()
        .read_to_string(&mut text)
        .map_err(|error| CliError::Usage(format!("cannot read the arguments from standard input: {error}")))?;
    Ok(text)
}
