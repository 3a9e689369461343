//! Values that an inner script evaluates.
//!
//! The parser keeps a text from evaluating its own values (`x='a[$(line)]'; echo $((x))`). An inner script is a text
//! of its own, so values that the outer one hands it, through the environment or as arguments, are compared here.

use super::words::{any_in, text};
use crate::script::{Command, Language, Part, Word};

pub(super) const WHY: &str = "arithmetic in an inner script, where a value from outside could run a command";

/// Tells whether a command's words or assignments hold a subscript with a substitution in it.
pub(super) fn holds_subscript(command: &Command) -> bool {
    let values = command.assignments.iter().map(|assignment| &assignment.value);
    values.chain(&command.words).any(in_word)
}

fn in_word(word: &Word) -> bool {
    match text(word) {
        Some(text) => in_text(text),
        None => word.parts.iter().any(|part| matches!(part, Part::Text(text) if in_text(text))),
    }
}

fn in_text(text: &str) -> bool {
    let mut depth = 0usize;
    let mut before = 0;
    for &byte in text.as_bytes() {
        match byte {
            b'[' if depth > 0 || before == b'_' || before.is_ascii_alphanumeric() => depth += 1,
            b']' => depth = depth.saturating_sub(1),
            b'`' if depth > 0 => return true,
            b'(' if depth > 0 && before == b'$' => return true,
            _ => {}
        }
        before = byte;
    }
    false
}

/// Tells whether a script may evaluate what a variable or an argument holds; dash and Nushell run nothing in
/// arithmetic.
pub(super) fn evaluates(script: &str, language: Language) -> bool {
    const SIGNS: &str = "(( $[ [[ let declare typeset local -v read unset test [";
    !matches!(language, Language::Sh | Language::Nu) && any_in(script, SIGNS)
}
