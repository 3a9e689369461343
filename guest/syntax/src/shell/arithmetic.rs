//! Arithmetic: `$(( … ))`, `(( … ))`, `for (( … ))`, subscripts and offsets.
//!
//! What bash first takes for arithmetic may turn out to be a subshell, and quotes, comments or `;` inside may mean
//! anything. So only plain expressions are read here; the names in them are noted, because their values are evaluated.

use super::cursor::is_name_start;
use super::quotes::Quoted;
use super::word::Builder;
use super::{Parser, Step};

/// What ends an expression.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Close {
    /// `))`.
    Parentheses,
    /// `;`, in `for (( … ))`.
    Semicolon,
    /// `]`.
    Bracket,
    /// `}`.
    Brace,
}

/// The `(` and `[` that are open, one bit each.
#[derive(Default)]
struct Open {
    bits: u64,
    count: u8,
}

impl Parser<'_> {
    /// Reads `$(( … ))` from after its second `(`.
    pub(super) fn arithmetic_expansion(&mut self, word: &mut Builder) -> Step {
        self.descend()?;
        self.arithmetic(Close::Parentheses)?;
        self.depth -= 1;
        word.number();
        Ok(())
    }

    /// Reads `(( … ))`.
    pub(super) fn arithmetic_command(&mut self) -> Step {
        self.pos += 2;
        self.arithmetic(Close::Parentheses)
    }

    /// Reads `(( …; …; … ))` of `for`.
    pub(super) fn arithmetic_for(&mut self) -> Step {
        self.pos += 2;
        self.arithmetic(Close::Semicolon)?;
        self.arithmetic(Close::Semicolon)?;
        self.arithmetic(Close::Parentheses)
    }

    /// Reads an expression and what closes it.
    pub(super) fn arithmetic(&mut self, close: Close) -> Step {
        let mut open = Open::default();
        loop {
            let byte = self.peek();
            match byte {
                _ if open.count == 0 && self.closes(close)? => return Ok(()),
                _ if is_name_start(byte) => self.evaluated_name(),
                b'0'..=b'9' => self.arithmetic_number(),
                b'(' | b'[' => self.open_in(&mut open, byte)?,
                b')' | b']' => self.close_in(&mut open, byte)?,
                b'$' => self.arithmetic_dollar()?,
                b'`' => {
                    let mut inner = Builder::new(self.pos);
                    self.backquotes(&mut inner, Quoted::Body)?;
                    self.require_number(&inner)?;
                }
                b'<' | b'>' if self.peek_after(1) == b'(' => {
                    return Err(self.construct("<( or >( in arithmetic"));
                }
                b' ' | b'\t' | b'+' | b'-' | b'*' | b'/' | b'%' | b'<' | b'>' | b'=' | b'!' | b'&' | b'|' | b'^'
                | b'~' | b'?' | b':' | b',' => self.pos += 1,
                0 => return Err(self.syntax("arithmetic that is not closed")),
                _ => return Err(self.construct("a sign in arithmetic that is no plain operator")),
            }
        }
    }

    /// Goes over what closes the expression, if it stands here.
    fn closes(&mut self, close: Close) -> Step<bool> {
        let (found, length) = match close {
            Close::Parentheses => (self.peek() == b')', 2),
            Close::Semicolon => (self.peek() == b';', 1),
            Close::Bracket => (self.peek() == b']', 1),
            Close::Brace => (self.peek() == b'}', 1),
        };
        if found && close == Close::Parentheses && self.peek_after(1) != b')' {
            return Err(self.construct("(( that is not closed by )), and may be subshells"));
        }
        self.pos += if found { length } else { 0 };
        Ok(found)
    }

    fn open_in(&mut self, open: &mut Open, byte: u8) -> Step {
        if open.count >= 40 {
            return Err(self.stop(crate::script::What::TooDeep));
        }
        // A subscript follows a name; elsewhere `[` is no arithmetic.
        if byte == b'[' && !super::cursor::is_name(self.at(self.pos.wrapping_sub(1))) {
            return Err(self.construct("a [ in arithmetic that follows no name"));
        }
        open.bits = open.bits << 1 | u64::from(byte == b'[');
        open.count += 1;
        self.pos += 1;
        Ok(())
    }

    fn close_in(&mut self, open: &mut Open, byte: u8) -> Step {
        if open.count == 0 || (open.bits & 1 == 1) != (byte == b']') {
            return Err(self.construct("brackets in arithmetic that do not match"));
        }
        open.bits >>= 1;
        open.count -= 1;
        self.pos += 1;
        Ok(())
    }

    fn evaluated_name(&mut self) {
        let start = self.pos;
        self.pos = self.name_end(start);
        self.values.evaluate(self.text.get(start..self.pos).unwrap_or(""), start);
    }

    /// Reads digits, also those of `0x1f` and `16#ff`.
    fn arithmetic_number(&mut self) {
        while self.peek().is_ascii_alphanumeric() || self.peek() == b'_' {
            self.pos += 1;
        }
        if self.peek() == b'#' && self.peek_after(1).is_ascii_alphanumeric() {
            self.pos += 2;
            while self.peek().is_ascii_alphanumeric() {
                self.pos += 1;
            }
        }
    }

    /// Reads what `$` begins in arithmetic: its value is evaluated, so it must be a name or a number.
    fn arithmetic_dollar(&mut self) -> Step {
        match self.peek_after(1) {
            b'#' | b'?' | b'$' => self.pos += 2,
            b'{' => return self.arithmetic_parameter(),
            b'(' if self.peek_after(2) == b'(' => {
                self.pos += 3;
                return self.arithmetic_expansion(&mut Builder::new(self.pos));
            }
            b'(' => {
                let mut inner = Builder::new(self.pos);
                self.pos += 2;
                self.substitution(&mut inner, crate::script::Nesting::CommandSubstitution)?;
                return self.require_number(&inner);
            }
            next if is_name_start(next) => {
                self.pos += 1;
                self.evaluated_name();
            }
            _ => return Err(self.construct("a $ in arithmetic that is no plain variable")),
        }
        Ok(())
    }

    fn require_number(&mut self, word: &Builder) -> Step {
        if word.not_a_number {
            return Err(self.construct("arithmetic with a command's output, which is evaluated in turn"));
        }
        Ok(())
    }

    /// Reads `${name}`, `${#name}`, `${name[0]}` or `${name:-0}`.
    fn arithmetic_parameter(&mut self) -> Step {
        self.pos += 2;
        let counts = self.peek() == b'#';
        self.pos += usize::from(counts);
        let start = self.pos;
        self.pos = self.name_end(start);
        if self.pos > start && !counts {
            self.values.evaluate(self.text.get(start..self.pos).unwrap_or(""), start);
        }
        if self.pos > start && self.peek() == b'[' {
            self.not_in_sh("an array")?;
            self.pos += 1;
            if matches!(self.peek(), b'@' | b'*') {
                self.pos += 1;
            } else {
                while self.peek().is_ascii_digit() {
                    self.pos += 1;
                }
            }
            if self.peek() != b']' {
                return Err(self.construct("a subscript in arithmetic's ${ }"));
            }
            self.pos += 1;
        }
        if self.pos > start && !counts && matches!(self.peek(), b':' | b'-') {
            self.pos += if self.peek() == b':' && self.peek_after(1) == b'-' { 2 } else { 1 };
            while self.peek().is_ascii_digit() {
                self.pos += 1;
            }
        }
        if self.pos == start || self.peek() != b'}' {
            return Err(self.construct("a ${ } in arithmetic that is no plain variable"));
        }
        self.pos += 1;
        Ok(())
    }
}
