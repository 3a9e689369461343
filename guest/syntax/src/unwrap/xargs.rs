//! `xargs` and `parallel`: programs whose last words come from elsewhere.

use super::options::{Table, scan, unknown};
use super::stdin::{Source, Stdin, dynamic as dynamic_script};
use super::words::{dynamic, fill, is_one, join, literal, text};
use super::{Inner, Looked};
use crate::script::{Command, Language, Span, Word};

const XARGS: Table = Table {
    short: "0a:d:E:e::I:i::J:L:l::n:oP:prR:s:S:tx",
    long: &[
        "null",
        "arg-file:",
        "delimiter:",
        "eof?",
        "replace?",
        "max-lines?",
        "max-args:",
        "open-tty",
        "max-procs:",
        "interactive",
        "process-slot-var:",
        "no-run-if-empty",
        "max-chars:",
        "show-limits",
        "verbose",
        "exit",
        "help",
        "version",
    ],
    path_ends: false,
};

/// `xargs [options] program [argument]…`, with words read from its input added or put in place of `{}`.
pub(crate) fn look(command: &Command, source: &Source<'_>) -> Looked {
    let words = &command.words;
    let given = scan("xargs", &XARGS, words, 1)?;
    let inner = &words[given.rest..];
    let Some(first) = inner.first() else { return Ok(Vec::new()) };
    let input = if given.options.is_empty() { static_words(source) } else { None };
    let placeholder = given
        .options
        .iter()
        .rev()
        .find(|found| matches!(found.name, "I" | "i" | "replace" | "J"))
        .map(|found| found.value.as_ref().map_or(Some("{}"), text));
    let words = match placeholder {
        Some(None) => return Err(unknown("xargs", first)),
        Some(Some(placeholder)) => inner.iter().map(|word| fill(word, placeholder)).collect(),
        None => {
            let mut words = inner.to_vec();
            words.extend(input.unwrap_or_else(|| vec![dynamic(first.span)]));
            words
        }
    };
    Ok(vec![Inner::Program { words, assignments: Vec::new(), here: false, via: "xargs".to_owned() }])
}

/// The words that come from a static `echo` before it, when no quotes are in them.
fn static_words(source: &Source<'_>) -> Option<Vec<Word>> {
    match source.stdin() {
        Stdin::Known(text, span) if !text.contains(['"', '\'', '\\', '\u{b}', '\u{c}', '\r']) => {
            Some(split(&text, span))
        }
        _ => None,
    }
}

fn split(text: &str, span: Span) -> Vec<Word> {
    text.split([' ', '\t', '\n']).filter(|piece| !piece.is_empty()).map(|piece| literal(piece, span)).collect()
}

const PARALLEL: Table = Table {
    short: "0a:C:d:E:I:j:P:kL:l::mN:n:qrs:tuvXxi::",
    long: &[
        "null",
        "arg-file:",
        "colsep:",
        "delimiter:",
        "jobs:",
        "max-procs:",
        "keep-order",
        "max-args:",
        "max-lines?",
        "no-run-if-empty",
        "verbose",
        "bar",
        "eta",
        "progress",
        "halt:",
        "joblog:",
        "retries:",
        "timeout:",
        "tag",
        "line-buffer",
        "lb",
        "ungroup",
        "group",
        "dry-run",
        "will-cite",
        "results:",
        "delay:",
        "load:",
        "memfree:",
        "nice:",
        "quote",
        "pipe",
        "block:",
        "citation",
        "no-notice",
        "silent",
        "xargs",
        "help",
        "version",
    ],
    path_ends: false,
};

/// `parallel [options] line… [::: argument…]`: the line is a shell's, with quoted words added or in place of `{}`.
pub(crate) fn parallel(command: &Command) -> Looked {
    let words = &command.words;
    let given = scan("parallel", &PARALLEL, words, 1)?;
    if given.has(&["help", "version", "citation"]) {
        return Ok(Vec::new());
    }
    let rest = &words[given.rest..];
    let sources = rest.iter().position(|word| text(word).is_some_and(|text| text.starts_with(":::")));
    let line = &rest[..sources.unwrap_or(rest.len())];
    if let Some(bad) = line.iter().find(|word| !is_one(word)) {
        return Err(unknown("parallel", bad));
    }
    let Some(first) = line.first() else {
        // Without a line of its own it runs what it reads.
        return match rest.split_first() {
            Some((colons, lines)) if text(colons) == Some(":::") => each(lines),
            _ => Err(dynamic_script("parallel")),
        };
    };
    let plain = |word: &&Word| text(word).is_some_and(|text| is_plain(text));
    let Some(text) = join(line) else { return Err(dynamic_script("parallel")) };
    if line.iter().all(|word| plain(&word)) && !text.contains('{') {
        let mut words: Vec<Word> = text.split(' ').map(|piece| literal(piece, first.span)).collect();
        words.push(dynamic(first.span));
        return Ok(vec![Inner::Program { words, assignments: Vec::new(), here: false, via: "parallel".to_owned() }]);
    }
    let words: Vec<Word> = text.split(' ').map(|piece| literal(piece, first.span)).collect();
    if text.split(' ').all(|piece| !piece.is_empty() && is_plain(&piece.replace(['{', '}'], ""))) {
        let words = words.iter().map(in_place).collect();
        return Ok(vec![Inner::Program { words, assignments: Vec::new(), here: false, via: "parallel".to_owned() }]);
    }
    Err(dynamic_script("parallel"))
}

/// A word with a placeholder of any form is known only when it runs.
fn in_place(word: &Word) -> Word {
    if text(word).is_some_and(|text| text.contains('{')) { dynamic(word.span) } else { word.clone() }
}

/// Text that a shell reads as itself, blanks between words apart.
fn is_plain(text: &str) -> bool {
    text.chars().all(|letter| letter.is_ascii_alphanumeric() || " -_./:,+@%=".contains(letter)) && !text.contains('=')
}

fn each(lines: &[Word]) -> Looked {
    lines
        .iter()
        .map(|line| {
            let Some(text) = text(line) else { return Err(dynamic_script("parallel")) };
            let via = "parallel".to_owned();
            Ok(Inner::Script { text: text.to_owned(), language: Language::Sh, span: line.span, here: false, via })
        })
        .collect()
}
