//! What a line of Nushell 0.115 would run, read once from left to right.
//!
//! This module owns the same question for `nu -c` as [`crate::shell`] does for `sh` and bash. It knows how nu's lexer
//! ends words, strings and brackets, and which words stand where a command may; it does not know the signatures of
//! nu's commands. Every `{ … }` therefore counts as commands that would run. Two things make that enough: nu parses
//! the whole text before it runs any of it, so that what nu refuses runs nothing, and what could change the meaning
//! of later words (`alias`, `use`, `source`, `overlay`, `hide`) is refused here.
//!
//! Commands of nu that only compute (`get`, `each`, `str`) are part of the language and not listed; those that read,
//! write, or run something are, and so is every external program.

mod braces;
mod call;
mod cursor;
mod environment;
mod head;
mod keywords;
mod matching;
mod pipeline;
mod quotes;
mod tables;
mod word;

use std::collections::BTreeSet;

use crate::reading::{MAX_DEPTH, Step, Stop, character, ended};
use crate::script::{Assignment, Nesting, Scope, Script, Span, Unknown, What};

/// Reads a text of Nushell and lists every command that it would run.
///
/// # Errors
/// [`Unknown`] says what cannot be known, and where.
pub(crate) fn parse(text: &str) -> Result<Script, Unknown> {
    let mut parser = Parser::new(text);
    let read = parser.read_all();
    ended(read, parser.script, parser.failure, text)
}

/// What separates words where the reader is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Context {
    /// A line end ends the statement.
    Lines,
    /// In `( … )` a line end is a blank.
    Parens,
    /// In lists, records and the arms of `match`, so are commas.
    List,
}

struct Parser<'t> {
    text: &'t str,
    bytes: &'t [u8],
    /// The next byte to read.
    pos: usize,
    depth: u8,
    context: Context,
    /// Whether an interpolation stands around, where nu looks for quotes only.
    interpolated: bool,
    /// Whether what stands here is assigned inside parentheses: there nu reads it once with line ends as blanks and
    /// once more with line ends that end a statement.
    assigned: bool,
    script: Script,
    nesting: Vec<Nesting>,
    pipelines: usize,
    /// `NAME=value` read before the command they belong to.
    pending: Vec<Assignment>,
    /// Whether a word of the command being read means something else to a program than to a function.
    doubtful: bool,
    /// Programs that were given such words.
    doubted: BTreeSet<String>,
    failure: Option<Unknown>,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str) -> Self {
        Self {
            text,
            bytes: text.as_bytes(),
            pos: 0,
            depth: 0,
            context: Context::Lines,
            interpolated: false,
            assigned: false,
            script: Script { scopes: vec![Scope { parent: None }], ..Script::default() },
            nesting: Vec::new(),
            pipelines: 0,
            pending: Vec::new(),
            doubtful: false,
            doubted: BTreeSet::new(),
            failure: None,
        }
    }

    fn read_all(&mut self) -> Step {
        let strange = |byte: &u8| (*byte < b' ' && !matches!(byte, b'\n' | b'\t')) || *byte == 0x7f;
        if let Some(at) = self.bytes.iter().position(strange) {
            self.pos = at;
            return Err(self.construct("a control character"));
        }
        self.statements()?;
        if self.pos < self.bytes.len() {
            return Err(self.syntax("a bracket that closes nothing"));
        }
        // A function may be called before the line that defines it.
        if self.script.functions.iter().any(|name| self.doubted.contains(name)) {
            self.pos = 0;
            return Err(self.construct("a block or parenthesis given to a function that is defined later"));
        }
        Ok(())
    }

    /// Reads with one more construct around.
    fn inside<T>(&mut self, nesting: Nesting, context: Context, read: impl FnOnce(&mut Self) -> Step<T>) -> Step<T> {
        self.descend()?;
        self.nesting.push(nesting);
        let outer = std::mem::replace(&mut self.context, context);
        let assigned = std::mem::replace(&mut self.assigned, false);
        let read = read(self)?;
        self.assigned = assigned;
        self.context = outer;
        self.nesting.pop();
        self.depth -= 1;
        Ok(read)
    }

    fn descend(&mut self) -> Step {
        if self.depth >= MAX_DEPTH {
            return Err(self.stop(What::TooDeep));
        }
        self.depth += 1;
        Ok(())
    }

    #[cold]
    fn stop(&mut self, what: What) -> Stop {
        let mut span = character(self.text, self.pos);
        while !self.ends_word(span.start) && !self.ends_word(span.end) {
            span.end += 1;
        }
        self.stop_at(span, what)
    }

    #[cold]
    fn stop_at(&mut self, span: Span, what: What) -> Stop {
        self.failure = Some(Unknown { what, span });
        Stop
    }

    #[cold]
    fn syntax(&mut self, what: &'static str) -> Stop {
        self.stop(What::Syntax(what))
    }

    #[cold]
    fn construct(&mut self, what: &'static str) -> Stop {
        self.stop(What::Construct(what))
    }
}
