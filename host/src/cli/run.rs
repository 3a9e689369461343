//! `shellward run`: one command line.

use serde_json::{Map, Value};
use shellward::contract::rules::RunForm;
use shellward::contract::types::{Ending, Exit as ProcessExit};
use shellward::process::Signal;
use shellward::{Host, Reply};

use super::arguments::{Run, Shared, command_line};
use super::error::{CliError, Exit};
use super::{interrupt, output, setup};

/// The code of an answer that the host gave because the policy failed.
const POLICY_FAULT: &str = "policy_fault";

pub(super) fn run(shared: &Shared, run: &Run) -> Result<Exit, CliError> {
    let host = setup::passing_host(shared)?;
    let form = form(&host)?;
    let command = command_line(&run.command);
    let arguments = arguments(&form, run, &command)?;
    let request = interrupt::Call { session: "cli", tool: &form.tool, arguments, label: &command, events: false };
    let answer = |reply: &Reply| if run.json { output::json(reply) } else { output::text(&reply.text) };
    let Some(reply) = interrupt::call(host, request, answer)? else { return Ok(Exit::Interrupted) };
    Ok(exit(&reply))
}

/// How the policy takes a plain command line.
fn form(host: &Host) -> Result<RunForm, CliError> {
    let policy = host.policy();
    let manifest = policy.manifest();
    manifest.run.clone().ok_or_else(|| {
        CliError::Usage(format!(
            "the policy {} has no tool that takes a plain command line; use `shellward call` (`shellward tools` lists them)",
            manifest.name
        ))
    })
}

fn arguments(form: &RunForm, run: &Run, command: &str) -> Result<Value, CliError> {
    let mut arguments: Map<String, Value> = serde_json::from_str(&form.constant).unwrap_or_default();
    arguments.insert(form.command.clone(), command.into());
    if let Some(directory) = &run.directory {
        let name = form.directory.as_ref().ok_or_else(|| lacks("directory"))?;
        arguments.insert(name.clone(), directory.as_str().into());
    }
    if let Some(seconds) = run.timeout {
        let timeout = form.timeout.as_ref().ok_or_else(|| lacks("timeout"))?;
        // Rounded up to whole units: a timeout is never shorter than what was asked for.
        let units = (seconds * 1000.0 / f64::from(timeout.unit_millis.max(1))).ceil();
        arguments.insert(timeout.name.clone(), Value::from(units as u64));
    }
    Ok(Value::Object(arguments))
}

fn lacks(what: &str) -> CliError {
    CliError::Usage(format!("the policy's tool takes no {what}; leave out --{what}"))
}

/// The command's own code, where there is one.
pub(super) fn exit(reply: &Reply) -> Exit {
    if reply.code.as_deref() == Some(POLICY_FAULT) {
        return Exit::Fault;
    }
    let Some(job) = &reply.job else { return if reply.is_error { Exit::Failure } else { Exit::Success } };
    match (job.ending, &job.exit) {
        (Some(Ending::TimedOut), _) => Exit::Timeout,
        (Some(Ending::Completed), Some(ProcessExit::Code(code))) => {
            u8::try_from(*code).map_or(Exit::Failure, Exit::Command)
        }
        (Some(Ending::Completed), Some(ProcessExit::Signal(name))) => Exit::Command(signal_code(name)),
        _ => Exit::Failure,
    }
}

/// What a shell exits with when a signal ended its command.
fn signal_code(name: &str) -> u8 {
    let number = Signal::from_name(name).map_or(0, Signal::number);
    u8::try_from(128 + number).unwrap_or(u8::MAX)
}
