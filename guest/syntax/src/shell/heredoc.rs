//! Here-documents: announced by `<<` on a line, their bodies follow it.

use super::quotes::Quoted;
use super::word::Builder;
use super::{Parser, Step};
use crate::script::{Command, Language, Part, Span, Target};
use crate::text::{at, holds, pieces};

/// What is taken off the front of each line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Strip {
    Nothing,
    /// `<<-`.
    Tabs,
}

/// A here-document whose body has not been read yet.
#[derive(Debug)]
pub(super) struct Pending {
    command: usize,
    redirection: usize,
    delimiter: String,
    /// Whether the delimiter was quoted, so that the body is taken as it is.
    literal: bool,
    strip: Strip,
}

/// The lines of a body.
struct Lines {
    start: usize,
    end: usize,
    /// Where the text goes on after the delimiter.
    after: usize,
}

impl Parser<'_> {
    /// Reads the delimiter after `<<`.
    pub(super) fn announce_heredoc(&mut self, command: usize, strip: Strip) -> Step {
        let mut delimiter = Builder::new(self.pos);
        if self.ends_word(self.pos) {
            return Err(self.syntax("a here-document without a delimiter"));
        }
        while !self.ends_word(self.pos) {
            match self.peek() {
                b'\'' => self.single_quotes(&mut delimiter)?,
                b'"' => self.plain_double_quotes(&mut delimiter)?,
                b'\\' if !self.is_continuation(self.pos) => self.escape(&mut delimiter),
                b'$' | b'`' | b'\\' => {
                    return Err(self.construct("a here-document's delimiter with $, ` or a continued line"));
                }
                _ => {
                    let run = self.pos;
                    while !self.ends_word(self.pos) && !matches!(self.peek(), b'\'' | b'"' | b'\\' | b'$' | b'`') {
                        self.pos += 1;
                    }
                    delimiter.text(self.text.get(run..self.pos).unwrap_or(""));
                }
            }
        }
        if matches!(self.peek(), b'<' | b'>') && self.peek_after(1) == b'(' {
            return Err(self.construct("a process substitution joined to a delimiter"));
        }
        let Some(text) = delimiter.literal().filter(|text| !holds(text, "\n")) else {
            return Err(self.construct("a here-document's delimiter that is no plain text"));
        };
        let redirection = self.script.commands.get(command).map_or(0, |command| command.redirections.len());
        let pending = Pending { command, redirection, delimiter: text.to_owned(), literal: delimiter.quoted, strip };
        self.heredocs.push(pending);
        Ok(())
    }

    /// Reads `"…"` without any expansion.
    fn plain_double_quotes(&mut self, word: &mut Builder) -> Step {
        word.quoted = true;
        let start = self.pos + 1;
        let mut end = start;
        while !matches!(self.at(end), 0 | b'"') {
            if matches!(self.at(end), b'$' | b'`' | b'\\') {
                return Err(self.construct("a here-document's delimiter with $, ` or \\ in quotes"));
            }
            end += 1;
        }
        if self.at(end) == 0 {
            return Err(self.syntax("a \" that is not closed"));
        }
        word.text(self.text.get(start..end).unwrap_or(""));
        self.pos = end + 1;
        Ok(())
    }

    /// Reads the bodies of all here-documents announced; the position is the start of a line.
    pub(super) fn read_heredocs(&mut self) -> Step {
        self.heredoc_in_substitution |= self.substitutions > 0;
        for pending in std::mem::take(&mut self.heredocs) {
            let lines = self.find_body(&pending)?;
            let body = if pending.literal { self.literal_body(&pending, &lines) } else { self.body(&pending, &lines)? };
            self.pos = lines.after;
            let command = self.script.commands.get_mut(pending.command);
            if let Some(redirection) = command.and_then(|command| command.redirections.get_mut(pending.redirection)) {
                let span = Span { start: lines.start, end: lines.end };
                redirection.target = Target::Body(crate::script::Word { parts: body, span });
            }
        }
        Ok(())
    }

    /// Finds the line that ends a body.
    fn find_body(&mut self, pending: &Pending) -> Step<Lines> {
        let start = self.pos.min(self.end);
        let mut line = start;
        // Whether the line before ended in a backslash: bash then takes this one as its continuation.
        let mut continued = false;
        while line < self.end {
            let rest = self.text.get(line..self.end).unwrap_or("");
            let length = at(rest, b'\n').unwrap_or(rest.len());
            let text = rest.get(..length).unwrap_or("");
            let compared = if pending.strip == Strip::Tabs { untabbed(text) } else { text };
            let next = (line + length + 1).min(self.end);
            if compared == pending.delimiter && !continued {
                return Ok(Lines { start, end: line, after: next });
            }
            self.refuse_doubtful_line(pending, compared, continued, line)?;
            continued = !pending.literal && ends_in_backslash(text);
            line = next;
        }
        if self.substitutions > 0 || self.language == Language::Zsh {
            return Err(self.construct("a here-document without its delimiter"));
        }
        Ok(Lines { start, end: self.end, after: self.end })
    }

    /// Refuses lines that some shell, somewhere, may take for the delimiter.
    fn refuse_doubtful_line(&mut self, pending: &Pending, line: &str, continued: bool, at: usize) -> Step {
        let delimiter = pending.delimiter.as_str();
        let joined = !pending.literal && ends_in_backslash(line);
        let what = if continued && line == delimiter {
            "a here-document's delimiter after a continued line"
        } else if joined && delimiter.starts_with(without_backslashes(line)) {
            "a continued line that may become a here-document's delimiter"
        } else if self.substitutions > 0 && !delimiter.is_empty() && line.starts_with(delimiter) {
            "a line that starts with the delimiter, in a here-document inside a substitution"
        } else {
            return Ok(());
        };
        self.pos = at;
        Err(self.construct(what))
    }

    fn literal_body(&self, pending: &Pending, lines: &Lines) -> Vec<Part> {
        let text = self.slice(lines.start, lines.end);
        if text.is_empty() {
            return Vec::new();
        }
        vec![Part::Text(match pending.strip {
            Strip::Nothing => text.to_owned(),
            Strip::Tabs => untabbed_lines(text),
        })]
    }

    /// Reads what a body that is not quoted expands, as if inside the command it belongs to.
    fn body(&mut self, pending: &Pending, lines: &Lines) -> Step<Vec<Part>> {
        let mut word = Builder::new(lines.start);
        let first = self.script.commands.len();
        let (end, scope, pipe) = (self.end, self.scope, self.pipe);
        let mut nesting = Vec::new();
        if let Some(command) = self.script.commands.get(pending.command) {
            nesting.clone_from(&command.nesting);
            (self.scope, self.pipe) = (command.scope, command.pipe);
        }
        std::mem::swap(&mut self.nesting, &mut nesting);
        self.pos = lines.start;
        self.end = lines.end;
        self.quoted_text(&mut word, Quoted::Body)?;
        if self.pos < self.end {
            return Err(self.syntax("what a here-document's body cannot hold"));
        }
        (self.end, self.scope, self.pipe, self.nesting) = (end, scope, pipe, nesting);
        let inside = self.script.commands.get(first..).unwrap_or_default();
        let stripped = |command: &Command| {
            let text = self.slice(command.span.start, command.span.end);
            text.as_bytes().windows(2).any(|pair| pair == b"\n\t")
        };
        if pending.strip == Strip::Tabs && inside.iter().any(stripped) {
            return Err(self.construct("tabs that <<- takes off inside a substitution"));
        }
        // The tabs inside an expansion make what remains of the lines uncertain.
        if pending.strip == Strip::Tabs && holds(self.slice(lines.start, lines.end), "\t") {
            return Ok(vec![Part::Dynamic]);
        }
        Ok(word.parts)
    }
}

/// A line without the tabs it begins with.
fn untabbed(line: &str) -> &str {
    let tabs = line.bytes().take_while(|byte| *byte == b'\t').count();
    line.get(tabs..).unwrap_or("")
}

fn untabbed_lines(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (index, line) in pieces(text, b'\n').enumerate() {
        if index > 0 {
            out.push('\n');
        }
        out.push_str(untabbed(line));
    }
    out
}

/// A line without the backslashes it ends in.
fn without_backslashes(line: &str) -> &str {
    let kept = line.bytes().rposition(|byte| byte != b'\\').map_or(0, |at| at + 1);
    line.get(..kept).unwrap_or("")
}

fn ends_in_backslash(line: &str) -> bool {
    line.bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1
}
