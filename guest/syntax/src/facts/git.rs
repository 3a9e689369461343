//! Where git's subcommand stands.

use crate::script::Word;
use crate::unwrap::git::OPTIONS;
use crate::unwrap::options::scan;

/// Returns the index of git's subcommand among the words of its command.
pub(crate) fn subcommand(words: &[Word]) -> Option<usize> {
    let rest = scan("git", &OPTIONS, words, 1).ok()?.rest;
    (rest < words.len()).then_some(rest)
}
