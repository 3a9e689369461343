//! Comparing what ran with what the analysis said would run.

use shellward_syntax::{Language, Part, Script, Word, parse};

use super::laboratory::Call;
use super::matching::{Outcome, matches_text};

pub fn compare(line: &str, calls: &[Call]) -> Outcome {
    let script = match parse(line, Language::Nu) {
        Ok(script) => script,
        Err(unknown) => return Outcome::Unknown(format!("{:?}", unknown.what)),
    };
    match calls.iter().find(|call| !foresees(&script, call)) {
        Some(call) => Outcome::Missed(call.clone()),
        None => Outcome::Foreseen,
    }
}

/// `exec c1` is a command of nu with the program among its words, which unwrapping finds.
fn foresees(script: &Script, call: &Call) -> bool {
    script.commands.iter().any(|command| {
        let exec = command.words.first().and_then(Word::literal).as_deref() == Some("exec");
        matches_words(command.words.get(usize::from(exec)..).unwrap_or_default(), call)
    })
}

/// Whether words may have become these arguments; one that is not known may have become any number of them.
fn matches_words(words: &[Word], arguments: &[String]) -> bool {
    let Some((word, words)) = words.split_first() else { return arguments.is_empty() };
    if word.parts.iter().all(|part| matches!(part, Part::Text(_) | Part::Home | Part::Variable(_))) {
        return arguments.split_first().is_some_and(|(argument, arguments)| {
            matches_text(&word.parts, argument) && matches_words(words, arguments)
        });
    }
    (0..=arguments.len()).any(|taken| {
        // A word that is known in part becomes arguments that look like it.
        let single = taken != 1 || matches_text(&word.parts, &arguments[0]);
        single && matches_words(words, &arguments[taken..])
    })
}
