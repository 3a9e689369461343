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

impl shellward_judge::Rule for Rule {
    fn code(self) -> &'static str {
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
pub type Objection = shellward_judge::Objection<Rule>;

/// Objects as strictly as the settings are about what cannot be known.
#[must_use]
pub fn not_known(settings: &Settings, message: String, hint: &str, span: Span) -> Objection {
    Objection::new(Rule::Unknown, settings.on_unknown, message, hint, span)
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
