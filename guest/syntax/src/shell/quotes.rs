//! Quotes: `'…'`, `"…"` and `$'…'`.

use super::word::Builder;
use super::{Parser, Step};
use crate::script::{Language, Part};

impl Parser<'_> {
    pub(super) fn single_quotes(&mut self, word: &mut Builder) -> Step {
        word.quoted = true;
        let start = self.pos + 1;
        let rest = self.bytes.get(start..self.end).unwrap_or(&[]);
        let Some(length) = rest.iter().position(|byte| *byte == b'\'') else {
            return Err(self.syntax("a ' that is not closed"));
        };
        word.text(self.text.get(start..start + length).unwrap_or(""));
        self.pos = start + length + 1;
        Ok(())
    }

    pub(super) fn double_quotes(&mut self, word: &mut Builder) -> Step {
        word.quoted = true;
        self.pos += 1;
        self.quoted_text(word, Quoted::Double)?;
        if self.peek() != b'"' {
            return Err(self.syntax("a \" that is not closed"));
        }
        self.pos += 1;
        // An empty `""` still makes a word, and `"1"` still is a number.
        Ok(())
    }

    /// Reads text in which only `$`, backticks and backslashes count, to its closing quote or the end.
    pub(super) fn quoted_text(&mut self, word: &mut Builder, kind: Quoted) -> Step {
        loop {
            word.text(self.run_of(|byte| !matches!(byte, b'"' | b'\\' | b'$' | b'`')));
            match self.peek() {
                b'"' if kind == Quoted::Body => {
                    word.text("\"");
                    self.pos += 1;
                }
                b'\\' => self.quoted_escape(word, kind)?,
                b'$' => self.dollar(word, kind)?,
                b'`' => self.backquotes(word, kind)?,
                _ => return Ok(()),
            }
        }
    }

    fn quoted_escape(&mut self, word: &mut Builder, kind: Quoted) -> Step {
        match self.peek_after(1) {
            b'\n' => {}
            b'"' if kind == Quoted::Double => word.text("\""),
            b'$' => word.text("$"),
            b'`' => word.text("`"),
            b'\\' => word.text("\\"),
            0 if kind == Quoted::Double => return Err(self.syntax("a \" that is not closed")),
            _ => {
                word.text("\\");
                self.pos += 1;
                return Ok(());
            }
        }
        self.pos += 2;
        Ok(())
    }

    /// Reads `$'…'`; its opening `$` stands here.
    pub(super) fn ansi_quotes(&mut self, word: &mut Builder) -> Step {
        word.quoted = true;
        self.pos += 2;
        let mut cut = false;
        loop {
            let run = self.run_of(|byte| !matches!(byte, b'\'' | b'\\'));
            if !cut {
                word.text(run);
            }
            match self.peek() {
                b'\'' => {
                    self.pos += 1;
                    return Ok(());
                }
                b'\\' => {
                    let escape = self.peek_after(1);
                    let mut value = self.ansi_escape();
                    if self.language == Language::Zsh && !matches!(escape, b'n' | b't' | b'r' | b'\\' | b'\'') {
                        value = Ansi::Unclear;
                    }
                    match value {
                        Ansi::Byte(0) => cut = true,
                        _ if cut => {}
                        Ansi::Byte(byte) => word.text(char::from(byte).encode_utf8(&mut [0; 4])),
                        Ansi::Kept => word.text("\\"),
                        Ansi::Unclear => word.part(Part::Dynamic),
                    }
                }
                _ => return Err(self.syntax("a $' that is not closed")),
            }
        }
    }

    /// Reads one escape of `$'…'`.
    fn ansi_escape(&mut self) -> Ansi {
        let byte = self.peek_after(1);
        self.pos += 2;
        match byte {
            b'a' => Ansi::Byte(7),
            b'b' => Ansi::Byte(8),
            b'e' | b'E' => Ansi::Byte(27),
            b'f' => Ansi::Byte(12),
            b'n' => Ansi::Byte(b'\n'),
            b'r' => Ansi::Byte(b'\r'),
            b't' => Ansi::Byte(b'\t'),
            b'v' => Ansi::Byte(11),
            b'\\' | b'\'' | b'"' | b'?' => Ansi::Byte(byte),
            b'0'..=b'7' => {
                self.pos -= 1;
                self.ansi_number(8, 3)
            }
            b'x' if self.peek().is_ascii_hexdigit() => self.ansi_number(16, 2),
            b'u' if self.peek().is_ascii_hexdigit() => self.ansi_number(16, 4),
            b'U' if self.peek().is_ascii_hexdigit() => self.ansi_number(16, 8),
            b'x' | b'u' | b'U' | b'c' => Ansi::Unclear,
            // Any other backslash stays, and so does what follows it.
            _ => {
                self.pos -= 1;
                Ansi::Kept
            }
        }
    }

    /// Reads digits; beyond ASCII the locale decides what they become.
    fn ansi_number(&mut self, radix: u32, most: usize) -> Ansi {
        let mut value: u32 = 0;
        for _ in 0..most {
            let Some(digit) = char::from(self.peek()).to_digit(radix) else { break };
            value = value.wrapping_mul(radix).wrapping_add(digit);
            self.pos += 1;
        }
        match u8::try_from(value) {
            Ok(byte) if byte.is_ascii() && !matches!(byte, 1 | 0x7f) => Ansi::Byte(byte),
            _ => Ansi::Unclear,
        }
    }
}

/// Where a `$` stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Quoted {
    /// Outside quotes.
    Bare,
    /// Between `"` and `"`.
    Double,
    /// The body of a here-document: `"` is a sign like others.
    Body,
}

/// What an escape in `$'…'` stands for.
enum Ansi {
    /// A byte; 0 ends the text.
    Byte(u8),
    /// A backslash that stays.
    Kept,
    /// What depends on the locale or is seldom used.
    Unclear,
}
