//! How much of a command line is judged: a judgement has to end soon, and following directories asks the host.

use super::{Objection, Rule};
use shellward_judge::limits::{COMMANDS, INSTEAD};
use shellward_syntax::{Script, Span, facts};

/// How many changes of directory are followed.
const CHANGES: usize = 64;

/// Finds out whether there is too much to judge. No setting lets that pass: the other rules are not asked.
#[must_use]
pub fn check(script: &Script) -> Option<Objection> {
    let too_much = |message: String, span: Span| Objection::denied(Rule::TooMuch, message, INSTEAD, span);
    if let Some(command) = script.commands.get(COMMANDS) {
        return Some(too_much(format!("it holds more than {COMMANDS} commands"), command.span));
    }
    let moves = |name: Option<&str>| matches!(name, Some("cd" | "chdir" | "pushd" | "popd"));
    let mut changes = script.commands.iter().filter(|command| moves(facts::program(command)));
    let last = changes.nth(CHANGES)?;
    Some(too_much(format!("it changes directory more than {CHANGES} times"), last.span))
}
