//! `eval`, `env` and multi-call binaries: wrappers with a grammar of their own.

use super::options::{Table, scan, unknown};
use super::stdin::{Source, dynamic};
use super::words::{begins, cut, is, join, split_at_blanks, text};
use super::{Found, Looked, wrappers};
use crate::script::{Command, Language, What, Word};
use crate::text::holds;

/// `eval` joins its words and runs them in the shell itself.
pub(crate) fn look(command: &Command, language: Language, found: &mut Found) -> Looked {
    let mut words = command.words.get(1..).unwrap_or_default();
    if let [first, rest @ ..] = words
        && is(first, "--")
    {
        words = rest;
    }
    let Some(first) = words.first() else { return Ok(()) };
    let line = join(words).ok_or_else(|| dynamic("eval"))?;
    found.script("eval", &line, first.span, language, true);
    Ok(())
}

const ENV: Table = Table {
    short: "i0vu:C:a:P:S:",
    long: "ignore-environment null unset: chdir: debug argv0: block-signal? default-signal? ignore-signal? \
        list-signal-handling split-string: help version",
    path_ends: false,
};

/// `env [options] [NAME=value]… [program [argument]…]`, where `-S` splits a string into such words.
pub(crate) fn env(command: &Command, found: &mut Found) -> Looked {
    match split_string(&command.words)? {
        None => env_words(&command.words, found),
        // What the string holds is read as env's own words; a second string in it is not followed.
        Some(words) => match split_string(&words)? {
            None => env_words(&words, found),
            Some(_) => Err(Box::new(What::TooDeep)),
        },
    }
}

fn env_words(words: &[Word], found: &mut Found) -> Looked {
    let given = scan("env", &ENV, words, 1)?;
    if given.has("help version") {
        return Ok(());
    }
    if let Some(string) = given.value("S split-string") {
        return Err(unknown("env -S", string));
    }
    let lone = words.get(given.rest).is_some_and(|word| is(word, "-"));
    wrappers::program("env", words, given.rest + usize::from(lone), true, false, found)
}

/// Puts the words of `-S string` in its place, where that is the first word.
fn split_string(words: &[Word]) -> Looked<Option<Vec<Word>>> {
    let Some(option) = words.get(1) else { return Ok(None) };
    let attached = ["-S", "-vS", "-iS", "--split-string="].iter().find(|start| begins(option, start));
    let (string, after) = match attached {
        _ if is(option, "-S -iS -vS -ivS --split-string") => (words.get(2).cloned().unwrap_or_default(), 3),
        Some(start) => (cut(option, start.len()), 2),
        None => return Ok(None),
    };
    let mut split_words = Vec::with_capacity(words.len());
    split_words.extend(words.first().cloned());
    split(&string, &mut split_words)?;
    split_words.extend_from_slice(words.get(after..).unwrap_or_default());
    Ok(Some(split_words))
}

/// Splits a string at blanks; quotes, escapes and variables have rules of env's own and are not known.
fn split(string: &Word, words: &mut Vec<Word>) -> Looked {
    let text = text(string).ok_or_else(|| dynamic("env -S"))?;
    if holds(text, "\\\"'$#\u{b}\u{c}\r") {
        return Err(unknown("env -S", string));
    }
    split_at_blanks(text, string.span, words);
    Ok(())
}

/// `busybox applet …` and `toybox applet …`.
pub(crate) fn busybox(name: &str, command: &Command, found: &mut Found) -> Looked {
    match command.words.get(1) {
        Some(word) if is(word, "--list --list-full --help --install -s") => Ok(()),
        Some(word) if begins(word, "-") && text(word).is_some() => Err(unknown(name, word)),
        _ => wrappers::program(name, &command.words, 1, false, false, found),
    }
}

const AT: Table = Table { short: "q:f:mMvldrcbt:V", long: "", path_ends: false };

/// `at time` and `batch`: what they read on their input runs later.
pub(crate) fn at(name: &str, command: &Command, source: &Source<'_>, found: &mut Found) -> Looked {
    let given = scan(name, &AT, &command.words, 1)?;
    if given.has("f l d r c V") { Ok(()) } else { found.stdin(name, name, Language::Sh, false, source) }
}
