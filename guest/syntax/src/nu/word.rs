//! Words: what an argument becomes when nu has evaluated it, as far as that is known.

use super::cursor::is_name;
use super::{Parser, Step};
use crate::script::{Part, Span, What, Word};

/// Who takes a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Words {
    /// A program, to which nu passes words as text.
    Program {
        /// Whether `^` stands before it, so that it is no function.
        caret: bool,
    },
    /// A command of nu, or a function.
    Command,
    /// An operand of an expression, a condition, or a value in a list or record.
    Value,
}

/// A piece of a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// Text outside of quotes.
    Bare(String),
    /// Text that quotes kept as it is.
    Quoted(String),
    /// The home directory.
    Home,
    /// The current directory.
    Here,
    /// What cannot be known.
    Dynamic,
}

impl Parser<'_> {
    /// Reads one word.
    pub(super) fn word(&mut self, words: Words) -> Step<Word> {
        let start = self.pos;
        let pieces = self.pieces(words)?;
        if self.pos == start || !self.ends_word(self.pos) {
            return Err(self.construct("what follows this word without a blank"));
        }
        let source = self.slice(start, self.pos);
        let operand = !matches!(words, Words::Program { .. });
        if matches!(source, "=" | "+=" | "-=" | "*=" | "/=" | "++=") || operand && matches!(source, "else" | "match") {
            self.pos = start;
            return Err(self.construct("a sign or keyword in a place that is not modelled"));
        }
        if matches!(source, "&&" | "&" | "2>" | "2>&1") || !operand && matches!(source, ">" | ">>" | "1>" | "&>") {
            self.pos = start;
            return Err(self.syntax("this sign is another shell's"));
        }
        let span = Span { start, end: self.pos };
        Ok(Word { parts: finish(pieces, words), span })
    }

    fn pieces(&mut self, words: Words) -> Step<Vec<Piece>> {
        match self.peek() {
            b'$' => return self.dollar(),
            b'(' => {
                let piece = self.parenthesis()?;
                return self.tail(piece);
            }
            b'[' => {
                self.list()?;
                return self.tail(Piece::Dynamic);
            }
            b'{' => {
                let piece = self.brace(words)?;
                return self.tail(piece);
            }
            b'r' if self.peek_after(1) == b'#' => return Ok(vec![Piece::Quoted(self.raw_string()?)]),
            b'.' if self.is_spread() => {
                self.pos += 3;
                self.pieces(Words::Value)?;
                return Ok(vec![Piece::Dynamic]);
            }
            // Nu expands what stands in backticks like a bare word.
            b'`' => return Ok(vec![Piece::Bare(self.quoted()?)]),
            _ => {}
        }
        let mut pieces = Vec::new();
        while !self.ends_word(self.pos) {
            let piece = self.piece(&pieces, words)?;
            pieces.push(piece);
        }
        Ok(pieces)
    }

    /// `...$list`, `...(command)`, `...[a b]`.
    pub(super) fn is_spread(&self) -> bool {
        self.slice(self.pos, self.pos + 3) == "..." && matches!(self.peek_after(3), b'$' | b'(' | b'[' | b'{')
    }

    fn piece(&mut self, before: &[Piece], words: Words) -> Step<Piece> {
        match self.peek() {
            b'"' | b'\'' => self.quoted_inside(before, words),
            b'`' => Err(self.construct("a backtick inside a word")),
            b'(' => {
                let start = self.pos;
                let piece = self.parenthesis()?;
                self.same_without_quotes(start)?;
                Ok(piece)
            }
            b'[' => self.class(),
            b'{' if self.before() == b'=' && words != (Words::Program { caret: true }) => {
                self.brace(Words::Command)?;
                Ok(Piece::Dynamic)
            }
            b'{' if matches!(self.before(), b'@' | b'^') && !before.is_empty() => self.revision(),
            b'{' => Err(self.construct("a { inside a word")),
            _ => self.bare(),
        }
    }

    /// Reads a quoted string inside a word.
    ///
    /// A word that begins bare is interpolated by nu's own commands and by functions wherever it has a parenthesis,
    /// in quotes too; a program gets what stands in the quotes.
    fn quoted_inside(&mut self, before: &[Piece], words: Words) -> Step<Piece> {
        let start = self.pos;
        let text = self.quoted()?;
        if !before.is_empty() && self.slice(start, self.pos).contains('(') {
            match words {
                Words::Program { caret: true } => {}
                Words::Program { caret: false } => self.doubtful = true,
                Words::Command | Words::Value => {
                    self.pos = start;
                    return Err(self.construct("a parenthesis in quotes, inside a word"));
                }
            }
        }
        Ok(Piece::Quoted(text))
    }

    /// Reads text outside of quotes and brackets.
    fn bare(&mut self) -> Step<Piece> {
        let start = self.pos;
        loop {
            let byte = self.peek();
            if self.ends_word(self.pos) || matches!(byte, b'"' | b'\'' | b'`' | b'(' | b'[' | b'{') {
                return Ok(Piece::Bare(self.slice(start, self.pos).to_owned()));
            }
            match byte {
                b'$' if matches!(self.peek_after(1), b'"' | b'\'' | b'`') => {
                    return Err(self.construct("an interpolation inside a word"));
                }
                // Nu's lexer sees comments and raw strings where its parser does not.
                b'#' if !self.before().is_ascii_graphic()
                    || matches!(
                        self.before(),
                        b'r' | b'(' | b')' | b'[' | b']' | b'{' | b'}' | b'"' | b'\'' | b'`'
                    ) =>
                {
                    return Err(self.construct("a # that is a comment to one reading only"));
                }
                _ => self.pos += 1,
            }
        }
    }

    /// `[a-z]` in a bare word.
    fn class(&mut self) -> Step<Piece> {
        let start = self.pos;
        self.pos += 1;
        self.run_of(|byte| is_name(byte) || matches!(byte, b'-' | b'!' | b'.' | b'^' | b'*'));
        if self.peek() != b']' {
            return Err(self.construct("a bracket inside a word"));
        }
        self.pos += 1;
        Ok(Piece::Bare(self.slice(start, self.pos).to_owned()))
    }

    /// `HEAD@{1}`, `main^{tree}`.
    fn revision(&mut self) -> Step<Piece> {
        let start = self.pos;
        self.pos += 1;
        self.run_of(|byte| is_name(byte) || byte == b'-');
        self.close(b'}')?;
        Ok(Piece::Bare(self.slice(start, self.pos).to_owned()))
    }

    /// `$name`, `$name.cell.path`, `$"interpolation"`.
    fn dollar(&mut self) -> Step<Vec<Piece>> {
        if matches!(self.peek_after(1), b'"' | b'\'') {
            return self.interpolation();
        }
        let start = self.pos;
        self.pos += 1;
        if self.run_of(is_name).is_empty() {
            return Err(self.construct("a $ without a name"));
        }
        self.run_of(|byte| is_name(byte) || matches!(byte, b'.' | b'-' | b'?' | b'!'));
        match self.slice(start, self.pos) {
            "$env.HOME" | "$nu.home-path" | "$nu.home-dir" => self.tail(Piece::Home),
            "$env.PWD" => self.tail(Piece::Here),
            _ => self.tail(Piece::Dynamic),
        }
    }

    /// Reads what may follow a value without a blank: a cell path, or the rest of a range.
    fn tail(&mut self, piece: Piece) -> Step<Vec<Piece>> {
        if self.ends_word(self.pos) {
            return Ok(vec![piece]);
        }
        while !self.ends_word(self.pos) {
            match self.peek() {
                b'(' => {
                    let start = self.pos;
                    self.parenthesis()?;
                    self.same_without_quotes(start)?;
                }
                b'"' | b'\'' if self.before() == b'.' => {
                    self.quoted_inside(&[Piece::Dynamic], Words::Value)?;
                }
                b'"' | b'\'' | b'`' | b'[' | b'{' | b'#' => return Err(self.construct("what follows a value")),
                _ => self.pos += 1,
            }
        }
        Ok(vec![Piece::Dynamic])
    }

    /// Makes the head of a command from its pieces.
    pub(super) fn head_word(&mut self, start: usize, pieces: Vec<Piece>) -> Step<Word> {
        let span = Span { start, end: self.pos };
        let parts = finish(pieces, Words::Program { caret: true });
        if parts.is_empty() || parts.iter().any(|part| matches!(part, Part::Dynamic | Part::Glob(_))) {
            return Err(self.stop_at(span, What::DynamicProgram));
        }
        Ok(Word { parts, span })
    }
}

