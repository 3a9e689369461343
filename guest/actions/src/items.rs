//! Pages of a run's items: output and events in the order in which they were recorded.

use serde::Serialize;
use serde_json::value::RawValue;
use shellward_kit::Host;
use shellward_kit::contract::{Chunk, Content, Item, Job, OutputError, Stdstream};

use crate::failure::Failure;
use crate::settings::Settings;
use crate::time::rfc3339;

/// A page, and where the next one begins.
#[derive(Clone, Debug, Serialize)]
pub struct Page {
    /// The items.
    pub items: Vec<Shown>,
    /// What to give as `since_seq` for the next page.
    pub next_seq: u64,
    /// The newest item that there is.
    pub last_seq: u64,
    /// Whether there is more now.
    pub more: bool,
    /// How many items a page has at most.
    pub limit_cap: u32,
}

/// An item.
#[derive(Clone, Debug, Serialize)]
pub struct Shown {
    seq: u64,
    at: String,
    #[serde(flatten)]
    content: What,
}

#[derive(Clone, Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum What {
    Stdout {
        text: String,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        invalid_utf8: bool,
    },
    Stderr {
        text: String,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        invalid_utf8: bool,
    },
    Event {
        event: String,
        data: Box<RawValue>,
    },
}

/// Which items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// Those after this one.
    pub since_seq: u64,
    /// At most so many; none is as many as may be.
    pub limit: Option<u32>,
    /// Only what this stream brought.
    pub stream: Option<Stdstream>,
}

impl Page {
    /// Reads a page.
    ///
    /// # Errors
    /// The host keeps no items of the run.
    pub fn read<H: Host>(host: &H, settings: &Settings, job: &Job, range: Range) -> Result<Self, Failure> {
        let limit = range.limit.unwrap_or(u32::MAX).min(settings.log_limit);
        let mut page = host.items(&job.id, range.since_seq, limit, range.stream).map_err(|error| match error {
            OutputError::NotFound => Failure::RunNotFound(job.id.clone()),
            OutputError::Unavailable(why) => Failure::StoreFailed(why),
        })?;
        let limit_cap = page.cap.min(settings.log_limit);
        // What has come since the record was read comes with the next page: an answer is of one moment.
        let last_seq = job.last_seq;
        let full = page.items.len() >= limit.min(page.cap) as usize;
        let known = page.items.partition_point(|item| item.seq <= last_seq);
        page.items.truncate(known);
        let end = page.items.last().map_or(range.since_seq, |item| item.seq);
        let mut next_seq = end;
        let mut items = Vec::new();
        let mut room = settings.answer_bytes as usize;
        let mut cut = false;
        for item in page.items {
            let length = length(&item);
            if length > room && !items.is_empty() {
                cut = true;
                break;
            }
            room = room.saturating_sub(length);
            next_seq = item.seq;
            items.push(Shown::of(item));
        }
        let next_seq = if cut { next_seq } else { end };
        Ok(Self { items, next_seq, last_seq, more: cut || (full && last_seq > next_seq), limit_cap })
    }

    /// Gives the output and the events for people.
    #[must_use]
    pub fn told(&self) -> String {
        let mut text = String::new();
        for item in &self.items {
            match &item.content {
                What::Stdout { text: output, .. } | What::Stderr { text: output, .. } => text.push_str(output),
                What::Event { event, data } => {
                    if !text.is_empty() && !text.ends_with('\n') {
                        text.push('\n');
                    }
                    text.push_str(&format!("[{event}: {data}]\n"));
                }
            }
        }
        text
    }
}

impl Shown {
    fn of(item: Item) -> Self {
        let content = match item.content {
            Content::Stdout(Chunk { text, invalid }) => What::Stdout { text, invalid_utf8: invalid },
            Content::Stderr(Chunk { text, invalid }) => What::Stderr { text, invalid_utf8: invalid },
            Content::Event(event) => {
                // The host gives JSON; what was none would spoil the whole answer.
                let data = RawValue::from_string(event.data).unwrap_or_else(|_| RawValue::NULL.to_owned());
                What::Event { event: event.name, data }
            }
        };
        Self { seq: item.seq, at: rfc3339(item.at), content }
    }
}

fn length(item: &Item) -> usize {
    match &item.content {
        Content::Stdout(chunk) | Content::Stderr(chunk) => chunk.text.len(),
        Content::Event(event) => event.name.len() + event.data.len(),
    }
}
