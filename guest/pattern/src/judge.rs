//! The one judgement of a command line, for `review` and `call` alike.

use shellward_judge::limits::{COMMANDS, INSTEAD, LONGEST};
use shellward_judge::{excerpt, unknown};
use shellward_kit::Host;
use shellward_syntax::{Language, Script, Span, Survey, Word, survey};

use crate::aliases;
use crate::failure::Failure;
use crate::paths::{self, Allowed};
use crate::settings::{Settings, TABLE};
use crate::tiers;

/// What a rule is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// The tier.
    Permission,
    /// The denylist.
    Denied,
    /// The allowed paths.
    Path,
    /// What cannot be known.
    Unknown,
    /// More than is judged.
    TooMuch,
    /// Text typed into a program.
    Typed,
}

impl shellward_judge::Rule for Rule {
    fn code(self) -> &'static str {
        match self {
            Self::Permission => "permission",
            Self::Denied => "denylist",
            Self::Path => "path",
            Self::Unknown => "unknown",
            Self::TooMuch => "too-much",
            Self::Typed => "typed-input",
        }
    }
}

/// What speaks against running a command, or is to be said of it.
pub type Objection = shellward_judge::Objection<Rule>;

/// Puts it into the call's failure.
#[must_use]
pub fn failure(objection: &Objection) -> Failure {
    let why = format!("{}. {}", objection.message, objection.hint).trim_end().to_owned();
    match objection.rule {
        Rule::Permission => Failure::PermissionDenied(why),
        Rule::Path => Failure::PathOutsideSandbox(why),
        Rule::Denied | Rule::Unknown | Rule::TooMuch | Rule::Typed => Failure::CommandDenied(why),
    }
}

/// What speaks against a command line.
pub type Judgement = shellward_judge::Judgement<Objection>;

/// A command line to be judged.
#[derive(Clone, Copy, Debug)]
pub struct Case<'a> {
    /// The command line.
    pub text: &'a str,
    /// What it would run, as far as that is known.
    pub script: &'a Script,
    /// The language it is in.
    pub language: Language,
    /// The settings.
    pub settings: &'a Settings,
}

impl Case<'_> {
    /// A command as it is written, shortened.
    #[must_use]
    pub fn written(&self, command: usize) -> String {
        let span = self.script.commands.get(command).map(|command| command.span).unwrap_or_default();
        excerpt(self.text, span, char::is_control)
    }

    /// A word as it is written, shortened.
    #[must_use]
    pub fn excerpt(&self, word: &Word) -> String {
        excerpt(self.text, word.span, char::is_control)
    }
}

/// Judges a command line that would run in a directory.
#[must_use]
pub fn judge<H: Host>(
    host: &H,
    settings: &Settings,
    allowed: &Allowed,
    language: Language,
    text: &str,
    directory: &str,
) -> Judgement {
    if text.len() > LONGEST {
        return Judgement::of(too_much(format!("it is longer than the {LONGEST} bytes that a shell takes")));
    }
    let Survey { mut script, unknown: obstacles } = match survey(text, language) {
        Ok(survey) => survey,
        Err(unknown) => Survey { script: Script::default(), unknown: vec![unknown] },
    };
    if script.commands.len() > COMMANDS {
        return Judgement::of(too_much(format!("it runs more than {COMMANDS} commands, and no more are judged")));
    }
    directory.clone_into(&mut script.start);
    let case = Case { text, script: &script, language, settings };
    let mut found = Vec::new();
    tiers::check(&case, &mut found);
    aliases::check(host, &case, allowed, directory, &mut found);
    paths::check(host, &case, allowed, directory, &mut found);
    found.extend(obstacles.iter().map(|obstacle| {
        // What the shell misses is nowhere in the text.
        let message = match excerpt(text, obstacle.span, char::is_control).as_str() {
            "" => obstacle.to_string(),
            written => format!("`{written}`: {obstacle}"),
        };
        objection_unknown(settings, message, unknown::instead(&obstacle.what), obstacle.span)
    }));
    Judgement::new(script.commands, found)
}

/// Makes the judgement of text typed into a program.
#[must_use]
pub fn typed() -> Judgement {
    let hint = "Give the input in the command, as in `program <<'EOF'`.";
    Judgement::of(Objection::denied(Rule::Typed, "commands of this tool read no input", hint, Span::default()))
}

fn too_much(message: String) -> Objection {
    Objection::denied(Rule::TooMuch, message, INSTEAD, Span::default())
}

/// Objects as strictly as the settings are about what cannot be known, and says who else could let it pass.
#[must_use]
pub fn objection_unknown(settings: &Settings, message: String, hint: &str, span: Span) -> Objection {
    let hint = format!("{hint} Or the user sets `on_unknown` to \"ask\" or \"allow\" in [{TABLE}].");
    Objection::new(Rule::Unknown, settings.on_unknown, message, hint, span)
}
