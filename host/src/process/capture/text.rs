//! Kept bytes as text: cut at characters, invalid bytes marked, counts exact.
//!
//! Pure: takes copies of bytes, so that decoding holds no lock.

use super::ring::Kept;

/// Which part of the kept output is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Window {
    /// Everything kept: the head, and the tail after the gap.
    All,
    /// The first so many characters.
    Head(usize),
    /// The last so many bytes, less what would split a character.
    Tail(usize),
}

/// A window of a stream's output as text.
///
/// `total_bytes` is the number of bytes shown, plus `dropped_bytes`, plus `pending_bytes`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text {
    /// The text; `dropped_bytes` are missing at `dropped_at`.
    pub text: String,
    /// Bytes the stream has brought so far.
    pub total_bytes: u64,
    /// Bytes that this text does not show, all in one place.
    pub dropped_bytes: u64,
    /// Offset in `text` at which they are missing.
    pub dropped_at: usize,
    /// Bytes of a character whose rest has not come yet, at the end of a running stream.
    pub pending_bytes: u64,
    /// True where bytes that are not UTF-8 are shown as U+FFFD.
    pub invalid: bool,
}

impl Text {
    /// Returns the text before the dropped bytes.
    #[must_use]
    pub fn head(&self) -> &str {
        self.text.get(..self.dropped_at).unwrap_or(&self.text)
    }

    /// Returns the text after the dropped bytes.
    #[must_use]
    pub fn tail(&self) -> &str {
        self.text.get(self.dropped_at..).unwrap_or_default()
    }
}

/// The bytes a window needs, copied out of the ring.
#[derive(Debug)]
pub(crate) struct Excerpt {
    window: Window,
    /// Bytes from the start of the stream on, or for a tail window those at its end.
    first: Vec<u8>,
    /// Bytes at the end of the stream, where a gap lies before them.
    last: Vec<u8>,
    /// First and last do not meet.
    gap: bool,
    /// Nothing more will come.
    ended: bool,
    total: u64,
}

impl Excerpt {
    /// `shown` follows what is kept, and is counted as brought.
    pub(crate) fn copy(kept: Kept<'_>, shown: &[u8], window: Window, total: u64, ended: bool) -> Self {
        let Kept { head, gap, tail } = kept;
        let gap = gap > 0;
        let total = total + shown.len() as u64;
        let (first, last) = match window {
            Window::All if gap => (head.to_vec(), [tail.0, tail.1, shown].concat()),
            Window::All => ([head, tail.0, tail.1, shown].concat(), Vec::new()),
            Window::Head(characters) => {
                // No character is longer than four bytes; one byte more tells whether it ends here.
                let most = characters.saturating_mul(4).saturating_add(1);
                let pieces = if gap { [head, &[], &[], &[]] } else { [head, tail.0, tail.1, shown] };
                (prefix(pieces, most), Vec::new())
            }
            Window::Tail(bytes) => {
                let pieces = if gap { [&[], tail.0, tail.1, shown] } else { [head, tail.0, tail.1, shown] };
                (suffix(pieces, bytes), Vec::new())
            }
        };
        Self { window, first, last, gap, ended, total }
    }

    pub(crate) fn decode(self) -> Text {
        let end = if self.ended { Edge::End } else { Edge::Open };
        match self.window {
            Window::All if self.gap => self.decode_both(end),
            Window::All => self.decode_one(usize::MAX, false, end),
            Window::Head(characters) => {
                let whole = self.first.len() as u64 == self.total;
                self.decode_one(characters, false, if whole { end } else { Edge::Cut })
            }
            Window::Tail(_) => {
                let cut = (self.first.len() as u64) < self.total;
                self.decode_one(usize::MAX, cut, end)
            }
        }
    }

    fn decode_both(self, end: Edge) -> Text {
        let head = Decoded::new(&self.first, usize::MAX, Edge::Cut);
        let last = after_cut(&self.last);
        let tail = Decoded::new(last, usize::MAX, end);
        Text {
            dropped_at: head.text.len(),
            dropped_bytes: self.total - head.shown - tail.shown - tail.pending,
            pending_bytes: tail.pending,
            invalid: head.invalid || tail.invalid,
            text: head.text + &tail.text,
            total_bytes: self.total,
        }
    }

