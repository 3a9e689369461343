//! `shellward call`: one tool call.

use std::io::{Read, Write};

use shellward::{Phase, Reply};

use super::arguments::{Call, Shared};
use super::error::{CliError, Exit};
use super::{interrupt, output, setup};

/// Among how many of the newest runs that of a call is looked for.
const NEWEST: usize = 100;

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
    tell_left(shared, &reply)?;
    Ok(match (reply.is_error, reply.code.as_deref()) {
        (false, _) => Exit::Success,
        (true, Some("policy_fault")) => Exit::Fault,
        (true, _) => Exit::Failure,
    })
}

/// Says what has become of a durable run that the call has begun and that outlives this program.
fn tell_left(shared: &Shared, reply: &Reply) -> Result<(), CliError> {
    let newest = setup::runs(shared)?.map_or(Ok(Vec::new()), |runs| runs.list(NEWEST))?;
    for run in newest.iter().filter(|run| run.call == reply.call && run.standing.phase != Phase::Ended) {
        // Where standard error is gone there is nobody to read it.
        let _ = writeln!(
            std::io::stderr(),
            "shellward: nothing of {} runs now; the next host that stays takes it up: `shellward mcp`, `call --events`",
            run.id
        );
    }
    Ok(())
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
