//! `processes`: starting commands, within what the host allows.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::host::Shared;
use crate::jobs::Birth;
use crate::policy::Context;
use crate::policy::bindings::shellward::policy::processes::{Confinement, Host, Keep, Launch, Place, Stdin, Stdio};
use crate::policy::bindings::shellward::policy::types::{EnvironmentChange, StartError};
use crate::policy::context::{Attached, Begun};
use crate::process::{self, CaptureLimits, Process, SpawnError};

impl Host for Context {
    fn start(&mut self, launch: Launch) -> wasmtime::Result<Result<(), StartError>> {
        let attached = self.host()?;
        let Some(call) = attached.call.clone() else {
            return Ok(Err(StartError::Invalid("a command can only be started while a call is decided".into())));
        };
        if attached.begun.is_some() {
            return Ok(Err(StartError::Invalid("this call has started a job already".into())));
        }
        if let Err(error) = check(&launch, &call.id) {
            return Ok(Err(error));
        }
        let birth = birth(&launch, attached.session.clone(), call.id, call.tool);
        Ok(begin(attached, &launch, birth))
    }

    fn enqueue(&mut self, _launch: Launch) -> wasmtime::Result<Result<(), StartError>> {
        self.host()?;
        Ok(Err(StartError::Unsupported("lanes".into())))
    }
}

/// Starts the process and keeps the job with the entry, which hands it on when it has succeeded.
fn begin(attached: &mut Attached, launch: &Launch, birth: Birth) -> Result<(), StartError> {
    let ceiling = launch.at_most.unwrap_or(u32::MAX).min(attached.shared.limits.running_jobs);
    let slot = attached.shared.ceiling.take(ceiling).ok_or(StartError::TooMany(ceiling))?;
    let (job, inbox) = attached.new_job(birth);
    let since = Instant::now();
    let started = Process::start(&native(&attached.shared, launch)).map_err(explain)?;
    job.started(started.process, started.output, since);
    attached.begun = Some(Begun { job, inbox, slot });
    Ok(())
}

/// Refuses what contradicts the contract, and what this host has no means for.
fn check(launch: &Launch, call: &str) -> Result<(), StartError> {
    let invalid = |message: &str| Err(StartError::Invalid(message.into()));
    let unsupported = |what: &str| Err(StartError::Unsupported(what.into()));
    let plain = |id: &str| id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-');
    if !launch.job.ends_with(call) || launch.job.len() > call.len() + 32 || !plain(&launch.job) {
        return invalid("a job's id is a short prefix of letters, digits, `_` and `-`, followed by the call's id");
    }
    if !launch.program.starts_with('/') || !launch.directory.starts_with('/') {
        return invalid("program and directory of a launch are absolute paths");
    }
    if let Err(error) = serde_json::from_str::<serde::de::IgnoredAny>(&launch.memo) {
        return Err(StartError::Invalid(format!("the job's memo is not JSON: {error}")));
    }
    if launch.environment.iter().any(|change| change.name.is_empty() || change.name.contains(['=', '\0'])) {
        return invalid("the name of an environment variable is empty, or holds `=` or a NUL");
    }
    match &launch.stdio {
        Stdio::Pipes(Stdin::Empty) => {}
        Stdio::Pipes(Stdin::Open) => return unsupported("an open standard input"),
        Stdio::Terminal(_) | Stdio::RawTerminal(_) => return unsupported("terminals"),
    }
    if matches!(launch.place, Place::ShellSession(_)) {
        return unsupported("shell sessions");
    }
    if !matches!(launch.confinement, Confinement::None) {
        return unsupported("sandboxes and containers");
    }
    if launch.durable || launch.lane.is_some() {
        return unsupported("durable jobs and lanes");
    }
    if !launch.watches.is_empty() || launch.report_output.is_some() {
        return unsupported("watches and reports of output");
    }
    if launch.block.is_some() { unsupported("live output documents") } else { Ok(()) }
}

fn birth(launch: &Launch, session: String, call: String, tool: String) -> Birth {
    Birth {
        id: launch.job.clone(),
        session,
        label: launch.session.clone(),
        call,
        tool,
        command: launch.command.clone(),
        directory: launch.directory.clone(),
        timeout: launch.timeout.map(Duration::from_millis),
        status: launch.status.clone(),
        memo: launch.memo.clone(),
    }
}

fn native(shared: &Arc<Shared>, launch: &Launch) -> process::Launch {
    process::Launch {
        program: PathBuf::from(&launch.program),
        arguments: launch.arguments.iter().map(OsString::from).collect(),
        directory: PathBuf::from(&launch.directory),
        environment: environment(&shared.environment, &launch.environment),
        mark: format!("{}/{}", shared.id, launch.job),
        stdin: process::Stdin::Null,
        capture: capture(launch.keep, shared.limits.kept_output),
        tap: None,
    }
}

/// The host's environment with a launch's changes.
fn environment(base: &[(OsString, OsString)], changes: &[EnvironmentChange]) -> Vec<(OsString, OsString)> {
    let changed = |name: &OsString| changes.iter().any(|change| change.name.as_str() == name);
    let kept = base.iter().filter(|(name, _)| !changed(name)).cloned();
    let set = changes
        .iter()
        .filter_map(|change| Some((OsString::from(&change.name), OsString::from(change.value.as_ref()?))));
    kept.chain(set).collect()
}

/// What is kept of a stream: as the policy asks, within what the host allows.
fn capture(keep: Keep, most: usize) -> CaptureLimits {
    let head = usize::try_from(keep.head).unwrap_or(most).min(most);
    let tail = usize::try_from(keep.tail).unwrap_or(most).min(most - head);
    CaptureLimits { head, tail }
}

fn explain(error: SpawnError) -> StartError {
    let message = error.to_string();
    match error {
        SpawnError::NotFound { program } => StartError::ProgramMissing(program.display().to_string()),
        SpawnError::DirectoryGone { directory, .. } => StartError::DirectoryMissing(directory.display().to_string()),
        SpawnError::PermissionDenied { .. } => StartError::PermissionDenied(message),
        SpawnError::ArgumentsTooLong { .. } => StartError::TooLong(message),
        SpawnError::Resources { .. } => StartError::Resources(message),
        SpawnError::Nul { .. } | SpawnError::NotAbsolute { .. } => StartError::Invalid(message),
        _ => StartError::Other(message),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_replace_add_and_remove() {
        let base = [("A", "1"), ("B", "2")].map(|(name, value)| (name.into(), value.into()));
        let change =
            |name: &str, value: Option<&str>| EnvironmentChange { name: name.into(), value: value.map(Into::into) };
        let changed = environment(&base, &[change("A", Some("9")), change("B", None), change("C", Some("3"))]);
        assert_eq!(changed, [("A".into(), "9".into()), ("C".into(), OsString::from("3"))]);
    }

    #[test]
    fn no_more_is_kept_than_the_host_allows() {
        let keep = |head, tail| Keep { head, tail, stored: None };
        let kept = |keep| {
            let limits = capture(keep, 100);
            (limits.head, limits.tail)
        };
        assert_eq!(kept(keep(10, 20)), (10, 20));
        assert_eq!(kept(keep(70, 70)), (70, 30));
        assert_eq!(kept(keep(u64::MAX, u64::MAX)), (100, 0));
    }
}
