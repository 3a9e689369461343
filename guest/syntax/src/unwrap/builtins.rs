//! The shell's own commands that run text: `trap`, `source` of standard input; and variables whose value
//! programs give to a shell. Builtins that evaluate names and numbers are the parser's to refuse.

use super::stdin::{Source, Stdin, dynamic};
use super::words::{among, cut, is_one, lead, name, text};
use super::{Inner, Looked};
use crate::script::{Command, Language, Nesting, Part, Span, What, Word};

/// Looks into a builtin; none when the command is no such builtin.
pub(crate) fn look(program: &str, command: &Command, source: &Source<'_>, language: Language) -> Option<Looked> {
    let arguments = command.words.get(1..).unwrap_or_default();
    match program {
        "trap" => Some(trap(arguments, source, language)),
        "source" | "." => Some(sourced(program, arguments, source, language)),
        _ => None,
    }
}

/// `trap 'line' signal…`: the line runs later, in the shell itself.
fn trap(arguments: &[Word], source: &Source<'_>, language: Language) -> Looked {
    let after = arguments.iter().position(|word| text(word) != Some("--")).unwrap_or(arguments.len());
    let (line, signals) = match &arguments[after..] {
        [line, signals @ ..] => (line, signals),
        [] => return Ok(Vec::new()),
    };
    let Some(text) = text(line) else { return Err(dynamic("trap")) };
    // `trap - INT` resets, `trap '' INT` ignores, `trap INT` resets and `trap -p` prints.
    if matches!(text, "-" | "" | "-p" | "-l") || signals.is_empty() || parsed(source) {
        return Ok(Vec::new());
    }
    Ok(vec![script("trap", text, line.span, language)])
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

fn script(via: &str, text: &str, span: Span, language: Language) -> Inner {
    Inner::Script { text: text.to_owned(), language, span, here: true, via: via.to_owned() }
}

/// `source file`: a named file is a hazard that [`crate::facts::hazards`] reports; a computed one is not known.
fn sourced(program: &str, arguments: &[Word], source: &Source<'_>, language: Language) -> Looked {
    let file = arguments.iter().find(|word| text(word) != Some("--"));
    let Some(file) = file else { return Ok(Vec::new()) };
    if !is_one(file) && !matches!(file.parts.first(), Some(Part::Text(text)) if text.contains('/')) {
        return Err(dynamic(program));
    }
    if !matches!(text(file), Some("/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0")) {
        return Ok(Vec::new());
    }
    match source.stdin() {
        Stdin::Inherited => Ok(Vec::new()),
        Stdin::Dynamic => Err(dynamic(program)),
        Stdin::Known(text, span) => Ok(vec![script(program, &text, span, language)]),
    }
}

/// Variables whose value a program gives to a shell, or runs as a program with arguments.
const LINES: &str = "PAGER GIT_PAGER MANPAGER EDITOR VISUAL GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_SSH_COMMAND GIT_SSH \
    GIT_EXTERNAL_DIFF GIT_ASKPASS SSH_ASKPASS SUDO_ASKPASS GIT_PROXY_COMMAND BROWSER PROMPT_COMMAND RSYNC_RSH \
    SYSTEMD_PAGER BAT_PAGER DELTA_PAGER AWS_PAGER GH_PAGER GH_EDITOR KUBE_EDITOR FCEDIT";

/// Tells whether programs run the value of a variable.
pub(crate) fn is_line(variable: &str) -> bool {
    among(LINES, variable)
}

/// What programs would run because of the variables that a command sets.
pub(crate) fn variables(command: &Command, found: &mut Vec<Inner>) -> Result<(), What> {
    for assignment in &command.assignments {
        if is_line(&assignment.name) {
            add(&assignment.name, &assignment.value, found)?;
        }
    }
    let declares = matches!(command.words.first().and_then(name), Some("export" | "declare" | "typeset" | "readonly"));
    for word in command.words.iter().skip(1).filter(|_| declares) {
        if let Some((name, _)) = lead(word).split_once('=').filter(|(name, _)| is_line(name)) {
            add(name, &cut(word, name.len() + 1), found)?;
        }
    }
    Ok(())
}

fn add(name: &str, value: &Word, found: &mut Vec<Inner>) -> Result<(), What> {
    match text(value) {
        None => Err(dynamic(name)),
        Some("") => Ok(()),
        Some(text) => {
            let (text, via) = (text.to_owned(), name.to_owned());
            found.push(Inner::Script { text, language: Language::Sh, span: value.span, here: false, via });
            Ok(())
        }
    }
}
