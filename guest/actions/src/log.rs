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
use crate::view::Unstored;

#[derive(Serialize)]
struct Body<'a> {
    run_id: &'a str,
    status: &'static str,
    /// Whether some of its output was not stored, so that no page has it.
    truncated: bool,
    truncated_bytes: u64,
    /// Only where something failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    error_message: Option<String>,
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
    let unstored = Unstored::of(host, &job, &memo.own);
    let more = if page.more { ", and there is more" } else { "" };
    let cut = if unstored.bytes > 0 { format!("; {} bytes were not stored", unstored.bytes) } else { String::new() };
    let text = format!("{} {}; next_seq {}{more}{cut}.\n{}", job.id, status.told(&job), page.next_seq, page.told());
    let body = Body {
        run_id: &job.id,
        status: status.word(),
        truncated: unstored.bytes > 0,
        truncated_bytes: unstored.bytes,
        error_message: unstored.message(),
        page,
    };
    Ok(structured(text, &body))
}
