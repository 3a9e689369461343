//! `eval`, `env` and multi-call binaries: wrappers with a grammar of their own.

use super::options::{Table, scan, unknown};
use super::stdin::dynamic;
use super::words::{cut, join, lead, literal, text};
use super::{Inner, Looked, wrappers};
use crate::script::{Command, Language, What, Word};

/// `eval` joins its words and runs them in the shell itself.
pub(crate) fn look(command: &Command, language: Language) -> Looked {
    let mut words = &command.words[1..];
    if words.first().and_then(text) == Some("--") {
        words = &words[1..];
    }
    let (Some(first), Some(line)) = (words.first(), join(words)) else {
        return if words.is_empty() { Ok(Vec::new()) } else { Err(dynamic("eval")) };
    };
    Ok(vec![Inner::Script { text: line, language, span: first.span, here: true, via: "eval".to_owned() }])
}

const ENV: Table = Table {
    short: "i0vu:C:a:P:S:",
    long: "ignore-environment null unset: chdir: debug argv0: block-signal? default-signal? ignore-signal? \
        list-signal-handling split-string: help version",
    path_ends: false,
};

/// `env [options] [NAME=value]… [program [argument]…]`, where `-S` splits a string into such words.
pub(crate) fn env(command: &Command) -> Looked {
    match split_string(&command.words)? {
        None => env_words(&command.words),
        // What the string holds is read as env's own words; a second string in it is not followed.
        Some(words) => match split_string(&words)? {
            None => env_words(&words),
            Some(_) => Err(What::TooDeep),
        },
    }
}

fn env_words(words: &[Word]) -> Looked {
    let given = scan("env", &ENV, words, 1)?;
    if given.has("help version") {
        return Ok(Vec::new());
    }
    if let Some(string) = given.value("S split-string") {
        return Err(unknown("env -S", string));
    }
    let lone = words.get(given.rest).and_then(text) == Some("-");
    wrappers::program("env", words, given.rest + usize::from(lone), true, false)
}

/// Puts the words of `-S string` in its place, where that is the first word.
fn split_string(words: &[Word]) -> Result<Option<Vec<Word>>, What> {
    let Some(option) = words.get(1) else { return Ok(None) };
    let (string, after) = match lead(option) {
        "-S" | "-iS" | "-vS" | "-ivS" | "--split-string" if text(option).is_some() => (words.get(2).cloned(), 3),
        lead if lead.starts_with("-S") => (Some(cut(option, 2)), 2),
        lead if lead.starts_with("-vS") || lead.starts_with("-iS") => (Some(cut(option, 3)), 2),
        lead if lead.starts_with("--split-string=") => (Some(cut(option, "--split-string=".len())), 2),
        _ => return Ok(None),
    };
    let string = string.unwrap_or_default();
    let mut split_words = vec![words[0].clone()];
    split_words.extend(split(&string)?.iter().map(|piece| literal(piece, string.span)));
    split_words.extend_from_slice(words.get(after..).unwrap_or_default());
    Ok(Some(split_words))
}

/// Splits a string at blanks; quotes, escapes and variables have rules of env's own and are not known.
fn split(string: &Word) -> Result<Vec<&str>, What> {
    let Some(text) = text(string) else { return Err(dynamic("env -S")) };
    if text.contains(['\\', '"', '\'', '$', '#', '\u{b}', '\u{c}', '\r']) {
        return Err(unknown("env -S", string));
    }
    Ok(text.split([' ', '\t', '\n']).filter(|piece| !piece.is_empty()).collect())
}

/// `busybox applet …` and `toybox applet …`.
pub(crate) fn busybox(name: &str, command: &Command) -> Looked {
    match command.words.get(1) {
        None => Ok(Vec::new()),
        Some(word) => match text(word) {
            Some("--list" | "--list-full" | "--help" | "--install" | "-s") => Ok(Vec::new()),
            Some(text) if text.starts_with('-') => Err(unknown(name, word)),
            _ => wrappers::program(name, &command.words, 1, false, false),
        },
    }
}
