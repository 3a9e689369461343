//! Function definitions.

use super::reserved::Reserved;
use super::{Parser, Step};
use crate::script::{Language, Nesting, Part};

impl Parser<'_> {
    /// Reads `()` and a body after the word that was taken for a program.
    pub(super) fn function_after_name(&mut self, index: usize) -> Step {
        let command = self.script.commands.get(index);
        let name = command.and_then(|command| match (command.words.as_slice(), command.span) {
            ([word], span) if command.assignments.is_empty() && command.redirections.is_empty() => {
                let text = self.slice(word.span.start, word.span.end);
                let plain = matches!(word.parts.as_slice(), [Part::Text(read)] if read == text);
                (plain && word.span.start == span.start).then(|| text.to_owned())
            }
            _ => None,
        });
        let Some(name) = name else {
            return Err(self.syntax("a ( after a word"));
        };
        // What was read as a command was the start of a definition; nothing stands inside it.
        self.script.commands.truncate(index);
        self.pos += 1;
        self.blanks();
        if self.peek() != b')' {
            return Err(self.syntax("a ( after a word"));
        }
        self.pos += 1;
        self.define(name)
    }

    /// Reads `function name` with or without `()`, and the body.
    pub(super) fn function_word(&mut self) -> Step {
        self.not_in_sh("function")?;
        self.not_in_zsh("function")?;
        self.take_reserved(Reserved::Function);
        self.blanks();
        let start = self.pos;
        while !self.ends_word(self.pos) {
            self.pos += 1;
        }
        let name = self.slice(start, self.pos).to_owned();
        self.blanks();
        if self.peek() == b'(' {
            self.pos += 1;
            self.blanks();
            if self.peek() != b')' {
                return Err(self.construct("a subshell as the body of a function without ()"));
            }
            self.pos += 1;
        }
        self.define(name)
    }

    fn define(&mut self, name: String) -> Step {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        let more = |byte: u8| plain(byte) || (self.language == Language::Bash && matches!(byte, b'-' | b'.' | b':'));
        let starts = name.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_');
        if !starts || !name.bytes().all(more) {
            return Err(self.construct("a function's name with more than letters, digits and _ - . :"));
        }
        self.script.functions.push(name);
        self.newlines()?;
        self.enter(Nesting::Function)?;
        match (self.peek(), self.reserved()) {
            (b'(', _) => self.parenthesis()?,
            (_, Some(word)) if word.starts_compound() => self.compound(word)?,
            _ => return Err(self.construct("a function whose body is no group, subshell or other compound command")),
        };
        self.leave();
        Ok(())
    }
}
