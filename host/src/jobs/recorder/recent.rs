//! The newest output of both streams, in the order in which it came.

use super::text::{between_characters, unfinished};

/// How much of it is remembered at least, in bytes.
const KEPT: usize = 64 << 10;

/// The newest bytes.
#[derive(Debug, Default)]
pub(super) struct Recent(Vec<u8>);

impl Recent {
    pub(super) fn push(&mut self, bytes: &[u8]) {
        let bytes = &bytes[bytes.len().saturating_sub(KEPT)..];
        // Twice as much as is of use, so that the old is not moved out with every byte that comes.
        if self.0.len() + bytes.len() > 2 * KEPT {
            let keep = KEPT.min(self.0.len());
            self.0.drain(..self.0.len() - keep);
        }
        self.0.extend_from_slice(bytes);
    }

    /// The last of it as text, at most `max` bytes.
    pub(super) fn text(&self, max: usize, ended: bool) -> String {
        let end = self.0.len() - if ended { 0 } else { unfinished(&self.0) };
        last_text(&self.0[..end], max)
    }
}

/// The last of some bytes as text, at most `max` bytes, cut between characters.
pub(super) fn last_text(bytes: &[u8], max: usize) -> String {
    let from = bytes.len().saturating_sub(max);
    let mut start = from;
    // Forward to the next beginning of a character, unless these bytes are none of a character anyway.
    while start < bytes.len() && start < from + 3 && between_characters(bytes, start) != start {
        start += 1;
    }
    let text = String::from_utf8_lossy(&bytes[start..]).into_owned();
    // A byte that is no UTF-8 has become three.
    let start = text.ceil_char_boundary(text.len().saturating_sub(max));
    text[start..].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_is_kept_and_cut_between_characters() {
        let mut recent = Recent::default();
        for number in 0..100_000 {
            recent.push(format!("{number}ä\n").as_bytes());
        }
        assert_eq!(recent.text(16, true), "99998ä\n99999ä\n");
        assert_eq!(recent.text(3, true), "ä\n");
        assert_eq!(recent.text(2, true), "\n");
        assert_eq!(recent.text(0, true), "");
        assert!(recent.text(usize::MAX, true).len() >= KEPT && recent.0.len() <= 2 * KEPT + 16);
    }

    #[test]
    fn an_unfinished_character_is_left_out_while_more_may_come() {
        let mut recent = Recent::default();
        recent.push(b"a\xc3");
        assert_eq!((recent.text(9, false).as_str(), recent.text(9, true).as_str()), ("a", "a\u{fffd}"));
        recent.push(b"\xa4");
        assert_eq!(recent.text(9, false), "aä");
        recent.push(&[0xff; 9]);
        assert!(recent.text(10, true).len() <= 10);
    }
}
