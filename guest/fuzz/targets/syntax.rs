//! Any bytes as a line: never a panic, every place inside the text, and words that read back as themselves.
#![no_main]

use libfuzzer_sys::fuzz_target;
use shellward_fuzz::Reader;
use shellward_syntax::facts::{self, INTERACTIVE};
use shellward_syntax::{Command, Language, Span, Word, analyse, parse, survey, survey_without_nu};

fuzz_target!(|bytes: &[u8]| {
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
            let script = &survey.script;
            for (_, finding) in
                facts::hazards(script).into_iter().chain(facts::tier(script).1.map(|f| (facts::Reach::Words, f)))
            {
                whole(finding.span);
            }
            drop((facts::directories(script), facts::removes(script), facts::writes_device(script)));
            drop((facts::network(script), facts::remote_script(script), facts::interactive(script, INTERACTIVE)));
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
        script.commands.iter().for_each(|command| read_again(command, language));
    }
});

/// Writes the words of a command in quotes: read again, they are the same.
fn read_again(command: &Command, language: Language) {
    let words: Option<Vec<String>> = command.words.iter().map(|word| word.literal().map(Into::into)).collect();
    let Some(words) = words.filter(|words| !words.is_empty()) else { return };
    let quoted: Vec<String> = words.iter().map(|word| format!("'{}'", word.replace('\'', "'\\''"))).collect();
    if let Ok(script) = parse(&quoted.join(" "), language) {
        let again = script.commands.first().map(|command| &command.words[..]).unwrap_or_default();
        let again: Vec<_> = again.iter().map(Word::literal).collect();
        assert_eq!(again, words.iter().map(|word| Some(word.as_str().into())).collect::<Vec<_>>());
    }
}
