//! What the readings of all languages share: how deep they go, and how they end before the text does.

use crate::script::{Script, Span, Unknown, What};

/// How many constructs may stand inside each other; 1 MiB of wasm stack holds it many times over.
pub(crate) const MAX_DEPTH: u8 = 40;

/// A reading has ended early; the reason stands in the parser.
///
/// It carries nothing, so that results stay small on the stack.
#[derive(Debug)]
pub(crate) struct Stop;

pub(crate) type Step<T = ()> = Result<T, Stop>;

/// Returns what a reading has found, or why it ended.
pub(crate) fn ended(read: Step, script: Script, failure: Option<Unknown>, text: &str) -> Result<Script, Unknown> {
    match read {
        Ok(()) => Ok(script),
        Err(Stop) => Err(failure.unwrap_or(Unknown {
            what: What::Construct("what could not be read"),
            span: Span { start: 0, end: text.len() },
        })),
    }
}

/// Returns the bytes of the character at a position, none at the end.
pub(crate) fn character(text: &str, position: usize) -> Span {
    let start = position.min(text.len());
    let length = text.get(start..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
    Span { start, end: start + length }
}
