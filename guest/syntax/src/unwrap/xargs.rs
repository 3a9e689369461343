//! `xargs` and `parallel`: programs whose last words come from elsewhere.

use std::rc::Rc;

use super::options::{Table, scan, unknown};
use super::stdin::{Source, Stdin, dynamic as dynamic_script};
use super::words::{among, dynamic, fill, is, is_one, join, literal, split_at_blanks, text};
use super::{Found, Looked};
use crate::script::{Command, Span, What, Word};
use crate::text::{LONGEST, before, find, holds, pieces};

const XARGS: Table = Table {
    short: "0a:d:E:e::I:i::J:L:l::n:oP:prR:s:S:tx",
    long: "null arg-file: delimiter: eof? replace? max-lines? max-args: open-tty max-procs: interactive \
        process-slot-var: no-run-if-empty max-chars: show-limits verbose exit help version",
    path_ends: false,
};

/// `xargs [options] program [argument]…`, with words read from its input added or put in place of `{}`.
pub(crate) fn look(command: &Command, source: &Source<'_>, found: &mut Found) -> Looked {
    let words = &command.words;
    let given = scan("xargs", &XARGS, words, 1)?;
    let inner = &words[given.rest..];
    let Some(first) = inner.first() else { return Ok(()) };
    // Options that say where input comes from and how it is split leave it unknown.
    let plain = "P r t x max-procs no-run-if-empty verbose";
    // With these it runs the program for some words at a time.
    let batches = given.has("n L l s max-args max-lines max-chars");
    let replace = |option: &&super::options::Given| among("I i replace J", option.name);
    let placeholder = given
        .options
        .iter()
        .rev()
        .find(replace)
        .map(|option| option.value.as_ref().filter(|value| !value.parts.is_empty()).map_or(Some("{}"), short));
    // GNU replaces in the arguments alone, others in the program's name too.
    if let Some(Some(placeholder)) = placeholder
        && text(first).is_none_or(|program| find(program, placeholder).is_some())
    {
        return Err(Box::new(What::DynamicProgram));
    }
    let known = given.options.iter().all(|option| among(plain, option.name) || replace(&option));
    let input = if known { input(source).filter(|(text, _)| text.len() <= MOST) } else { None };
    let mut words = Vec::with_capacity(inner.len() + 2);
    match (placeholder, input) {
        (Some(None), _) => return Err(unknown("xargs", first)),
        (Some(Some(placeholder)), Some((text, _))) if is_one_line(&text) && is_unquoted(&text) => {
            let line = trimmed(&text);
            words.extend(inner.iter().map(|word| replaced(word, placeholder, line)));
        }
        (Some(Some(placeholder)), _) => {
            words.extend(inner.iter().map(|word| fill(word, placeholder)));
            // Of batches and a placeholder the last holds; by batches words are added.
            words.extend(batches.then(|| dynamic(first.span)));
        }
        (None, input) => {
            words.extend_from_slice(inner);
            match input.filter(|(text, _)| is_unquoted(text)) {
                Some((text, span)) => split_at_blanks(&text, span, &mut words),
                None => words.push(dynamic(first.span)),
            }
        }
    }
    found.program("xargs", words);
    Ok(())
}

/// The text that it reads, such as that of a static `echo` before it.
fn input(source: &Source<'_>) -> Option<(Rc<str>, Span)> {
    match source.stdin() {
        Stdin::Known(text, span) => Some((text, span)),
        Stdin::Inherited | Stdin::Dynamic => None,
    }
}

/// Tells whether no quotes are in a text, nor blanks about which programs differ.
fn is_unquoted(text: &str) -> bool {
    !holds(text, "\"'\\\u{b}\u{c}\r")
}

/// Tells whether a text is one line, with or without line ends after it.
fn is_one_line(text: &str) -> bool {
    let mut lines = pieces(text, b'\n');
    lines.next().is_some_and(|line| !line.is_empty()) && lines.all(str::is_empty)
}

/// A line without the blanks around it.
fn trimmed(line: &str) -> &str {
    let is_kept = |byte: u8| !matches!(byte, b' ' | b'\t' | b'\n');
    let start = line.bytes().position(is_kept).unwrap_or(line.len());
    let end = line.bytes().rposition(is_kept).map_or(start, |at| at + 1);
    line.get(start..end).unwrap_or_default()
}

