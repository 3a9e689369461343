//! `rm -rf /` in every spelling, and removals of which nobody can say what they remove.

use super::{Case, Objection, Rule};
use shellward_syntax::facts::{self, Removed};
use shellward_syntax::{Command, Part, Word};

/// Finds every command that removes the root, a home or the system, and every recursive one that might.
pub fn check(case: &Case<'_>, found: &mut Vec<Objection>) {
    for (removed, finding) in facts::removes(case.script) {
        let message = format!("`{}` {}", case.excerpt(finding.command), finding.rule);
        let hint = match removed {
            Removed::Root | Removed::System => "Name the directory of the project that is to go, relative to the root.",
            Removed::Home => "Name the directory that is to go; a home directory is the user's own to remove.",
        };
        found.push(Objection::denied(Rule::RemovesRoot, message, hint, finding.span).of(finding.command));
    }
    for (index, command) in case.script.commands.iter().enumerate() {
        if let Some(word) = unknown(command) {
            let message = format!("what `{}` removes is known only when it runs", case.excerpt(index));
            let hint = "Write the path out, or let it begin with text, such as \"build/$NAME\".";
            found.push(Objection::unknown(case.settings, message, hint, word.span).of(index));
        }
    }
}

/// Gives the first operand of a recursive removal that could be the root: nothing of its path is known.
fn unknown(command: &Command) -> Option<&Word> {
    if facts::program(command) != Some("rm") {
        return None;
    }
    let arguments = command.words.get(1..)?;
    let recursive = facts::has_short(arguments, 'r')
        || facts::has_short(arguments, 'R')
        || facts::has_long(arguments, "recursive", 1)
        || arguments.iter().any(|word| matches!(word.parts.first(), Some(Part::Dynamic)));
    if !recursive {
        return None;
    }
    facts::operands(arguments).find(|word| could_be_root(word))
}

fn could_be_root(word: &Word) -> bool {
    let mut computed = false;
    for part in &word.parts {
        match part {
            Part::Variable(_) | Part::Dynamic => computed = true,
            Part::Text(text) | Part::Glob(text) if text.chars().all(|letter| "/.*".contains(letter)) => {}
            Part::Text(_) | Part::Glob(_) | Part::Home => return false,
        }
    }
    computed
}
