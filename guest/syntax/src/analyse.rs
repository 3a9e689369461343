//! The one question of this crate: given a text, what would run?

use crate::script::{Language, Script, Span, Unknown, What};
use crate::unwrap::{Survey, unwrap};

/// Returns every command that a text would run, those inside other commands included, or what cannot be known.
///
/// # Errors
/// Returns the first place of the text of which it cannot be known what would run.
pub fn analyse(text: &str, language: Language) -> Result<Script, Unknown> {
    let survey = survey(text, language)?;
    match survey.unknown.into_iter().next() {
        Some(unknown) => Err(unknown),
        None => Ok(survey.script),
    }
}

/// Returns the commands that are known even where others are not.
///
/// For messages and for policies that let the unknown pass: a refusal can then name `rm -rf /` rather than the
/// variable beside it. Only a survey without unknown places says what a text would run.
///
/// # Errors
/// Returns the place from which on the text cannot be read at all.
pub fn survey(text: &str, language: Language) -> Result<Survey, Unknown> {
    Ok(unwrap(parse(text, language)?, text.len(), language, parse))
}

/// Returns what [`survey`] returns, without the reading of Nushell, which a component that never runs it need not carry.
///
/// Nushell, inside other commands too, is then unknown.
///
/// # Errors
/// Returns the place from which on the text cannot be read at all.
pub fn survey_without_nu(text: &str, language: Language) -> Result<Survey, Unknown> {
    Ok(unwrap(parse_without_nu(text, language)?, text.len(), language, parse_without_nu))
}

fn parse_without_nu(text: &str, language: Language) -> Result<Script, Unknown> {
    match language {
        Language::Sh | Language::Bash | Language::Zsh => crate::shell::parse(text, language),
        Language::Nu => {
            Err(Unknown { what: What::Construct("a line of Nushell"), span: Span { start: 0, end: text.len() } })
        }
    }
}

/// Reads a text and lists the commands that stand in it, without looking into what these run in turn.
///
/// # Errors
/// [`Unknown`] says what cannot be known, and where: a syntax error counts, because a shell runs what stands before it.
pub fn parse(text: &str, language: Language) -> Result<Script, Unknown> {
    match language {
        Language::Sh | Language::Bash | Language::Zsh => crate::shell::parse(text, language),
        Language::Nu => crate::nu::parse(text),
    }
}
