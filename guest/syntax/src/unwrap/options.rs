//! Reading the options before the program that a wrapper runs, by a table of what they take.

use super::words::{among, begins, cut, is, is_one, lead, may_be_option, text};
use super::{Doubt, Looked};
use crate::script::{Part, What, Word};
use crate::text::{at, holds, pieces};

/// The options of a program, in the notation of `getopt`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Table {
    /// Letters; `:` after one that takes a value, `::` after one whose value can only be attached.
    pub short: &'static str,
    /// Names without dashes; `:` after one that takes a value, `?` after one that takes it only with `=`.
    pub long: &'static str,
    /// Whether a computed word with a slash in it cannot be one of its options, because none takes such a value.
    pub path_ends: bool,
}

/// Tells whether a word that begins with a variable is a path: `"$DIRECTORY"/script`.
pub(crate) fn is_path(word: &Word) -> bool {
    matches!(word.parts.first(), Some(Part::Variable(_)))
        && is_one(word)
        && word.parts.iter().any(|part| matches!(part, Part::Text(text) if holds(text, "/")))
}

/// An option that was found, with its value.
#[derive(Debug)]
pub(crate) struct Given {
    /// The letter or the name without dashes.
    pub name: &'static str,
    /// Its value, attached or the next word.
    pub value: Option<Word>,
}

/// The options before the first operand, and where that operand is.
#[derive(Debug, Default)]
pub(crate) struct Scan {
    /// The options in order.
    pub options: Vec<Given>,
    /// The index of the first word that is no option; the number of words if there is none.
    pub rest: usize,
}

impl Scan {
    /// Returns the last value of an option under any of its names.
    pub(crate) fn value(&self, names: &str) -> Option<&Word> {
        self.options.iter().rev().find(|found| among(names, found.name)).and_then(|found| found.value.as_ref())
    }

    /// Tells whether an option is there under any of its names.
    pub(crate) fn has(&self, names: &str) -> bool {
        self.options.iter().any(|found| among(names, found.name))
    }
}

enum Takes {
    Nothing,
    Value,
    Attached,
}

fn short(table: &Table, letter: u8) -> Option<(&'static str, Takes)> {
    let at = at(table.short, letter).filter(|_| letter != b':')?;
    let takes = match table.short.as_bytes().get(at + 1..) {
        Some([b':', b':', ..]) => Takes::Attached,
        Some([b':', ..]) => Takes::Value,
        _ => Takes::Nothing,
    };
    Some((table.short.get(at..=at)?, takes))
}

fn long(table: &Table, name: &str) -> Option<(&'static str, Takes)> {
    pieces(table.long, b' ').find_map(|entry| {
        let (bare, takes) = match entry.as_bytes().last() {
            Some(b':') => (&entry[..entry.len() - 1], Takes::Value),
            Some(b'?') => (&entry[..entry.len() - 1], Takes::Attached),
            _ => (entry, Takes::Nothing),
        };
        (bare == name && !bare.is_empty()).then_some((bare, takes))
    })
}

/// Reads options from the word at `from` on, up to the first operand.
///
/// An option that the table does not hold, or a word that may be an option when it runs, is unknown.
pub(crate) fn scan(program: &str, table: &Table, words: &[Word], from: usize) -> Looked<Scan> {
    let mut found = Scan { options: Vec::new(), rest: from };
    while let Some(word) = words.get(found.rest) {
        if !may_be_option(word) || (table.path_ends && is_path(word)) {
            break;
        }
        if is(word, "-") {
            break;
        }
        found.rest += 1;
        if is(word, "--") {
            break;
        }
        if begins(word, "--") {
            read_long(program, table, words, word, &mut found)?;
        } else {
            read_short(program, table, words, word, &mut found)?;
        }
    }
    Ok(found)
}

fn read_long(program: &str, table: &Table, words: &[Word], word: &Word, found: &mut Scan) -> Looked {
    let lead = lead(word);
    let equals = at(lead, b'=');
    // A name that is not wholly written out (`--us$X`) could be any option.
    if equals.is_none() && text(word).is_none() {
        return Err(unknown(program, word));
    }
    let name = &lead[2..equals.unwrap_or(lead.len())];
    let Some((name, takes)) = long(table, name) else { return Err(unknown(program, word)) };
    let value = match (takes, equals) {
        (Takes::Nothing, Some(_)) => return Err(unknown(program, word)),
        (_, Some(at)) => Some(one(program, cut(word, at + 1))?),
        (Takes::Value, None) => Some(next(program, words, found)?),
        (Takes::Nothing | Takes::Attached, None) => None,
    };
    found.options.push(Given { name, value });
    Ok(())
}

fn read_short(program: &str, table: &Table, words: &[Word], word: &Word, found: &mut Scan) -> Looked {
    let lead = lead(word);
    for (letter, after) in lead.bytes().zip(1..).skip(1) {
        let Some((name, takes)) = short(table, letter) else { return Err(unknown(program, word)) };
        let attached = after < lead.len() || word.parts.len() > 1;
        match takes {
            Takes::Nothing => found.options.push(Given { name, value: None }),
            Takes::Value if !attached => {
                let value = next(program, words, found)?;
                found.options.push(Given { name, value: Some(value) });
                return Ok(());
            }
            Takes::Value | Takes::Attached => {
                let value = if attached { Some(one(program, cut(word, after))?) } else { None };
                found.options.push(Given { name, value });
                return Ok(());
            }
        }
    }
    // The letters ended and something that cannot be known follows: it may be more letters.
    if text(word).is_none() { Err(unknown(program, word)) } else { Ok(()) }
}

fn next(program: &str, words: &[Word], found: &mut Scan) -> Looked<Word> {
    let Some(word) = words.get(found.rest) else { return Ok(Word::default()) };
    found.rest += 1;
    one(program, word.clone())
}

fn one(program: &str, word: Word) -> Looked<Word> {
    if is_one(&word) { Ok(word) } else { Err(unknown(program, &word)) }
}

/// Makes the report of an option that cannot be read; a word of which nothing is known may be the program itself.
#[cold]
#[inline(never)]
pub(crate) fn unknown(program: &str, word: &Word) -> Doubt {
    Box::new(match lead(word) {
        "" => What::DynamicProgram,
        _ => What::WrapperOption { program: program.to_owned(), option: super::words::shown(word) },
    })
}
