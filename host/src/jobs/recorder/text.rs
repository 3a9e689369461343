//! Bytes of a stream as pieces of text: whole lines where possible, never cut inside a character.

/// The most text that one item holds, in bytes.
pub(super) const LONGEST: usize = 64 << 10;

/// A piece of a stream.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub text: String,
    /// Whether some of its bytes were no UTF-8 and are shown as U+FFFD.
    pub invalid: bool,
}

/// Cuts bytes into pieces of at most [`LONGEST`], at the ends of lines where there are any.
///
/// The bytes must begin and end between characters, as far as they are characters.
pub(super) fn pieces(mut bytes: &[u8]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    while !bytes.is_empty() {
        let mut size = cut(bytes, LONGEST);
        let mut piece = decode(&bytes[..size]);
        // A byte that is no UTF-8 becomes three.
        while piece.text.len() > LONGEST {
            size = cut(&bytes[..size], size / 2);
            piece = decode(&bytes[..size]);
        }
        pieces.push(piece);
        bytes = &bytes[size..];
    }
    pieces
}

fn decode(bytes: &[u8]) -> Piece {
    match std::str::from_utf8(bytes) {
        Ok(text) => Piece { text: text.to_owned(), invalid: false },
        Err(_) => Piece { text: String::from_utf8_lossy(bytes).into_owned(), invalid: true },
    }
}

/// Where to cut so that at most `most` bytes come before: after a line, else between characters.
fn cut(bytes: &[u8], most: usize) -> usize {
    if bytes.len() <= most {
        return bytes.len();
    }
    match bytes[..most].iter().rposition(|byte| *byte == b'\n') {
        Some(end) => end + 1,
        None => between_characters(bytes, most),
    }
}

/// The last place at or before `at` where no character can be in two.
pub(super) fn between_characters(bytes: &[u8], at: usize) -> usize {
    if at >= bytes.len() {
        return bytes.len();
    }
    let continues = |index: &usize| bytes[*index] & 0b1100_0000 == 0b1000_0000;
    // No character has more than three such bytes; where there are more, they are none of a character.
    let start = (at.saturating_sub(3)..=at).rev().find(|index| !continues(index));
    start.filter(|start| *start > 0).unwrap_or(at)
}

/// How many bytes at the end may be the beginning of a character whose rest has not come yet.
pub(super) fn unfinished(bytes: &[u8]) -> usize {
    let window = &bytes[bytes.len().saturating_sub(3)..];
    for back in 1..=window.len() {
        let byte = window[window.len() - back];
        let whole = match byte {
            0b1100_0000..=0b1101_1111 => 2,
            0b1110_0000..=0b1110_1111 => 3,
            0b1111_0000..=0b1111_0111 => 4,
            0b1000_0000..=0b1011_1111 => continue,
            _ => return 0,
        };
        return if back < whole { back } else { 0 };
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(pieces: &[Piece]) -> String {
        pieces.iter().map(|piece| piece.text.as_str()).collect()
    }

    #[test]
    fn pieces_are_whole_lines_where_there_are_any() {
        let line = format!("{}\n", "x".repeat(999));
        let bytes = line.repeat(200);
        let pieces = pieces(bytes.as_bytes());
        assert_eq!(pieces.len(), 4);
        assert!(pieces.iter().all(|piece| piece.text.ends_with('\n') && piece.text.len() <= LONGEST && !piece.invalid));
        assert_eq!(joined(&pieces), bytes);
    }

    #[test]
    fn a_long_line_is_cut_between_characters() {
        for pattern in ["ä", "€", "🦀", "a🦀"] {
            let text = pattern.repeat(100_000);
            let pieces = pieces(text.as_bytes());
            assert!(pieces.iter().all(|piece| piece.text.len() <= LONGEST && !piece.invalid));
            assert_eq!(joined(&pieces), text);
        }
    }

    #[test]
    fn what_is_no_text_is_replaced_as_if_read_at_once() {
        let mut bytes = Vec::new();
        for number in 0..150_000_u32 {
            bytes.push((number.wrapping_mul(2_654_435_761) >> 13) as u8);
        }
        let noise: Vec<u8> = bytes.iter().copied().filter(|byte| *byte != b'\n').collect();
        for bytes in [bytes, noise, vec![0x80; 200_000], vec![0xff; 200_000], vec![0xe2; 200_000]] {
            let pieces = pieces(&bytes);
            assert!(pieces.iter().all(|piece| piece.text.len() <= LONGEST));
            assert!(pieces.iter().any(|piece| piece.invalid));
            assert_eq!(joined(&pieces), String::from_utf8_lossy(&bytes));
        }
    }

    #[test]
    fn the_beginning_of_a_character_is_seen() {
        let crab = "🦀".as_bytes();
        for (bytes, expected) in [
            (&b""[..], 0),
            (b"abc", 0),
            ("ä".as_bytes(), 0),
            (&"ä".as_bytes()[..1], 1),
            (&crab[..3], 3),
            (&crab[..2], 2),
            (crab, 0),
            (b"\x80\x80\x80\x80", 0),
            (b"a\xe2\x82", 2),
            (b"\xff", 0),
        ] {
            assert_eq!(unfinished(bytes), expected, "{bytes:?}");
        }
    }
}
