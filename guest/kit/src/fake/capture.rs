//! What a stream has brought: all its bytes, shown as if only head and tail were kept.

use crate::contract::{Excerpt, Gap, Part, Window};

/// One stream of a job.
#[derive(Clone, Debug, Default)]
pub(super) struct Capture {
    bytes: Vec<u8>,
    pub(super) head: u64,
    pub(super) tail: u64,
    pub(super) leaked: bool,
    pub(super) closed: bool,
}

impl Capture {
    pub(super) fn new(head: u64, tail: u64) -> Self {
        Self { head, tail, ..Self::default() }
    }

    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    pub(super) fn total(&self) -> u64 {
        self.bytes.len() as u64
    }

    pub(super) fn dropped(&self) -> u64 {
        self.total().saturating_sub(self.head.saturating_add(self.tail))
    }

    /// A part from an offset on, as a live document gives it.
    pub(super) fn part(&self, offset: u64, max: u32) -> Part {
        let start = usize::try_from(offset).unwrap_or(usize::MAX).min(self.bytes.len());
        let end = start.saturating_add(max as usize).min(self.bytes.len());
        let decoded = decode(&self.bytes[start..end], false, true);
        Part { text: decoded.text, next: start as u64 + decoded.used, total: self.total() }
    }

    pub(super) fn read(&self, window: Window) -> Excerpt {
        let (head, tail) = self.kept();
        let gap = !tail.is_empty() || self.dropped() > 0;
        match window {
            Window::All if gap => {
                let (before, after) = (decode(head, false, true), decode(tail, true, false));
                let missing = self.total() - before.used - after.used;
                let at = before.text.len() as u64;
                self.excerpt(before.text + &after.text, Some(Gap { at, bytes: missing }), 0, 0)
            }
            Window::All => self.excerpt(decode(head, false, false).text, None, 0, 0),
            Window::Head(most) => {
                let whole = decode(head, false, gap);
                match whole.text.char_indices().nth(usize::try_from(most).unwrap_or(usize::MAX)) {
                    Some((end, _)) => {
                        let after = whole.used.saturating_sub(end as u64) + tail.len() as u64;
                        self.excerpt(whole.text[..end].to_owned(), None, 0, after)
                    }
                    None if gap => {
                        let at = whole.text.len() as u64;
                        let bytes = self.total() - whole.used - tail.len() as u64;
                        self.excerpt(whole.text, Some(Gap { at, bytes }), 0, tail.len() as u64)
                    }
                    None => self.excerpt(whole.text, None, 0, 0),
                }
            }
            Window::Tail(most) => {
                let from = if gap { tail } else { head };
                let start = from.len().saturating_sub(usize::try_from(most).unwrap_or(usize::MAX));
                let text = decode(&from[start..], start > 0 || gap, false).text;
                let before = (head.len() + tail.len()) as u64 - text.len().min(head.len() + tail.len()) as u64;
                self.excerpt(text, None, before, 0)
            }
        }
    }

    fn excerpt(&self, text: String, gap: Option<Gap>, before: u64, after: u64) -> Excerpt {
        let invalid = text.contains(char::REPLACEMENT_CHARACTER) && std::str::from_utf8(&self.bytes).is_err();
        Excerpt { text, gap, before, after, total: self.total(), invalid }
    }

    /// The kept head and tail; all in the head where nothing was dropped.
    fn kept(&self) -> (&[u8], &[u8]) {
        if self.dropped() == 0 {
            return (&self.bytes, &[]);
        }
        // What was dropped is more than nothing, so head and tail are shorter than what is there.
        let (head, tail) = (self.head as usize, self.tail as usize);
        (&self.bytes[..head], &self.bytes[self.bytes.len() - tail..])
    }
}

struct Decoded {
    text: String,
    /// How many of the bytes the text stands for.
    used: u64,
}

/// Decodes bytes that may be cut at either end; no character is cut, what is cut off is left out.
fn decode(bytes: &[u8], cut_before: bool, cut_after: bool) -> Decoded {
    let start = match cut_before {
        true => bytes.iter().take(3).take_while(|byte| **byte & 0b1100_0000 == 0b1000_0000).count(),
        false => 0,
    };
    let bytes = &bytes[start..];
    let end = match std::str::from_utf8(bytes) {
        Err(error) if cut_after && error.error_len().is_none() => error.valid_up_to(),
        Err(_) if cut_after => bytes.len() - incomplete(bytes),
        Ok(_) | Err(_) => bytes.len(),
    };
    Decoded { text: String::from_utf8_lossy(&bytes[..end]).into_owned(), used: end as u64 }
}

/// How many bytes at the end could become a character if more followed.
fn incomplete(bytes: &[u8]) -> usize {
    (1..=bytes.len().min(3))
        .find(|count| {
            let last = &bytes[bytes.len() - count..];
            matches!(std::str::from_utf8(last), Err(error) if error.valid_up_to() == 0 && error.error_len().is_none())
        })
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn capture(head: u64, tail: u64, text: &str) -> Capture {
        let mut capture = Capture::new(head, tail);
        capture.push(text.as_bytes());
        capture
    }

    #[test]
    fn shows_what_is_kept_and_counts_the_rest() {
        let all = |text: &str, gap, before, after, total| {
            let gap = Option::map(gap, |(at, bytes)| Gap { at, bytes });
            Excerpt { text: text.into(), gap, before, after, total, invalid: false }
        };
        let short = capture(4, 4, "abcdefgh");
        assert_eq!(short.read(Window::All), all("abcdefgh", None, 0, 0, 8));
        assert_eq!(short.read(Window::Head(3)), all("abc", None, 0, 5, 8));
        assert_eq!(short.read(Window::Tail(3)), all("fgh", None, 5, 0, 8));
        let long = capture(4, 4, "abcdefghij");
        assert_eq!(long.read(Window::All), all("abcdghij", Some((4, 2)), 0, 0, 10));
        assert_eq!(long.read(Window::Head(3)), all("abc", None, 0, 5, 10));
        assert_eq!(long.read(Window::Head(9)), all("abcd", Some((4, 2)), 0, 4, 10));
        assert_eq!(long.read(Window::Tail(2)), all("ij", None, 6, 0, 10));
        let wide = capture(4, 4, "aäöüßéè");
        assert_eq!(wide.read(Window::All), all("aäéè", Some((3, 6)), 0, 0, 13));
        assert_eq!(capture(0, 0, "abc").read(Window::All), all("", Some((0, 3)), 0, 0, 3));
    }
}
