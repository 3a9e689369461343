//! Takes the middle out of long texts.

/// A text with its middle taken out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut<'a> {
    /// The first part.
    pub head: &'a str,
    /// What was taken out.
    pub middle: &'a str,
    /// The last part.
    pub tail: &'a str,
}

/// Takes the middle out of a text of more than `limit` characters, so that at most `limit` stay: half from the
/// start, half from the end, in whole lines where that costs less than half of either. None where the text fits.
#[must_use]
pub fn middle(text: &str, limit: usize) -> Option<Cut<'_>> {
    // No text has more characters than bytes.
    if text.len() <= limit || text.chars().nth(limit).is_none() {
        return None;
    }
    let half = limit / 2;
    let first = nth(text, limit - half);
    let last = nth_from_end(text, half);
    let head = match text[..first].rfind('\n') {
        Some(line) if line + 1 >= first / 2 => line + 1,
        _ => first,
    };
    let tail = match text[last..].find('\n') {
        // The line starts exactly here when the character before is the end of another.
        _ if text[..last].ends_with('\n') => last,
        Some(line) if line < (text.len() - last) / 2 => last + line + 1,
        _ => last,
    };
    Some(Cut { head: &text[..head], middle: &text[head..tail], tail: &text[tail..] })
}

/// Gives the offset of the character of that number.
fn nth(text: &str, number: usize) -> usize {
    text.char_indices().nth(number).map_or(text.len(), |(at, _)| at)
}

/// Gives the offset from which so many characters are left.
fn nth_from_end(text: &str, number: usize) -> usize {
    match number.checked_sub(1) {
        None => text.len(),
        Some(before) => text.char_indices().rev().nth(before).map_or(0, |(at, _)| at),
    }
}

#[cfg(test)]
mod tests {
    use super::middle;

    #[test]
    fn short_texts_stay_whole() {
        for (text, limit) in [("", 0), ("", 5), ("abc", 3), ("äöü", 3), ("abc", 100)] {
            assert_eq!(middle(text, limit), None, "{text:?} {limit}");
        }
    }

    #[test]
    fn the_middle_goes_in_whole_lines_where_lines_are_short() {
        for (text, limit, head, tail) in [
            ("abcdef", 4, "ab", "ef"),
            ("abcdef", 3, "ab", "f"),
            ("abc", 1, "a", ""),
            ("abc", 0, "", ""),
            ("äöüßé", 2, "ä", "é"),
            ("one\ntwo\nthree\nfour\nfive\n", 14, "one\n", "five\n"),
            ("one\ntwo\nthree\nfour\nfive\n", 16, "one\ntwo\n", "five\n"),
            ("aaaaaaaaaa\nbbbbbbbbbb", 8, "aaaa", "bbbb"),
        ] {
            let cut = middle(text, limit).expect("longer than the limit");
            assert_eq!((cut.head, cut.tail), (head, tail), "{text:?} {limit}");
            assert_eq!([cut.head, cut.middle, cut.tail].concat(), text);
            assert!(cut.head.chars().count() + cut.tail.chars().count() <= limit);
        }
    }
}
