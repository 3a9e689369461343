//! One reason not to run a command, whatever the rules are.

use shellward_kit::contract::{Decision, Finding};
use shellward_syntax::Span;

use crate::translate::span;

/// A rule of a policy.
pub trait Rule: Copy {
    /// Gives the stable word for the rule.
    fn code(self) -> &'static str;
}

/// What a judgement has to know of a reason, however the policy words it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ground {
    /// How strict it is; `allow` only reports.
    pub decision: Decision,
    /// The bytes of the text it is about.
    pub span: Span,
    /// The command it is about, by its place in the script; none where it is about no single one.
    pub command: Option<usize>,
}

/// What speaks against running a command.
pub trait Against {
    /// Gives what a judgement has to know of it.
    fn ground(&self) -> Ground;

    /// Puts it into the contract's words.
    fn finding(&self) -> Finding;

    /// Says why in one sentence, beside the command.
    fn reason(&self) -> String;
}

/// A reason in one sentence.
#[derive(Clone, Debug, PartialEq)]
pub struct Objection<R> {
    /// The rule.
    pub rule: R,
    /// How strict it is, and about what.
    pub ground: Ground,
    /// What was found: a sentence without its end mark.
    pub message: String,
    /// What to do instead: whole sentences; empty where there is nothing to say.
    pub hint: String,
}

impl<R> Objection<R> {
    /// Objects so strictly to a part of the text.
    pub fn new(rule: R, decision: Decision, message: impl Into<String>, hint: impl Into<String>, span: Span) -> Self {
        let ground = Ground { decision, span, command: None };
        Self { rule, ground, message: message.into(), hint: hint.into() }
    }

    /// Objects outright.
    pub fn denied(rule: R, message: impl Into<String>, hint: impl Into<String>, span: Span) -> Self {
        Self::new(rule, Decision::Deny, message, hint, span)
    }

    /// Says which command it is about.
    #[must_use]
    pub fn of(mut self, command: usize) -> Self {
        self.ground.command = Some(command);
        self
    }
}

impl<R: Rule> Against for Objection<R> {
    fn ground(&self) -> Ground {
        self.ground
    }

    fn finding(&self) -> Finding {
        Finding {
            decision: self.ground.decision,
            code: self.rule.code().into(),
            message: self.reason(),
            hint: Some(self.hint.clone()).filter(|hint| !hint.is_empty()),
            span: Some(span(self.ground.span)),
        }
    }

    fn reason(&self) -> String {
        format!("{}.", self.message)
    }
}
