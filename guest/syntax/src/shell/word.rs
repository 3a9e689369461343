//! Words: text, quotes, expansions and patterns up to the next blank or sign.

use super::cursor::{is_name, is_name_start};
use super::quotes::Quoted;
use super::{Parser, Step};
use crate::script::{Language, Part, Span, Word};
use crate::text::holds;

/// Where a word stands, which decides what the shell expands in it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// A program or an argument: braces and patterns are expanded.
    Argument,
    /// The value of an assignment: `~` counts after `:` too, patterns and braces do not.
    Value,
    /// A pattern or an operand of `case` and `[[`.
    Pattern,
}

/// A word being read.
#[derive(Debug, Default)]
pub(super) struct Builder {
    pub(super) parts: Vec<Part>,
    pub(super) start: usize,
    /// Whether anything in it was quoted.
    pub(super) quoted: bool,
    /// Whether a line was continued inside it.
    pub(super) continued: bool,
    /// Whether an unquoted expansion can make several words of it, or none.
    pub(super) splits: bool,
    /// Whether it holds a command or process substitution, or a `$` that braces may join to a name.
    pub(super) substitutes: bool,
    /// Whether something in it is not known to be a number.
    pub(super) not_a_number: bool,
    pub(super) braces: Braces,
    /// How many unquoted `{` of the word are not closed yet.
    open_braces: usize,
    /// The part and offset of an unquoted `[`.
    bracket: Option<(usize, usize)>,
}

/// How far the unquoted signs of a brace expansion have come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Braces {
    #[default]
    None,
    /// `{`.
    Opened,
    /// `{` and later `,` or `..`.
    Separated,
    /// All of them and `}`: it may be expanded.
    Closed,
}

impl Builder {
    pub(super) fn new(start: usize) -> Self {
        Self { start, ..Self::default() }
    }

    #[inline(never)]
    pub(super) fn text(&mut self, text: &str) {
        if !text.bytes().all(|byte| byte.is_ascii_digit()) {
            self.not_a_number = true;
        }
        if text.is_empty() {
            return;
        }
        if let Some(Part::Text(last)) = self.parts.last_mut() {
            last.push_str(text);
        } else {
            // Most words are one piece: room for more would be most of what an analysis keeps.
            if self.parts.is_empty() {
                self.parts.reserve_exact(1);
            }
            self.parts.push(Part::Text(text.to_owned()));
        }
    }

    /// Adds a piece whose value is not known to be a number.
    #[inline(never)]
    pub(super) fn part(&mut self, part: Part) {
        self.not_a_number = true;
        self.parts.push(part);
    }

    /// Adds a piece whose value is a number, whatever it is.
    #[inline(never)]
    pub(super) fn number(&mut self) {
        self.parts.push(Part::Dynamic);
    }

    fn glob(&mut self, text: &str) {
        self.not_a_number = true;
        if let Some(Part::Glob(last)) = self.parts.last_mut() {
            last.push_str(text);
        } else {
            self.parts.push(Part::Glob(text.to_owned()));
        }
    }

    fn brace_sign(&mut self, byte: u8) {
        self.braces = match (self.braces, byte) {
            (Braces::None, b'{') => Braces::Opened,
            (Braces::Opened, b',' | b'.') => Braces::Separated,
            (Braces::Separated, b'}') => Braces::Closed,
            (braces, _) => braces,
        };
    }

    fn open_bracket(&mut self) {
        self.text("[");
        if self.bracket.is_none()
            && let Some(Part::Text(text)) = self.parts.last()
        {
            self.bracket = Some((self.parts.len() - 1, text.len() - 1));
        }
    }

    /// Turns `[…]` into a pattern.
    fn close_bracket(&mut self) {
        self.text("]");
        let Some((index, offset)) = self.bracket.take() else { return };
        if index + 1 == self.parts.len()
            && let Some(Part::Text(text)) = self.parts.last_mut()
        {
            let pattern = text.split_off(offset);
            if text.is_empty() {
                self.parts.pop();
            }
            self.glob(&pattern);
        } else {
            self.part(Part::Dynamic);
        }
    }

    /// The text, when the word is nothing else.
    pub(super) fn literal(&self) -> Option<&str> {
        match self.parts.as_slice() {
            [] => Some(""),
            [Part::Text(text)] => Some(text),
            _ => None,
        }
    }

    pub(super) fn finish(self, end: usize) -> Word {
        Word { parts: self.parts, span: Span { start: self.start, end } }
    }
}

/// Whether a byte means nothing but itself in an unquoted word.
fn is_plain(byte: u8) -> bool {
    !matches!(
        byte,
        0 | b' '
            | b'\t'
            | b'\n'
            | b';'
            | b'&'
            | b'|'
            | b'<'
            | b'>'
            | b'('
            | b')'
            | b'\\'
            | b'\''
            | b'"'
            | b'`'
            | b'$'
            | b'*'
            | b'?'
            | b'['
            | b']'
            | b'{'
            | b'}'
            | b','
            | b'~'
            | b'.'
    )
}

