//! `output`: what the host has kept of a job's streams.

use crate::policy::Context;
use crate::policy::bindings::shellward::policy::output::{Excerpt, Gap, Host, OutputError, Page, Window};
use crate::policy::bindings::shellward::policy::types::Stdstream;
use crate::process::{self, Stream, Text};

impl Host for Context {
    fn read(
        &mut self,
        id: String,
        stream: Stdstream,
        window: Window,
    ) -> wasmtime::Result<Result<Excerpt, OutputError>> {
        let Some(job) = self.host()?.job(&id) else { return Ok(Err(OutputError::NotFound)) };
        let Some(output) = job.output() else {
            return Ok(Err(OutputError::Unavailable("the job has not started".into())));
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
        _since: u64,
        _limit: u32,
        _stream: Option<Stdstream>,
    ) -> wasmtime::Result<Result<Page, OutputError>> {
        Ok(Err(match self.host()?.job(&id) {
            None => OutputError::NotFound,
            Some(_) => OutputError::Unavailable("the job is not durable, so its output has no items".into()),
        }))
    }

    fn snippet(&mut self, id: String, max: u32) -> wasmtime::Result<Result<String, OutputError>> {
        let Some(job) = self.host()?.job(&id) else { return Ok(Err(OutputError::NotFound)) };
        let Some(output) = job.output() else { return Ok(Ok(String::new())) };
        let max = size(max.into());
        if let Some(recorder) = job.recorder() {
            return Ok(Ok(recorder.snippet(max)));
        }
        let stderr = output.snapshot(Stream::Stderr, process::Window::Tail(max)).text;
        let stdout = output.snapshot(Stream::Stdout, process::Window::Tail(max - stderr.len().min(max))).text;
        Ok(Ok(stdout + &stderr))
    }
}

fn native(stream: Stdstream) -> Stream {
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
