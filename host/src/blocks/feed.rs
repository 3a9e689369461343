//! Feeds one stream into its text: appends what is new, and takes out what is no longer kept of the stream.
//!
//! The text is head, marker and tail. What of the stream stands in it is noted in pieces, so that the marker's count
//! is exact to the byte whatever characters the bytes made.

use loro::{LoroResult, LoroText};

use crate::process::{Output, Since, Stream};

/// The most bytes in one piece: what goes, goes in whole pieces.
const PIECE: usize = 16 << 10;

/// A part of the stream that stands in the text.
#[derive(Clone, Copy, Debug)]
struct Piece {
    from: u64,
    until: u64,
    characters: usize,
}

#[derive(Debug, Default)]
pub(super) struct Feed {
    /// In order. All but the first `head` come after the marker, if there is one.
    pieces: Vec<Piece>,
    /// Bytes of the stream looked at so far.
    seen: u64,
    /// Characters of the marker.
    marker: usize,
}

impl Feed {
    /// Brings the text up to date, and gives how many characters were inserted.
    pub(super) fn follow(&mut self, output: &Output, stream: Stream, text: &LoroText) -> LoroResult<usize> {
        if output.total_bytes(stream) == self.seen {
            return Ok(0);
        }
        let mut inserted = 0;
        self.unmark(text)?;
        // A process that never stops printing is followed up to where it was when this began.
        let until = output.total_bytes(stream);
        loop {
            let since = output.since(stream, self.seen, PIECE);
            self.drop_middle(&since, text)?;
            let Decoded { text: shown, from, until: end, seen } = decode(&since, self.seen);
            if seen == self.seen {
                break;
            }
            if !shown.is_empty() {
                let characters = shown.chars().count();
                text.insert(text.len_unicode(), &shown)?;
                self.pieces.push(Piece { from, until: end, characters });
                inserted += characters;
            }
            self.seen = seen;
            if self.seen >= until {
                break;
            }
        }
        inserted += self.mark(text)?;
        Ok(inserted)
    }

    /// Takes out the pieces that lie between the kept head and the kept tail.
    fn drop_middle(&mut self, since: &Since, text: &LoroText) -> LoroResult<()> {
        let gone = |piece: &Piece| piece.from >= since.head && piece.until <= since.tail;
        let Some(first) = self.pieces.iter().position(gone) else { return Ok(()) };
        let count = self.pieces[first..].iter().take_while(|piece| gone(piece)).count();
        let before: usize = self.pieces[..first].iter().map(|piece| piece.characters).sum();
        let length: usize = self.pieces[first..first + count].iter().map(|piece| piece.characters).sum();
        text.delete(before, length)?;
        self.pieces.drain(first..first + count);
        Ok(())
    }

    /// Where bytes are missing: after how many pieces, and how many bytes.
    fn hole(&self) -> Option<(usize, u64)> {
        let mut end = 0;
        for (index, piece) in self.pieces.iter().enumerate() {
            if piece.from > end {
                return Some((index, piece.from - end));
            }
            end = piece.until;
        }
        (self.seen > end).then(|| (self.pieces.len(), self.seen - end))
    }

    fn mark(&mut self, text: &LoroText) -> LoroResult<usize> {
        let Some((index, bytes)) = self.hole() else { return Ok(0) };
        let marker = format!("\n[... {bytes} bytes were not kept ...]\n");
        let before: usize = self.pieces[..index].iter().map(|piece| piece.characters).sum();
        text.insert(before, &marker)?;
        self.marker = marker.chars().count();
        Ok(self.marker)
    }

    fn unmark(&mut self, text: &LoroText) -> LoroResult<()> {
        if self.marker == 0 {
            return Ok(());
        }
        let Some((index, _)) = self.hole() else { return Ok(()) };
        let before: usize = self.pieces[..index].iter().map(|piece| piece.characters).sum();
        text.delete(before, self.marker)?;
        self.marker = 0;
        Ok(())
    }
}

/// New bytes as text.
struct Decoded {
    text: String,
    /// Where the bytes stand that are shown.
    from: u64,
    until: u64,
    /// How much of the stream has been looked at with them.
    seen: u64,
}

/// Decodes new bytes. No character is cut: one whose rest may still come is left for later, and half of one beside a
/// gap counts as part of the gap.
fn decode(since: &Since, seen: u64) -> Decoded {
    let cut = match since.start > seen {
        true => since.bytes.iter().take(3).take_while(|byte| **byte & 0b1100_0000 == 0b1000_0000).count(),
        false => 0,
    };
    let bytes = since.bytes.get(cut..).unwrap_or_default();
    let end = since.start + since.bytes.len() as u64;
    let begun = incomplete(bytes);
    // What stands before a gap, or at the very end of a stream, will not become more.
    let before_gap = end == since.head && since.tail > since.head;
    let at_end = since.ended && end == since.total;
    let shown = if at_end { bytes } else { bytes.get(..bytes.len() - begun).unwrap_or_default() };
    let from = since.start + cut as u64;
    let until = from + shown.len() as u64;
    let seen = if before_gap { end } else { until };
    Decoded { text: String::from_utf8_lossy(shown).into_owned(), from, until, seen }
}

/// How many bytes at the end are the beginning of a character.
pub(super) fn incomplete(bytes: &[u8]) -> usize {
    let longest = bytes.len().min(3);
    (1..=longest)
        .find(|count| {
            let last = &bytes[bytes.len() - count..];
            matches!(std::str::from_utf8(last), Err(error) if error.valid_up_to() == 0 && error.error_len().is_none())
        })
        .unwrap_or(0)
}
