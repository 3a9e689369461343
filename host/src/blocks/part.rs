//! Parts of a document's text, by offsets in the stream: what a policy reads.

use super::Block;
use super::feed::incomplete;
use crate::process::{Since, Stream};

/// The least that is read at once: the longest character.
const LEAST: usize = 4;

/// A part of a stream as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    pub text: String,
    /// The offset after it, in bytes of the stream.
    pub next: u64,
    /// Bytes that the stream has in all.
    pub total: u64,
}

/// Reads a part from an offset on. Where bytes are no longer kept, the text begins by saying how many, whatever the
/// most.
pub(crate) fn read(block: &Block, stream: Stream, offset: u64, max: usize) -> Part {
    let max = max.max(LEAST);
    let since = block.output().since(stream, offset, max);
    let mut text = String::new();
    if since.start > offset {
        text = format!("[... {} bytes were not kept ...]\n", since.start - offset);
    }
    let used = decode(&since, &mut text, max);
    Part { text, next: since.start.max(offset.min(since.total)) + used, total: since.total }
}

/// Adds as many bytes as fit into the text, and gives how many these were.
fn decode(since: &Since, text: &mut String, max: usize) -> u64 {
    let at_end = since.ended && since.start + since.bytes.len() as u64 == since.total;
    let begun = if at_end { 0 } else { incomplete(&since.bytes) };
    let bytes = since.bytes.get(..since.bytes.len() - begun).unwrap_or_default();
    let mut used = 0;
    for chunk in bytes.utf8_chunks() {
        let room = max.saturating_sub(text.len());
        let valid = chunk.valid();
        let fits = valid.floor_char_boundary(room);
        text.push_str(&valid[..fits]);
        used += fits;
        if fits < valid.len() {
            break;
        }
        if !chunk.invalid().is_empty() {
            if text.len() + char::REPLACEMENT_CHARACTER.len_utf8() > max {
                break;
            }
            text.push(char::REPLACEMENT_CHARACTER);
            used += chunk.invalid().len();
        }
    }
    used as u64
}
