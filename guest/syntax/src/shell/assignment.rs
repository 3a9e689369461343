//! Assignments: `NAME=value`, `NAME[subscript]=value` and `NAME=( … )`.

use super::arithmetic::Close;
use super::word::{Builder, Place};
use super::{Parser, Step};
use crate::script::{Assignment, Part, Span, Word};
use crate::text::{among, holds};

impl Parser<'_> {
    /// Reads `NAME=value` for the command at an index, if one stands here.
    pub(super) fn assignment(&mut self, index: usize) -> Step<bool> {
        let start = self.pos;
        let end = self.name_end(start);
        if end == start {
            return Ok(false);
        }
        self.pos = end;
        let subscript = self.peek() == b'[';
        if subscript {
            // Bash swallows blanks and all in `NAME[ … ]` where a command may start.
            self.not_in_sh("NAME[ where a command may start")?;
            self.subscript()?;
            if !self.slice(end + 1, self.pos - 1).bytes().all(super::cursor::is_name) {
                self.not_in_zsh("an expression as a subscript")?;
            }
        }
        let append = self.peek() == b'+' && self.peek_after(1) == b'=';
        if !append && self.peek() != b'=' {
            if subscript {
                return Err(self.construct("NAME[ where a command may start, without an assignment"));
            }
            self.pos = start;
            return Ok(false);
        }
        if append {
            self.not_in_sh("+=")?;
        }
        self.pos += 1 + usize::from(append);
        let value = if self.peek() == b'(' {
            if subscript {
                return Err(self.syntax("an array in an array"));
            }
            self.array(end)?
        } else {
            self.word(Place::Value)?
        };
        let name = self.text.get(start..end).unwrap_or("");
        self.values.give(name, !value.not_a_number);
        let value = value.finish(self.pos);
        let end = self.pos;
        if let Some(command) = self.script.commands.get_mut(index) {
            command.assignments.push(Assignment { name: name.to_owned(), value, append });
            command.span.end = end;
        }
        Ok(true)
    }

    /// Reads `[…]` before `=`: an expression, or a key in quotes.
    fn subscript(&mut self) -> Step {
        self.pos += 1;
        let quote = self.peek();
        if !matches!(quote, b'\'' | b'"') {
            return self.arithmetic(Close::Bracket);
        }
        self.pos += 1;
        loop {
            match self.peek() {
                byte if super::cursor::is_name_start(byte) => {
                    let start = self.pos;
                    self.pos = self.name_end(start);
                    self.values.evaluate(self.text.get(start..self.pos).unwrap_or(""), start);
                }
                b'0'..=b'9' | b' ' | b'.' | b':' | b'/' | b'-' => self.pos += 1,
                byte if byte == quote && self.peek_after(1) == b']' => break,
                _ => return Err(self.construct("a subscript in quotes that is no plain key")),
            }
        }
        self.pos += 2;
        Ok(())
    }

    /// Reads `( … )` after `NAME=`.
    fn array(&mut self, start: usize) -> Step<Builder> {
        self.not_in_sh("an array")?;
        self.descend()?;
        let mut whole = Builder::new(self.pos);
        self.pos += 1;
        loop {
            self.array_blanks();
            match self.peek() {
                b')' => break,
                b'[' => self.element_with_subscript(&mut whole)?,
                b'<' | b'>' if self.peek_after(1) == b'(' => self.element(&mut whole, Place::Argument)?,
                _ if self.ends_word(self.pos) => {
                    return Err(self.syntax("a sign in an array, or an array that is not closed"));
                }
                _ => self.element(&mut whole, Place::Argument)?,
            }
        }
        self.pos += 1;
        if !self.ends_word(self.pos) || self.peek() == b'(' {
            return Err(self.syntax("a word joined to an array"));
        }
        if !self.heredocs.is_empty() && holds(self.slice(start, self.pos), "\n") {
            return Err(self.construct("a line end inside an array, before the body of a here-document"));
        }
        self.depth -= 1;
        whole.parts = vec![Part::Dynamic];
        Ok(whole)
    }

    fn array_blanks(&mut self) {
        self.blanks();
        while self.peek() == b'\n' {
            self.pos += 1;
            self.blanks();
        }
    }

    fn element_with_subscript(&mut self, whole: &mut Builder) -> Step {
        self.subscript()?;
        self.pos += usize::from(self.peek() == b'+');
        if self.peek() != b'=' {
            return Err(self.construct("an element of an array that starts with ["));
        }
        self.pos += 1;
        self.element(whole, Place::Value)
    }

    fn element(&mut self, whole: &mut Builder, place: Place) -> Step {
        let word = self.word(place)?;
        if word.may_expand_braces() && word.substitutes {
            return Err(self.construct("a substitution or $ in a brace expansion"));
        }
        whole.substitutes |= word.substitutes;
        whole.not_a_number |= word.not_a_number;
        Ok(())
    }

    /// Reads `NAME=( … )` after a builtin that declares, if one stands here.
    pub(super) fn declared_array(&mut self, index: usize) -> Step<bool> {
        let start = self.pos;
        let end = self.name_end(start);
        let append = usize::from(self.at(end) == b'+');
        if end == start || self.at(end + append) != b'=' || self.at(end + append + 1) != b'(' {
            return Ok(false);
        }
        let command = self.script.commands.get(index);
        let declares = command.is_some_and(|command| match command.words.first() {
            Some(word) if word.span.start == command.span.start => declares(self.slice(word.span.start, word.span.end)),
            _ => false,
        });
        if !declares {
            return Ok(false);
        }
        self.pos = end + append + 1;
        let value = self.array(start)?;
        self.values.give(self.text.get(start..end).unwrap_or(""), !value.not_a_number);
        let span = Span { start, end: self.pos };
        if let Some(command) = self.script.commands.get_mut(index) {
            let name = Part::Text(self.text.get(start..end + append + 1).unwrap_or("").to_owned());
            command.words.push(Word { parts: vec![name, Part::Dynamic], span });
            command.span.end = span.end;
        }
        Ok(true)
    }
}

/// Whether a builtin takes assignments as arguments.
pub(super) fn declares(name: &str) -> bool {
    among("declare typeset local export readonly", name)
}
