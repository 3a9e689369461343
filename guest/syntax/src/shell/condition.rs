//! Conditions: `[[ … ]]`.

use super::cursor::is_name_start;
use super::word::{Builder, Place};
use super::{Parser, Step};
use crate::script::{Nesting, Part};
use crate::text::among;

/// What an operator of two operands does with them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Comparison {
    /// `<`, `-nt` and others that take them as text.
    Text,
    /// `=`, `==`, `!=`: the second is a pattern.
    Pattern,
    /// `=~`: the second is a regular expression.
    Expression,
    /// `-eq` and its kin: both are evaluated as arithmetic.
    Number,
}

impl Parser<'_> {
    /// Reads `[[ … ]]`.
    pub(super) fn condition(&mut self) -> Step {
        self.pos += 2;
        self.enter(Nesting::Condition)?;
        self.condition_list()?;
        self.leave();
        if !self.condition_closes() {
            return Err(self.syntax("a [[ that is not closed"));
        }
        self.pos += 2;
        Ok(())
    }

    fn condition_closes(&self) -> bool {
        self.peek() == b']' && self.peek_after(1) == b']' && self.ends_word(self.pos + 2)
    }

    /// Whether a test ends here.
    fn test_ends(&self) -> bool {
        matches!((self.peek(), self.peek_after(1)), (b'&', b'&') | (b'|', b'|') | (b')' | 0, _))
            || self.condition_closes()
    }

    fn condition_list(&mut self) -> Step {
        loop {
            self.condition_newlines()?;
            while self.peek() == b'!' && matches!(self.peek_after(1), b' ' | b'\t') {
                self.pos += 1;
                self.blanks();
            }
            if self.peek() == b'(' {
                self.descend()?;
                self.pos += 1;
                self.condition_list()?;
                if self.peek() != b')' {
                    return Err(self.syntax("a ( in [[ ]] that is not closed"));
                }
                self.pos += 1;
                self.depth -= 1;
            } else {
                self.test()?;
            }
            self.condition_newlines()?;
            match (self.peek(), self.peek_after(1)) {
                (b'&', b'&') | (b'|', b'|') => self.pos += 2,
                _ => return Ok(()),
            }
        }
    }

    fn condition_newlines(&mut self) -> Step {
        self.blanks();
        if self.peek() == b'\n' && !self.heredocs.is_empty() {
            return Err(self.construct("a line end inside [[ ]], before the body of a here-document"));
        }
        self.newlines()
    }

    /// Reads one test: a word, an operator and a word, or two words around an operator.
    fn test(&mut self) -> Step {
        let first = self.operand()?;
        self.blanks();
        let unary = !first.quoted && first.literal().is_some_and(is_unary);
        if unary && self.test_ends() {
            return Err(self.syntax("an operator of [[ ]] without an operand"));
        }
        if unary {
            let operand = self.operand()?;
            if first.literal().is_some_and(|text| among("-v -R", text)) && !operand.literal().is_some_and(is_plain_name)
            {
                return Err(self.construct("-v with a name that is not plain, which bash evaluates"));
            }
            return Ok(());
        }
        if self.test_ends() || self.peek() == b'\n' {
            return Ok(());
        }
        let comparison = self.comparison()?;
        self.blanks();
        match comparison {
            Comparison::Text => {
                self.operand()?;
            }
            Comparison::Pattern => self.patterned_operand(false)?,
            Comparison::Expression => self.patterned_operand(true)?,
            Comparison::Number => {
                self.evaluated_operand(&first)?;
                let second = self.operand()?;
                self.evaluated_operand(&second)?;
            }
        }
        Ok(())
    }

    fn operand(&mut self) -> Step<Builder> {
        let start = self.pos;
        let word = self.word(Place::Pattern)?;
        if self.pos == start || (start + 2 == self.pos && self.slice(start, self.pos) == "]]") {
            self.pos = start;
            return Err(self.syntax("an operand of [[ ]] is missing"));
        }
        Ok(word)
    }

    fn comparison(&mut self) -> Step<Comparison> {
        if matches!(self.peek(), b'<' | b'>') {
            self.pos += 1;
            if matches!(self.peek(), b'(' | b'<' | b'>' | b'&' | b'|' | b'\\') {
                return Err(self.construct("a redirection inside [[ ]]"));
            }
            return Ok(Comparison::Text);
        }
        let start = self.pos;
        while !self.ends_word(self.pos) {
            self.pos += 1;
        }
        match self.slice(start, self.pos) {
            "=" | "==" | "!=" => Ok(Comparison::Pattern),
            "=~" => Ok(Comparison::Expression),
            "-nt" | "-ot" | "-ef" => Ok(Comparison::Text),
            "-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge" => Ok(Comparison::Number),
            _ => Err(self.syntax("an operator that [[ ]] does not have")),
        }
    }

    /// Reads a word that may hold groups in parentheses: `@(a|b)`, or those of a regular expression.
    fn patterned_operand(&mut self, expression: bool) -> Step {
        let start = self.pos;
        let mut word = Builder::new(start);
        loop {
            self.word_into(&mut word, Place::Pattern)?;
            match self.peek() {
                b'(' if expression || self.pattern_group_starts(start) => {
                    self.not_in_zsh("a group in a pattern")?;
                    self.group_in_pattern()?;
                }
                b'|' if expression && self.peek_after(1) != b'|' => self.pos += 1,
                _ if self.pos == start => return Err(self.syntax("an operand of [[ ]] is missing")),
                b'|' | b'&' if !self.condition_blank_before() => {
                    return Err(self.construct("a sign joined to a pattern"));
                }
                _ => return Ok(()),
            }
        }
    }

    fn condition_blank_before(&self) -> bool {
        matches!(self.at(self.pos.wrapping_sub(1)), b' ' | b'\t')
    }

    /// Whether the `(` here follows one of the signs that make it a group of a pattern.
    fn pattern_group_starts(&self, start: usize) -> bool {
        let sign = self.pos > start && matches!(self.at(self.pos - 1), b'@' | b'?' | b'*' | b'+' | b'!');
        sign && (self.pos < start + 2 || self.at(self.pos - 2) != b'\\')
    }

    /// Reads `( … )` in a pattern, of which only plain signs are understood.
    fn group_in_pattern(&mut self) -> Step {
        let mut open = 0_u32;
        loop {
            match self.peek() {
                b'(' => open += 1,
                b')' => open -= 1,
                b'\\' if self.peek_after(1).is_ascii_graphic() => self.pos += 1,
                b'$' if matches!(self.peek_after(1), b')' | b'|') => {}
                byte if byte.is_ascii_alphanumeric() => {}
                b'_' | b'.' | b'*' | b'?' | b'+' | b'^' | b'|' | b'[' | b']' | b':' | b'/' | b',' | b'=' | b'@'
                | b'!' | b'%' | b'-' | b'{' | b'}' => {}
                0 => return Err(self.syntax("a ( in a pattern that is not closed")),
                _ => return Err(self.construct("a group of a pattern with more than plain signs")),
            }
            self.pos += 1;
            if open == 0 {
                return Ok(());
            }
        }
    }

    /// Refuses an operand that bash would evaluate when its value is not known to be a number.
    fn evaluated_operand(&mut self, word: &Builder) -> Step {
        if !word.not_a_number {
            return Ok(());
        }
        let name = match word.parts.as_slice() {
            [Part::Text(text)] if is_plain_name(text) => Some(text.clone()),
            [Part::Text(text)] if text.strip_prefix('-').is_some_and(super::values::is_number) => return Ok(()),
            [Part::Variable(name)] => Some(name.clone()),
            [Part::Dynamic] => self.plain_variable(word.start).map(str::to_owned),
            _ => None,
        };
        match name {
            Some(name) => {
                self.values.evaluate(&name, word.start);
                Ok(())
            }
            None => Err(self.construct("a comparison of numbers with a value that bash would evaluate")),
        }
    }

    /// The name, when `$name` or `${name}` and nothing else stands at a position.
    pub(super) fn plain_variable(&self, start: usize) -> Option<&str> {
        if self.at(start) != b'$' {
            return None;
        }
        let braced = self.at(start + 1) == b'{';
        let name = start + 1 + usize::from(braced);
        let end = self.name_end(name);
        let ends = if braced { self.at(end) == b'}' && self.ends_word(end + 1) } else { self.ends_word(end) };
        (end > name && ends).then(|| self.slice(name, end))
    }
}

fn is_unary(word: &str) -> bool {
    matches!(word.as_bytes(), [b'-', letter] if letter.is_ascii_alphabetic())
}

pub(super) fn is_plain_name(word: &str) -> bool {
    word.bytes().next().is_some_and(is_name_start) && word.bytes().all(super::cursor::is_name)
}
