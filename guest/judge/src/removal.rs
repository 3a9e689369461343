//! Removals of which nobody can say what they remove, and what to say of those of which one can.

use shellward_syntax::facts;
use shellward_syntax::{Command, Part, Script, Word};

/// What to do instead of removing a home.
pub const NOT_HOME: &str = "Name the directory that is to go; a home directory is the user's own to remove.";

/// What to do instead of removing what is computed.
pub const WRITE_OUT: &str = "Write the path out, or let it begin with text, such as \"build/$NAME\".";

/// Finds recursive removals that could be of the root, because nothing of the path is known: the command's place, and
/// the word.
pub fn computed(script: &Script) -> impl Iterator<Item = (usize, &Word)> {
    script.commands.iter().enumerate().filter_map(|(index, command)| Some((index, computed_operand(command)?)))
}

fn computed_operand(command: &Command) -> Option<&Word> {
    if facts::program(command) != Some("rm") {
        return None;
    }
    let arguments = command.words.get(1..)?;
    let recursive = facts::has_short(arguments, 'r')
        || facts::has_short(arguments, 'R')
        || facts::has_long(arguments, "recursive", 1)
        || arguments.iter().any(|word| matches!(word.parts.first(), Some(Part::Dynamic)));
    let mut operands = facts::operands(arguments);
    if recursive { operands.find(|word| could_be_root(word)) } else { None }
}

fn could_be_root(word: &Word) -> bool {
    let mut computed = false;
    for part in &word.parts {
        match part {
            Part::Variable(_) | Part::Dynamic => computed = true,
            Part::Text(text) | Part::Glob(text) if text.chars().all(|letter| "/.*".contains(letter)) => {}
            Part::Text(_) | Part::Glob(_) | Part::Home | Part::User(_) => return false,
        }
    }
    computed
}