/// A placeholder that can be looked for; what is longer is taken for unknown.
fn short(word: &Word) -> Option<&str> {
    text(word).filter(|text| (1..=LONGEST).contains(&text.len()))
}

/// Returns a text with the line in place of each placeholder; none when it would be long.
fn in_text(text: &str, placeholder: &str, line: &str) -> Option<String> {
    let mut filled = String::new();
    let mut rest = text;
    while let Some(at) = find(rest, placeholder) {
        filled.push_str(&rest[..at]);
        filled.push_str(line);
        rest = &rest[at + placeholder.len()..];
        if filled.len() > MOST {
            return None;
        }
    }
    filled.push_str(rest);
    Some(filled)
}

/// The most bytes of a word with its placeholders filled, and of what fits into one command.
const MOST: usize = 4096;

/// Puts a known line in place of a placeholder.
fn replaced(word: &Word, placeholder: &str, line: &str) -> Word {
    let known = text(word).and_then(|text| in_text(text, placeholder, line));
    known.map_or_else(|| fill(word, placeholder), |text| literal(&text, word.span))
}

const PARALLEL: Table = Table {
    short: "0a:C:d:E:I:j:P:kL:l::mN:n:qrs:tuvXxi::",
    long: "null arg-file: colsep: delimiter: jobs: max-procs: keep-order max-args: max-lines? no-run-if-empty \
        verbose bar eta progress halt: joblog: retries: timeout: tag line-buffer lb ungroup group dry-run \
        will-cite results: delay: load: memfree: nice: quote pipe block: citation no-notice silent xargs help \
        version",
    path_ends: false,
};

/// `parallel [options] line… [::: argument…]`: the line is a shell's, with quoted words added or in place of `{}`.
pub(crate) fn parallel(command: &Command, source: &Source<'_>, found: &mut Found) -> Looked {
    let words = &command.words;
    let given = scan("parallel", &PARALLEL, words, 1)?;
    if given.has("help version citation") {
        return Ok(());
    }
    let rest = &words[given.rest..];
    let sources = rest.iter().position(|word| text(word).is_some_and(|text| text.starts_with(":::")));
    let line = &rest[..sources.unwrap_or(rest.len())];
    let arguments = sources.map(|at| &rest[at..]);
    if let Some(bad) = line.iter().find(|word| !is_one(word)) {
        return Err(unknown("parallel", bad));
    }
    let Some(first) = line.first() else {
        // Without a line of its own it runs what it reads.
        return match arguments.and_then(<[Word]>::split_first) {
            Some((colons, lines)) if is(colons, ":::") => {
                lines.iter().try_for_each(|line| found.word("parallel", line))
            }
            _ => Err(dynamic_script("parallel")),
        };
    };
    let Some(joined) = join(line) else { return Err(dynamic_script("parallel")) };
    // Its own words go through a shell: only those that a shell reads as themselves are followed.
    if !pieces(&joined, b' ').all(|piece| !piece.is_empty() && is_plain(piece)) {
        return Err(dynamic_script("parallel"));
    }
    let known = match (arguments.and_then(<[Word]>::split_first), given.options.is_empty()) {
        (Some((colons, [value])), true) if is(colons, ":::") => Some(value.clone()),
        (None, true) => input(source)
            .filter(|(text, _)| is_unquoted(text) && is_one_line(text))
            .map(|(text, span)| literal(before(&text, b'\n'), span)),
        _ => None,
    };
    // It runs the line for each value: of several none is added.
    let known = known.filter(|value| text(value).is_some());
    let mut words: Vec<Word> = pieces(&joined, b' ').map(|piece| in_place(&literal(piece, first.span))).collect();
    if !holds(&joined, "{") {
        words.push(known.unwrap_or_else(|| dynamic(first.span)));
    }
    found.program("parallel", words);
    Ok(())
}

/// A word with a placeholder of any form is known only when it runs.
fn in_place(word: &Word) -> Word {
    if text(word).is_some_and(|text| holds(text, "{")) { dynamic(word.span) } else { word.clone() }
}

/// Text that a shell reads as itself, placeholders apart.
fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_./:,+@%{}".contains(&byte))
}
