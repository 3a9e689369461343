//! Statements and pipelines.

use super::{Context, Parser, Step};
use crate::script::{Command, Nesting, Part, Pipe};

/// What ended an element of a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// The end of the statement, not yet read.
    Statement,
    /// A pipe, which has been read.
    Pipe,
}

impl Parser<'_> {
    /// Reads statements up to a closing bracket or the end.
    pub(super) fn statements(&mut self) -> Step {
        loop {
            self.assigned &= self.peek() != b';';
            self.separators()?;
            if matches!(self.peek(), 0 | b')' | b']' | b'}') {
                return Ok(());
            }
            self.pipeline()?;
        }
    }

    /// Reads one pipeline.
    fn pipeline(&mut self) -> Step {
        let first = self.script.commands.len();
        let depth = self.nesting.len();
        // Numbered when a second element shows up.
        let mut number = None;
        let mut position = 0;
        loop {
            let start = self.script.commands.len();
            let ended = self.element()?;
            if let Some(pipeline) = number {
                self.place(start, Pipe { pipeline, position }, depth);
            }
            if ended == Ended::Statement && !self.pipe()? {
                return Ok(());
            }
            if number.is_none() {
                number = Some(self.pipelines);
                self.place(first, Pipe { pipeline: self.pipelines, position: 0 }, depth);
                self.pipelines += 1;
            }
            position += 1;
            self.lines()?;
        }
    }

    /// Takes the pipe that follows, on this line or at the start of a later one.
    fn pipe(&mut self) -> Step<bool> {
        self.blanks()?;
        if self.peek() == b'\n' && self.context == Context::Lines {
            self.lines()?;
        }
        match self.peek() {
            b'|' if self.peek_after(1) == b'|' => Err(self.syntax("nu has no ||")),
            b'|' => {
                self.pos += 1;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// Says of the commands from an index on that they stand in a pipeline.
    fn place(&mut self, from: usize, pipe: Pipe, depth: usize) {
        let (bytes, commands) = (self.bytes, &mut self.script.commands);
        for command in commands.iter_mut().skip(from) {
            command.pipe = command.pipe.or(Some(pipe));
            command.nesting.insert(depth.min(command.nesting.len()), Nesting::Pipeline);
            hide_values(command, bytes);
        }
    }
}

/// `echo` gives a value and not a text, so that what a program reads of it is known for one quoted string only.
fn hide_values(command: &mut Command, text: &[u8]) {
    let Some((head, arguments)) = command.words.split_first_mut() else { return };
    if !matches!(head.parts.as_slice(), [Part::Text(name)] if name == "echo") {
        return;
    }
    let quoted = |start: usize| matches!(text.get(start), Some(b'"' | b'\''));
    if !matches!(arguments, [word] if quoted(word.span.start)) {
        arguments.iter_mut().for_each(|word| word.parts = vec![Part::Dynamic]);
    }
}
