//! What would make words of this very line mean something else than they say.
//!
//! Files that are sourced, and a `PATH` that is set, are let be: like any script or program that a command starts,
//! what they bring is not in the text, and virtual environments live by them.

use super::{Case, Objection};
use shellward_syntax::facts;

/// Variables that have the shell run or read more than the text.
const VARIABLES: &[&str] =
    &["BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS", "PROMPT_COMMAND", "BASH_ALIASES", "BASH_CMDS", "BASH_LOADABLES_PATH"];

/// Options by which names are read another way.
const OPTIONS: &[&str] = &["expand_aliases", "posix"];

const HINT: &str = "Call the program by its own name.";

/// Finds what changes the meaning of names.
pub fn check(case: &Case<'_>, found: &mut Vec<Objection>) {
    for (_, finding) in facts::hazards(case.script) {
        let matters = match finding.program.as_str() {
            "alias" | "enable" | "hash" => true,
            "shopt" | "set" => names_option(case, finding.command),
            _ => VARIABLES.contains(&finding.word.as_str()),
        };
        if matters {
            let message = format!("`{}` {}", case.excerpt(finding.command), finding.rule);
            found.push(Objection::unknown(case.settings, message, HINT, finding.span).of(finding.command));
        }
    }
}

fn names_option(case: &Case<'_>, command: usize) -> bool {
    let words = case.script.commands.get(command).map_or(&[][..], |command| &command.words);
    words.iter().skip(1).any(|word| word.literal().is_none_or(|text| OPTIONS.contains(&text.as_ref())))
}
