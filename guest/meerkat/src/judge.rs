//! The one judgement of a command line, for `review` and `call` alike.

use shellward_kit::contract::{Decision, Judged, Verdict};
use shellward_syntax::{Command, Script, Span, Survey, survey};

use crate::failure::Failure;
use crate::rules::{Case, Objection, Rule, contract_span, excerpt, with_setting};
use crate::settings::Settings;
use crate::shells::{self, Chosen};

/// The longest command, in bytes: Linux gives a program no longer argument.
pub const LONGEST: usize = (128 << 10) - 1;

/// How many commands are judged, so that a judgement ends soon.
const COMMANDS: usize = 2000;

/// What speaks against a command line, and what it would run.
#[derive(Clone, Debug, Default)]
pub struct Judgement {
    commands: Vec<Command>,
    /// What speaks against it, strictest first, in the order of the text.
    pub objections: Vec<Objection>,
}

/// Judges a command line as the shell would read it that runs it.
#[must_use]
pub fn judge(settings: &Settings, shell: &Chosen, text: &str) -> Judgement {
    if text.len() > LONGEST {
        let what = format!("is longer than the {LONGEST} bytes that a shell takes");
        return Judgement::of(too_much(String::new(), what, Span::default()));
    }
    let Some(language) = shell.reads else {
        return Judgement::of(unread(settings, shell, text));
    };
    let Survey { script, unknown: obstacles } = match survey(text, shells::language(language)) {
        Ok(survey) => survey,
        Err(unknown) => Survey { script: Script::default(), unknown: vec![unknown] },
    };
    if let Some(command) = script.commands.get(COMMANDS) {
        let what = format!("comes after {COMMANDS} other commands, and no more are judged");
        return Judgement::of(too_much(excerpt(text, command.span), what, command.span));
    }
    let case = Case { text, script: &script, on_unknown: settings.on_unknown };
    let mut objections = case.objections();
    objections.extend(obstacles.iter().map(|obstacle| case.obstacle(obstacle)));
    objections.sort_by_key(|objection| (std::cmp::Reverse(rank(objection.decision)), objection.span.start));
    Judgement { commands: script.commands, objections }
}

fn too_much(contains: String, what: String, span: Span) -> Objection {
    let hint = "Write it to a script file and run that.".into();
    Objection { rule: Rule::TooMuch, decision: Decision::Deny, contains, what, hint, span, command: None }
}

/// What is said of every command for a shell whose language this policy does not know.
fn unread(settings: &Settings, shell: &Chosen, text: &str) -> Objection {
    let span = Span { start: 0, end: text.len() };
    Objection {
        rule: Rule::Unknown,
        decision: settings.on_unknown,
        contains: excerpt(text, span),
        what: format!("is for the shell {}, whose commands this policy cannot read", shell.name),
        hint: with_setting("The shells it can read are nu, bash, zsh and sh."),
        span,
        command: None,
    }
}

impl Judgement {
    /// Makes the judgement of a text that was not even read.
    #[must_use]
    pub fn of(objection: Objection) -> Self {
        Self { commands: Vec::new(), objections: vec![objection] }
    }

    /// Makes the judgement of text typed into a program: commands of these tools have nothing on their input.
    #[must_use]
    pub fn typed() -> Self {
        Self::of(Objection {
            rule: Rule::Typed,
            decision: Decision::Deny,
            contains: String::new(),
            what: "of this tool reads no input".into(),
            hint: "Give the input in the command.".into(),
            span: Span::default(),
            command: None,
        })
    }

    /// Gives the strictest decision.
    #[must_use]
    pub fn decision(&self) -> Decision {
        self.objections.first().map_or(Decision::Allow, |objection| objection.decision)
    }

    /// Gives the failure of a call that is not let through, for the strictest reason.
    #[must_use]
    pub fn failure(&self) -> Option<Failure> {
        let first = self.objections.first().filter(|objection| objection.decision != Decision::Allow)?;
        Some(Failure::Blocked { contains: first.contains.clone(), why: first.why() })
    }

    /// Gives the verdict that `review` returns.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        Verdict {
            decision: self.decision(),
            findings: self.objections.iter().map(Objection::finding).collect(),
            commands: self
                .commands
                .iter()
                .enumerate()
                .filter(|(_, command)| !command.words.is_empty())
                .map(|(index, command)| self.judged(index, command))
                .collect(),
        }
    }

    fn judged(&self, index: usize, command: &Command) -> Judged {
        let objection = self.objections.iter().find(|objection| objection.command == Some(index));
        Judged {
            words: command.words.iter().map(|word| word.literal().map(String::from)).collect(),
            at: contract_span(command.span),
            via: command.via.iter().map(|via| via.wrapper.clone()).collect(),
            decision: objection.map_or(Decision::Allow, |objection| objection.decision),
            reason: objection.map(|objection| format!("It {}.", objection.what)),
        }
    }
}

fn rank(decision: Decision) -> u8 {
    match decision {
        Decision::Allow => 0,
        Decision::Ask => 1,
        Decision::Deny => 2,
    }
}
