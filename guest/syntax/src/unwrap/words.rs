//! Small questions about words that unwrapping and facts share.

use crate::script::{Command, Part, Span, Word};
pub(crate) use crate::text::among;
use crate::text::{after_last, find, pieces};

/// Returns the text of a word that is wholly known.
pub(crate) fn text(word: &Word) -> Option<&str> {
    match word.parts.as_slice() {
        [] => Some(""),
        [Part::Text(text)] => Some(text),
        _ => None,
    }
}

/// Returns the text that a word is known to begin with.
pub(crate) fn lead(word: &Word) -> &str {
    match word.parts.first() {
        Some(Part::Text(text)) => text,
        _ => "",
    }
}

/// Tells whether the shell passes the word on as exactly one word.
pub(crate) fn is_one(word: &Word) -> bool {
    !word.parts.iter().any(is_open)
}

fn is_open(part: &Part) -> bool {
    matches!(part, Part::Glob(_) | Part::User(_) | Part::Dynamic)
}

/// Tells whether the word may begin with `-` when it runs, or vanish.
pub(crate) fn may_be_option(word: &Word) -> bool {
    match word.parts.first() {
        Some(Part::Text(text)) => text.starts_with('-'),
        Some(Part::Home) => false,
        Some(Part::Glob(_) | Part::User(_) | Part::Variable(_) | Part::Dynamic) => true,
        None => false,
    }
}

/// Returns the word without the first `count` bytes of its leading text.
pub(crate) fn cut(word: &Word, count: usize) -> Word {
    let mut parts = word.parts.clone();
    if let Some(Part::Text(text)) = parts.first_mut() {
        *text = text.get(count..).unwrap_or_default().to_owned();
        if text.is_empty() {
            parts.remove(0);
        }
    }
    Word { parts, span: word.span }
}

/// Makes a word of known text.
pub(crate) fn literal(text: &str, span: Span) -> Word {
    let parts = if text.is_empty() { Vec::new() } else { vec![Part::Text(text.to_owned())] };
    Word { parts, span }
}

/// Adds the words of a text that means nothing to a shell but for the blanks between them.
#[inline(never)]
pub(crate) fn split_at_blanks(text: &str, span: Span, words: &mut Vec<Word>) {
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.bytes().position(|byte| matches!(byte, b' ' | b'\t' | b'\n')).unwrap_or(rest.len());
        if end > 0 {
            words.push(literal(&rest[..end], span));
        }
        rest = rest.get(end + 1..).unwrap_or_default();
    }
}

/// Makes a word of which nothing is known.
pub(crate) fn dynamic(span: Span) -> Word {
    Word { parts: vec![Part::Dynamic], span }
}

/// Tells whether a word is known and one of such a list.
#[inline(never)]
pub(crate) fn is(word: &Word, list: &str) -> bool {
    text(word).is_some_and(|text| among(list, text))
}

/// Tells whether a word is known to begin with a text.
#[inline(never)]
pub(crate) fn begins(word: &Word, start: &str) -> bool {
    lead(word).starts_with(start)
}

/// Tells whether one of these short texts, with one blank between them, stands in a text.
#[inline(never)]
pub(crate) fn any_in(text: &str, parts: &str) -> bool {
    pieces(parts, b' ').any(|part| find(text, part).is_some())
}

/// Tells whether one of these short texts stands in what is known of a word.
#[inline(never)]
pub(crate) fn any_in_word(word: &Word, parts: &str) -> bool {
    word.parts.iter().any(|part| matches!(part, Part::Text(text) if any_in(text, parts)))
}

/// Replaces every occurrence of a placeholder such as `{}` by a part that cannot be known; it must be short, as
/// [`find`] says.
pub(crate) fn fill(word: &Word, placeholder: &str) -> Word {
    let mut parts = Vec::with_capacity(word.parts.len());
    for part in &word.parts {
        match part {
            Part::Text(text) => {
                let mut rest = text.as_str();
                while let Some(at) = find(rest, placeholder) {
                    push_text(&mut parts, &rest[..at]);
                    parts.push(Part::Dynamic);
                    rest = &rest[at + placeholder.len()..];
                }
                push_text(&mut parts, rest);
            }
            other => parts.push(other.clone()),
        }
    }
    Word { parts, span: word.span }
}

fn push_text(parts: &mut Vec<Part>, text: &str) {
    if !text.is_empty() {
        parts.push(Part::Text(text.to_owned()));
    }
}

/// Joins words with blanks, as `eval`, `ssh` and `watch` do; none when a word is not known.
pub(crate) fn join(words: &[Word]) -> Option<String> {
    let mut line = String::new();
    for (index, word) in words.iter().enumerate() {
        if index > 0 {
            line.push(' ');
        }
        line.push_str(text(word)?);
    }
    Some(line)
}

/// Returns the program of a command as it is judged: the last component of its name.
///
/// None for a command without words, and for a name that is known only when it runs.
#[must_use]
pub fn program(command: &Command) -> Option<&str> {
    name(command.words.first()?)
}

/// Returns the last path component of a program's name, when it is known and stays one word.
pub(crate) fn name(word: &Word) -> Option<&str> {
    let Some((last, before)) = word.parts.split_last() else { return Some("") };
    let Part::Text(text) = last else { return None };
    let name = after_last(text, b'/');
    if name.len() < text.len() && !name.is_empty() && !before.iter().any(is_open) {
        return Some(name);
    }
    before.is_empty().then_some(text)
}

/// Writes a word for a message: known text as it is, `~`, `$NAME`, and `…` for what cannot be known.
#[must_use]
pub fn shown(word: &Word) -> String {
    let mut out = String::new();
    for part in &word.parts {
        match part {
            Part::Text(text) | Part::Glob(text) => out.push_str(text),
            Part::Home => out.push('~'),
            Part::User(name) => {
                out.push('~');
                out.push_str(name);
            }
            Part::Variable(name) => {
                out.push('$');
                out.push_str(name);
            }
            Part::Dynamic => out.push('…'),
        }
    }
    out
}
