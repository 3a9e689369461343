//! Redirections.

use super::heredoc::Strip;
use super::values::{is_number, number};
use super::word::Place;
use super::{Parser, Step};
use crate::script::{Language, Operator, Part, Redirection, Span, Target, Word};

impl Parser<'_> {
    /// Reads a redirection for the command at an index, if one stands here.
    pub(super) fn redirection(&mut self, command: usize) -> Step<bool> {
        let start = self.pos;
        let Some(descriptor) = self.descriptor()? else { return Ok(false) };
        let operator = self.redirection_operator()?;
        self.blanks();
        let target = match operator {
            Sign::Duplicate(byte) => self.duplicate(byte)?,
            Sign::HereDocument(strip) => {
                self.announce_heredoc(command, strip)?;
                (Operator::HereDocument, Target::Body(Word::default()))
            }
            Sign::Plain(Operator::HereString) => (Operator::HereString, Target::Body(self.target_word()?)),
            Sign::Plain(operator) => (operator, Target::File(self.target_word()?)),
        };
        let span = Span { start, end: self.pos };
        let redirection = Redirection { descriptor, operator: target.0, target: target.1, span };
        if let Some(command) = self.script.commands.get_mut(command) {
            command.redirections.push(redirection);
            command.span.end = self.pos;
        }
        Ok(true)
    }

    /// Reads the descriptor before an operator; none at all when no redirection stands here.
    fn descriptor(&mut self) -> Step<Option<Option<u32>>> {
        match self.peek() {
            b'<' | b'>' => {
                let substitutes = self.peek_after(1) == b'(';
                Ok((!substitutes).then_some(None))
            }
            b'&' if self.peek_after(1) == b'>' => {
                self.not_in_sh("&>")?;
                Ok(Some(None))
            }
            b'0'..=b'9' => self.descriptor_number(),
            b'{' => self.descriptor_variable(),
            _ => Ok(None),
        }
    }

    fn descriptor_number(&mut self) -> Step<Option<Option<u32>>> {
        let start = self.pos;
        let mut end = start;
        while self.at(end).is_ascii_digit() {
            end += 1;
        }
        if !matches!(self.at(end), b'<' | b'>') {
            if self.is_continuation(end) {
                return Err(self.construct("a line continued after a number"));
            }
            return Ok(None);
        }
        if self.at(end + 1) == b'(' {
            return Err(self.construct("a number joined to a process substitution"));
        }
        let number = number(self.slice(start, end)).filter(|number| *number < 1024);
        if self.language != Language::Bash && end - start > 1 {
            return Err(self.dialect("a descriptor of more than one digit"));
        }
        let Some(number) = number else {
            return Err(self.construct("a descriptor that is no small number"));
        };
        self.pos = end;
        Ok(Some(Some(number)))
    }

    /// Reads `{name}` before an operator: the shell chooses the descriptor.
    fn descriptor_variable(&mut self) -> Step<Option<Option<u32>>> {
        let end = self.name_end(self.pos + 1);
        if end > self.pos + 1 && self.at(end) == b'[' {
            return Err(self.construct("a { and an element of an array, which may be a descriptor"));
        }
        let closed = end > self.pos + 1 && self.at(end) == b'}' && matches!(self.at(end + 1), b'<' | b'>');
        if !closed || self.at(end + 2) == b'(' {
            return Ok(None);
        }
        self.not_in_sh("a descriptor in braces")?;
        self.pos = end + 1;
        Ok(Some(None))
    }

    fn redirection_operator(&mut self) -> Step<Sign> {
        let rest = self.rest();
        let (sign, length): (Sign, usize) = match rest {
            [b'&', b'>', b'>', ..] => (Sign::Plain(Operator::AppendBoth), 3),
            [b'&', b'>', ..] => (Sign::Plain(Operator::WriteBoth), 2),
            [b'<', b'<', b'<', ..] => (Sign::Plain(Operator::HereString), 3),
            [b'<', b'<', b'-', ..] => (Sign::HereDocument(Strip::Tabs), 3),
            [b'<', b'<', ..] => (Sign::HereDocument(Strip::Nothing), 2),
            [b'<', b'&', ..] => (Sign::Duplicate(b'<'), 2),
            [b'>', b'&', ..] => (Sign::Duplicate(b'>'), 2),
            [b'<', b'>', ..] => (Sign::Plain(Operator::ReadWrite), 2),
            [b'>', b'>', ..] => (Sign::Plain(Operator::Append), 2),
            [b'>', b'|', ..] => (Sign::Plain(Operator::Write), 2),
            [b'<', ..] => (Sign::Plain(Operator::Read), 1),
            _ => (Sign::Plain(Operator::Write), 1),
        };
        if matches!(sign, Sign::Plain(Operator::HereString)) {
            self.not_in_sh("<<<")?;
        }
        self.pos += length;
        self.operator_ends(b"<>&|-(!")?;
        if self.language == Language::Zsh
            && matches!(self.peek(), b'!' | b'|' | b'0'..=b'9' | b'-')
            && !matches!(sign, Sign::Duplicate(_))
        {
            return Err(self.dialect("a sign or number joined to a redirection"));
        }
        Ok(sign)
    }

    /// Reads the word after an operator.
    fn target_word(&mut self) -> Step<Word> {
        if self.ends_word(self.pos) && !(matches!(self.peek(), b'<' | b'>') && self.peek_after(1) == b'(') {
            return Err(self.syntax("a redirection without a target"));
        }
        let word = self.word(Place::Argument)?;
        let expands = word.may_expand_braces();
        let mut word = word.finish(self.pos);
        if expands {
            self.not_in_sh("a brace expansion")?;
            word.parts = vec![Part::Dynamic];
        }
        Ok(word)
    }

    /// Reads the target of `<&` and `>&`. Bash expands one that is no number twice, whatever its quotes say.
    fn duplicate(&mut self, sign: u8) -> Step<(Operator, Target)> {
        if self.peek() == b'-' {
            self.pos += 1;
            if !self.ends_word(self.pos) || matches!(self.peek(), b'<' | b'>' | b'(') {
                return Err(self.construct("a word joined to >&- or <&-"));
            }
            return Ok((Operator::Duplicate, Target::Descriptor(None)));
        }
        let start = self.pos;
        while matches!(self.peek(), b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'.' | b'/' | b'-') {
            self.pos += 1;
        }
        let text = self.text.get(start..self.pos).unwrap_or("");
        if !self.ends_word(self.pos) || (matches!(self.peek(), b'<' | b'>') && self.peek_after(1) == b'(') {
            return Err(self.construct("a target of >& or <& that is no plain number or name"));
        }
        let digits = text.strip_suffix('-').unwrap_or(text);
        if is_number(digits) {
            let descriptor = number(digits).filter(|_| digits.len() < 4);
            if descriptor.is_none() || (self.language != Language::Bash && text.len() > 1) {
                return Err(self.construct("a descriptor that is no small number"));
            }
            return Ok((Operator::Duplicate, Target::Descriptor(descriptor)));
        }
        if text.is_empty() {
            return Err(self.syntax("a redirection without a target"));
        }
        if sign == b'<' || self.language != Language::Bash || text.starts_with(|first: char| first.is_ascii_digit()) {
            return Err(self.construct("a target of >& or <& that is no number"));
        }
        let parts = vec![Part::Text(text.to_owned())];
        let span = Span { start, end: self.pos };
        Ok((Operator::WriteBoth, Target::File(Word { parts, span })))
    }
}

/// An operator, with what decides how its target is read.
#[derive(Clone, Copy)]
enum Sign {
    Plain(Operator),
    HereDocument(Strip),
    /// `<&` or `>&`.
    Duplicate(u8),
}
