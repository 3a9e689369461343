//! What would make words of this very line mean something else than they say.
//!
//! Files that are sourced, and a `PATH` that is set, are let be: like any script or program that a command starts,
//! what they bring is not in the text, and virtual environments live by them.

use shellward_syntax::Script;
use shellward_syntax::facts::Finding;

/// Options by which names are read another way.
const OPTIONS: &[&str] = &["expand_aliases", "posix"];

/// What to do instead.
pub const INSTEAD: &str = "Call the program by its own name.";

/// Tells whether a program gives names another meaning.
#[must_use]
pub fn renames(script: &Script, finding: &Finding) -> bool {
    match finding.program.as_str() {
        "alias" | "enable" | "hash" => true,
        "shopt" | "set" => {
            let words = script.commands.get(finding.command).map_or(&[][..], |command| &command.words);
            words.iter().skip(1).any(|word| word.literal().is_none_or(|text| OPTIONS.contains(&text.as_ref())))
        }
        _ => false,
    }
}
