//! Comparing what ran with what the analysis said would run.

use shellward_syntax::{Command, Language, Part, Script, Word, parse};

use super::matching::{Outcome, matches_text};
use super::shells::Call;

pub fn compare(text: &str, language: Language, calls: &[Call]) -> Outcome {
    let script = match parse(text, language) {
        Ok(script) => script,
        Err(unknown) => return Outcome::Unknown(format!("{:?}", unknown.what)),
    };
    if script.commands.iter().any(program_is_unknown) {
        return Outcome::Unknown("DynamicProgram".to_owned());
    }
    match calls.iter().find(|call| !foresees(&script, call)) {
        Some(call) => Outcome::Missed(call.clone()),
        None => Outcome::Foreseen,
    }
}

fn program_is_unknown(command: &Command) -> bool {
    command.words.first().is_some_and(|word| word.literal().is_none())
}

fn foresees(script: &Script, call: &Call) -> bool {
    script.commands.iter().any(|command| matches_words(&command.words, call))
}

/// Whether words may have become these arguments; one that is not known may have become any number of them.
fn matches_words(words: &[Word], arguments: &[String]) -> bool {
    let Some((word, words)) = words.split_first() else { return arguments.is_empty() };
    if is_single(word) {
        return arguments.split_first().is_some_and(|(argument, arguments)| {
            matches_text(&word.parts, argument) && matches_words(words, arguments)
        });
    }
    (0..=arguments.len()).any(|taken| matches_words(words, &arguments[taken..]))
}

/// Whether a word stays one word.
fn is_single(word: &Word) -> bool {
    word.parts.iter().all(|part| matches!(part, Part::Text(_) | Part::Variable(_)))
}
