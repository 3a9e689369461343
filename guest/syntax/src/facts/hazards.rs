//! What changes the meaning of later words: variables, aliases, sourced files, shell options.

use super::each;
use crate::script::{Command, Script};
use crate::unwrap::words::{lead, text};

/// Tells whether a script sets a variable of the shell itself, in any scope and by any means.
pub(crate) fn sets(script: &Script, name: &str) -> bool {
    script.commands.iter().any(|command| command.assignments.iter().any(|assignment| assignment.name == name))
        || each(script).any(|(_, command, program, _)| declares(command, program).any(|declared| declared == name))
}

/// The variables that a builtin's words set.
pub(crate) fn declares<'a>(command: &'a Command, program: &str) -> impl Iterator<Item = &'a str> {
    let setting = matches!(
        program,
        "export"
            | "declare"
            | "typeset"
            | "local"
            | "readonly"
            | "read"
            | "unset"
            | "mapfile"
            | "readarray"
            | "getopts"
            | "printf"
            | "let"
    );
    let words = if setting { command.words.get(1..).unwrap_or_default() } else { &[] };
    words.iter().filter_map(|word| {
        let known = text(word).unwrap_or_else(|| lead(word));
        let name = known.split(['=', '[', '+']).next().unwrap_or(known);
        (!name.is_empty() && !name.starts_with('-')).then_some(name)
    })
}
