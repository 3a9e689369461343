//! One reason not to run a command.

use shellward_kit::contract::Finding;

use crate::translate::span;
use crate::{Against, Ground};

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

impl crate::Rule for Rule {
    fn code(self) -> &'static str {
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
    /// How strict it is, and about what.
    pub ground: Ground,
    /// The words that decided, as written, shortened.
    pub contains: String,
    /// What about them: goes on after "it ".
    pub what: String,
    /// What to do instead: whole sentences.
    pub hint: String,
}

impl Objection {
    /// Says why, after the words that decided.
    #[must_use]
    pub fn why(&self) -> String {
        format!("It {}. {}", self.what, self.hint)
    }
}

impl Against for Objection {
    fn ground(&self) -> Ground {
        self.ground
    }

    fn finding(&self) -> Finding {
        let message = match self.contains.is_empty() {
            true => format!("The command {}.", self.what),
            false => format!("`{}` {}.", self.contains, self.what),
        };
        let (decision, code) = (self.ground.decision, crate::Rule::code(self.rule).into());
        Finding { decision, code, message, hint: Some(self.hint.clone()), span: Some(span(self.ground.span)) }
    }

    fn reason(&self) -> String {
        format!("It {}.", self.what)
    }
}
