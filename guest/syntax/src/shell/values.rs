//! Values that the shell reads as code.
//!
//! `x='a[$(cmd)]'; echo $((x))` runs `cmd`: arithmetic evaluates what a variable holds. What is evaluated must
//! therefore not be given, anywhere in the text, a value that may be no number. What comes from outside the text, as
//! its environment does, is taken on trust.

use super::{Parser, Step};
use crate::script::{Command, Language, Part, Span, What, Word};
use crate::text::among;

/// The most different variables that one text may evaluate, so that the comparison stays short.
const MOST: usize = 64;

/// Which variables are evaluated, and which are given values.
#[derive(Debug, Default)]
pub(super) struct Values {
    /// Names, each with the first place where it is evaluated.
    evaluated: Vec<(String, usize)>,
    /// Whether more were evaluated than are kept.
    overflows: bool,
    /// Whether a variable that evaluates its own value is given one that may be no number.
    evaluates_itself: bool,
    /// Variables that are given a value which may be no number.
    texts: Vec<String>,
    /// The starts of words, of commands not yet finished, that may become several.
    splitting: Vec<usize>,
}

impl Values {
    pub(super) fn evaluate(&mut self, name: &str, position: usize) {
        if self.evaluated.iter().any(|(known, _)| known == name) {
            return;
        }
        if self.evaluated.len() < MOST {
            self.evaluated.push((name.to_owned(), position));
        } else {
            self.overflows = true;
        }
    }

    /// Notes that a variable is given a value. Only names that some text evaluates matter, but that may follow.
    pub(super) fn give(&mut self, name: &str, number: bool) {
        if !number {
            // Bash evaluates what these are given at once, and PS4 with `set -x`.
            self.evaluates_itself |= among("RANDOM SRANDOM SECONDS OPTIND HISTCMD BASHPID UID EUID PPID PS4", name);
            self.texts.push(name.to_owned());
        }
    }

    /// Notes a word that may become several.
    pub(super) fn splits(&mut self, start: usize) {
        self.splitting.push(start);
    }

    /// Whether a word of the command just read may become several. Starts stand in order, so the search is short.
    pub(super) fn may_split(&self, word: &Word) -> bool {
        self.splitting.binary_search(&word.span.start).is_ok()
    }

    /// Forgets the words of a command that ends, which started at a position.
    pub(super) fn forget(&mut self, start: usize) {
        while self.splitting.last().is_some_and(|position| *position >= start) {
            self.splitting.pop();
        }
    }
}

/// Whether a text is a plain number.
pub(super) fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The number that a text of a few digits stands for.
#[inline(never)]
pub(super) fn number(text: &str) -> Option<u32> {
    let digits = text.bytes().map(|byte| u32::from(byte.wrapping_sub(b'0')));
    (is_number(text) && text.len() < 9).then(|| digits.fold(0, |number, digit| number * 10 + digit))
}

/// The text of a word when all of it is known: a reading joins adjacent texts.
pub(super) fn known(word: &Word) -> Option<&str> {
    match word.parts.as_slice() {
        [] => Some(""),
        [Part::Text(text)] => Some(text),
        _ => None,
    }
}

/// The name of the program, when it is known.
pub(super) fn program(command: &Command) -> &str {
    command.words.first().and_then(known).unwrap_or("")
}

impl Parser<'_> {
    /// Compares what is evaluated with what is given, at the end of the text.
    pub(super) fn judge_values(&mut self) -> Step {
        if self.values.evaluates_itself {
            return Err(self.evaluates(Span { start: 0, end: self.text.len() }));
        }
        let Some((first, first_at)) = self.values.evaluated.first() else { return Ok(()) };
        if self.language == Language::Sh {
            return Ok(());
        }
        let runs_text = |command: &Command| among("eval source . alias trap", program(command));
        let counts = |name: &String| among("date wc nproc id stat seq grep", name.as_str());
        let doubtful = self.values.overflows
            || self.script.functions.iter().any(counts)
            || self.script.commands.iter().any(runs_text);
        let found = if doubtful {
            Some((first, first_at))
        } else {
            let mut evaluated = self.values.evaluated.iter();
            evaluated.find(|(name, _)| self.values.texts.contains(name)).map(|(name, at)| (name, at))
        };
        match found.map(|(name, at)| Span { start: *at, end: *at + name.len() }) {
            None => Ok(()),
            Some(span) => Err(self.evaluates(span)),
        }
    }

    #[cold]
    pub(super) fn evaluates(&mut self, span: Span) -> super::Stop {
        self.stop_at(span, What::Construct("a value that bash evaluates and that this text may fill with a command"))
    }

    /// Whether the commands of a substitution, which start at an index, print nothing but numbers.
    pub(super) fn prints_a_number(&self, first: usize) -> bool {
        let Some((last, before)) = self.script.commands.get(first..).and_then(<[Command]>::split_last) else {
            return false;
        };
        let piped = |command: &Command| match (command.pipe, last.pipe) {
            (Some(pipe), Some(end)) => pipe.pipeline == end.pipeline && pipe.position < end.position,
            _ => false,
        };
        prints_number(last) && before.iter().all(piped)
    }
}

fn prints_number(command: &Command) -> bool {
    let word = |index: usize| command.words.get(index).and_then(known).unwrap_or("");
    match (program(command), command.words.len()) {
        ("date", 2) => word(1).strip_prefix('+').is_some_and(|format| {
            format
                .as_bytes()
                .chunks(2)
                .all(|sign| matches!(sign, [b'%', b's' | b'N' | b'Y' | b'm' | b'd' | b'H' | b'M' | b'S' | b'j' | b'u']))
        }),
        ("wc", 2) => among("-l -c -w -m", word(1)),
        ("nproc", 1) => true,
        ("id", 2) => among("-u -g", word(1)),
        ("stat", 4) => word(1) == "-c" && among("%s %Y %X %Z %a", word(2)),
        ("grep", 3) => {
            word(1).starts_with('-') && word(1).ends_with('c') && !matches!(word(2).as_bytes(), [] | [b'-', ..])
        }
        ("seq", count) => (1..count).all(|index| is_number(word(index))),
        _ => false,
    }
}
