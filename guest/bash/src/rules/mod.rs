//! The safety rules: what in a command line speaks against running it.
//!
//! Rules judge the commands that would run, never the text: `echo "sudo"` runs nothing but `echo`.

pub mod hazards;
pub mod interactive;
pub mod lists;
pub mod moves;
pub mod programs;
pub mod removal;
pub mod size;
pub mod unknown;

use crate::settings::Settings;
use shellward_kit::contract::{Decision, Finding};
use shellward_syntax::{Script, Span};

/// A rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Waits for a person.
    Interactive,
    /// Overwrites disks or stops the machine.
    Destructive,
    /// Raises privileges.
    Privilege,
    /// Removes the root, a home or the system.
    RemovesRoot,
    /// Runs what comes from the network.
    RemoteScript,
    /// Uses the network.
    Network,
    /// Does what the tools LS, Read, Grep and Glob are for.
    Readers,
    /// Changes to a directory outside the root.
    OutsideRoot,
    /// Cannot be known.
    Unknown,
    /// Is more than is judged.
    TooMuch,
    /// Is typed into a program.
    Typed,
}

impl Rule {
    /// Gives the stable word for the rule.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::Interactive => "interactive",
            Self::Destructive => "destructive",
            Self::Privilege => "privilege-escalation",
            Self::RemovesRoot => "removes-root",
            Self::RemoteScript => "remote-script",
            Self::Network => "network",
            Self::Readers => "read-search-list",
            Self::OutsideRoot => "outside-root",
            Self::Unknown => "unknown",
            Self::TooMuch => "too-much",
            Self::Typed => "typed-input",
        }
    }
}

/// What speaks against running a command.
#[derive(Clone, Debug, PartialEq)]
pub struct Objection {
    /// The rule.
    pub rule: Rule,
    /// How strict it is.
    pub decision: Decision,
    /// What was found: a sentence without its end mark.
    pub message: String,
    /// What to do instead: whole sentences.
    pub hint: Option<String>,
    /// The bytes of the text it is about.
    pub span: Span,
    /// The command it is about, by its place in the script.
    pub command: Option<usize>,
}

impl Objection {
    /// Objects outright.
    #[must_use]
    pub fn denied(rule: Rule, message: String, hint: &str, span: Span) -> Self {
        let hint = (!hint.is_empty()).then(|| hint.to_owned());
        Self { rule, decision: Decision::Deny, message, hint, span, command: None }
    }

    /// Objects as strictly as the settings are about what cannot be known.
    #[must_use]
    pub fn unknown(settings: &Settings, message: String, hint: &str, span: Span) -> Self {
        Self { decision: settings.on_unknown, ..Self::denied(Rule::Unknown, message, hint, span) }
    }

    /// Says which command it is about.
    #[must_use]
    pub fn of(self, command: usize) -> Self {
        Self { command: Some(command), ..self }
    }
}

impl shellward_judge::Objection for Objection {
    fn decision(&self) -> Decision {
        self.decision
    }

    fn span(&self) -> Span {
        self.span
    }

    fn command(&self) -> Option<usize> {
        self.command
    }

    fn finding(&self) -> Finding {
        Finding {
            decision: self.decision,
            code: self.rule.code().to_owned(),
            message: self.reason(),
            hint: self.hint.clone(),
            span: Some(shellward_judge::span(self.span)),
        }
    }

    fn reason(&self) -> String {
        format!("{}.", self.message)
    }
}

/// A command line to be judged.
#[derive(Clone, Copy, Debug)]
pub struct Case<'a> {
    /// The command line.
    pub text: &'a str,
    /// What it would run.
    pub script: &'a Script,
    /// The settings.
    pub settings: &'a Settings,
}

impl Case<'_> {
    /// Gives a command as it is written, shortened, for messages.
    #[must_use]
    pub fn excerpt(&self, command: usize) -> String {
        let span = self.script.commands.get(command).map(|command| command.span).unwrap_or_default();
        excerpt(self.text, span)
    }
}

/// Gives a part of a text on one line, shortened, for messages.
#[must_use]
pub fn excerpt(text: &str, span: Span) -> String {
    shellward_judge::excerpt(text, span, |letter| letter == '\n')
}
