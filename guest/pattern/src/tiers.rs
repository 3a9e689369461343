//! Permissions: the tier that each command requires, against the tier that is granted to it.

use shellward_syntax::facts::{self, Finding, Reach, Tier};
use shellward_syntax::{Command, Part, Span, Word};

use crate::glob::{Glob, Letter};
use crate::judge::{Case, Objection, Rule, objection_unknown};
use crate::settings::{Settings, TABLE};

/// The most characters of a command that patterns are held against.
const LONGEST_LINE: usize = 1000;

/// Variables by which later commands of the session find other places than their text says, or other programs.
const PLACES: [&str; 7] = ["HOME", "CDPATH", "OLDPWD", "PWD", "DIRSTACK", "BASH_ALIASES", "BASH_CMDS"];

/// Gives the specification's name of a tier.
#[must_use]
pub fn name(tier: Tier) -> &'static str {
    match tier {
        Tier::ReadOnly => "ReadOnly",
        Tier::ReadWrite => "ReadWrite",
        Tier::Admin => "Admin",
    }
}

/// Finds every command that requires more than is granted, or is on the denylist.
pub fn check(case: &Case<'_>, found: &mut Vec<Objection>) {
    let required = required(case);
    for (index, (tier, why)) in required.iter().enumerate() {
        let Some(command) = case.script.commands.get(index) else { continue };
        let line = line(command);
        let (granted, rule) = granted(case.settings, &line);
        if granted == Tier::Admin {
            continue;
        }
        // A program that is known only when it runs is refused, or let pass, as what cannot be known.
        let named = facts::program(command).is_some();
        let listed =
            case.settings.denylist.iter().find(|glob| if named { glob.may_be(&line) } else { glob.surely(&line) });
        if let Some(glob) = listed {
            found.push(denied(case, index, format!("it matches \"{}\" of the denylist", glob.text())));
        } else if let Some(finding) = case.destroys(index) {
            found.push(denied(case, index, format!("it {}", finding.rule)));
        } else if *tier > granted {
            found.push(lacking(case, index, (*tier, why.as_ref()), (granted, rule)));
        }
    }
    places(case, found);
}

impl Case<'_> {
    /// Finds what a command destroys for good: the root, a home, the system, a disk.
    fn destroys(&self, index: usize) -> Option<Finding> {
        let removed = facts::removes(self.script).into_iter().map(|(_, finding)| finding);
        removed.chain(facts::writes_device(self.script)).find(|finding| finding.command == index)
    }
}

/// Gives the tier that each command requires. What gives later words of the session another meaning is no reading.
fn required(case: &Case<'_>) -> Vec<(Tier, Option<Finding>)> {
    let count = case.script.commands.len();
    let mut required: Vec<_> = (0..count).map(|index| facts::tier_of(case.script, index)).collect();
    for (reach, finding) in facts::hazards(case.script) {
        if let Some(entry) = required.get_mut(finding.command)
            && reach == Reach::Words
            && entry.0 == Tier::ReadOnly
        {
            *entry = (Tier::ReadWrite, Some(finding));
        }
    }
    required
}

/// A command as patterns see it: its program by name, and its words.
fn line(command: &Command) -> Vec<Letter> {
    let mut letters = Vec::new();
    for (index, word) in command.words.iter().enumerate() {
        if index > 0 {
            letters.push(Letter::Known(' '));
        }
        match facts::program(command).filter(|_| index == 0) {
            Some(name) => letters.extend(name.chars().map(Letter::Known)),
            None => spell(word, &mut letters),
        }
        if letters.len() > LONGEST_LINE {
            letters.truncate(LONGEST_LINE);
            letters.push(Letter::Any);
            break;
        }
    }
    letters
}

fn spell(word: &Word, letters: &mut Vec<Letter>) {
    for part in &word.parts {
        match part {
            Part::Text(text) => letters.extend(text.chars().map(Letter::Known)),
            Part::Glob(_) | Part::Home | Part::User(_) | Part::Variable(_) | Part::Dynamic => letters.push(Letter::Any),
        }
    }
}

/// Gives the tier granted to a command, and the rule that granted it. A rule that takes counts where it may match, a
/// rule that gives only where it surely does.
fn granted<'a>(settings: &'a Settings, line: &[Letter]) -> (Tier, Option<&'a Glob>) {
    let matching = settings.rules.iter().filter(|(glob, tier)| match *tier > settings.default {
        true => glob.surely(line),
        false => glob.may_be(line),
    });
    let strictest = matching.min_by_key(|(_, tier)| *tier);
    strictest.map_or((settings.default, None), |(glob, tier)| (*tier, Some(glob)))
}

fn lacking(
    case: &Case<'_>,
    index: usize,
    (required, why): (Tier, Option<&Finding>),
    (granted, rule): (Tier, Option<&Glob>),
) -> Objection {
    let by = match rule {
        Some(glob) => format!("by the rule \"{}\"", glob.text()),
        None => "by default".into(),
    };
    let reason = why.map(|finding| format!(", because of `{}`: {}", finding.word, finding.rule)).unwrap_or_default();
    let message =
        format!("requires {}, have {} ({by}): `{}`{reason}", name(required), name(granted), case.written(index));
    let span = why.map_or_else(|| span_of(case, index), |finding| finding.span);
    let hint = format!("The user grants more in [{TABLE}]: `default`, or a rule for this command.");
    Objection::denied(Rule::Permission, message, hint, span).of(index)
}

fn denied(case: &Case<'_>, index: usize, why: String) -> Objection {
    let message = format!("`{}`: {why}", case.written(index));
    let hint = format!("Only what is granted Admin in [{TABLE}] is free of it.");
    Objection::denied(Rule::Denied, message, hint, span_of(case, index)).of(index)
}

fn span_of(case: &Case<'_>, index: usize) -> Span {
    case.script.commands.get(index).map(|command| command.span).unwrap_or_default()
}

/// Finds variables set for the session by which later paths would lead elsewhere than they say.
fn places(case: &Case<'_>, found: &mut Vec<Objection>) {
    for (_, finding) in facts::hazards(case.script) {
        let Some(name) = PLACES.iter().find(|name| finding.word == **name) else { continue };
        let lasting = case.script.commands.get(finding.command).is_none_or(|command| {
            command.words.is_empty() || command.words.iter().skip(1).any(|word| facts::shown(word).starts_with(name))
        });
        if lasting {
            let message = format!(
                "`{}` sets {name}, and later commands of the session would lead elsewhere than they say",
                finding.word
            );
            let hint = "Set it for one command, as in `env HOME=… command`.";
            found.push(objection_unknown(case.settings, message, hint, finding.span).of(finding.command));
        }
    }
}
