//! What policies ask about the commands of a script: small total functions, each naming what decided.
//!
//! They take a script as [`crate::analyse`] or [`crate::survey`] gives it, and never guess towards harmless:
//! a word that the shell computes counts as whatever would be worse.

mod devices;
mod directories;
mod flags;
mod git;
mod hazards;
mod interactive;
mod remote;
mod removes;
pub(crate) mod tier;

use crate::script::{Command, Script, Span, Word};

pub use crate::unwrap::words::{program, shown};
pub use devices::writes_device;
pub use directories::{Change, Directory, Move, directories};
pub use flags::{has_long, has_short, operands};
pub use hazards::{Reach, hazards, reach};
pub use interactive::{INTERACTIVE, When, interactive};
pub use remote::{network, remote_script};
pub use removes::{Removed, removes};
pub use tier::{Tier, tier, tier_of};

/// A fact about one command, and what in it decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The index of the command in [`Script::commands`].
    pub command: usize,
    /// The program as judged.
    pub program: String,
    /// The word that decided, as [`shown`] writes it.
    pub word: String,
    /// The bytes of that word.
    pub span: Span,
    /// The rule that applied: a short sentence without an end mark.
    pub rule: &'static str,
}

impl Finding {
    /// Makes a finding about a word of a command.
    pub(crate) fn new(index: usize, command: &Command, word: &Word, rule: &'static str) -> Self {
        Self {
            command: index,
            program: program(command).unwrap_or_default().to_owned(),
            word: shown(word),
            span: word.span,
            rule,
        }
    }
}

/// Goes through the commands that have words, with their index, program and arguments.
pub(crate) fn each(script: &Script) -> impl Iterator<Item = (usize, &Command, &str, &[Word])> {
    script.commands.iter().enumerate().filter_map(|(index, command)| {
        let (_, arguments) = command.words.split_first()?;
        Some((index, command, program(command)?, arguments))
    })
}
