//! Calls: a command with its arguments and redirections.

use super::pipeline::Ended;
use super::word::Words;
use super::{Parser, Step, tables};
use crate::script::{Command, Operator, Part, Redirection, Span, Target, Via, What, Word};
use crate::unwrap::words::is;

impl Parser<'_> {
    /// Reads the arguments of a program or function, and lists it.
    pub(super) fn call(&mut self, head: Word, words: Words) -> Step<Ended> {
        if let (Words::Program { caret: false }, Some(name)) = (words, head.literal()) {
            let given = name.into_owned();
            let before = std::mem::replace(&mut self.doubtful, false);
            let index = self.open(head);
            let ended = self.arguments(words, Some(index))?;
            if self.doubtful {
                self.doubted.insert(given);
            }
            self.doubtful = before;
            return Ok(ended);
        }
        let index = self.open(head);
        self.arguments(words, Some(index))
    }

    /// Reads a call of one of nu's own commands.
    pub(super) fn command(&mut self, name: &str, head: Word) -> Step<Ended> {
        match name {
            "with-env" | "load-env" => {
                self.blanks()?;
                let assignments = self.variables()?;
                self.pending.extend(assignments);
                self.flush(head.span.start);
                return self.arguments(Words::Command, None);
            }
            "history" => {
                self.blanks()?;
                if !self.ends_word(self.pos) {
                    return Err(self.construct("history with words after it"));
                }
            }
            _ => {}
        }
        self.blanks()?;
        if tables::is_pure(name, self.keyword()) {
            return self.arguments(Words::Command, None);
        }
        let index = self.open(head);
        let ended = self.arguments(Words::Command, Some(index))?;
        match name {
            "run-external" => self.unwrap_external(index)?,
            "save" => self.saves(index),
            _ => {}
        }
        Ok(ended)
    }

    /// Makes a place for a command, so that those inside its words come after it.
    pub(super) fn open(&mut self, head: Word) -> usize {
        let span = head.span;
        let assignments = std::mem::take(&mut self.pending);
        let nesting = self.nesting.clone();
        self.script.commands.push(Command { assignments, words: vec![head], span, nesting, ..Command::default() });
        self.script.commands.len() - 1
    }

    /// Reads words up to where the element ends, and gives them to a command if there is one.
    pub(super) fn arguments(&mut self, words: Words, mut index: Option<usize>) -> Step<Ended> {
        loop {
            self.blanks()?;
            if self.ends_word(self.pos) {
                return Ok(Ended::Statement);
            }
            let start = self.pos;
            if let Some((operator, descriptor, piped)) = self.redirection_sign()? {
                if piped {
                    return Ok(Ended::Pipe);
                }
                self.blanks()?;
                if self.ends_word(self.pos) {
                    return Err(self.syntax("a redirection without its file"));
                }
                // A path is read as nu's own commands read theirs.
                let file = self.word(Words::Command)?;
                let index = *index.get_or_insert_with(|| self.open_unnamed(start));
                let span = Span { start, end: self.pos };
                let redirection = Redirection { descriptor, operator, target: Target::File(file), span };
                self.extend(index, |command| command.redirections.push(redirection));
                continue;
            }
            let word = self.word(words)?;
            if let Some(index) = index {
                self.extend(index, |command| command.words.push(word));
            }
        }
    }

    fn extend(&mut self, index: usize, add: impl FnOnce(&mut Command)) {
        let end = self.pos;
        if let Some(command) = self.script.commands.get_mut(index) {
            add(command);
            command.span.end = end;
        }
    }

    /// Makes a command for the redirections of what is none.
    fn open_unnamed(&mut self, start: usize) -> usize {
        let nesting = self.nesting.clone();
        let span = Span { start, end: self.pos };
        self.script.commands.push(Command { span, nesting, ..Command::default() });
        self.script.commands.len() - 1
    }

    /// Reads `o>`, `e>>`, `out+err>|` and their like; tells whether it was a pipe.
    fn redirection_sign(&mut self) -> Step<Option<(Operator, Option<u32>, bool)>> {
        let start = self.pos;
        let mut end = start;
        while self.at(end).is_ascii_lowercase() || self.at(end) == b'+' {
            end += 1;
        }
        let (both, descriptor) = match self.slice(start, end) {
            "o" | "out" => (false, None),
            "e" | "err" => (false, Some(2)),
            "o+e" | "e+o" | "out+err" | "err+out" => (true, None),
            _ => return Ok(None),
        };
        if self.at(end) != b'>' {
            return Ok(None);
        }
        let append = self.at(end + 1) == b'>';
        let after = end + 1 + usize::from(append);
        if self.at(after) == b'|' && self.at(after + 1) != b'|' && !append && (both || descriptor.is_some()) {
            self.pos = after + 1;
            return Ok(Some((Operator::Write, None, true)));
        }
        if !matches!(self.at(after), b' ' | b'\t') {
            return Err(self.construct("a redirection that is not modelled"));
        }
        self.pos = after;
        let operator = match (both, append) {
            (false, false) => Operator::Write,
            (false, true) => Operator::Append,
            (true, false) => Operator::WriteBoth,
            (true, true) => Operator::AppendBoth,
        };
        Ok(Some((operator, descriptor, false)))
    }

    /// `run-external name …` is `^name …`.
    fn unwrap_external(&mut self, index: usize) -> Step {
        let Some(command) = self.script.commands.get_mut(index) else { return Ok(()) };
        if let Some(word) = command.words.iter().find(|word| is(word, "--")) {
            let span = word.span;
            return Err(self.stop_at(span, What::Construct("a -- given to run-external, which drops it")));
        }
        if command.words.len() > 1 {
            command.words.remove(0);
        }
        command.via.push(Via { wrapper: "run-external".to_owned() });
        let Some(first) = command.words.first() else { return Ok(()) };
        let computed = first.parts.iter().any(|part| matches!(part, Part::Dynamic | Part::Glob(_) | Part::Variable(_)));
        let span = first.span;
        if computed { Err(self.stop_at(span, What::DynamicProgram)) } else { Ok(()) }
    }

    /// `save file` is a write to a file, like a redirection.
    fn saves(&mut self, index: usize) {
        let Some(command) = self.script.commands.get_mut(index) else { return };
        let mut operator = Operator::Write;
        let mut written = Vec::new();
        for word in command.words.iter().skip(1) {
            match word.parts.first() {
                Some(Part::Text(text)) if text.starts_with('-') => {
                    if text == "--append" || !text.starts_with("--") && text.contains('a') {
                        operator = Operator::Append;
                    }
                }
                _ => written.push(word.clone()),
            }
        }
        for word in written {
            let span = word.span;
            command.redirections.push(Redirection { descriptor: None, operator, target: Target::File(word), span });
        }
    }
}
