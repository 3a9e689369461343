//! `log`: a page of a run's items.

use serde::Serialize;
use shellward_kit::Host;
use shellward_kit::contract::Reply;
use shellward_kit::reply::structured;

use crate::failure::Failure;
use crate::items::{Page, Range};
use crate::request::Log;
use crate::run::{Status, find};
use crate::settings::Settings;

#[derive(Serialize)]
struct Body<'a> {
    run_id: &'a str,
    status: &'static str,
    #[serde(flatten)]
    page: Page,
}

/// Answers `log`.
///
/// # Errors
/// The session has no such run.
pub fn call<H: Host>(host: &H, settings: &Settings, log: &Log) -> Result<Reply, Failure> {
    let (job, memo) = find(host, &log.run_id)?;
    let range = Range { since_seq: log.since_seq, limit: log.limit, stream: log.stream };
    let page = Page::read(host, settings, &job, range)?;
    let status = Status::at(&memo.phase, &job);
    let more = if page.more { ", and there is more" } else { "" };
    let text = format!("{} {}; next_seq {}{more}.\n{}", job.id, status.told(&job), page.next_seq, page.told());
    Ok(structured(text, &Body { run_id: &job.id, status: status.word(), page }))
}