    fn decode_one(self, characters: usize, cut_before: bool, end: Edge) -> Text {
        let bytes = if cut_before { after_cut(&self.first) } else { &self.first };
        let decoded = Decoded::new(bytes, characters, end);
        Text {
            dropped_at: if matches!(self.window, Window::Tail(_)) { 0 } else { decoded.text.len() },
            dropped_bytes: self.total - decoded.shown - decoded.pending,
            pending_bytes: decoded.pending,
            invalid: decoded.invalid,
            text: decoded.text,
            total_bytes: self.total,
        }
    }
}

/// What the end of a piece of bytes is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Edge {
    /// More bytes followed and are gone: an incomplete character is left out.
    Cut,
    /// More bytes may follow: an incomplete character waits.
    Open,
    /// The stream ended here: an incomplete character is invalid.
    End,
}

struct Decoded {
    text: String,
    shown: u64,
    pending: u64,
    invalid: bool,
}

impl Decoded {
    fn new(bytes: &[u8], characters: usize, edge: Edge) -> Self {
        let mut decoded = Self { text: String::new(), shown: 0, pending: 0, invalid: false };
        let mut left = characters;
        for chunk in bytes.utf8_chunks() {
            let valid = first_characters(chunk.valid(), &mut left);
            decoded.text.push_str(valid);
            decoded.shown += valid.len() as u64;
            if valid.len() < chunk.valid().len() || left == 0 {
                break;
            }
            let invalid = chunk.invalid();
            if invalid.is_empty() {
                break;
            }
            // Counting from where this chunk ends: the last one, and merely incomplete?
            let last = decoded.shown as usize + invalid.len() == bytes.len();
            if last && edge != Edge::End && is_incomplete(invalid) {
                decoded.pending = if edge == Edge::Open { invalid.len() as u64 } else { 0 };
                break;
            }
            decoded.text.push(char::REPLACEMENT_CHARACTER);
            decoded.shown += invalid.len() as u64;
            decoded.invalid = true;
            left -= 1;
        }
        decoded
    }
}

/// Returns at most `left` characters of `text` and takes them off `left`.
fn first_characters<'a>(text: &'a str, left: &mut usize) -> &'a str {
    // A text has at most as many characters as bytes; the usual case needs no counting.
    if *left == usize::MAX {
        return text;
    }
    match text.char_indices().nth(*left) {
        Some((end, _)) => {
            *left = 0;
            &text[..end]
        }
        None => {
            *left -= text.chars().count();
            text
        }
    }
}

/// Returns true where these bytes could become a character if more followed.
fn is_incomplete(bytes: &[u8]) -> bool {
    matches!(std::str::from_utf8(bytes), Err(error) if error.valid_up_to() == 0 && error.error_len().is_none())
}

/// Skips the rest of a character whose start was cut off.
fn after_cut(bytes: &[u8]) -> &[u8] {
    let rest = bytes.iter().take(3).take_while(|byte| **byte & 0xC0 == 0x80).count();
    &bytes[rest..]
}

fn prefix(pieces: [&[u8]; 4], most: usize) -> Vec<u8> {
    let mut left = most;
    let mut bytes = Vec::new();
    for piece in pieces {
        let take = piece.len().min(left);
        bytes.extend_from_slice(&piece[..take]);
        left -= take;
    }
    bytes
}

fn suffix(pieces: [&[u8]; 4], most: usize) -> Vec<u8> {
    let mut skip = pieces.iter().map(|piece| piece.len()).sum::<usize>().saturating_sub(most);
    let mut bytes = Vec::new();
    for piece in pieces {
        let from = piece.len().min(skip);
        bytes.extend_from_slice(&piece[from..]);
        skip -= from;
    }
    bytes
}

#[cfg(test)]
#[path = "text_tests.rs"]
mod tests;