/// Joins pieces to the parts of a word.
fn finish(pieces: Vec<Piece>, words: Words) -> Vec<Part> {
    let bare = pieces.iter().any(|piece| matches!(piece, Piece::Bare(_)));
    let quoted = pieces.iter().any(|piece| matches!(piece, Piece::Quoted(_)));
    // A command of nu keeps the quotes inside a bare word, where a program gets the text in them.
    if bare && quoted && !matches!(words, Words::Program { .. }) {
        return vec![Part::Dynamic];
    }
    let mut parts = Vec::new();
    for piece in pieces {
        match piece {
            Piece::Home => parts.push(Part::Home),
            Piece::Here => parts.push(Part::Variable("PWD".to_owned())),
            Piece::Dynamic => parts.push(Part::Dynamic),
            Piece::Bare(text) | Piece::Quoted(text) => {
                let text =
                    if parts.is_empty() && (bare || words == Words::Command) { home(text, &mut parts) } else { text };
                let text = if bare || words == Words::Command { climbing(text) } else { text };
                if bare { globs(&text, &mut parts) } else { push_text(&mut parts, &text) }
            }
        }
    }
    parts
}

/// Takes a leading `~` off a text.
fn home(text: String, parts: &mut Vec<Part>) -> String {
    match text.strip_prefix('~') {
        None => text,
        Some(rest) if rest.is_empty() || rest.starts_with('/') => {
            parts.push(Part::Home);
            rest.to_owned()
        }
        // `~name` is another's home.
        Some(_) => {
            parts.push(Part::Dynamic);
            String::new()
        }
    }
}

/// Writes `...` in a path as `../..`, and so on, as nu reads it.
fn climbing(text: String) -> String {
    if !text.contains("...") {
        return text;
    }
    let component = |component: &str| match component.len() {
        dots @ 3.. if component.bytes().all(|byte| byte == b'.') => vec![".."; dots - 1].join("/"),
        _ => component.to_owned(),
    };
    text.split('/').map(component).collect::<Vec<_>>().join("/")
}

/// Adds a bare text, its patterns apart.
fn globs(text: &str, parts: &mut Vec<Part>) {
    let mut rest = text;
    while let Some(at) = rest.find(['*', '?', '[']) {
        let (before, from) = rest.split_at(at);
        push_text(parts, before);
        let length = match from.find(']') {
            Some(end) if from.starts_with('[') => end + 1,
            _ => from.bytes().take_while(|byte| matches!(byte, b'*' | b'?')).count().max(1),
        };
        let (glob, after) = from.split_at(length);
        parts.push(Part::Glob(glob.to_owned()));
        rest = after;
    }
    push_text(parts, rest);
}

fn push_text(parts: &mut Vec<Part>, text: &str) {
    match parts.last_mut() {
        _ if text.is_empty() => {}
        Some(Part::Text(before)) => before.push_str(text),
        _ => parts.push(Part::Text(text.to_owned())),
    }
}
