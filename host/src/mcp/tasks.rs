//! Long calls and background jobs as tasks, for clients that know the extension.

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{
    CallToolResult, ContentBlock, CreateTaskResult, DetailedTask, ErrorData, InputResponses, JsonObject, Task,
    TaskPayload, TaskStatus,
};
use rmcp::task_manager::{TaskContext, TaskExit, TaskOptions, current_timestamp};
use serde_json::Value;

use super::call::{InFlight, Next};
use super::human;
use super::resources;
use super::session::Session;
use crate::jobs::{Job, Message};
use crate::policy::contract::types::{Ending, Unwanted};

/// How long a task may run. Longer than any policy lets a command run that somebody waits for.
const LONGEST_MILLIS: u64 = 24 * 60 * 60 * 1000;

/// How often a client should ask.
const POLL_MILLIS: u64 = 500;

/// Makes a running call a task.
pub(super) fn spawn(session: &Session, call: InFlight, asks: bool) -> CreateTaskResult {
    let options = TaskOptions::new().with_ttl_ms(LONGEST_MILLIS).with_poll_interval_ms(POLL_MILLIS);
    CreateTaskResult::new(session.tasks.spawn(options, |context| run(context, call, asks)))
}

async fn run(context: TaskContext, call: InFlight, asks: bool) -> Result<CallToolResult, TaskExit> {
    // Dropping the call ends its command.
    tokio::select! {
        biased;
        () = context.cancelled() => Err(TaskExit::Cancelled),
        result = finish(&context, call, asks) => result,
    }
}

async fn finish(context: &TaskContext, mut call: InFlight, asks: bool) -> Result<CallToolResult, TaskExit> {
    loop {
        match call.next().await {
            Next::Done(result) => return Ok(result),
            Next::Asked(asked) if asks => {
                let response = context.request_input(asked.id.clone(), human::input_request(&asked.text)).await?;
                asked.answer(human::is_yes_in(Some(response)));
            }
            Next::Asked(asked) => call.nobody(asked),
        }
    }
}

/// How a task stands: a call that became one, or a job by its id.
pub(super) fn get(session: &Session, id: &str) -> Result<DetailedTask, ErrorData> {
    match session.job(id) {
        Some(job) => Ok(of_job(&job, session.caller.shared().retention().age)),
        None => session.tasks.get(id),
    }
}

/// Answers what a task has asked.
pub(super) fn update(session: &Session, id: &str, answers: InputResponses) -> Result<(), ErrorData> {
    match session.job(id) {
        // A job asks nobody, and answers to what is not asked are passed over.
        Some(_) => Ok(()),
        None => session.tasks.update(id, answers),
    }
}

/// Has a task ended.
pub(super) fn cancel(session: &Session, id: &str) -> Result<(), ErrorData> {
    match session.job(id) {
        Some(job) => {
            // A job that has ended needs no message; one with a full inbox is busy ending or faulty.
            let _ = job.post(Message::Unwanted(Unwanted::ByHand));
            Ok(())
        }
        None => session.tasks.cancel(id),
    }
}

/// A job as a task, and how long after its end it is remembered; a longer life than that nobody can tell beforehand.
fn of_job(job: &Arc<Job>, remembered: Duration) -> DetailedTask {
    let record = job.record();
    let created = timestamp(record.created_at);
    let updated = record.ended_at.map_or_else(current_timestamp, timestamp);
    let mut task = Task::new(record.id, TaskStatus::Working, created, updated)
        .with_status_message(record.status)
        .with_poll_interval_ms(POLL_MILLIS);
    task.ttl_ms = record.ended_at.map(|ended| kept_for(record.created_at, ended, remembered));
    let payload = match record.ending {
        None => TaskPayload::Working,
        Some(Ending::Cancelled) => TaskPayload::Cancelled,
        Some(Ending::Completed) => TaskPayload::Completed { result: result(job, false) },
        Some(Ending::Failed | Ending::TimedOut | Ending::Lost) => TaskPayload::Completed { result: result(job, true) },
    };
    DetailedTask::new(task, payload)
}

/// How long something is kept, from its begin on, in milliseconds.
fn kept_for(created_at: u64, ended_at: u64, after: Duration) -> u64 {
    ended_at.saturating_sub(created_at).saturating_add(u64::try_from(after.as_millis()).unwrap_or(u64::MAX))
}

fn result(job: &Job, is_error: bool) -> JsonObject {
    let record = resources::record(job);
    let text = vec![ContentBlock::text(record.to_string())];
    let mut result = if is_error { CallToolResult::error(text) } else { CallToolResult::success(text) };
    result.structured_content = Some(record);
    match serde_json::to_value(result) {
        Ok(Value::Object(result)) => result,
        // Plain data: it always has this form.
        _ => JsonObject::new(),
    }
}

/// An instant as RFC 3339 writes it, in UTC.
fn timestamp(millis: u64) -> String {
    let (seconds, millis) = (millis / 1000, millis % 1000);
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = civil(days);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z")
}

/// The date so many days after 1970-01-01, by the proleptic Gregorian calendar (Howard Hinnant's `civil_from_days`).
fn civil(days: u64) -> (u64, u64, u64) {
    let shifted = days + 719_468;
    let (era, of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    (year_of_era + era * 400 + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_are_written_as_rfc_3339_has_them() {
        assert_eq!(timestamp(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(timestamp(951_827_696_789), "2000-02-29T12:34:56.789Z");
        assert_eq!(timestamp(1_793_577_599_999), "2026-11-01T23:59:59.999Z");
    }
}
