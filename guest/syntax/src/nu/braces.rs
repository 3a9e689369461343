//! Braces and brackets: closures, blocks, records, lists.

use super::cursor::is_name;
use super::word::{Piece, Words};
use super::{Context, Parser, Step};
use crate::script::{Assignment, Nesting, Part, Word};

impl Parser<'_> {
    /// Reads `{ … }` where a value or an argument stands.
    pub(super) fn brace(&mut self, words: Words) -> Step<Piece> {
        if let Words::Program { caret } = words {
            return self.brace_for_program(caret);
        }
        if self.is_record(words)? { self.record().map(|_| Piece::Dynamic) } else { self.closure(Nesting::Function) }
    }

    /// A program gets braces as text, but a function that is defined later gets a closure.
    fn brace_for_program(&mut self, caret: bool) -> Step<Piece> {
        let start = self.pos;
        if self.slice(start, start + 2) == "{}" {
            self.pos += 2;
            return Ok(Piece::Bare("{}".to_owned()));
        }
        if !caret {
            self.doubtful = true;
            return self.closure(Nesting::Function);
        }
        let mut open = 0_usize;
        loop {
            match self.peek() {
                b'{' => open += 1,
                b'}' => open -= 1,
                0 | b'"' | b'\'' | b'`' | b'(' | b')' | b'[' | b']' | b'#' => {
                    return Err(self.construct("braces given to a program"));
                }
                b'r' if self.peek_after(1) == b'#' => return Err(self.construct("braces given to a program")),
                _ => {}
            }
            self.pos += 1;
            if open == 0 {
                return Ok(Piece::Dynamic);
            }
        }
    }

    /// Whether the brace here opens a record to every reading: a name, or a string, and a colon.
    ///
    /// What this does not see is read as commands, which finds no less.
    fn is_record(&mut self, words: Words) -> Step<bool> {
        let start = self.pos;
        self.pos += 1;
        self.lines()?;
        let is_record = match self.peek() {
            b'"' | b'\'' => {
                self.quoted()?;
                self.peek() == b':'
            }
            b'.' if self.is_spread() && words == Words::Value => true,
            b'}' => true,
            byte if is_name(byte) => {
                self.run_of(|byte| is_name(byte) || byte == b'-');
                self.peek() == b':'
            }
            _ => false,
        };
        self.pos = start;
        Ok(is_record)
    }

    /// Reads a record, and gives its names where they are known, with their values.
    pub(super) fn record(&mut self) -> Step<Vec<(Option<String>, Word)>> {
        self.pos += 1;
        self.inside(Nesting::Group, Context::List, |parser| {
            let mut fields = Vec::new();
            loop {
                parser.blanks()?;
                match parser.peek() {
                    b'}' => {
                        parser.pos += 1;
                        return Ok(fields);
                    }
                    b'.' if parser.is_spread() => {
                        let word = parser.word(Words::Value)?;
                        fields.push((None, word));
                    }
                    _ => fields.push(parser.field()?),
                }
            }
        })
    }

    fn field(&mut self) -> Step<(Option<String>, Word)> {
        let name = match self.peek() {
            b'"' | b'\'' => Some(self.quoted()?),
            b'(' => {
                self.parenthesis()?;
                None
            }
            b'$' => {
                self.pos += 1;
                self.run_of(|byte| is_name(byte) || byte == b'.');
                None
            }
            _ => Some(self.run_of(|byte| is_name(byte) || matches!(byte, b'-' | b'.' | b'/' | b'@')).to_owned()),
        };
        self.run_of(|byte| byte == b' ' || byte == b'\t');
        if name.as_deref() == Some("") || self.peek() != b':' {
            return Err(self.construct("a record that is not modelled"));
        }
        self.pos += 1;
        self.blanks()?;
        Ok((name, self.word(Words::Value)?))
    }

    /// Reads `{|parameters| commands }`.
    pub(super) fn closure(&mut self, nesting: Nesting) -> Step<Piece> {
        if self.peek() != b'{' {
            return Err(self.construct("a block that is not written here"));
        }
        self.pos += 1;
        self.inside(nesting, Context::Lines, |parser| {
            parser.lines()?;
            if parser.peek() == b'|' {
                parser.parameters()?;
            }
            parser.statements()?;
            parser.close(b'}')
        })?;
        Ok(Piece::Dynamic)
    }

    fn parameters(&mut self) -> Step {
        self.pos += 1;
        self.run_of(|byte| {
            is_name(byte)
                || matches!(byte, b' ' | b'\t' | b'\n' | b',' | b':' | b'?' | b'<' | b'>' | b'.' | b'-' | b'$')
        });
        if self.peek() != b'|' {
            return Err(self.construct("parameters that are not modelled"));
        }
        self.pos += 1;
        Ok(())
    }

    /// Reads `[ … ]`.
    pub(super) fn list(&mut self) -> Step {
        self.pos += 1;
        self.inside(Nesting::Group, Context::List, |parser| {
            loop {
                parser.blanks()?;
                match parser.peek() {
                    b']' => {
                        parser.pos += 1;
                        return Ok(());
                    }
                    // A table: its columns and its rows.
                    b';' => parser.pos += 1,
                    _ => {
                        parser.word(Words::Value)?;
                    }
                }
            }
        })
    }

    /// Reads a record of variables for the environment.
    pub(super) fn variables(&mut self) -> Step<Vec<Assignment>> {
        if self.peek() != b'{' || !self.is_record(Words::Command)? {
            return Err(self.construct("an environment that is not written here"));
        }
        let start = self.pos;
        let mut assignments = Vec::new();
        for (name, value) in self.record()? {
            let Some(name) = name else {
                self.pos = start;
                return Err(self.construct("a variable whose name is computed"));
            };
            assignments.push(self.assignment(&name, value)?);
        }
        Ok(assignments)
    }

    /// Makes an assignment to a variable of the environment; refuses those that change nu itself.
    pub(super) fn assignment(&mut self, name: &str, value: Word) -> Step<Assignment> {
        let upper = name.to_ascii_uppercase();
        let own = matches!(upper.as_str(), "CONFIG" | "ENV_CONVERSIONS" | "PWD" | "LAST_EXIT_CODE" | "NU_LIB_DIRS");
        if own || upper.starts_with("NU_") || upper.starts_with("PROMPT_") {
            return Err(self.stop_at(value.span, crate::script::What::Construct("a variable that changes nu itself")));
        }
        // Names of variables are the same in any case to nu, but not to programs.
        let name = if upper == "PATH" { upper } else { name.to_owned() };
        Ok(Assignment { name, value, append: false })
    }

    /// A word that is known only when it runs, over bytes that were read.
    pub(super) fn dynamic(&self, start: usize) -> Word {
        Word { parts: vec![Part::Dynamic], span: crate::script::Span { start, end: self.pos } }
    }
}
