//! Moving over the text: bytes, blanks and comments.

use super::{Context, Parser, Step};

pub(super) fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

impl<'t> Parser<'t> {
    /// The byte at a position, or 0 at the end; the text itself holds no 0.
    pub(super) fn at(&self, position: usize) -> u8 {
        self.bytes.get(position).copied().unwrap_or(0)
    }

    pub(super) fn peek(&self) -> u8 {
        self.at(self.pos)
    }

    pub(super) fn peek_after(&self, offset: usize) -> u8 {
        self.at(self.pos + offset)
    }

    /// The byte before the next one, or 0 at the start.
    pub(super) fn before(&self) -> u8 {
        self.pos.checked_sub(1).map_or(0, |position| self.at(position))
    }

    pub(super) fn slice(&self, start: usize, end: usize) -> &'t str {
        self.text.get(start..end).unwrap_or("")
    }

    /// Goes over the bytes of one kind that stand here and gives them as text.
    pub(super) fn run_of(&mut self, kind: impl Fn(u8) -> bool) -> &'t str {
        let start = self.pos;
        while self.peek() != 0 && kind(self.peek()) {
            self.pos += 1;
        }
        self.slice(start, self.pos)
    }

    /// Whether a word ends at a position.
    pub(super) fn ends_word(&self, position: usize) -> bool {
        match self.at(position) {
            0 | b' ' | b'\t' | b'\n' | b'|' | b';' | b')' | b']' | b'}' => true,
            b',' => self.context == Context::List,
            _ => false,
        }
    }

    /// Skips what stands between words here.
    pub(super) fn blanks(&mut self) -> Step {
        loop {
            match (self.peek(), self.context) {
                (b'\n', Context::Parens) if self.assigned => {
                    return Err(self.construct("a line end in what is assigned inside parentheses"));
                }
                (b' ' | b'\t', _) | (b'\n', Context::Parens | Context::List) | (b',', Context::List) => self.pos += 1,
                (b'#', _) => self.comment()?,
                _ => return Ok(()),
            }
        }
    }

    /// Skips everything between statements.
    pub(super) fn separators(&mut self) -> Step {
        loop {
            match self.peek() {
                b' ' | b'\t' | b'\n' | b';' => self.pos += 1,
                b'#' => self.comment()?,
                _ => return Ok(()),
            }
        }
    }

    /// Skips blanks and line ends, whatever they mean here.
    pub(super) fn lines(&mut self) -> Step {
        loop {
            match self.peek() {
                b' ' | b'\t' | b'\n' => self.pos += 1,
                b'#' => self.comment()?,
                _ => return Ok(()),
            }
        }
    }

    /// Goes over a comment.
    ///
    /// Nu looks for the end of a bracket before it looks for comments in it, and sees one only after a blank there.
    fn comment(&mut self) -> Step {
        if self.interpolated || !matches!(self.before(), 0 | b' ' | b'\t' | b'\n') {
            return Err(self.construct("a # that is a comment to one reading only"));
        }
        while !matches!(self.peek(), 0 | b'\n') {
            self.pos += 1;
        }
        Ok(())
    }

    /// The bare word that stands here, when it is made of letters, digits, `_` and `-` alone.
    pub(super) fn keyword(&self) -> &'t str {
        let mut end = self.pos;
        while is_name(self.at(end)) || self.at(end) == b'-' {
            end += 1;
        }
        if self.ends_word(end) { self.slice(self.pos, end) } else { "" }
    }

    /// Takes the closing bracket that must stand here.
    pub(super) fn close(&mut self, bracket: u8) -> Step {
        if self.peek() != bracket {
            return Err(self.syntax("a bracket is not closed, or closed by another"));
        }
        self.pos += 1;
        Ok(())
    }
}