impl Parser<'_> {
    /// Reads one word; something that belongs to a word stands here.
    pub(super) fn word(&mut self, place: Place) -> Step<Builder> {
        let mut word = Builder::new(self.pos);
        self.word_into(&mut word, place)?;
        Ok(word)
    }

    /// Reads to the end of a word that may have begun already.
    pub(super) fn word_into(&mut self, word: &mut Builder, place: Place) -> Step {
        let start = self.pos;
        if self.language == Language::Zsh && self.peek() == b'=' && place == Place::Argument {
            return Err(self.dialect("a word that starts with ="));
        }
        loop {
            let run = self.run_of(is_plain);
            if !run.is_empty() {
                word.text(run);
            }
            if !self.word_sign(word, place, start)? {
                break;
            }
        }
        if !self.heredocs.is_empty() && holds(self.slice(start, self.pos), "\n") {
            return Err(self.construct("a line end inside a word, before the body of a here-document"));
        }
        Ok(())
    }

    /// Reads one byte or construct that is more than itself; says whether the word goes on.
    fn word_sign(&mut self, word: &mut Builder, place: Place, start: usize) -> Step<bool> {
        let byte = self.peek();
        match byte {
            b'\\' => self.escape(word),
            b'\'' => self.single_quotes(word)?,
            b'"' => self.double_quotes(word)?,
            b'`' => {
                word.splits = true;
                self.backquotes(word, Quoted::Bare)?;
            }
            b'$' => self.dollar(word, Quoted::Bare)?,
            b'<' | b'>' if self.peek_after(1) == b'(' => self.process_substitution(word, start)?,
            b'<' | b'>' => {
                self.pos += 1;
                self.operator_ends(b"(")?;
                self.pos -= 1;
                return Ok(false);
            }
            b'~' => self.tilde(word, place, start)?,
            b'*' | b'?' | b'[' | b']' => self.pattern_sign(word, place, byte),
            b'{' | b'}' | b',' | b'.' => self.brace_sign(word, byte)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    pub(super) fn escape(&mut self, word: &mut Builder) {
        let start = self.pos + 1;
        let Some(character) = self.slice(start, self.end).chars().next() else {
            // `bash -c` keeps a last backslash, a script file drops it.
            self.pos += 1;
            word.quoted = true;
            word.part(Part::Dynamic);
            return;
        };
        self.pos = start + character.len_utf8();
        if character == '\n' {
            word.continued = true;
        } else {
            word.quoted = true;
            word.text(self.text.get(start..self.pos).unwrap_or(""));
        }
    }

    fn pattern_sign(&mut self, word: &mut Builder, place: Place, byte: u8) {
        self.pos += 1;
        match (place, byte) {
            (Place::Value, _) => word.text(self.text.get(self.pos - 1..self.pos).unwrap_or("")),
            (_, b'*') => word.glob("*"),
            (_, b'?') => word.glob("?"),
            (_, b'[') => word.open_bracket(),
            _ => word.close_bracket(),
        }
    }

    fn brace_sign(&mut self, word: &mut Builder, byte: u8) -> Step {
        // zsh ends a group at a `}` that stands anywhere.
        match byte {
            b'{' => word.open_braces += 1,
            b'}' if word.open_braces == 0 => self.not_in_zsh("an unquoted } in a word")?,
            b'}' => word.open_braces -= 1,
            _ => {}
        }
        self.pos += 1;
        if byte != b'.' || self.peek() == b'.' {
            word.brace_sign(byte);
        }
        word.text(self.text.get(self.pos - 1..self.pos).unwrap_or(""));
        Ok(())
    }

    fn tilde(&mut self, word: &mut Builder, place: Place, start: usize) -> Step {
        let before = if self.pos > start { self.at(self.pos - 1) } else { 0 };
        let leads = match place {
            _ if self.pos == word.start => true,
            Place::Value => self.pos == start || before == b':',
            Place::Argument | Place::Pattern => {
                matches!(before, b'=' | b':') && (word.continued || self.looks_assigned(start))
            }
        };
        self.pos += 1;
        if !leads {
            word.text("~");
        } else if self.language == Language::Zsh && self.peek() == b'[' {
            return Err(self.dialect("~["));
        } else if matches!(self.peek(), b'/' | b':') || self.ends_word(self.pos) {
            word.part(Part::Home);
        } else {
            let name = self.run_of(|byte| is_name(byte) || matches!(byte, b'-' | b'.'));
            // `~-` and `~1` are directories that the shell remembers; what is quoted or computed behind it is no name.
            if is_name_start(name.bytes().next().unwrap_or(0))
                && (matches!(self.peek(), b'/' | b':') || self.ends_word(self.pos))
            {
                word.part(Part::User(name.to_owned()));
            } else {
                self.pos -= name.len();
                word.part(Part::Dynamic);
            }
        }
        Ok(())
    }

    /// Whether an argument looks like an assignment, so that bash expands `~` after its `=`.
    fn looks_assigned(&self, start: usize) -> bool {
        // A long word of many `~` must not be searched again and again; what may be a long name counts as one.
        let end = (start..start + 64).find(|position| !is_name(self.at(*position)));
        is_name_start(self.at(start)) && end.is_none_or(|end| matches!(self.at(end), b'=' | b'+' | b'['))
    }
}
