//! Brace expansion: `{a,b}` and `{1..3}`.

use super::word::{Braces, Builder};
use crate::script::{Part, Word};

/// The most words that one word is expanded to.
const MOST: usize = 64;

impl Builder {
    /// Whether bash may make several words of it by its braces.
    pub(super) fn may_expand_braces(&self) -> bool {
        self.braces == Braces::Closed
    }
}

/// The words that a word with braces becomes; one dynamic word when they are not plain to see.
pub(super) fn expand(word: Builder, end: usize) -> Vec<Word> {
    let plain = if word.quoted || word.continued { None } else { word.literal().and_then(expand_text) };
    let mut word = word.finish(end);
    match plain {
        Some(texts) => {
            let words = texts.into_iter();
            words.map(|text| Word { parts: vec![Part::Text(text)], span: word.span }).collect()
        }
        None => {
            word.parts = vec![Part::Dynamic];
            vec![word]
        }
    }
}

/// Expands one group in an unquoted text that holds nothing else of meaning.
fn expand_text(text: &str) -> Option<Vec<String>> {
    let (before, rest) = text.split_once('{')?;
    let (group, after) = rest.split_once('}')?;
    let doubtful = |text: &str| text.contains(['{', '}', '~', '\\']);
    if doubtful(before) || doubtful(group) || doubtful(after) {
        return None;
    }
    let items: Vec<String> = match group.split_once("..") {
        Some((first, last)) => range(first, last)?,
        None => group.split(',').map(str::to_owned).collect(),
    };
    let fits = items.len() <= MOST && items.len() * (before.len() + after.len()) <= 4096;
    // An empty word would vanish.
    let words = || items.iter().map(|item| format!("{before}{item}{after}")).collect::<Vec<_>>();
    fits.then(words).filter(|words| words.iter().all(|word| !word.is_empty()))
}

fn range(first: &str, last: &str) -> Option<Vec<String>> {
    let number = |text: &str| -> Option<u32> {
        let plain = text.len() < 7 && text.bytes().all(|byte| byte.is_ascii_digit());
        (plain && (text == "0" || !text.starts_with('0'))).then(|| text.parse().ok()).flatten()
    };
    let (first, last) = (number(first)?, number(last)?);
    if first.abs_diff(last) as usize >= MOST {
        return None;
    }
    let upward = first.min(last)..=first.max(last);
    Some(if first <= last {
        upward.map(|number| number.to_string()).collect()
    } else {
        upward.rev().map(|number| number.to_string()).collect()
    })
}
