//! Moves a job by one event, and publishes the end of a background job.

use serde::Serialize;
use shellward_kit::Host;
use shellward_kit::contract::{Event, Happening, Job, Notice, Step};
use shellward_kit::machine::{Advance, Plan};
use shellward_kit::reply::json;

use crate::settings::Settings;
use crate::status::{JobStatus, Own, Standing};

/// The kind of notice that says that a background job has ended.
pub const COMPLETED: &str = "shell_job_completed";

/// The content of that notice.
#[derive(Serialize)]
struct Completed<'a> {
    job_id: &'a str,
    command: &'a str,
    result: JobStatus,
}

/// Moves a job's machine by one event.
#[must_use]
pub fn advance<H: Host>(host: &H, settings: &Settings, job: &Job, event: &Event) -> Step {
    let plan = Plan::with_grace(settings.cancel_grace_secs * 1000);
    let advance = Advance::<Own>::new(host, job, event, &plan);
    let standing = Standing::at(&advance.memo, job);
    let mut step = advance.step();
    step.status = standing.word().into();
    if advance.ended().is_some() && advance.memo.own.background {
        step.notices.push(notice(host, &standing, job, event));
    }
    step
}

fn notice<H: Host>(host: &H, standing: &Standing, job: &Job, event: &Event) -> Notice {
    let mut job = job.clone();
    if let Happening::Exited(exited) = &event.what {
        job.exit = Some(exited.exit.clone());
    }
    let result = standing.status(host, &job);
    let data = json(&Completed { job_id: &job.id, command: &job.command, result });
    let text = format!("Background job {} {}: {}", job.id, standing.told(&job), job.command);
    Notice { event_type: COMPLETED.into(), data, text: Some(text) }
}
