//! What a job has printed, as answers give it.

use crate::Host;
use crate::contract::{Job, Stdstream, StreamState, Window};

/// Gives what is kept of a stream. Where bytes were not kept, the text says so in their place.
pub fn stream<H: Host>(host: &H, job: &Job, stream: Stdstream) -> String {
    let StreamState { total, .. } = match stream {
        Stdstream::Stdout => job.stdout,
        Stdstream::Stderr => job.stderr,
    };
    match host.read(&job.id, stream, Window::All) {
        Ok(excerpt) => {
            let mut text = excerpt.text;
            if let Some(gap) = excerpt.gap {
                let at = text.floor_char_boundary(usize::try_from(gap.at).unwrap_or(usize::MAX));
                text.insert_str(at, &format!("\n[... {} bytes were not kept ...]\n", gap.bytes));
            }
            text
        }
        // A job that never ran has no output; of one that has printed, the bytes are at least counted.
        Err(_) if total == 0 => String::new(),
        Err(_) => format!("[... {total} bytes were not kept ...]\n"),
    }
}

/// Puts texts below each other, each beginning on a line of its own.
pub fn below<'a>(parts: impl IntoIterator<Item = &'a str, IntoIter: Clone>) -> String {
    let parts = parts.into_iter();
    let mut text = String::with_capacity(parts.clone().map(|part| part.len() + 1).sum());
    for part in parts {
        if !text.is_empty() && !text.ends_with('\n') && !part.is_empty() {
            text.push('\n');
        }
        text.push_str(part);
    }
    text
}
