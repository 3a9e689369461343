//! Tasks: processes of their own with live documents, and what agents ask about them.

use serde::Serialize;
use shellward_kit::Host;
use shellward_kit::contract::{Answer, Ending, Filter, Job, Reply, Stdstream, ToolCall, Waiting, Wakes};
use shellward_kit::exit::shell_code;
use shellward_kit::machine::cancel;
use shellward_kit::output::below;
use shellward_kit::reply::json;

use crate::failure::Failure;
use crate::launch::{self, label};
use crate::own::{Kind, Own};
use crate::paths::Allowed;
use crate::policy::{Stopped, allow, not_started};
use crate::session;
use crate::settings::Settings;

/// The most tasks that one list names.
const LISTED: u32 = 1000;

/// The name under which a pin by hand is posted to a task.
pub const PINNED: &str = "pinned";
/// The name under which an unpin by hand is posted to a task.
pub const UNPINNED: &str = "unpinned";

fn answered(text: String, body: &impl Serialize) -> Reply {
    Reply { text, structured: Some(json(body)), is_error: false, code: None }
}

#[derive(Serialize)]
struct Spawned<'a> {
    task_id: &'a str,
    block_label: &'a str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
}

/// Starts a task in the session's directory.
pub(crate) fn spawn<H: Host>(host: &H, settings: &Settings, call: &ToolCall, command: &str) -> Result<Answer, Stopped> {
    let allowed = Allowed::new(host, settings);
    let session = session::find(host, &allowed);
    let notes = allow(host, settings, &allowed, call, (command, &session.directory))?;
    let launch = launch::task(host, settings, &allowed, call, command, session.directory)?;
    host.start(&launch).map_err(|error| not_started(call, &error, false))?;
    let label = label(&launch.job);
    let started = format!("started {}; its output is in {label}", launch.job);
    let told: Vec<String> = notes.iter().map(|note| format!("[{note}]")).collect();
    let text = below(std::iter::once(started.as_str()).chain(told.iter().map(String::as_str)));
    Ok(Answer::Reply(answered(text, &Spawned { task_id: &launch.job, block_label: &label, notes })))
}

fn find<H: Host>(host: &H, task: &str) -> Result<Job, Failure> {
    let unknown = || Failure::UnknownTask(task.chars().take(100).collect());
    let job = host.job(task).ok_or_else(unknown)?;
    match Own::of(&job) {
        Some(own) if own.kind == Kind::Task => Ok(job),
        _ => Err(unknown()),
    }
}

fn runs(job: &Job) -> bool {
    job.exit.is_none() && job.ending.is_none()
}

/// Ends a task.
///
/// # Errors
/// There is none, or it has ended.
pub fn kill<H: Host>(host: &H, task: &str) -> Result<Answer, Failure> {
    let job = find(host, task)?;
    if !runs(&job) || cancel(host, &job.id).is_err() {
        return Err(Failure::TaskCompleted);
    }
    // A task that ended by itself at this very moment is kept for a while, and its status says so.
    let wakes = Wakes { item: false, status: true, hit: false };
    Ok(Answer::Wait(Waiting { job: job.id, wakes, since: 0, at_most: None }))
}

#[derive(Serialize)]
struct Killed<'a> {
    task_id: &'a str,
    status: &'a str,
    exit_code: Option<i32>,
}

/// Words the answer to a call that has ended a task.
#[must_use]
pub fn killed<H: Host>(_host: &H, job: &Job) -> Reply {
    match job.ending {
        Some(Ending::Failed | Ending::Lost) => {
            Failure::SpawnFailed(format!("the host could not go on with {}", job.id)).reply()
        }
        Some(Ending::Cancelled | Ending::TimedOut | Ending::Completed) | None => {
            let body = Killed { task_id: &job.id, status: &job.status, exit_code: job.exit.as_ref().map(shell_code) };
            answered(format!("{} {}", job.id, job.status), &body)
        }
    }
}

