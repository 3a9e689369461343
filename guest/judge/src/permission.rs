//! Why a call does nothing: it failed, or a human has to be asked first.

use shellward_kit::contract::{Answer, Decision, Finding, Question, Refusal, Reply, StartError, ToolCall};

use crate::judgement::Judgement;
use crate::objection::Against;

/// Why a call does nothing.
#[derive(Clone, Debug, PartialEq)]
pub enum Stopped<F> {
    /// It failed.
    Failed(F),
    /// A human is to decide; without a yes it failed.
    Ask {
        /// Names the question.
        id: String,
        /// Why it is asked.
        findings: Vec<Finding>,
        /// The failure where nobody says yes.
        failure: F,
    },
}

impl<F> From<F> for Stopped<F> {
    fn from(failure: F) -> Self {
        Self::Failed(failure)
    }
}

impl<F> Stopped<F> {
    /// Lets a judged text through, or leaves it to a human, or stops it with the failure.
    ///
    /// # Errors
    /// It is not let through.
    pub fn unless_allowed<O: Against>(
        judgement: &Judgement<O>,
        call: &ToolCall,
        question: &str,
        failure: impl FnOnce() -> F,
    ) -> Result<(), Self> {
        match judgement.decision() {
            Decision::Allow => Ok(()),
            Decision::Ask if is_approved(call, question) => Ok(()),
            Decision::Ask => {
                let findings = judgement.against().map(Against::finding).collect();
                Err(Self::Ask { id: question.into(), findings, failure: failure() })
            }
            Decision::Deny => Err(Self::Failed(failure())),
        }
    }

    /// Says what it means that a command could not be started: a guard may leave it to a human; everything else is
    /// the failure.
    pub fn not_started(call: &ToolCall, error: &StartError, failure: F) -> Self {
        match error {
            StartError::Refused(Refusal { by, decision: Decision::Ask, findings }) => {
                let id = format!("guard-{by}");
                match is_approved(call, &id) {
                    true => Self::Failed(failure),
                    false => Self::Ask { id, findings: findings.clone(), failure },
                }
            }
            _ => Self::Failed(failure),
        }
    }

    /// Makes the answer. What a human is asked begins with `ask`, as in "Run this command?".
    pub fn answer(self, ask: &str, reply: impl FnOnce(&F) -> Reply) -> Answer {
        match self {
            Self::Failed(failure) => Answer::Reply(reply(&failure)),
            Self::Ask { id, findings, failure } => {
                let reasons: Vec<&str> = findings.iter().map(|finding| finding.message.as_str()).collect();
                let text = format!("{ask} {}", reasons.join(" "));
                Answer::Ask(Question { id, text, findings, refusal: reply(&failure) })
            }
        }
    }
}

/// Tells whether a human has said yes to a question about this very call.
#[must_use]
pub fn is_approved(call: &ToolCall, question: &str) -> bool {
    call.approved.iter().any(|id| id == question)
}
