//! Any bytes as a line: never a panic, every place inside the text, and what was read can be written and read again.

use std::collections::BTreeSet;

use shellward_syntax::facts::{self, INTERACTIVE};
use shellward_syntax::{Language, Script, Span, Target, analyse, parse, survey, survey_without_nu};

use crate::Reader;
use crate::printing::printed;

pub fn holds(bytes: &[u8]) {
    let mut reader = Reader::new(bytes);
    let language = *reader.choose(&[Language::Bash, Language::Sh, Language::Zsh, Language::Nu]);
    let text = reader.text();
    let whole = |span: Span| assert!(text.get(span.start..span.end).is_some(), "{span:?} is no place in {text:?}");
    match survey(&text, language) {
        Ok(survey) => {
            for command in &survey.script.commands {
                whole(command.span);
                command.words.iter().for_each(|word| whole(word.span));
                assert!(command.scope < survey.script.scopes.len(), "no such scope: {command:?}");
            }
            for unknown in &survey.unknown {
                whole(unknown.span);
                assert!(!unknown.to_string().is_empty());
            }
            assert_eq!(analyse(&text, language).is_ok(), survey.unknown.is_empty());
            judged(&survey.script).into_iter().for_each(whole);
            pointed_at(&survey.script, &parse(&text, language).unwrap_or_default());
        }
        Err(unknown) => whole(unknown.span),
    }
    // Whoever leaves Nushell out knows less and never something else.
    if let (Ok(less), Ok(more)) = (survey_without_nu(&text, language), survey(&text, language))
        && less.unknown.is_empty()
    {
        assert_eq!(less, more);
    }
    if language != Language::Nu
        && let Ok(script) = parse(&text, language)
    {
        read_again(&script, language);
    }
}

/// Asks everything that can be asked of a script, and gives the places that the answers name.
fn judged(script: &Script) -> Vec<Span> {
    drop((facts::directories(script), facts::removes(script), facts::writes_device(script)));
    drop((facts::network(script), facts::remote_script(script), facts::interactive(script, INTERACTIVE)));
    let tier = facts::tier(script).1.map(|finding| finding.span);
    facts::hazards(script).into_iter().map(|(_, finding)| finding.span).chain(tier).collect()
}

/// Every place that a script names.
fn places(script: &Script) -> impl Iterator<Item = Span> {
    script.commands.iter().flat_map(|command| {
        let values = command.assignments.iter().map(|assignment| assignment.value.span);
        let redirections = command.redirections.iter().flat_map(|redirection| match &redirection.target {
            Target::File(word) | Target::Body(word) => vec![redirection.span, word.span],
            Target::Descriptor(_) => vec![redirection.span],
        });
        let words = command.words.iter().map(|word| word.span);
        words.chain(values).chain(redirections).chain([command.span]).collect::<Vec<_>>()
    })
}

/// Of commands inside others too the places are those of the text: of words, bodies or commands that stand in it.
fn pointed_at(whole: &Script, raw: &Script) {
    let starts: BTreeSet<usize> = places(raw).map(|span| span.start).collect();
    let ends: BTreeSet<usize> = places(raw).map(|span| span.end).collect();
    for span in places(whole) {
        let stands = starts.contains(&span.start) && ends.contains(&span.end);
        assert!(stands || span == Span::default(), "nothing stands at {span:?}: {whole:?}");
    }
}

/// Writes each command of which all is known, and then all of them below each other: read again, they are the same.
fn read_again(script: &Script, language: Language) {
    let mut lines = Vec::new();
    for command in &script.commands {
        let Some(line) = printed(command, language) else { continue };
        // What the line says means something else to a shell in which it stands alone: `x() …` makes that a function.
        let Ok(again) = parse(&line, language) else { continue };
        let [read] = &again.commands[..] else { panic!("one command was written and others are read: {line:?}") };
        assert_eq!(printed(read, language).as_deref(), Some(line.as_str()), "{command:?}");
        lines.push(line);
    }
    if let Ok(again) = parse(&lines.join("\n"), language) {
        let read: Vec<_> = again.commands.iter().map(|command| printed(command, language)).collect();
        assert_eq!(read, lines.into_iter().map(Some).collect::<Vec<_>>());
    }
}
