//! The start of a pipeline's element: an expression, a keyword, or a command.

use super::pipeline::Ended;
use super::tables;
use super::word::{Piece, Words};
use super::{Context, Parser, Step};
use crate::script::What;

impl Parser<'_> {
    /// Reads one element of a pipeline.
    pub(super) fn element(&mut self) -> Step<Ended> {
        let start = self.pos;
        while self.shorthand()? {
            self.blanks()?;
        }
        if !self.pending.is_empty() && self.ends_word(self.pos) {
            return Err(self.syntax("a variable is set for no command"));
        }
        let ended = match self.peek() {
            b'^' => self.program(),
            b'$' => self.dollar_element(),
            b'(' | b'[' | b'{' | b'"' | b'\'' | b'-' => self.value_element(),
            b'r' if self.peek_after(1) == b'#' => self.value_element(),
            b'`' => self.bare_command(),
            byte if byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'/' | b'~' | b'+' | b':') => {
                self.bare_element()
            }
            _ => Err(self.construct("a command that begins with this")),
        }?;
        self.flush(start);
        Ok(ended)
    }

    /// Reads an element inside another: what `let x =` or `$x =` is given.
    pub(super) fn nested_element(&mut self) -> Step<Ended> {
        self.descend()?;
        if self.ends_word(self.pos) {
            return Err(self.syntax("a value is missing"));
        }
        self.assigned = self.context == Context::Parens;
        let ended = self.element()?;
        self.depth -= 1;
        Ok(ended)
    }

    /// Reads an expression.
    pub(super) fn value_element(&mut self) -> Step<Ended> {
        self.flush(self.pos);
        self.arguments(Words::Value, None)
    }

    fn bare_element(&mut self) -> Step<Ended> {
        let word = self.keyword();
        if let Some(ended) = self.keyword_element(word)? {
            return Ok(ended);
        }
        if tables::is_refused(word) {
            return Err(self.construct("a command that changes what later words mean"));
        }
        let mut end = self.pos;
        while !self.ends_word(end) {
            end += 1;
        }
        if is_value(self.slice(self.pos, end)) { self.value_element() } else { self.bare_command() }
    }

    /// `^program`.
    fn program(&mut self) -> Step<Ended> {
        self.pos += 1;
        let start = self.pos;
        if matches!(self.peek(), b'$' | b'(' | b'[' | b'{' | b'^' | b'%') || self.ends_word(start) {
            return Err(self.stop(What::DynamicProgram));
        }
        let pieces = self.head_pieces()?;
        let head = self.head_word(start, pieces)?;
        self.call(head, Words::Program { caret: true })
    }

    fn bare_command(&mut self) -> Step<Ended> {
        let start = self.pos;
        let pieces = self.head_pieces()?;
        let head = self.head_word(start, pieces)?;
        // As written: with quotes in it, a name is a program's.
        let name = self.slice(start, self.pos);
        if tables::is_command(name) {
            self.command(name, head)
        } else if self.script.functions.iter().any(|known| known == name) {
            self.call(head, Words::Command)
        } else {
            self.call(head, Words::Program { caret: false })
        }
    }

    /// Reads the pieces of a command's name, which hold nothing computed.
    fn head_pieces(&mut self) -> Step<Vec<Piece>> {
        let start = self.pos;
        let mut pieces = Vec::new();
        while !self.ends_word(self.pos) {
            match self.peek() {
                b'"' | b'\'' => pieces.push(Piece::Quoted(self.quoted()?)),
                b'`' if self.pos == start => pieces.push(Piece::Bare(self.quoted()?)),
                byte if byte.is_ascii_alphanumeric()
                    || !byte.is_ascii()
                    || matches!(byte, b'_' | b'.' | b'/' | b'~' | b'+' | b':' | b'-' | b'@' | b'%' | b',' | b'=') =>
                {
                    self.pos += 1;
                    let begin = self.pos - 1;
                    self.run_of(|byte| {
                        byte.is_ascii_alphanumeric()
                            || !byte.is_ascii()
                            || matches!(byte, b'_' | b'.' | b'/' | b'~' | b'+' | b':' | b'-' | b'@' | b'%' | b'=')
                    });
                    if self.peek() == b'#' {
                        return Err(self.construct("a # in a command's name"));
                    }
                    pieces.push(Piece::Bare(self.slice(begin, self.pos).to_owned()));
                }
                _ => return Err(self.stop(What::DynamicProgram)),
            }
        }
        Ok(pieces)
    }
}

/// Whether a bare word is surely a number, a truth value, or such: everything else is a command.
pub(super) fn is_value(word: &str) -> bool {
    const UNITS: &str = "b kb mb gb tb kib mib gib tib B KB MB GB TB KiB MiB GiB TiB kB ns us ms sec min hr day wk";
    if matches!(word, "true" | "false" | "null" | "not") {
        return true;
    }
    if let Some((from, to)) = word.split_once("..") {
        let to = to.strip_prefix(['=', '<']).unwrap_or(to);
        let bound = |bound: &str| is_number(bound.strip_prefix('-').unwrap_or(bound));
        if to.starts_with(['(', '$']) {
            return is_number(from);
        }
        return (from.is_empty() || bound(from)) && (to.is_empty() || bound(to)) && !(from.is_empty() && to.is_empty());
    }
    let digits = word.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'.').count();
    let (number, unit) = word.split_at(digits);
    is_number(number) && (unit.is_empty() || UNITS.split(' ').any(|known| known == unit))
}

fn is_number(text: &str) -> bool {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits(whole) && digits(fraction)
}
