//! Answers.

use std::io;

use serde::Serialize;

use crate::contract::{Answer, Reply, Waiting, Wakes};

/// Makes an answer of plain text.
pub fn text(text: impl Into<String>) -> Reply {
    Reply { text: text.into(), structured: None, is_error: false, code: None }
}

/// Makes an answer that says in plain text what could not be done.
pub fn error(code: &str, text: impl Into<String>) -> Reply {
    Reply { text: text.into(), structured: None, is_error: true, code: Some(code.into()) }
}

/// Makes an answer that says what could not be done, in plain text and as JSON: `{"error": code, "message": text}`.
pub fn failure(code: &str, message: impl Into<String>) -> Reply {
    #[derive(Serialize)]
    struct Body<'a> {
        error: &'a str,
        message: &'a str,
    }
    let text = message.into();
    let structured = json(&Body { error: code, message: &text });
    Reply { text, structured: Some(structured), is_error: true, code: Some(code.into()) }
}

/// Makes an answer that waits until the job has ended.
pub fn when_ended(job: impl Into<String>) -> Answer {
    let wakes = Wakes { item: false, status: false, hit: false };
    Answer::Wait(Waiting { job: job.into(), wakes, since: 0, at_most: None })
}

/// Makes an answer of JSON, with a text for people.
pub fn structured(text: impl Into<String>, body: &impl Serialize) -> Reply {
    Reply { text: text.into(), structured: Some(json(body)), is_error: false, code: None }
}

/// Writes a value as JSON, into memory that is asked for once and in the right size: output of control characters
/// alone grows sixfold, and a text that doubles as it grows would not fit beside it into a component's memory.
pub fn json(value: &impl Serialize) -> String {
    let mut counter = Counter(0);
    let written = serde_json::to_writer(&mut counter, value).and_then(|()| {
        let mut bytes = Vec::with_capacity(counter.0);
        serde_json::to_writer(&mut bytes, value).map(|()| bytes)
    });
    // Writing fails only for maps whose keys are no strings, which no answer holds; and what it writes is UTF-8.
    written.ok().and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_else(|| "null".into())
}

/// Counts what is written to it.
struct Counter(usize);

impl io::Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
