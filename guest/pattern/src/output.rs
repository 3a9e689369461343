//! What a job has printed, as answers give it.

use serde::Serialize;
use shellward_kit::Host;
use shellward_kit::contract::{Job, Stdstream, Window};

/// Gives what is kept of a stream. Where bytes were not kept, the text says so in their place.
#[must_use]
pub fn stream<H: Host>(host: &H, job: &Job, stream: Stdstream) -> String {
    let Ok(excerpt) = host.read(&job.id, stream, Window::All) else { return String::new() };
    let mut text = excerpt.text;
    if let Some(gap) = excerpt.gap {
        let at = text.floor_char_boundary(usize::try_from(gap.at).unwrap_or(usize::MAX));
        text.insert_str(at, &format!("\n[... {} bytes were not kept ...]\n", gap.bytes));
    }
    text
}

/// Puts texts below each other, each beginning on a line of its own.
#[must_use]
pub fn below<'a>(parts: impl IntoIterator<Item = &'a str>) -> String {
    let mut text = String::new();
    for part in parts {
        if !text.is_empty() && !text.ends_with('\n') && !part.is_empty() {
            text.push('\n');
        }
        text.push_str(part);
    }
    text
}

/// Writes a value as JSON.
#[must_use]
pub fn json(value: &impl Serialize) -> String {
    // Writing fails only for maps whose keys are no strings, which no answer holds.
    serde_json::to_string(value).unwrap_or_else(|_| "null".into())
}
