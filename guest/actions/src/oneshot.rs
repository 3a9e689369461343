//! A call without `action`: one command, whose end is waited for.

use serde::Serialize;
use shellward_kit::Host;
use shellward_kit::contract::{Answer, Job, Keep, Launch, Reply, Stdstream, ToolCall};
use shellward_kit::exit::{self, signal};
use shellward_kit::machine::Memo;
use shellward_kit::output;
use shellward_kit::reply::{structured, when_ended};

use crate::commands::{Stopped, allow, launch};
use crate::failure::Failure;
use crate::request::OneShot;
use crate::run::{Own, Status};
use crate::settings::Settings;

/// What stands in front of the call's id in the id of a one-shot job.
const PREFIX: &str = "shell_";

/// Starts the command.
///
/// # Errors
/// The command is not let through, or cannot be started.
pub fn call<H: Host>(host: &H, settings: &Settings, call: &ToolCall, asked: &OneShot) -> Result<Answer, Stopped> {
    let shell = allow(host, settings, call, &asked.command)?;
    let head = asked.max_output_bytes / 2;
    let launch = Launch {
        keep: Keep { head, tail: asked.max_output_bytes - head, stored: None },
        timeout: Some(asked.timeout_secs * 1000),
        status: Status::Queued.word().into(),
        memo: Memo::first(Own::default()),
        ..launch(host, settings, PREFIX, call, shell, &asked.command)?
    };
    host.start(&launch).map_err(|error| Stopped::not_started(call, &error, Failure::to_start(&error)))?;
    Ok(when_ended(launch.job))
}

#[derive(Serialize)]
struct Body<'a> {
    status: &'static str,
    exit_code: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    signal: Option<&'a str>,
    stdout: &'a str,
    stderr: &'a str,
    truncated: bool,
    truncated_bytes: u64,
    duration_ms: u64,
    error_message: Option<&'a str>,
}

/// Words the answer when the command has ended.
#[must_use]
pub fn settle<H: Host>(host: &H, job: &Job) -> Reply {
    let status = Status::of(job);
    match &status {
        Status::Completed | Status::TimedOut => {}
        Status::Failed(why) => return Failure::Io(why.trim_end_matches('.').into()).reply(),
        Status::Killed => return Failure::Cancelled.reply(),
        Status::Queued | Status::Running { .. } | Status::Lost => {
            return Failure::Io("the host lost sight of the command".into()).reply();
        }
    }
    let stdout = output::stream(host, job, Stdstream::Stdout);
    let stderr = output::stream(host, job, Stdstream::Stderr);
    let truncated_bytes = job.stdout.dropped + job.stderr.dropped;
    let error_message = status.error_message(job);
    let body = Body {
        status: status.word(),
        exit_code: exit::code(job),
        signal: signal(job),
        stdout: &stdout,
        stderr: &stderr,
        truncated: truncated_bytes > 0,
        truncated_bytes,
        duration_ms: job.duration / 1000,
        error_message: error_message.as_deref(),
    };
    structured(told(&stdout, &stderr, job, error_message.as_deref()), &body)
}

fn told(stdout: &str, stderr: &str, job: &Job, error: Option<&str>) -> String {
    let note = match (error, exit::code(job)) {
        (Some(error), _) => format!("[{error}]"),
        (None, Some(0) | None) => String::new(),
        (None, Some(code)) => format!("[exit code {code}]"),
    };
    let text = output::below([stdout, stderr, &note]);
    if text.is_empty() { "(no output)".into() } else { text }
}
