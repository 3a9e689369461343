//! One line of a screen: text, addressed by column.

use unicode_width::UnicodeWidthChar;

/// Columns between two tab stops.
const TAB: usize = 8;

/// A line. Most are only ever appended to, which costs no more than appending to a string.
#[derive(Debug)]
pub(super) struct Row {
    text: String,
    /// Every character is a byte and a column.
    simple: bool,
    /// Something in it was written over or erased.
    edited: bool,
    /// Columns in front of the text that are out of reach.
    base: usize,
}

impl Default for Row {
    fn default() -> Self {
        Self { text: String::new(), simple: true, edited: false, base: 0 }
    }
}

/// How many columns a character takes that starts at `column`.
fn width(character: char, column: usize) -> usize {
    if character == '\t' { TAB - column % TAB } else { character.width().unwrap_or(0) }
}

impl Row {
    /// Makes the row empty again, keeping its memory.
    pub(super) fn clear(&mut self) {
        self.text.clear();
        (self.simple, self.edited, self.base) = (true, false, 0);
    }

    /// The column after the last character.
    pub(super) fn end(&self) -> usize {
        if self.simple {
            return self.base + self.text.len();
        }
        self.text.chars().fold(self.base, |column, character| column + width(character, column))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty() && self.base == 0
    }

    pub(super) fn len(&self) -> usize {
        self.text.len()
    }

    /// Appends a text without line ends or other controls but tabs.
    pub(super) fn append(&mut self, text: &str) {
        self.simple &= text.is_ascii() && !text.contains('\t');
        self.text.push_str(text);
    }

    pub(super) fn push(&mut self, character: char) {
        self.simple &= character.is_ascii() && character != '\t';
        self.text.push(character);
    }

    /// Writes a character at a column, over what is there; returns the column after it.
    pub(super) fn put(&mut self, column: usize, character: char) -> usize {
        let column = column.max(self.base);
        let wide = width(character, column);
        if wide == 0 {
            // It joins the character before it.
            let at = self.offset(column);
            self.text.insert(at, character);
            self.simple = false;
            return column;
        }
        self.replace(column, wide, Some(character));
        column + wide
    }

    /// Replaces so many columns by one character, or by spaces.
    fn replace(&mut self, column: usize, wide: usize, character: Option<char>) {
        let end = self.end();
        if column > end {
            self.text.extend(std::iter::repeat_n(' ', column - end));
        }
        if column < end {
            self.edited = true;
            self.expand_tabs();
        }
        let (range, spill_before, spill_after) = self.cover(column, column + wide);
        let mut new = " ".repeat(spill_before);
        match character {
            Some(character) => {
                self.simple &= character.is_ascii() && character != '\t';
                new.push(character);
            }
            None => new.extend(std::iter::repeat_n(' ', wide)),
        }
        new.push_str(&" ".repeat(spill_after));
        self.text.replace_range(range, &new);
    }

    /// The characters that lie in these columns, and how many columns of them lie before and after.
    fn cover(&self, from: usize, to: usize) -> (std::ops::Range<usize>, usize, usize) {
        if self.simple {
            let offset = |column: usize| (column - self.base).min(self.text.len());
            return (offset(from)..offset(to), 0, 0);
        }
        let (mut start, mut stop) = (None, None);
        let mut at = self.base;
        for (offset, character) in self.text.char_indices() {
            let wide = width(character, at);
            if start.is_none() && at + wide > from {
                start = Some((offset, at));
            }
            if at >= to && wide > 0 {
                stop = Some((offset, at));
                break;
            }
            at += wide;
        }
        let (start, first) = start.unwrap_or((self.text.len(), from));
        let (stop, next) = stop.unwrap_or((self.text.len(), at));
        (start..stop.max(start), from.saturating_sub(first), next.saturating_sub(to))
    }

    /// The offset of the character at a column, and how many columns into that character the column lies; for the
    /// second of two a character that is cut counts as gone.
    fn split(&self, column: usize) -> (usize, usize) {
        if self.simple {
            return ((column - self.base).min(self.text.len()), 0);
        }
        let mut at = self.base;
        for (offset, character) in self.text.char_indices() {
            let next = at + width(character, at);
            if at >= column && width(character, at) > 0 {
                return (offset, 0);
            }
            if next > column {
                return if at < column { (offset, column - at) } else { (offset, 0) };
            }
            at = next;
        }
        (self.text.len(), 0)
    }

    fn offset(&self, column: usize) -> usize {
        self.split(column).0
    }

    /// Erases from one column up to another, or to the end.
    pub(super) fn erase(&mut self, from: usize, to: Option<usize>) {
        let (from, end) = (from.max(self.base), self.end());
        if from >= end {
            return;
        }
        self.edited = true;
        self.expand_tabs();
        match to {
            Some(to) if to < end => {
                if to > from {
                    self.replace(from, to - from, None);
                }
            }
            _ => {
                let (at, spill) = self.split(from);
                self.text.truncate(at);
                self.text.push_str(&" ".repeat(spill));
            }
        }
    }

    /// Takes so many columns out; the rest moves left.
    pub(super) fn delete(&mut self, column: usize, count: usize) {
        let (column, end) = (column.max(self.base), self.end());
        if column >= end {
            return;
        }
        self.edited = true;
        self.expand_tabs();
        let (start, stop) = (self.offset(column), self.offset(column.saturating_add(count).min(end)));
        self.text.replace_range(start..stop.max(start), "");
    }

    /// Puts so many spaces in; the rest moves right.
    pub(super) fn insert(&mut self, column: usize, count: usize) {
        let column = column.max(self.base);
        if column >= self.end() {
            return;
        }
        self.edited = true;
        self.expand_tabs();
        let at = self.offset(column);
        self.text.insert_str(at, &" ".repeat(count));
    }

    /// Turns tabs into the spaces they look like, before something among them changes.
    fn expand_tabs(&mut self) {
        if self.simple || !self.text.contains('\t') {
            return;
        }
        let mut column = self.base;
        let mut text = String::with_capacity(self.text.len() + 2 * TAB);
        for character in self.text.chars() {
            let wide = width(character, column);
            if character == '\t' {
                text.extend(std::iter::repeat_n(' ', wide))
            } else {
                text.push(character)
            }
            column += wide;
        }
        self.simple = text.is_ascii();
        self.text = text;
    }

    /// The line's bytes as they are kept. A character that was no UTF-8 becomes a byte that is none either, so that
    /// whoever reads the output is told.
    pub(super) fn bytes(&self, out: &mut Vec<u8>) {
        let text = if self.edited { self.text.trim_end_matches(' ') } else { &self.text };
        if self.simple || !text.contains(char::REPLACEMENT_CHARACTER) {
            return out.extend_from_slice(text.as_bytes());
        }
        let mut pieces = text.split(char::REPLACEMENT_CHARACTER);
        out.extend_from_slice(pieces.next().unwrap_or_default().as_bytes());
        for piece in pieces {
            out.push(0xFF);
            out.extend_from_slice(piece.as_bytes());
        }
    }

    /// Gives away what the row holds, which is out of reach from then on.
    pub(super) fn let_go(&mut self, out: &mut Vec<u8>) {
        let end = self.end();
        self.edited = false;
        self.bytes(out);
        self.clear();
        self.base = end;
    }
}
