//! `poll`: how a run stands, a snippet of its output, and what is new.

use serde::Serialize;
use shellward_kit::Host;
use shellward_kit::contract::{Answer, Job, Reply, Waiting, Wakes};
use shellward_kit::reply::structured;

use crate::failure::Failure;
use crate::items::{Page, Range};
use crate::request::Poll;
use crate::run::{Own, Status, find};
use crate::settings::Settings;
use crate::view::{Unstored, View, snippet};
use shellward_kit::machine::Memo;

#[derive(Serialize)]
struct Body<'a> {
    #[serde(flatten)]
    view: View<'a>,
    snippet: String,
    #[serde(flatten)]
    page: Page,
}

/// Answers `poll` at once where there is something new or nothing to wait for; otherwise the answer waits.
///
/// # Errors
/// The session has no such run.
pub fn call<H: Host>(host: &H, settings: &Settings, poll: &Poll) -> Result<Answer, Failure> {
    let (job, memo) = find(host, &poll.run_id)?;
    let page = read(host, settings, &job, poll.since_seq)?;
    if poll.wait_ms == 0 || !page.items.is_empty() || Status::at(&memo.phase, &job).is_final() {
        return Ok(Answer::Reply(reply(host, settings, &job, &memo, page)));
    }
    Ok(Answer::Wait(Waiting {
        job: job.id,
        wakes: Wakes { item: true, status: true, hit: true },
        since: poll.since_seq,
        at_most: Some(poll.wait_ms),
    }))
}

/// Answers a `poll` that has waited, and a `spawn` that has waited for the end.
///
/// # Errors
/// The host keeps no items of the run.
pub fn settle<H: Host>(host: &H, settings: &Settings, job: &Job, since_seq: u64) -> Result<Reply, Failure> {
    let memo = Memo::read(job).unwrap_or_else(|| Memo::guess(job, Own::default()));
    let page = read(host, settings, job, since_seq)?;
    Ok(reply(host, settings, job, &memo, page))
}

fn read<H: Host>(host: &H, settings: &Settings, job: &Job, since_seq: u64) -> Result<Page, Failure> {
    Page::read(host, settings, job, Range { since_seq, limit: None, stream: None })
}

fn reply<H: Host>(host: &H, settings: &Settings, job: &Job, memo: &Memo<Own>, page: Page) -> Reply {
    let status = Status::at(&memo.phase, job);
    let snippet = snippet(host, settings, job, &memo.own);
    let shown = if page.items.is_empty() { snippet.clone() } else { page.told() };
    let text = format!("{} {}; next_seq {}.\n{shown}", job.id, status.told(job), page.next_seq);
    let view = View::new(job, &memo.own, &status, &Unstored::of(host, job, &memo.own));
    structured(text, &Body { view, snippet, page })
}
