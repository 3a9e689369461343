//! What speaks against a command line, whatever the rules were.

use std::cmp::Reverse;

use shellward_kit::contract::{Decision, Judged, Language, Verdict};
use shellward_syntax::Command;

use crate::objection::Against;
use crate::translate::span;

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

impl<O: Against> Judgement<O> {
    /// Makes the judgement of a text that would run these commands.
    #[must_use]
    pub fn new(commands: Vec<Command>, mut objections: Vec<O>) -> Self {
        objections.sort_by_key(|objection| {
            let ground = objection.ground();
            (Reverse(rank(ground.decision)), ground.span.start)
        });
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
        self.objections.first().map_or(Decision::Allow, |objection| objection.ground().decision)
    }

    /// Goes through what keeps the command from running.
    pub fn against(&self) -> impl Iterator<Item = &O> {
        self.objections.iter().filter(|objection| objection.ground().decision != Decision::Allow)
    }

    /// Gives the verdict that `review` returns.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        let named = self.commands.iter().enumerate().filter(|(_, command)| !command.words.is_empty());
        Verdict {
            decision: self.decision(),
            findings: self.objections.iter().map(Against::finding).collect(),
            commands: named.map(|(index, command)| self.judged(index, command)).collect(),
            language: None,
        }
    }

    /// Gives the same of a command line that was read in this language; none where it is not known.
    #[must_use]
    pub fn verdict_in(&self, language: Option<Language>) -> Verdict {
        Verdict { language, ..self.verdict() }
    }

    fn judged(&self, index: usize, command: &Command) -> Judged {
        let objection = self.objections.iter().find(|objection| objection.ground().command == Some(index));
        Judged {
            words: command.words.iter().map(|word| word.literal().map(String::from)).collect(),
            at: span(command.span),
            via: command.via.iter().map(|via| via.wrapper.clone()).collect(),
            decision: objection.map_or(Decision::Allow, |objection| objection.ground().decision),
            reason: objection.map(Against::reason),
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
