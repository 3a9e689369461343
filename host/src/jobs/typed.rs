//! The line that is being typed into a job, so that guards judge lines and not the pieces they come in.

use std::sync::{Mutex, PoisonError};

/// The most bytes of a line that are remembered: its end.
const MOST: usize = 64 << 10;

/// What was typed since the last line break.
#[derive(Debug, Default)]
pub(super) struct Line(Mutex<Vec<u8>>);

impl Line {
    /// The line so far with more typed behind it.
    pub(super) fn with(&self, more: &[u8]) -> String {
        let line = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&[&line, more].concat()).into_owned()
    }

    /// Notes what was typed.
    pub(super) fn note(&self, more: &[u8]) {
        let mut line = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        line.extend_from_slice(more);
        let ended = line.iter().rposition(|byte| matches!(byte, b'\n' | b'\r')).map_or(0, |at| at + 1);
        let surplus = line.len().saturating_sub(MOST).max(ended);
        line.drain(..surplus);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_put_together_from_its_pieces() {
        let line = Line::default();
        assert_eq!(line.with(b"rm "), "rm ");
        line.note(b"rm ");
        assert_eq!(line.with(b"-rf x\n"), "rm -rf x\n");
        line.note(b"-rf x\nec");
        assert_eq!(line.with(b"ho"), "echo");
        line.note(&[b'x'; 2 * MOST]);
        assert_eq!(line.with(b"").len(), MOST);
    }
}
