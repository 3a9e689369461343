//! One reason not to run a command.

use shellward_kit::contract::{Decision, Finding};
use shellward_syntax::Span;

use crate::translate::span;

/// A rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Removes the root, a home or the system.
    RemovesRoot,
    /// Writes to a device, past every file system on it.
    WritesDevice,
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
            Self::RemovesRoot => "removes-root",
            Self::WritesDevice => "writes-device",
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
    /// The words that decided, as written, shortened.
    pub contains: String,
    /// What about them: goes on after "it ".
    pub what: String,
    /// What to do instead: whole sentences.
    pub hint: String,
    /// The bytes of the text it is about.
    pub span: Span,
    /// The command it is about, by its place in the script.
    pub command: Option<usize>,
}

impl Objection {
    /// Says why, after the words that decided.
    #[must_use]
    pub fn why(&self) -> String {
        format!("It {}. {}", self.what, self.hint)
    }
}

impl crate::Objection for Objection {
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
        let message = match self.contains.is_empty() {
            true => format!("The command {}.", self.what),
            false => format!("`{}` {}.", self.contains, self.what),
        };
        let span = Some(span(self.span));
        Finding { decision: self.decision, code: self.rule.code().into(), message, hint: Some(self.hint.clone()), span }
    }

    fn reason(&self) -> String {
        format!("It {}.", self.what)
    }
}
