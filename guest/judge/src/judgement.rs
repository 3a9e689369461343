//! What speaks against a command line, whatever the rules were.

use std::cmp::Reverse;

use shellward_kit::contract::{Decision, Finding, Judged, Verdict};
use shellward_syntax::{Command, Span};

use crate::translate::span;

/// What speaks against running a command.
pub trait Objection {
    /// Gives how strict it is.
    fn decision(&self) -> Decision;

    /// Gives the bytes of the text it is about.
    fn span(&self) -> Span;

    /// Gives the command it is about, by its place in the script; none where it is about no single one.
    fn command(&self) -> Option<usize>;

    /// Puts it into the contract's words.
    fn finding(&self) -> Finding;

    /// Says why in one sentence, beside the command.
    fn reason(&self) -> String;
}

/// What speaks against a command line, and what it would run.
#[derive(Clone, Debug)]
pub struct Judgement<O> {
    /// The commands that are known.
    commands: Vec<Command>,
    /// What speaks against it, strictest first, in the order of the text.
    pub objections: Vec<O>,
}

impl<O> Default for Judgement<O> {
    fn default() -> Self {
        Self { commands: Vec::new(), objections: Vec::new() }
    }
}

impl<O: Objection> Judgement<O> {
    /// Makes the judgement of a text that would run these commands.
    #[must_use]
    pub fn new(commands: Vec<Command>, mut objections: Vec<O>) -> Self {
        objections.sort_by_key(|objection| (Reverse(rank(objection.decision())), objection.span().start));
        Self { commands, objections }
    }

    /// Makes the judgement of a text that was not even read.
    #[must_use]
    pub fn of(objection: O) -> Self {
        Self { commands: Vec::new(), objections: vec![objection] }
    }

    /// Gives the strictest decision.
    #[must_use]
    pub fn decision(&self) -> Decision {
        self.objections.first().map_or(Decision::Allow, Objection::decision)
    }

    /// Goes through what keeps the command from running.
    pub fn against(&self) -> impl Iterator<Item = &O> {
        self.objections.iter().filter(|objection| objection.decision() != Decision::Allow)
    }

    /// Gives the verdict that `review` returns.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        let named = self.commands.iter().enumerate().filter(|(_, command)| !command.words.is_empty());
        Verdict {
            decision: self.decision(),
            findings: self.objections.iter().map(Objection::finding).collect(),
            commands: named.map(|(index, command)| self.judged(index, command)).collect(),
        }
    }

    fn judged(&self, index: usize, command: &Command) -> Judged {
        let objection = self.objections.iter().find(|objection| objection.command() == Some(index));
        Judged {
            words: command.words.iter().map(|word| word.literal().map(String::from)).collect(),
            at: span(command.span),
            via: command.via.iter().map(|via| via.wrapper.clone()).collect(),
            decision: objection.map_or(Decision::Allow, Objection::decision),
            reason: objection.map(Objection::reason),
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
