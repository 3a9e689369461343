//! Keywords: definitions, conditions, loops.

use super::cursor::is_name;
use super::pipeline::Ended;
use super::word::Words;
use super::{Parser, Step};
use crate::script::Nesting;

/// How many functions a text may define.
const MAX_FUNCTIONS: usize = 64;

impl Parser<'_> {
    /// Reads an element that begins with a keyword; none when the word is none.
    pub(super) fn keyword_element(&mut self, word: &str) -> Step<Option<Ended>> {
        let start = self.pos;
        self.pos += word.len();
        let ended = match word {
            "let" | "mut" | "const" => self.binding()?,
            "if" => self.condition()?,
            "for" | "while" => {
                self.until_brace()?;
                self.body()?
            }
            "loop" | "export-env" => self.body()?,
            "try" => self.attempt()?,
            "match" => self.selection()?,
            "def" => self.definition()?,
            "export" => {
                self.blanks()?;
                match self.keyword() {
                    "def" => {
                        self.pos += "def".len();
                        self.definition()?
                    }
                    _ => return Err(self.construct("an export")),
                }
            }
            "job" => {
                self.blanks()?;
                if self.keyword() != "spawn" {
                    self.pos = start;
                    return Ok(None);
                }
                self.nesting.push(Nesting::Background);
                let ended = self.arguments(Words::Command, None)?;
                self.nesting.pop();
                ended
            }
            "else" | "catch" | "finally" => return Err(self.syntax("this keyword stands alone")),
            _ => {
                self.pos = start;
                return Ok(None);
            }
        };
        Ok(Some(ended))
    }

    /// `let name: type = pipeline`, or `… | let name`.
    fn binding(&mut self) -> Step<Ended> {
        let flush = self.pos;
        self.flush(flush);
        self.blanks()?;
        loop {
            self.run_of(|byte| is_name(byte) || matches!(byte, b'$' | b':' | b'<' | b'>' | b',' | b'-' | b'?'));
            self.blanks()?;
            match self.peek() {
                b'=' if self.ends_word(self.pos + 1) => break,
                _ if self.ends_word(self.pos) && self.peek() != b',' => return Ok(Ended::Statement),
                byte if is_name(byte) && matches!(self.before(), b' ' | b'\t') => {}
                _ => return Err(self.construct("a definition that is not modelled")),
            }
        }
        self.pos += 1;
        self.blanks()?;
        self.nested_element()
    }

    /// `if condition { } else if condition { } else { }`.
    fn condition(&mut self) -> Step<Ended> {
        loop {
            self.nesting.push(Nesting::Condition);
            self.until_brace()?;
            self.nesting.pop();
            self.closure(Nesting::Body)?;
            self.blanks()?;
            if self.keyword() != "else" {
                break;
            }
            self.pos += "else".len();
            self.blanks()?;
            match self.keyword() {
                "if" => self.pos += "if".len(),
                _ => return self.body(),
            }
        }
        self.arguments_end()
    }

    /// Reads words up to the brace of a body.
    fn until_brace(&mut self) -> Step {
        loop {
            self.blanks()?;
            match self.peek() {
                b'{' => return Ok(()),
                _ if self.ends_word(self.pos) => return Err(self.syntax("a block is missing")),
                _ => self.word(Words::Value)?,
            };
        }
    }

    /// Reads a body and what may follow it.
    fn body(&mut self) -> Step<Ended> {
        self.blanks()?;
        self.closure(Nesting::Body)?;
        self.arguments_end()
    }

    /// Reads redirections after a block; words there are not modelled.
    fn arguments_end(&mut self) -> Step<Ended> {
        self.blanks()?;
        if self.ends_word(self.pos) {
            return Ok(Ended::Statement);
        }
        match self.peek() {
            b'o' | b'e' => self.arguments(Words::Value, None),
            _ => Err(self.construct("words after a block")),
        }
    }

    /// `try { } catch {|error| } finally { }`.
    fn attempt(&mut self) -> Step<Ended> {
        self.blanks()?;
        self.closure(Nesting::Body)?;
        loop {
            self.blanks()?;
            let word = self.keyword();
            if !matches!(word, "catch" | "finally") {
                return self.arguments_end();
            }
            self.pos += word.len();
            self.blanks()?;
            self.closure(Nesting::Body)?;
        }
    }

    /// `def [--env] [--wrapped] name [parameters]: types { body }`.
    fn definition(&mut self) -> Step<Ended> {
        self.blanks()?;
        while self.peek() == b'-' {
            self.run_of(|byte| byte == b'-' || byte.is_ascii_lowercase());
            self.blanks()?;
        }
        let name = match self.peek() {
            b'"' | b'\'' => self.quoted()?,
            _ => self.run_of(|byte| is_name(byte) || matches!(byte, b'-' | b'?' | b'!' | b'.')).to_owned(),
        };
        if name.is_empty() {
            return Err(self.construct("a definition that is not modelled"));
        }
        self.blanks()?;
        self.signature()?;
        // Every call is compared with them.
        if self.script.functions.len() >= MAX_FUNCTIONS {
            return Err(self.construct("so many definitions"));
        }
        self.script.functions.push(name);
        self.closure(Nesting::Function)?;
        self.arguments_end()
    }

    /// Reads the parameters of a definition up to its body; nothing in them runs.
    fn signature(&mut self) -> Step {
        if self.peek() != b'[' {
            return Err(self.construct("a definition that is not modelled"));
        }
        self.pos += 1;
        let simple = |byte: u8| is_name(byte) || b" \t\n,:?<>.=-$|*/".contains(&byte);
        loop {
            self.run_of(simple);
            match self.peek() {
                b'"' | b'\'' => {
                    self.quoted()?;
                }
                // `--flag (-f)`.
                b'(' if self.peek_after(1) == b'-' && self.peek_after(3) == b')' => self.pos += 4,
                _ => break,
            }
        }
        self.close(b']')?;
        self.blanks()?;
        if self.peek() == b':' {
            self.run_of(simple);
        }
        if self.peek() != b'{' {
            return Err(self.construct("a definition that is not modelled"));
        }
        Ok(())
    }
}
