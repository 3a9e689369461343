//! Answers.

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

/// Makes an answer that waits until the job has ended.
pub fn when_ended(job: impl Into<String>) -> Answer {
    let wakes = Wakes { item: false, status: false, hit: false };
    Answer::Wait(Waiting { job: job.into(), wakes, since: 0, at_most: None })
}

/// Makes an answer of JSON, with a text for people.
pub fn structured(text: impl Into<String>, body: &impl Serialize) -> Reply {
    Reply { text: text.into(), structured: Some(json(body)), is_error: false, code: None }
}

/// Writes a value as JSON.
pub fn json(value: &impl Serialize) -> String {
    // Writing fails only for maps whose keys are no strings, which no answer holds.
    serde_json::to_string(value).unwrap_or_else(|_| "null".into())
}
