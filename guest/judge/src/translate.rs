//! Between the analysis and the contract: languages, places in a text, parts of it for messages.

use shellward_kit::contract;
use shellward_syntax::{Language, Span};

/// The longest excerpt in a message, in characters.
const EXCERPT: usize = 80;

/// Gives the language for the analysis.
#[must_use]
pub fn syntax_language(language: contract::Language) -> Language {
    match language {
        contract::Language::Sh => Language::Sh,
        contract::Language::Bash => Language::Bash,
        contract::Language::Zsh => Language::Zsh,
        contract::Language::Nu => Language::Nu,
    }
}

/// Gives the language in the contract's words.
#[must_use]
pub fn contract_language(language: Language) -> contract::Language {
    match language {
        Language::Sh => contract::Language::Sh,
        Language::Bash => contract::Language::Bash,
        Language::Zsh => contract::Language::Zsh,
        Language::Nu => contract::Language::Nu,
    }
}

/// Puts a range of bytes into the contract's numbers.
#[must_use]
pub fn span(span: Span) -> contract::Span {
    let number = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    contract::Span { start: number(span.start), end: number(span.end) }
}

/// Gives a part of a text, shortened, for messages; these characters become blanks.
pub fn excerpt(text: &str, span: Span, blank: impl Fn(char) -> bool) -> String {
    let part = text.get(span.start..span.end).unwrap_or_default().trim();
    let mut short: String = part.chars().take(EXCERPT).map(|letter| if blank(letter) { ' ' } else { letter }).collect();
    if part.chars().nth(EXCERPT).is_some() {
        short.push('…');
    }
    short
}
