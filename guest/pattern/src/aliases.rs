//! Aliases: the session lasts, and a later word may run what one stands for.

use shellward_kit::Host;
use shellward_syntax::{Language, Survey, facts, survey};

use crate::judge::{Case, Objection, Rule, objection_unknown};
use crate::paths::{self, Allowed};
use crate::tiers;

/// Judges what aliases stand for.
pub fn check<H: Host>(host: &H, case: &Case<'_>, allowed: &Allowed, directory: &str, found: &mut Vec<Objection>) {
    for (index, command) in case.script.commands.iter().enumerate() {
        if facts::program(command) != Some("alias") {
            continue;
        }
        for word in command.words.iter().skip(1) {
            let objection = match word.literal() {
                Some(text) => text
                    .split_once('=')
                    .and_then(|(name, value)| stands_for(host, case, (allowed, directory), (name, value))),
                None => Some((Rule::Unknown, "it is known only when it runs what it stands for".into())),
            };
            let Some((rule, message)) = objection else { continue };
            let message = format!("the alias `{}`: {message}", facts::shown(word));
            let hint = "Write the command out where it is needed.";
            let objection = match rule {
                Rule::Unknown => objection_unknown(case.settings, message, hint, word.span),
                rule => Objection::denied(rule, message, hint, word.span),
            };
            found.push(objection.of(index));
        }
    }
}

/// Says what speaks against the commands that an alias stands for.
fn stands_for<H: Host>(
    host: &H,
    case: &Case<'_>,
    (allowed, directory): (&Allowed, &str),
    (name, value): (&str, &str),
) -> Option<(Rule, String)> {
    let language = if case.language == Language::Nu { Language::Bash } else { case.language };
    let script = match survey(value, language) {
        Ok(Survey { script, unknown }) if unknown.is_empty() => script,
        Ok(_) | Err(_) => return Some((Rule::Unknown, "it cannot be known what it would run".into())),
    };
    let inner = Case { text: value, script: &script, language, settings: case.settings };
    let nested = script.commands.iter().any(|command| facts::program(command) == Some("alias"));
    if nested {
        return Some((Rule::Unknown, "it makes another alias".into()));
    }
    let mut programs = script.commands.iter().map(|command| facts::program(command).unwrap_or_default());
    if let Some(program) = programs.find(|program| paths::is_mistaken(name, program)) {
        let message = format!("behind `{name}` words are taken for no paths, and `{program}` would open them");
        return Some((Rule::Path, message));
    }
    let mut found = Vec::new();
    tiers::check(&inner, &mut found);
    let found = found.into_iter().next().map(|objection| (objection.rule, objection.message));
    found.or_else(|| Some((Rule::Path, paths::of_alias(host, &inner, allowed, directory)?)))
}
