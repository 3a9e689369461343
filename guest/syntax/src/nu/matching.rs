//! `match value { pattern => … }`.

use super::head::is_value;
use super::pipeline::Ended;
use super::word::Words;
use super::{Context, Parser, Step};
use crate::script::Nesting;

impl Parser<'_> {
    /// Reads what stands after `match`.
    pub(super) fn selection(&mut self) -> Step<Ended> {
        self.blanks()?;
        if self.ends_word(self.pos) {
            return Err(self.syntax("a value is missing"));
        }
        self.word(Words::Value)?;
        self.blanks()?;
        if self.peek() != b'{' {
            return Err(self.construct("a match that is not modelled"));
        }
        self.pos += 1;
        self.inside(Nesting::Body, Context::List, |parser| {
            loop {
                parser.blanks()?;
                if parser.peek() == b'}' {
                    parser.pos += 1;
                    return Ok(());
                }
                parser.arm()?;
            }
        })?;
        self.blanks()?;
        if self.ends_word(self.pos) { Ok(Ended::Statement) } else { Err(self.construct("words after a match")) }
    }

    /// Reads one arm: patterns, perhaps a guard, and what runs: one word.
    fn arm(&mut self) -> Step {
        loop {
            self.blanks()?;
            match self.peek() {
                b'|' => self.pos += 1,
                b'=' if self.slice(self.pos, self.pos + 2) == "=>" => break,
                _ if self.ends_word(self.pos) => return Err(self.syntax("an arm without its =>")),
                _ => {
                    self.word(Words::Value)?;
                }
            }
        }
        self.pos += 2;
        self.blanks()?;
        match self.peek() {
            b'{' => self.brace(Words::Value).map(|_| ()),
            b'$' | b'(' | b'[' | b'"' | b'\'' => self.word(Words::Value).map(|_| ()),
            _ => {
                let start = self.pos;
                self.word(Words::Value)?;
                if is_value(self.slice(start, self.pos)) {
                    return Ok(());
                }
                self.pos = start;
                Err(self.construct("a bare word as what an arm of match runs"))
            }
        }
    }
}
