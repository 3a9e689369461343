//! `output`: what the host has kept of a job's streams.

use std::sync::Arc;

use crate::policy::Context;
use crate::policy::bindings::shellward::policy::output::{Excerpt, Gap, Host, OutputError, Page, Storage, Window};
use crate::policy::bindings::shellward::policy::types::Stdstream;
use crate::policy::context::Attached;
use crate::process::{self, Stream, Text};
use crate::store::{PAGE, Store, StoreError, Stored, text_of};

impl Host for Context {
    fn read(
        &mut self,
        id: String,
        stream: Stdstream,
        window: Window,
    ) -> wasmtime::Result<Result<Excerpt, OutputError>> {
        let Some(job) = self.host()?.job(&id) else { return Ok(Err(OutputError::NotFound)) };
        let Some(output) = job.output() else {
            let reason = match job.record().started_at {
                None => "the job has not started",
                Some(_) => "another host ran the job: its output is in its items",
            };
            return Ok(Err(OutputError::Unavailable(reason.into())));
        };
        let stream = native(stream);
        Ok(Ok(match window {
            Window::All => whole(output.snapshot(stream, process::Window::All)),
            Window::Head(characters) => head(output.snapshot(stream, process::Window::Head(size(characters)))),
            Window::Tail(bytes) => tail(output.snapshot(stream, process::Window::Tail(size(bytes)))),
        }))
    }

    fn items(
        &mut self,
        id: String,
        since: u64,
        limit: u32,
        stream: Option<Stdstream>,
    ) -> wasmtime::Result<Result<Page, OutputError>> {
        let attached = self.host()?;
        let Some(job) = attached.job(&id) else { return Ok(Err(OutputError::NotFound)) };
        if !job.birth.launch.durable {
            return Ok(Err(not_durable()));
        }
        let read = attached.store()?.and_then(|store| store.items(&id, since, limit.min(PAGE), stream));
        Ok(match read {
            Ok(items) if items.is_empty() && since < job.last_seq() && attached.has_forgotten(&id)? => {
                Err(OutputError::NotFound)
            }
            Ok(items) => Ok(Page { next: items.last().map_or(since, |item| item.seq), items, cap: PAGE }),
            Err(error) => Err(OutputError::Unavailable(error.to_string())),
        })
    }

    fn snippet(&mut self, id: String, max: u32) -> wasmtime::Result<Result<String, OutputError>> {
        let attached = self.host()?;
        let Some(job) = attached.job(&id) else { return Ok(Err(OutputError::NotFound)) };
        let max = size(max.into());
        if let Some(recorder) = job.recorder() {
            return Ok(Ok(recorder.snippet(max)));
        }
        if job.birth.launch.durable {
            let kept = job.last_snippet().map(|text| Ok(last(&text, max)));
            return match kept {
                Some(kept) => Ok(kept),
                None => Ok(past_snippet(attached.store()?, &id, max)),
            };
        }
        let Some(output) = job.output() else { return Ok(Ok(String::new())) };
        let stderr = output.snapshot(Stream::Stderr, process::Window::Tail(max)).text;
        let stdout = output.snapshot(Stream::Stdout, process::Window::Tail(max - stderr.len().min(max))).text;
        Ok(Ok(stdout + &stderr))
    }

    fn stored(&mut self, id: String) -> wasmtime::Result<Result<Storage, OutputError>> {
        let Some(job) = self.host()?.job(&id) else { return Ok(Err(OutputError::NotFound)) };
        if !job.birth.launch.durable {
            return Ok(Err(not_durable()));
        }
        let Stored { stdout, stderr } = job.stored();
        Ok(Ok(Storage { stdout, stderr, failed: job.store_error() }))
    }
}

impl Attached {
    /// Whether the store has let go of a run that this host still remembers.
    fn has_forgotten(&mut self, id: &str) -> wasmtime::Result<bool> {
        Ok(matches!(self.store()?.and_then(|store| store.find(id)), Ok(None)))
    }
}

fn not_durable() -> OutputError {
    OutputError::Unavailable("the job is not durable, so its output has no items".into())
}

/// The newest output of a run that this host does not have in hand.
fn past_snippet(store: Result<Arc<dyn Store>, StoreError>, id: &str, max: usize) -> Result<String, OutputError> {
    let newest = store.and_then(|store| store.newest(id, max));
    let newest = newest.map_err(|error| OutputError::Unavailable(error.to_string()))?;
    let text: String = newest.iter().rev().map(text_of).collect();
    Ok(last(&text, max))
}

/// The end of a text, at most so many bytes.
fn last(text: &str, max: usize) -> String {
    text[text.ceil_char_boundary(text.len().saturating_sub(max))..].to_owned()
}

pub(super) fn native(stream: Stdstream) -> Stream {
    match stream {
        Stdstream::Stdout => Stream::Stdout,
        Stdstream::Stderr => Stream::Stderr,
    }
}

fn size(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

fn whole(text: Text) -> Excerpt {
    let gap = (text.dropped_bytes > 0).then_some(Gap { at: text.dropped_at as u64, bytes: text.dropped_bytes });
    Excerpt { gap, ..plain(text) }
}

fn head(text: Text) -> Excerpt {
    Excerpt { after: text.dropped_bytes, ..plain(text) }
}

fn tail(text: Text) -> Excerpt {
    Excerpt { before: text.dropped_bytes, ..plain(text) }
}

fn plain(text: Text) -> Excerpt {
    Excerpt { gap: None, before: 0, after: 0, total: text.total_bytes, invalid: text.invalid, text: text.text }
}
