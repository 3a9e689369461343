//! The tools about background jobs. A command that its caller waits for is none, and is not found here.

use serde::Serialize;
use shellward_kit::Host;
use shellward_kit::contract::{Answer, Filter, Job, PostError, Reply, ToolCall};
use shellward_kit::machine::{self, Memo};
use shellward_kit::reply::{json, when_ended};

use crate::failure::Failure;
use crate::output::Output;
use crate::request;
use crate::status::{BackgroundJob, JobStatus, JobSummary, Own, PREFIX, Standing, started_at};

/// Answers `shell_job_status`.
///
/// # Errors
/// The session has no such job.
pub fn status<H: Host>(host: &H, call: &ToolCall) -> Result<Reply, Failure> {
    let (job, standing) = find(host, &request::job_id(&call.arguments)?)?;
    let body = BackgroundJob {
        id: &job.id,
        command: &job.command,
        working_dir: Some(&job.directory),
        timeout_secs: job.timeout.unwrap_or_default() / 1000,
        status: standing.status(host, &job),
    };
    let line = format!("{} {}: {}", job.id, standing.told(&job), job.command);
    let text = match &body.status {
        JobStatus::Completed { output, .. } | JobStatus::TimedOut { output, .. } => {
            let Output { stdout, stderr } = output;
            [line.as_str(), stdout, stderr].iter().filter(|part| !part.is_empty()).fold(String::new(), joined)
        }
        JobStatus::Running { .. } | JobStatus::Failed { .. } | JobStatus::Cancelled { .. } => line,
    };
    Ok(answer(text, &body))
}

fn joined(mut text: String, part: &&str) -> String {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text.push_str(part);
    text
}

/// Answers `shell_jobs`: the session's background jobs, oldest first.
///
/// # Errors
/// There are arguments.
pub fn list<H: Host>(host: &H, call: &ToolCall) -> Result<Reply, Failure> {
    request::nothing(&call.arguments)?;
    let jobs = host.jobs(Filter { active: true, ended: true, limit: u32::MAX });
    let jobs: Vec<(&Job, Standing)> = jobs.iter().filter_map(|job| Some((job, standing(job)?))).collect();
    let body: Vec<_> = jobs.iter().map(|(job, standing)| summary(job, standing)).collect();
    let lines: Vec<_> =
        jobs.iter().map(|(job, standing)| format!("{} {}: {}", job.id, standing.told(job), job.command)).collect();
    let text = if lines.is_empty() { "No background jobs.".into() } else { lines.join("\n") };
    Ok(answer(text, &body))
}

fn summary<'a>(job: &'a Job, standing: &Standing) -> JobSummary<'a> {
    JobSummary { id: &job.id, command: &job.command, status: standing.word(), started_at_unix: started_at(job) }
}

/// Begins to answer `shell_job_cancel`: the job's machine is told, and the answer waits for the job's end.
///
/// # Errors
/// The session has no such job, or it has ended.
pub fn cancel<H: Host>(host: &H, call: &ToolCall) -> Result<Answer, Failure> {
    let (job, standing) = find(host, &request::job_id(&call.arguments)?)?;
    if standing != Standing::Running {
        return Err(Failure::JobNotRunning);
    }
    match machine::cancel(host, &job.id) {
        Ok(()) => Ok(when_ended(job.id)),
        Err(PostError::NotFound) => Err(Failure::JobNotFound(job.id)),
        Err(PostError::Ended) => Err(Failure::JobNotRunning),
        Err(PostError::Full) => Err(Failure::Io("too much waits for the job already; try again".into())),
        Err(PostError::Unattended) => Err(Failure::Io("the host that ran the job is gone".into())),
    }
}

#[derive(Serialize)]
struct Cancelled<'a> {
    job_id: &'a str,
    status: &'a str,
}

/// Words the answer to `shell_job_cancel` when the job has ended. One that ended otherwise meanwhile was not running.
#[must_use]
pub fn cancelled(job: &Job) -> Reply {
    match Standing::of(job) {
        standing @ Standing::Cancelled => {
            let text = format!("{} {}: {}", job.id, standing.told(job), job.command);
            answer(text, &Cancelled { job_id: &job.id, status: standing.word() })
        }
        Standing::Completed | Standing::Failed(_) | Standing::TimedOut => Failure::JobNotRunning.reply(),
        Standing::Running => Failure::Io("the job has not ended yet; ask for its status".into()).reply(),
    }
}

fn find<H: Host>(host: &H, id: &str) -> Result<(Job, Standing), Failure> {
    let found = host.job(id).and_then(|job| {
        let standing = standing(&job)?;
        Some((job, standing))
    });
    found.ok_or_else(|| Failure::JobNotFound(id.chars().take(100).collect()))
}

/// Gives how a job stands that is a background job of this policy; none for any other.
fn standing(job: &Job) -> Option<Standing> {
    let memo = Memo::<Own>::read(job).filter(|memo| memo.own.background && job.id.starts_with(PREFIX))?;
    Some(Standing::at(&memo, job))
}

fn answer(text: String, body: &impl Serialize) -> Reply {
    Reply { text, structured: Some(json(body)), is_error: false, code: None }
}
