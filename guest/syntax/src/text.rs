//! Small questions about texts, asked by ASCII signs.
//!
//! The standard library's answers look for any pattern, and are compiled into every place that asks: in a component
//! these, which are calls, are a fraction of their size.

/// Tells whether a word is in a list of words with one blank between them.
#[inline(never)]
pub(crate) fn among(list: &str, word: &str) -> bool {
    let (mut rest, word) = (list.as_bytes(), word.as_bytes());
    // Most words of a list differ in their first letter already, which takes no call to find out.
    let Some(first) = word.first() else { return false };
    loop {
        let is_it = rest.first() == Some(first)
            && rest.starts_with(word)
            && rest.get(word.len()).is_none_or(|after| *after == b' ');
        if is_it {
            return true;
        }
        let Some(end) = rest.iter().position(|byte| *byte == b' ') else { return false };
        rest = &rest[end + 1..];
    }
}

/// Returns the place of the first such sign.
#[inline(never)]
pub(crate) fn at(text: &str, sign: u8) -> Option<usize> {
    text.bytes().position(|byte| byte == sign)
}

/// Tells whether one of these signs is in a text.
#[inline(never)]
pub(crate) fn holds(text: &str, signs: &str) -> bool {
    text.bytes().any(|byte| signs.as_bytes().contains(&byte))
}

/// Tells whether a text begins with one of these signs.
#[inline(never)]
pub(crate) fn starts(text: &str, signs: &str) -> bool {
    text.bytes().next().is_some_and(|byte| signs.as_bytes().contains(&byte))
}

/// Returns what stands before the first such sign, and after it.
#[inline(never)]
pub(crate) fn halves(text: &str, sign: u8) -> Option<(&str, &str)> {
    let at = at(text, sign)?;
    Some((text.get(..at)?, text.get(at + 1..)?))
}

/// Returns what stands before the first such sign; the whole text where there is none.
#[inline(never)]
pub(crate) fn before(text: &str, sign: u8) -> &str {
    halves(text, sign).map_or(text, |(before, _)| before)
}

/// Returns what stands after the last such sign; the whole text where there is none.
#[inline(never)]
pub(crate) fn after_last(text: &str, sign: u8) -> &str {
    let from = text.bytes().rposition(|byte| byte == sign).map_or(0, |at| at + 1);
    text.get(from..).unwrap_or_default()
}

/// Goes through what stands between signs, as `split` does.
pub(crate) fn pieces(text: &str, sign: u8) -> Pieces<'_> {
    Pieces { rest: Some(text), sign }
}

/// See [`pieces`].
#[derive(Clone)]
pub(crate) struct Pieces<'t> {
    rest: Option<&'t str>,
    sign: u8,
}

impl<'t> Iterator for Pieces<'t> {
    type Item = &'t str;

    #[inline(never)]
    fn next(&mut self) -> Option<&'t str> {
        let text = self.rest?;
        let halves = halves(text, self.sign);
        self.rest = halves.map(|(_, after)| after);
        Some(halves.map_or(text, |(before, _)| before))
    }
}

/// Returns the place of a short text in another: what is looked for may be at most [`LONGEST`] bytes long, so that the
/// search is linear.
#[inline(never)]
pub(crate) fn find(text: &str, part: &str) -> Option<usize> {
    let (text, part) = (text.as_bytes(), part.as_bytes());
    let first = *part.first().filter(|_| part.len() <= LONGEST)?;
    (0..text.len()).find(|at| text[*at] == first && text[*at..].starts_with(part))
}

/// See [`find`].
pub(crate) const LONGEST: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_those_of_the_standard_library() {
        for text in ["", "=", "a", "a=b", "=b", "a=", "a=b=c", "ä=ö", "a/b", "/", "a//"] {
            for sign in [b'=', b'/'] {
                let sign_text = char::from(sign).to_string();
                assert_eq!(at(text, sign), text.find(char::from(sign)));
                assert_eq!(holds(text, &sign_text), text.contains(char::from(sign)));
                assert_eq!(starts(text, &sign_text), text.starts_with(char::from(sign)));
                assert_eq!(halves(text, sign), text.split_once(char::from(sign)));
                assert_eq!(Some(before(text, sign)), text.split(char::from(sign)).next());
                assert_eq!(Some(after_last(text, sign)), text.rsplit(char::from(sign)).next());
                assert!(pieces(text, sign).eq(text.split(char::from(sign))));
            }
            for part in ["=", "=b", "a", "ö", "b=c", "xyz"] {
                assert_eq!(find(text, part), text.find(part), "{part} in {text}");
            }
        }
        assert_eq!(find("a", ""), None);
        assert_eq!(find(&"a".repeat(100), &"a".repeat(65)), None);
    }
}
