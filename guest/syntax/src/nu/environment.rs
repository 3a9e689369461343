//! Variables: `NAME=value` before a command, `$env.NAME = …`, `with-env`, `load-env`.

use super::cursor::is_name;
use super::pipeline::Ended;
use super::word::Words;
use super::{Parser, Step};
use crate::script::{Command, Span};

impl Parser<'_> {
    /// Reads one `NAME=value` that stands before a command.
    pub(super) fn shorthand(&mut self) -> Step<bool> {
        let start = self.pos;
        let mut end = start;
        while is_name(self.at(end)) {
            end += 1;
        }
        if end == start || self.at(start).is_ascii_digit() || self.at(end) != b'=' {
            return Ok(false);
        }
        let name = self.slice(start, end).to_owned();
        self.pos = end + 1;
        let value = if self.ends_word(self.pos) {
            crate::script::Word { parts: Vec::new(), span: Span { start: self.pos, end: self.pos } }
        } else {
            self.word(Words::Value)?
        };
        let assignment = self.assignment(&name, value)?;
        self.pending.push(assignment);
        Ok(true)
    }

    /// Makes a command of variables that no command took.
    pub(super) fn flush(&mut self, start: usize) {
        if !self.pending.is_empty() {
            let assignments = std::mem::take(&mut self.pending);
            let span = Span { start, end: self.pos };
            let nesting = self.nesting.clone();
            self.script.commands.push(Command { assignments, span, nesting, ..Command::default() });
        }
    }

    /// Reads an expression that begins with `$`: an assignment, when `=` follows.
    pub(super) fn dollar_element(&mut self) -> Step<Ended> {
        let start = self.pos;
        self.word(Words::Value)?;
        let target = self.slice(start, self.pos);
        self.blanks()?;
        let sign = self.pos;
        self.run_of(|byte| matches!(byte, b'+' | b'-' | b'*' | b'/' | b'='));
        let operator = self.slice(sign, self.pos);
        let assigns = matches!(operator, "=" | "+=" | "-=" | "*=" | "/=" | "++=") && self.ends_word(self.pos);
        if !assigns {
            self.pos = sign;
            return self.value_element();
        }
        if target.starts_with("$env") {
            self.set(target)?;
        }
        self.flush(start);
        self.blanks()?;
        self.nested_element()
    }

    /// `$env.NAME.part = …`.
    fn set(&mut self, target: &str) -> Step {
        let path = target.strip_prefix("$env.").unwrap_or_default();
        let name = path.split('.').next().unwrap_or_default().trim_end_matches(['?', '!']);
        if name.is_empty() || !name.bytes().all(|byte| is_name(byte) || byte == b'-') {
            return Err(self.construct("a variable of the environment that is not named here"));
        }
        let name = name.to_owned();
        let word = self.dynamic(self.pos);
        let assignment = self.assignment(&name, word)?;
        self.pending.push(assignment);
        Ok(())
    }
}
