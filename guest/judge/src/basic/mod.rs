//! The rules of policies that let nearly everything run.
//!
//! Nothing removes the root, a home or the system with all that is in it, and nothing writes over a disk. Rules judge
//! the commands that would run, never the text: `echo "rm -rf /"` runs nothing but `echo`.

mod case;
mod objection;

use shellward_kit::contract::{Decision, Language};
use shellward_syntax::{Script, Span, Survey, survey};

use crate::Ground;
use crate::limits::{COMMANDS, INSTEAD, LONGEST};
use crate::translate::syntax_language;
use case::Case;
pub use objection::{Objection, Rule};

/// What speaks against a command line by these rules.
pub type Judgement = crate::Judgement<Objection>;

/// Judges by these rules.
#[derive(Clone, Copy, Debug)]
pub struct Judge {
    /// What becomes of what cannot be known.
    pub on_unknown: Decision,
    /// The table of the settings in which `on_unknown` stands, for hints.
    pub table: &'static str,
}

impl Judge {
    /// Judges a command line as the shell would read it that runs it.
    ///
    /// The language is none where it is not known how that shell reads; its name is for messages.
    #[must_use]
    pub fn judge(&self, text: &str, language: Option<Language>, shell: &str) -> Judgement {
        self.judge_in(text, language, shell, "")
    }

    /// Judges the same where it is known in which directory it would run, whose absolute path this is: what a relative
    /// path leads to depends on it.
    #[must_use]
    pub fn judge_in(&self, text: &str, language: Option<Language>, shell: &str, directory: &str) -> Judgement {
        if text.len() > LONGEST {
            let what = format!("is longer than the {LONGEST} bytes that a shell takes");
            return Judgement::of(too_much(String::new(), what, Span::default()));
        }
        let Some(language) = language else {
            return Judgement::of(self.unread(text, shell));
        };
        let Survey { mut script, unknown: obstacles } = match survey(text, syntax_language(language)) {
            Ok(survey) => survey,
            Err(unknown) => Survey { script: Script::default(), unknown: vec![unknown] },
        };
        directory.clone_into(&mut script.start);
        if let Some(command) = script.commands.get(COMMANDS) {
            let what = format!("comes after {COMMANDS} other commands, and no more are judged");
            return Judgement::of(too_much(excerpt(text, command.span), what, command.span));
        }
        let case = Case { text, script: &script, judge: *self };
        let mut objections = case.objections();
        objections.extend(obstacles.iter().map(|obstacle| case.obstacle(obstacle)));
        Judgement::new(script.commands, objections)
    }

    /// What is said of every command for a shell whose language is not known.
    fn unread(&self, text: &str, shell: &str) -> Objection {
        let span = Span { start: 0, end: text.len() };
        let what = format!("is for the shell {shell}, whose commands this policy cannot read");
        self.unknown(excerpt(text, span), what, "The shells it can read are nu, bash, zsh and sh.", span)
    }

    /// Objects as strictly as the settings are about what cannot be known, and says who else could let it pass.
    #[must_use]
    pub fn unknown(&self, contains: String, what: String, hint: &str, span: Span) -> Objection {
        let hint = format!("{hint} Or the user sets `on_unknown` to \"ask\" or \"allow\" in [{}].", self.table);
        let ground = Ground { decision: self.on_unknown, span, command: None };
        Objection { rule: Rule::Unknown, ground, contains, what, hint }
    }
}

impl Judgement {
    /// Makes the judgement of text typed into a program, for tools whose commands have nothing on their input.
    #[must_use]
    pub fn typed() -> Self {
        Self::of(Objection {
            rule: Rule::Typed,
            ground: Ground { decision: Decision::Deny, span: Span::default(), command: None },
            contains: String::new(),
            what: "of this tool reads no input".into(),
            hint: "Give the input in the command.".into(),
        })
    }

    /// Gives the strictest reason not to let it through.
    #[must_use]
    pub fn first(&self) -> Option<&Objection> {
        self.against().next()
    }
}

fn too_much(contains: String, what: String, span: Span) -> Objection {
    let ground = Ground { decision: Decision::Deny, span, command: None };
    Objection { rule: Rule::TooMuch, ground, contains, what, hint: INSTEAD.into() }
}

/// Gives a part of a text on one line, shortened, for messages.
fn excerpt(text: &str, span: Span) -> String {
    crate::excerpt(text, span, char::is_control)
}
