//! Reading flags the way most programs do.

use crate::script::{Part, Word};
use crate::text::{before, holds};
use crate::unwrap::words::{is, lead};

/// Tells whether a short option is among the words, alone or in a cluster (`-rf`).
///
/// Words after `--` are operands.
#[must_use]
pub fn has_short(arguments: &[Word], letter: char) -> bool {
    options(arguments).any(|word| {
        let lead = lead(word);
        lead.starts_with('-') && !lead.starts_with("--") && lead[1..].contains(letter)
    })
}

/// Tells whether a long option is among the words, with or without `=value`, or abbreviated to `least` or more letters.
#[must_use]
pub fn has_long(arguments: &[Word], name: &str, least: usize) -> bool {
    options(arguments).any(|word| {
        let Some(given) = lead(word).strip_prefix("--") else { return false };
        let given = before(given, b'=');
        given.len() >= least.max(1) && name.starts_with(given)
    })
}

fn options(arguments: &[Word]) -> impl Iterator<Item = &Word> {
    arguments.iter().take_while(|word| !is(word, "--"))
}

/// Goes through the words that are no options: those without a leading `-`, and all after `--`.
pub fn operands(arguments: &[Word]) -> impl Iterator<Item = &Word> {
    let mut ended = false;
    arguments.iter().filter(move |word| {
        if !ended && is(word, "--") {
            ended = true;
            return false;
        }
        ended || !lead(word).starts_with('-') || is(word, "-")
    })
}

/// Tells whether a word may turn out to be options: its beginning is computed, or what goes on behind a dash.
pub(crate) fn computed(word: &Word) -> bool {
    match word.parts.as_slice() {
        [Part::Variable(_) | Part::Dynamic, ..] => true,
        [Part::Text(text), _, ..] => text.starts_with('-') && !holds(text, "="),
        _ => false,
    }
}
