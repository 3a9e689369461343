//! The grammar of `sh`, bash and zsh, read once from left to right.
//!
//! This module owns the question "which simple commands does this text hold, with which words". It refuses to guess:
//! what it does not model ends the reading with an [`Unknown`]. There is no backtracking and no recursion without the
//! limit of [`MAX_DEPTH`], so the cost is linear in the text and the stack is bounded.

mod arithmetic;
mod assignment;
mod braces;
mod builtins;
mod case;
mod compound;
mod condition;
mod cursor;
mod expansion;
mod function;
mod heredoc;
mod list;
mod loops;
mod parameter;
mod quotes;
mod redirection;
mod reserved;
mod simple;
mod values;
mod word;

use crate::reading::{MAX_DEPTH, Step, Stop, character, ended};
use crate::script::{Language, Nesting, Pipe, Scope, Script, Span, Unknown, What};
use heredoc::Pending;
use values::Values;

/// Reads a text and lists every command that it would run.
///
/// # Errors
/// [`Unknown`] says what cannot be known, and where: a syntax error counts, because a shell runs what stands before it.
pub fn parse(text: &str, language: Language) -> Result<Script, Unknown> {
    let mut parser = Parser::new(text, language);
    let read = parser.read_all();
    ended(read, parser.script, parser.failure, text)
}

struct Parser<'t> {
    text: &'t str,
    bytes: &'t [u8],
    /// The next byte to read.
    pos: usize,
    /// Where the text being read ends: backticks and here-documents are read as texts of their own.
    end: usize,
    language: Language,
    depth: u8,
    /// How many command or process substitutions stand around.
    substitutions: u8,
    script: Script,
    nesting: Vec<Nesting>,
    scope: usize,
    pipe: Option<Pipe>,
    pipelines: usize,
    /// Here-documents announced on this line, whose bodies follow it.
    heredocs: Vec<Pending>,
    /// Whether a here-document was read in the substitution being read.
    heredoc_in_substitution: bool,
    values: Values,
    failure: Option<Unknown>,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str, language: Language) -> Self {
        Self {
            text,
            bytes: text.as_bytes(),
            pos: 0,
            end: text.len(),
            language,
            depth: 0,
            substitutions: 0,
            script: Script { scopes: vec![Scope { parent: None }], ..Script::default() },
            nesting: Vec::new(),
            scope: 0,
            pipe: None,
            pipelines: 0,
            heredocs: Vec::new(),
            heredoc_in_substitution: false,
            values: Values::default(),
            failure: None,
        }
    }

    fn read_all(&mut self) -> Step {
        // NUL cannot be passed to a shell at all; bash uses 1 and 127 as marks inside its own words.
        if let Some(at) = self.bytes.iter().position(|byte| matches!(byte, 0 | 1 | 0x7f)) {
            self.pos = at;
            return Err(self.construct("a control character that shells do not pass on"));
        }
        self.list()?;
        if self.pos < self.end {
            return Err(self.syntax("a word or sign that closes nothing"));
        }
        self.read_heredocs()?;
        self.judge_values()
    }

    /// Enters a construct; refuses when too many stand around already.
    fn enter(&mut self, nesting: Nesting) -> Step {
        self.descend()?;
        self.nesting.push(nesting);
        Ok(())
    }

    fn leave(&mut self) {
        self.nesting.pop();
        self.depth -= 1;
    }

    /// Counts a level of recursion that is no construct of its own.
    fn descend(&mut self) -> Step {
        if self.depth >= MAX_DEPTH {
            return Err(self.stop(What::TooDeep));
        }
        self.depth += 1;
        Ok(())
    }

    /// Makes a new shell environment, copied from the present one.
    fn new_scope(&mut self) -> usize {
        self.script.scopes.push(Scope { parent: Some(self.scope) });
        self.script.scopes.len() - 1
    }

    #[cold]
    fn stop(&mut self, what: What) -> Stop {
        self.stop_at(character(self.text, self.pos), what)
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

    #[cold]
    fn dialect(&mut self, what: &'static str) -> Stop {
        self.stop(What::Dialect(what))
    }

    /// Refuses, in `sh`, what bash added.
    fn not_in_sh(&mut self, what: &'static str) -> Step {
        if self.language == Language::Sh { Err(self.dialect(what)) } else { Ok(()) }
    }

    /// Refuses, in zsh, what zsh reads otherwise.
    fn not_in_zsh(&mut self, what: &'static str) -> Step {
        if self.language == Language::Zsh { Err(self.dialect(what)) } else { Ok(()) }
    }
}
