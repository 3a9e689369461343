//! Whether the text of a word may have become an argument.

use shellward_syntax::Part;

/// What came out for one text.
#[derive(Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Everything that ran was foreseen.
    Foreseen,
    /// The analysis said that it cannot know, and why.
    Unknown(String),
    /// This ran and was not foreseen: a hole.
    Missed(Vec<String>),
}

/// Whether the pieces of a word may have become this text; one that is not known may have become anything.
pub fn matches_text(parts: &[Part], argument: &str) -> bool {
    match parts.split_first() {
        None => argument.is_empty(),
        Some((Part::Text(text), parts)) => {
            argument.strip_prefix(text.as_str()).is_some_and(|rest| matches_text(parts, rest))
        }
        Some((_, parts)) => argument
            .char_indices()
            .map(|(at, _)| at)
            .chain([argument.len()])
            .any(|at| matches_text(parts, &argument[at..])),
    }
}
