//! The one judgement of a command line, for `review` and `call` alike.

use crate::errors::Failure;
use crate::rules::{Case, Objection, Rule, hazards, interactive, moves, programs, removal, size, unknown};
use crate::settings::Settings;
use shellward_kit::Host;
use shellward_kit::contract::{Decision, Judged, Span, Verdict};
use shellward_syntax::{Command, Language, Script, Survey, facts, survey};

/// The longest command that is judged, in bytes: Linux gives a program no longer argument.
pub const LONGEST: usize = (128 << 10) - 1;

/// How many objections a message names.
const NAMED: usize = 4;

/// What speaks against a command line, and what it would run.
#[derive(Clone, Debug, Default)]
pub struct Judgement {
    /// The commands that are known.
    commands: Vec<Command>,
    /// What speaks against it, strictest first, in the order of the text.
    pub objections: Vec<Objection>,
}

/// Judges a command line that would run in a directory.
#[must_use]
pub fn judge<H: Host>(host: &H, settings: &Settings, language: Language, text: &str, directory: &str) -> Judgement {
    let Survey { script, unknown: obstacles } = match survey(text, language) {
        Ok(survey) => survey,
        Err(unknown) => Survey { script: Script::default(), unknown: vec![unknown] },
    };
    if let Some(objection) = size::check(&script) {
        return Judgement::of(objection);
    }
    let case = Case { text, script: &script, settings };
    let mut objections = Vec::new();
    let found = &mut objections;
    interactive::check(&case, found);
    programs::check(&case, found);
    removal::check(&case, found);
    remote(&case, found);
    device(&case, found);
    hazards::check(&case, found);
    moves::check(host, &case, directory, found);
    objections.extend(obstacles.iter().map(|obstacle| unknown::objection(settings, text, obstacle)));
    objections.sort_by_key(|objection| (std::cmp::Reverse(rank(objection.decision)), objection.span.start));
    Judgement { commands: script.commands, objections }
}

/// Finds a script from the network that would run.
fn remote(case: &Case<'_>, found: &mut Vec<Objection>) {
    if let Some(finding) = facts::remote_script(case.script) {
        let hint = "Save what it fetches to a file and let the user look at it.";
        found.push(of_fact(case, Rule::RemoteScript, &finding, hint));
    }
}

/// Finds a write to a disk past its file system.
fn device(case: &Case<'_>, found: &mut Vec<Objection>) {
    if let Some(finding) = facts::writes_device(case.script) {
        let hint = "Disks are not an agent's to change; ask the user.";
        found.push(of_fact(case, Rule::Destructive, &finding, hint));
    }
}

fn of_fact(case: &Case<'_>, rule: Rule, finding: &facts::Finding, hint: &str) -> Objection {
    let message = format!("`{}` {}", case.excerpt(finding.command), finding.rule);
    Objection::denied(rule, message, hint, finding.span).of(finding.command)
}

impl Judgement {
    /// Makes the judgement of a text that was not even read.
    #[must_use]
    pub fn of(objection: Objection) -> Self {
        Self { commands: Vec::new(), objections: vec![objection] }
    }

    /// Gives the strictest decision.
    #[must_use]
    pub fn decision(&self) -> Decision {
        self.objections.first().map_or(Decision::Allow, |objection| objection.decision)
    }

    /// Gives the failure of a call that is not let through.
    #[must_use]
    pub fn failure(&self) -> Failure {
        let against: Vec<&Objection> = self.against().collect();
        let mut more = against.iter().take(NAMED).map(|objection| worded(objection)).collect::<Vec<_>>().join(" ");
        if against.len() > NAMED {
            more.push_str(&format!(" And {} more.", against.len() - NAMED));
        }
        if !against.is_empty() && against.iter().all(|objection| objection.rule == Rule::OutsideRoot) {
            Failure::OutsideRoot(more)
        } else {
            Failure::Blocked(more)
        }
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
            at: span(command.span),
            via: command.via.iter().map(|via| via.wrapper.clone()).collect(),
            decision: objection.map_or(Decision::Allow, |objection| objection.decision),
            reason: objection.map(|objection| format!("{}.", objection.message)),
        }
    }

    /// Goes through what keeps the command from running.
    pub fn against(&self) -> impl Iterator<Item = &Objection> {
        self.objections.iter().filter(|objection| objection.decision != Decision::Allow)
    }
}

fn worded(objection: &Objection) -> String {
    let Objection { message, rule, hint, .. } = objection;
    let hint = hint.as_ref().map(|hint| format!(" {hint}")).unwrap_or_default();
    format!("{message} (rule {}).{hint}", rule.code())
}

fn rank(decision: Decision) -> u8 {
    match decision {
        Decision::Allow => 0,
        Decision::Ask => 1,
        Decision::Deny => 2,
    }
}

/// Puts a range of bytes into the contract's numbers.
#[must_use]
pub fn span(span: shellward_syntax::Span) -> Span {
    let number = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    Span { start: number(span.start), end: number(span.end) }
}