#[derive(Serialize)]
struct Running<'a> {
    task_id: &'a str,
    command: &'a str,
    directory: &'a str,
    block_label: String,
    started_at: Option<u64>,
    running_ms: u64,
    stdout_bytes: u64,
    stderr_bytes: u64,
}

#[derive(Serialize)]
struct Status<'a> {
    processes: Vec<Running<'a>>,
}

/// Lists the tasks that run.
#[must_use]
pub fn status<H: Host>(host: &H) -> Reply {
    let jobs = host.jobs(Filter { active: true, ended: false, limit: LISTED });
    let tasks = jobs.iter().filter(|job| runs(job) && Own::of(job).is_some_and(|own| own.kind == Kind::Task));
    let processes: Vec<Running<'_>> = tasks
        .map(|job| Running {
            task_id: &job.id,
            command: &job.command,
            directory: &job.directory,
            block_label: label(&job.id),
            started_at: job.started_at,
            running_ms: job.duration / 1000,
            stdout_bytes: job.stdout.total,
            stderr_bytes: job.stderr.total,
        })
        .collect();
    let lines: Vec<String> = processes
        .iter()
        .map(|task| format!("{} running for {:.1} s: {}", task.task_id, task.running_ms as f64 / 1000.0, task.command))
        .collect();
    let text = if lines.is_empty() { "no processes run".into() } else { lines.join("\n") };
    answered(text, &Status { processes })
}

#[derive(Serialize)]
struct Output<'a> {
    task_id: &'a str,
    block_label: &'a str,
    running: bool,
    exit_code: Option<i32>,
    stdout: String,
    stderr: String,
    /// Where to go on reading.
    offset: u64,
    stderr_offset: u64,
    stdout_bytes: u64,
    stderr_bytes: u64,
}

/// Reads what a task has printed, from offsets on.
///
/// # Errors
/// There is no such task, or its document is forgotten.
pub fn output<H: Host>(host: &H, task: &str, offsets: [u64; 2], max: u32) -> Result<Reply, Failure> {
    let job = find(host, task)?;
    let label = label(&job.id);
    let read = |stream, offset| {
        host.read_block(&label, stream, offset, max).map_err(|_| Failure::UnknownTask(task.chars().take(100).collect()))
    };
    let (stdout, stderr) = (read(Stdstream::Stdout, offsets[0])?, read(Stdstream::Stderr, offsets[1])?);
    let text = below([stdout.text.as_str(), stderr.text.as_str()]);
    let body = Output {
        task_id: &job.id,
        block_label: &label,
        running: runs(&job),
        exit_code: job.exit.as_ref().map(shell_code),
        stdout: stdout.text,
        stderr: stderr.text,
        offset: stdout.next,
        stderr_offset: stderr.next,
        stdout_bytes: stdout.total,
        stderr_bytes: stderr.total,
    };
    let text = if text.is_empty() { "(no output)".into() } else { text };
    Ok(answered(text, &body))
}

#[derive(Serialize)]
struct Pinned<'a> {
    task_id: &'a str,
    block_label: &'a str,
    pinned: bool,
}

/// Keeps a task's document among those shown, or takes it from there.
///
/// # Errors
/// There is no such task, or its document is forgotten.
pub fn pin<H: Host>(host: &H, task: &str, pinned: bool) -> Result<Reply, Failure> {
    let job = find(host, task)?;
    let label = label(&job.id);
    let done = if pinned { host.pin(&label) } else { host.unpin(&label) };
    done.map_err(|_| Failure::UnknownTask(task.chars().take(100).collect()))?;
    // One that has ended for good has no timer that could undo it.
    let _ = host.post(&job.id, if pinned { PINNED } else { UNPINNED }, "null");
    let text = format!("{label} is {}", if pinned { "pinned" } else { "no longer pinned" });
    Ok(answered(text, &Pinned { task_id: &job.id, block_label: &label, pinned }))
}
