//! Moving over the text: bytes, blanks, comments and line ends.

use super::{Parser, Step};

/// Whether a byte ends an unquoted word.
pub(super) fn is_meta(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')')
}

pub(super) fn is_name_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_'
}

pub(super) fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

impl<'t> Parser<'t> {
    // Called everywhere: as a call each of these is smaller than its body, and the loops over text do without them.

    /// The byte at a position, or 0 at the end of what is read; the text itself holds no 0.
    #[inline(never)]
    pub(super) fn at(&self, position: usize) -> u8 {
        if position < self.end { self.bytes.get(position).copied().unwrap_or(0) } else { 0 }
    }

    #[inline(never)]
    pub(super) fn peek(&self) -> u8 {
        self.at(self.pos)
    }

    #[inline(never)]
    pub(super) fn peek_after(&self, offset: usize) -> u8 {
        self.at(self.pos + offset)
    }

    /// The text between two positions.
    #[inline(never)]
    pub(super) fn slice(&self, start: usize, end: usize) -> &str {
        self.text.get(start..end).unwrap_or("")
    }

    /// What is left to read.
    pub(super) fn rest(&self) -> &'t [u8] {
        self.bytes.get(self.pos..self.end).unwrap_or(&[])
    }

    /// Goes over the bytes of one kind that stand here and gives them as text.
    pub(super) fn run_of(&mut self, kind: impl Fn(u8) -> bool) -> &'t str {
        let start = self.pos;
        let rest = self.rest();
        self.pos += rest.iter().position(|byte| !kind(*byte)).unwrap_or(rest.len());
        self.text.get(start..self.pos).unwrap_or("")
    }

    /// Where the name that starts at a position ends; the position itself when none starts there.
    #[inline(never)]
    pub(super) fn name_end(&self, start: usize) -> usize {
        if !is_name_start(self.at(start)) {
            return start;
        }
        let mut end = start + 1;
        while is_name(self.at(end)) {
            end += 1;
        }
        end
    }

    /// Whether a backslash and a newline, which shells drop, stand at a position.
    #[inline(never)]
    pub(super) fn is_continuation(&self, position: usize) -> bool {
        self.at(position) == b'\\' && self.at(position + 1) == b'\n'
    }

    /// Skips blanks, continued lines and a comment, between words. NBSP, CR, VT and FF are no blanks to a shell.
    pub(super) fn blanks(&mut self) {
        loop {
            match self.peek() {
                b' ' | b'\t' => self.pos += 1,
                b'\\' if self.is_continuation(self.pos) => self.pos += 2,
                b'#' => {
                    while !matches!(self.peek(), 0 | b'\n') {
                        self.pos += 1;
                    }
                    return;
                }
                _ => return,
            }
        }
    }

    /// Skips blanks and line ends, reading the here-documents that follow a line.
    pub(super) fn newlines(&mut self) -> Step {
        self.blanks();
        while self.peek() == b'\n' {
            self.newline()?;
            self.blanks();
        }
        Ok(())
    }

    /// Goes over one line end and the bodies of the here-documents that the line announced.
    pub(super) fn newline(&mut self) -> Step {
        self.pos += 1;
        if self.heredocs.is_empty() { Ok(()) } else { self.read_heredocs() }
    }

    /// Refuses a continued line after an operator's sign when what follows would make it another operator.
    pub(super) fn operator_ends(&mut self, extensions: &[u8]) -> Step {
        if !self.is_continuation(self.pos) {
            return Ok(());
        }
        let mut position = self.pos;
        while self.is_continuation(position) {
            position += 2;
        }
        if extensions.contains(&self.at(position)) {
            return Err(self.construct("a line continued inside an operator"));
        }
        Ok(())
    }

    /// Whether an unquoted word ends at a position.
    #[inline(never)]
    pub(super) fn ends_word(&self, position: usize) -> bool {
        position >= self.end || is_meta(self.at(position))
    }
}
