//! The shell's own commands that run text: `trap`, `source` of standard input; and variables whose value
//! programs give to a shell. Builtins that evaluate names and numbers are the parser's to refuse.

use super::stdin::{Source, dynamic};
use super::words::{among, any_in_word, cut, is, is_one, lead, name, text};
use super::{Found, Looked, git};
use crate::script::{Command, Language, Nesting, Part, Word};
use crate::text::{find, halves, holds};

/// `trap 'line' signal…`: the line runs later, in the shell itself.
pub(super) fn trap(command: &Command, source: &Source<'_>, language: Language, found: &mut Found) -> Looked {
    let mut words = command.words.iter().skip(1).skip_while(|word| is(word, "--"));
    let Some(line) = words.next() else { return Ok(()) };
    let Some(text) = text(line) else { return Err(dynamic("trap")) };
    // `trap - INT` resets, `trap '' INT` ignores, `trap INT` resets and `trap -p` prints.
    if !text.is_empty() && !is(line, "- -p -l") && words.next().is_some() && !parsed(source) {
        found.script("trap", text, line.span, language, true);
    }
    Ok(())
}

/// Tells whether the parser has already listed what the trap runs.
fn parsed(source: &Source<'_>) -> bool {
    let next = source.level.raw.commands.get(source.index + 1);
    let own = source.level.raw.commands.get(source.index);
    match (own, next) {
        (Some(own), Some(next)) => next.nesting.get(own.nesting.len()) == Some(&Nesting::Trap),
        _ => false,
    }
}

/// `source file`: a named file is a hazard that [`crate::facts::hazards`] reports; a computed one is not known.
pub(super) fn sourced(
    program: &str,
    command: &Command,
    source: &Source<'_>,
    language: Language,
    found: &mut Found,
) -> Looked {
    let Some(file) = command.words.iter().skip(1).find(|word| !is(word, "--")) else { return Ok(()) };
    if !is_one(file) && !holds(lead(file), "/") {
        return Err(dynamic(program));
    }
    found.file((program, program), file, language, true, source)
}

/// Variables whose value a program gives to a shell, or runs as a program with arguments.
const LINES: &str = "PAGER GIT_PAGER MANPAGER EDITOR VISUAL GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_SSH_COMMAND GIT_SSH \
    GIT_EXTERNAL_DIFF GIT_ASKPASS SSH_ASKPASS SUDO_ASKPASS GIT_PROXY_COMMAND BROWSER PROMPT_COMMAND RSYNC_RSH \
    SYSTEMD_PAGER BAT_PAGER DELTA_PAGER AWS_PAGER GH_PAGER GH_EDITOR KUBE_EDITOR FCEDIT";

/// Tells whether programs run the value of a variable.
pub(crate) fn is_line(variable: &str) -> bool {
    among(LINES, variable)
}

/// Variables whose value a shell expands: what stands in it for a command runs.
const PROMPTS: &str = "PS0 PS1 PS2 PS3 PS4 RPS1 RPROMPT PROMPT";

/// What programs would run because of the variables that a command sets.
pub(crate) fn variables(command: &Command, found: &mut Found) -> Looked {
    for assignment in &command.assignments {
        variable(&assignment.name, &assignment.value, found)?;
    }
    if !command.words.first().and_then(name).is_some_and(|name| among("export declare typeset readonly", name)) {
        return Ok(());
    }
    for word in command.words.iter().skip(1) {
        if let Some((name, _)) = halves(lead(word), b'=') {
            variable(name, &cut(word, name.len() + 1), found)?;
        }
    }
    Ok(())
}

fn variable(name: &str, value: &Word, found: &mut Found) -> Looked {
    if is_line(name) {
        return add(name, value, found);
    }
    // A prompt is often made from another.
    let computed = |part: &Part| match part {
        Part::Variable(other) => find(other, "PS").is_none(),
        part => matches!(part, Part::Dynamic),
    };
    let runs = match name {
        _ if among(PROMPTS, name) => any_in_word(value, "$( `") || value.parts.iter().any(computed),
        // A function for shells that are started, and settings of git.
        _ if name.starts_with("BASH_FUNC_") || name == "GIT_CONFIG_PARAMETERS" => true,
        _ if name.starts_with("GIT_CONFIG_KEY_") => text(value).is_none_or(git::is_run),
        _ if among("MAKEFLAGS GNUMAKEFLAGS", name) => any_in_word(value, "eval SHELL"),
        _ if among("LESSOPEN LESSCLOSE", name) => any_in_word(value, "|"),
        _ => false,
    };
    if runs { Err(dynamic(name)) } else { Ok(()) }
}

fn add(name: &str, value: &Word, found: &mut Found) -> Looked {
    if text(value) == Some("") { Ok(()) } else { found.word(name, value) }
}
