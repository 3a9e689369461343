//! Brace expansion: `{a,b}` and `{1..3}`.

use super::values::is_number;
use super::word::{Braces, Builder};
use crate::script::{Part, Span, Word};
use crate::text::halves;

/// The most words that one word is expanded to, and the most bytes.
const MOST: usize = 64;
const MOST_BYTES: usize = 4096;

impl Builder {
    /// Whether bash may make several words of it by its braces.
    pub(super) fn may_expand_braces(&self) -> bool {
        self.braces == Braces::Closed
    }
}

/// The words that a word with braces becomes; one dynamic word when they are not plain to see.
pub(super) fn expand(word: Builder, end: usize) -> Vec<Word> {
    let span = Span { start: word.start, end };
    let plain = !word.quoted && !word.continued && word.parts.len() == 1;
    let text = word.literal().filter(|text| plain && text.len() < MOST_BYTES);
    let mut words = Vec::new();
    if text.and_then(|text| expand_text(text, span, &mut words)).is_none() {
        words.clear();
        words.push(Word { parts: vec![Part::Dynamic], span });
    }
    words
}

/// Expands one group in an unquoted text that holds nothing else of meaning.
fn expand_text(text: &str, span: Span, words: &mut Vec<Word>) -> Option<()> {
    let (before, rest) = halves(text, b'{')?;
    let (group, after) = halves(rest, b'}')?;
    let more = |text: &str| text.bytes().any(|byte| matches!(byte, b'{' | b'}' | b'~'));
    if more(before) || more(group) || more(after) {
        return None;
    }
    let mut bytes = 0;
    let mut push = |item: &str| {
        let mut text = String::with_capacity(before.len() + item.len() + after.len());
        text.push_str(before);
        text.push_str(item);
        text.push_str(after);
        bytes += text.len();
        let fits = words.len() < MOST && bytes < MOST_BYTES;
        // An empty word would vanish.
        let keeps = fits && !text.is_empty();
        words.push(Word { parts: vec![Part::Text(text)], span });
        keeps.then_some(())
    };
    match halves(group, b',') {
        Some((first, mut rest)) => {
            push(first)?;
            while let Some((item, left)) = halves(rest, b',') {
                push(item)?;
                rest = left;
            }
            push(rest)
        }
        None => {
            let (first, last) = halves(group, b'.')?;
            let (mut at, last) = (number(first)?, number(last.strip_prefix('.')?)?);
            while at != last {
                push(&at.to_string())?;
                at = if at < last { at + 1 } else { at - 1 };
            }
            push(&at.to_string())
        }
    }
}

/// A number without leading zeros, which bash would keep.
fn number(text: &str) -> Option<u32> {
    let plain = is_number(text) && text.len() < 7 && (text == "0" || !text.starts_with('0'));
    super::values::number(text).filter(|_| plain)
}
