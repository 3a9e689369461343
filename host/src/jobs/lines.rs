//! Lines as they are printed, in whatever pieces, put together for those who look for something in them.
//!
//! A line is looked at whole, up to a bound. A longer one is looked at in windows, each of which begins with the end of
//! the one before: what is found in a line is found wherever it stands in it, unless it is longer than that overlap.

/// The longest line that is looked at whole, in bytes.
pub(super) const LONGEST_LINE: usize = 256 << 10;

/// The longest match that is surely found in a longer line, in bytes.
pub(super) const LONGEST_MATCH: usize = 64 << 10;

/// What a window has in front of where it is looked at, so that no place in the middle passes for a line's beginning.
const CONTEXT: usize = 4;

/// What a window has of the one before.
const OVERLAP: usize = LONGEST_MATCH + CONTEXT;

/// Stands behind a window when the line goes on: no end of a line, and no text either.
const MORE: u8 = 0xff;

/// A line as far as it was printed.
#[derive(Debug, Default)]
pub(super) struct Line {
    text: Vec<u8>,
    /// Whether a window of it was looked at already: the text begins with the overlap.
    goes_on: bool,
    /// Which watches have matched in that window.
    matched: u64,
}

/// A part of a line that is looked at as a whole.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window<'a> {
    /// What is searched. Where the line goes on, a byte that is no text stands at its end.
    pub searched: &'a [u8],
    /// The same without that byte.
    pub text: &'a [u8],
    /// Where the search begins.
    pub from: usize,
    /// Where it begins for those who have matched in the window before: behind what that one has seen.
    pub new: usize,
    /// Who has, a bit each.
    pub matched: u64,
}

impl<'a> Window<'a> {
    /// A line that is there whole, without its end.
    pub(super) fn whole(text: &'a [u8]) -> Self {
        Self { searched: text, text, from: 0, new: 0, matched: 0 }
    }

    /// Whether more of the line stood in front of it.
    pub(super) fn goes_on(&self) -> bool {
        self.from > 0
    }

    /// Whether more of the line comes behind it.
    pub(super) fn is_cut(&self) -> bool {
        self.searched.len() > self.text.len()
    }
}

impl Line {
    /// Whether nothing of it was printed yet.
    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Takes more of the line, and has looked at what is ready: all of it where the line ends. `look` says who matched.
    pub(super) fn read(&mut self, bytes: &[u8], ends: bool, mut look: impl FnMut(Window<'_>) -> u64) {
        if ends && self.text.is_empty() && bytes.len() <= LONGEST_LINE {
            look(Window::whole(ended(bytes)));
            return;
        }
        self.text.extend_from_slice(bytes);
        // One byte more, so that it is known what stands behind a word at the window's end.
        while self.text.len() > LONGEST_LINE + 1 {
            let after = self.text.split_off(LONGEST_LINE + 1);
            self.text.push(MORE);
            self.matched = look(self.window(&self.text[..=LONGEST_LINE], &self.text));
            self.text.pop();
            // The byte that was only looked at is new to the next window.
            self.text.drain(..LONGEST_LINE - OVERLAP);
            self.text.extend_from_slice(&after);
            self.goes_on = true;
        }
        if ends {
            let text = ended(&self.text);
            look(self.window(text, text));
            *self = Self::default();
        }
    }

    fn window<'a>(&self, text: &'a [u8], searched: &'a [u8]) -> Window<'a> {
        let (from, new) = if self.goes_on { (CONTEXT, OVERLAP) } else { (0, 0) };
        Window { searched, text, from: from.min(text.len()), new: new.min(text.len()), matched: self.matched }
    }
}

/// A line without the first half of its end.
fn ended(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use regex::bytes::Regex;

    use super::*;

    /// How often a pattern is found in a line that comes in pieces of this length, and whether the bound was kept.
    fn found(pattern: &str, line: &[u8], piece: usize) -> usize {
        let pattern = Regex::new(pattern).unwrap();
        let mut reader = Line::default();
        let mut count = 0;
        let mut look = |window: Window<'_>| {
            assert!(window.searched.len() <= LONGEST_LINE + 2);
            let from = if window.matched == 0 { window.from } else { window.new };
            let seen = window.goes_on() && from == window.text.len();
            let hit = !seen && pattern.is_match_at(window.searched, from);
            count += usize::from(hit);
            u64::from(hit)
        };
        for bytes in line.chunks(piece) {
            reader.read(bytes, false, &mut look);
        }
        reader.read(b"", true, &mut look);
        assert!(reader.is_empty());
        count
    }

    /// A line of so many bytes with a word at a place.
    fn with(word: &str, at: usize, length: usize) -> Vec<u8> {
        let mut line = vec![b'.'; length];
        line[at..at + word.len()].copy_from_slice(word.as_bytes());
        line
    }

    #[test]
    fn what_stands_across_any_border_is_found_once() {
        let word = "ready on 8080";
        for border in
            [64 << 10, 128 << 10, LONGEST_LINE, LONGEST_LINE + 1, 2 * LONGEST_LINE - OVERLAP, LONGEST_LINE * 3]
        {
            for before in [0, 1, 5, word.len() - 1, word.len(), word.len() + 1] {
                let line = with(word, border - before, LONGEST_LINE * 4);
                for piece in [4096, 64 << 10, 100_003, line.len()] {
                    assert_eq!(found("ready on [0-9]{4}", &line, piece), 1, "{before} before {border}, by {piece}");
                }
            }
        }
    }

    #[test]
    fn a_line_up_to_the_bound_is_matched_whole() {
        let mut line = vec![b'.'; LONGEST_LINE];
        (line[0], line[LONGEST_LINE - 1]) = (b'a', b'z');
        assert_eq!(found("^a.*z$", &line, 8192), 1);
        let longest = format!("a{}z", "-".repeat(LONGEST_MATCH - 2));
        let line = with(&longest, LONGEST_LINE - 100, LONGEST_LINE * 2);
        assert_eq!(found("a-*z", &line, 8192), 1, "the longest match that is surely found");
    }

    #[test]
    fn the_middle_of_a_line_is_neither_its_beginning_nor_its_end() {
        let line = vec![b'x'; LONGEST_LINE * 3];
        assert_eq!(found("^x", &line, 8192), 1);
        assert_eq!(found("x$", &line, 8192), 1);
        assert_eq!(found("^$", &line, 8192), 0);
        let line = with("word", LONGEST_LINE - 4, LONGEST_LINE * 2);
        assert_eq!(found(r"\bword\b", &line, 8192), 1);
        let line = with("wordy", LONGEST_LINE - 4, LONGEST_LINE * 2);
        assert_eq!(found(r"\bword\b", &line, 8192), 0);
        assert_eq!(found("^$", b"", 1), 1);
        assert_eq!(found("a$", b"a\r", 1), 1);
    }
}
