//! Strings: `'…'`, `"…"`, backticks, `r#'…'#` and the interpolated ones.

use super::word::Piece;
use super::{Parser, Step};

impl Parser<'_> {
    /// Reads the quoted string that starts here, and gives what it stands for.
    pub(super) fn quoted(&mut self) -> Step<String> {
        let quote = self.peek();
        self.pos += 1;
        if quote == b'"' {
            let mut text = String::new();
            while self.peek() != b'"' {
                self.character(&mut text)?;
            }
            self.pos += 1;
            return Ok(text);
        }
        let text = self.run_of(|byte| byte != quote).to_owned();
        self.close_quote(quote)?;
        Ok(text)
    }

    fn close_quote(&mut self, quote: u8) -> Step {
        if self.peek() != quote {
            return Err(self.syntax("a string is not closed"));
        }
        self.pos += 1;
        Ok(())
    }

    /// Reads a run of plain characters, or one escape, of a double-quoted string.
    fn character(&mut self, text: &mut String) -> Step {
        match self.peek() {
            0 => Err(self.syntax("a string is not closed")),
            b'\\' => {
                self.pos += 1;
                let escape = self.escape()?;
                text.push(escape);
                Ok(())
            }
            _ => {
                // A parenthesis ends the run for the interpolated kind; the other takes it as the next one's start.
                let start = self.pos;
                self.pos += 1;
                self.run_of(|byte| !matches!(byte, b'"' | b'\\' | b'('));
                text.push_str(self.slice(start, self.pos));
                Ok(())
            }
        }
    }

    /// Reads what follows a backslash in a double-quoted string.
    fn escape(&mut self) -> Step<char> {
        let letter = self.peek();
        let character = match letter {
            b'"' | b'\'' | b'\\' | b'/' | b'(' | b')' | b'{' | b'}' | b'$' | b'^' | b'#' | b'|' | b'~' => {
                char::from(letter)
            }
            b'a' => '\u{7}',
            b'b' => '\u{8}',
            b'e' => '\u{1b}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => return self.unicode(),
            _ => return Err(self.construct("an escape that is not modelled")),
        };
        self.pos += 1;
        Ok(character)
    }

    fn unicode(&mut self) -> Step<char> {
        self.pos += 1;
        if self.peek() != b'{' {
            return Err(self.syntax("an escape without its number"));
        }
        self.pos += 1;
        let digits = self.run_of(|byte| byte.is_ascii_hexdigit());
        let character = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32).filter(|c| *c != '\0');
        match character {
            Some(character) if self.peek() == b'}' && digits.len() <= 6 => {
                self.pos += 1;
                Ok(character)
            }
            _ => Err(self.syntax("an escape without its number")),
        }
    }

    /// Reads `r#'…'#`.
    pub(super) fn raw_string(&mut self) -> Step<String> {
        // Inside an interpolation nu would take the apostrophes for quotes.
        if self.interpolated {
            return Err(self.construct("a raw string in an interpolation"));
        }
        self.pos += 1;
        let signs = self.run_of(|byte| byte == b'#').len();
        if self.peek() != b'\'' {
            return Err(self.syntax("a raw string without its quote"));
        }
        self.pos += 1;
        let start = self.pos;
        // Counted along the way, so that many apostrophes do not make it look again.
        let mut seen = None;
        loop {
            match (self.peek(), seen) {
                (0, _) => return Err(self.syntax("a raw string is not closed")),
                (b'\'', _) => seen = Some(0),
                (b'#', Some(count)) if count + 1 == signs => {
                    let text = self.slice(start, self.pos - signs).to_owned();
                    self.pos += 1;
                    return Ok(text);
                }
                (b'#', Some(count)) => seen = Some(count + 1),
                _ => seen = None,
            }
            self.pos += 1;
        }
    }

    /// Reads `$"…"` or `$'…'`, where parentheses hold commands.
    pub(super) fn interpolation(&mut self) -> Step<Vec<Piece>> {
        self.pos += 1;
        let quote = self.peek();
        self.pos += 1;
        let mut pieces = Vec::new();
        loop {
            match self.peek() {
                0 => return Err(self.syntax("a string is not closed")),
                byte if byte == quote => {
                    self.pos += 1;
                    return Ok(pieces);
                }
                b'(' => {
                    // Nu takes the inner one for a plain string here.
                    if self.interpolated {
                        return Err(self.construct("an interpolation in an interpolation"));
                    }
                    self.interpolated = true;
                    pieces.push(self.parenthesis()?);
                    self.interpolated = false;
                }
                _ if quote == b'"' => {
                    let mut text = String::new();
                    self.character(&mut text)?;
                    pieces.push(Piece::Quoted(text));
                }
                _ => {
                    let text = self.run_of(|byte| byte != quote && byte != b'(').to_owned();
                    pieces.push(Piece::Quoted(text));
                }
            }
        }
    }

    /// Reads `( … )`: commands whose output is a value.
    pub(super) fn parenthesis(&mut self) -> Step<Piece> {
        let start = self.pos;
        self.pos += 1;
        self.inside(crate::script::Nesting::CommandSubstitution, super::Context::Parens, |parser| {
            parser.statements()?;
            parser.close(b')')
        })?;
        Ok(match self.slice(start + 1, self.pos - 1).trim() {
            "$env.HOME" | "$nu.home-path" | "$nu.home-dir" => Piece::Home,
            _ => Piece::Dynamic,
        })
    }

    /// Refuses parentheses inside a word that nu, not looking for quotes there, would end elsewhere.
    pub(super) fn same_without_quotes(&mut self, start: usize) -> Step {
        let mut open = 0_usize;
        let inside = self.bytes.get(start..self.pos).unwrap_or_default();
        let end = inside.iter().position(|byte| {
            match byte {
                b'(' => open += 1,
                b')' => open -= 1,
                _ => {}
            }
            open == 0
        });
        if end.map(|end| end + 1) == Some(inside.len()) {
            return Ok(());
        }
        self.pos = start;
        Err(self.construct("a parenthesis in quotes, inside a word"))
    }
}
