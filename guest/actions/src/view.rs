//! A run as agents see it.

use serde::Serialize;
use shellward_kit::Host;
use shellward_kit::contract::{Job, Stdstream, Storage, Window};
use shellward_kit::exit;

use crate::request::Input;
use crate::run::{Own, Status};
use crate::settings::Settings;
use crate::time::rfc3339;

/// A run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct View<'a> {
    run_id: &'a str,
    session_id: &'a str,
    command: &'a str,
    status: &'static str,
    /// Only where it was asked to end and has not ended.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    stopping: bool,
    exit_code: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    signal: Option<&'a str>,
    error_message: Option<String>,
    created_at: String,
    started_at: Option<String>,
    ended_at: Option<String>,
    duration_ms: u64,
    pty: bool,
    /// Only where it does.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    awaits_input: bool,
    #[serde(skip_serializing_if = "is_none")]
    restarts: u32,
    output_bytes: u64,
    truncated: bool,
    truncated_bytes: u64,
}

fn is_none(count: &u32) -> bool {
    *count == 0
}

impl<'a> View<'a> {
    /// Makes the view of a job that stands so.
    #[must_use]
    pub fn new(job: &'a Job, own: &Own, status: &Status, unstored: &Unstored) -> Self {
        let errors = [status.error_message(job), unstored.message()];
        let errors: Vec<_> = errors.into_iter().flatten().collect();
        Self {
            run_id: &job.id,
            session_id: &job.session,
            command: &job.command,
            status: status.word(),
            stopping: *status == Status::Running { stopping: true },
            exit_code: exit::code(job),
            signal: exit::signal(job),
            error_message: (!errors.is_empty()).then(|| errors.join(" ")),
            created_at: rfc3339(job.created_at),
            started_at: job.started_at.map(rfc3339),
            ended_at: job.ended_at.map(rfc3339),
            duration_ms: job.duration / 1000,
            pty: own.input == Input::Terminal,
            awaits_input: !status.is_final() && own.awaits == Some(job.last_seq),
            restarts: own.restarts,
            output_bytes: printed(job),
            truncated: unstored.bytes > 0,
            truncated_bytes: unstored.bytes,
        }
    }
}

/// What of a run's output no item holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Unstored {
    /// How many bytes.
    pub bytes: u64,
    /// Why nothing more is recorded, where something failed.
    failed: Option<String>,
}

impl Unstored {
    /// Finds out what is missing.
    #[must_use]
    pub fn of<H: Host>(host: &H, job: &Job, own: &Own) -> Self {
        let (held, failed) = match host.stored(&job.id) {
            Ok(Storage { stdout, stderr, failed }) if job.ending.is_some() || failed.is_some() => {
                (stdout + stderr, failed)
            }
            // What a run has printed a moment ago is still on its way.
            Ok(_) | Err(_) => (own.stored, None),
        };
        Self { bytes: printed(job).saturating_sub(held), failed }
    }

    /// Says what went wrong, where something did.
    #[must_use]
    pub fn message(&self) -> Option<String> {
        let failed = self.failed.as_ref()?;
        Some(format!("The end of its output and of its events was not recorded: {failed}."))
    }
}

fn printed(job: &Job) -> u64 {
    job.stdout.total + job.stderr.total
}

/// Gives the newest output of a run, bounded: the one snippet of polls and notices.
#[must_use]
pub fn snippet<H: Host>(host: &H, settings: &Settings, job: &Job, own: &Own) -> String {
    let most = settings.snippet_bytes;
    // What a terminal shows and may still change, such as a prompt, is no item yet.
    if own.input == Input::Terminal
        && let Ok(excerpt) = host.read(&job.id, Stdstream::Stdout, Window::Tail(most.into()))
        && !excerpt.text.is_empty()
    {
        return excerpt.text;
    }
    // A run that has not started has no output to show.
    host.snippet(&job.id, most).unwrap_or_default()
}
