//! Judging a command line without running anything.

use std::cmp::Reverse;
use std::sync::Arc;

use serde::Serialize;

use super::{Host, Shared};
use crate::policy::contract::commands::Language;
use crate::policy::contract::rules::{Request, Subject, Verdict};
use crate::policy::contract::types::{Decision, Finding};
use crate::policy::{Context, Fault, Objection, analyse};

/// The language in which a command is read for a policy that has not told its own.
const UNTOLD: Language = Language::Bash;

/// A verdict, and who gave it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Check {
    /// The verdict: the policy's and the guards', the strictest first.
    pub verdict: Verdict,
    /// The policy that gave it: name, version and digest.
    pub policy: String,
    /// The guards that do not allow it, in order.
    pub objecting: Vec<Objecting>,
}

/// A guard that does not allow a command.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Objecting {
    /// The guard: name, version and digest.
    pub guard: String,
    /// What it says.
    pub decision: Decision,
}

impl Host {
    /// Has the policy and the guards judge a command line, in the project's root, without running anything. All read it
    /// in the language of the policy's shell.
    ///
    /// # Errors
    /// When the policy fails.
    pub fn check(&self, command: &str) -> Result<Check, Fault> {
        check(&self.shared, command)
    }
}

fn check(shared: &Arc<Shared>, command: &str) -> Result<Check, Fault> {
    let policy = shared.policy();
    let root = shared.workspace.root().to_string_lossy().into_owned();
    let mut request = Request {
        session: String::new(),
        tool: String::new(),
        subject: Subject::CommandLine(command.to_owned()),
        analysis: analyse(command, UNTOLD),
        directory: root.clone(),
        root,
        environment: Vec::new(),
        settings: policy.settings().to_string(),
    };
    let review = |request: &Request| policy.review(Context::for_session(shared, &policy, ""), request);
    let mut verdict = review(&request)?;
    // Only the policy knows which shell it is for: what it is told, and what guards are, is read in that language then.
    if let Some(language) = verdict.language.filter(|language| *language != UNTOLD) {
        request.analysis = analyse(command, language);
        verdict = review(&request)?;
    }
    let mut objecting = Vec::new();
    for objection in shared.guards.objections(request) {
        objecting.push(Objecting { guard: objection.stamp.clone(), decision: objection.verdict.decision });
        add(&mut verdict, objection);
    }
    Ok(Check { verdict, policy: policy.stamp().to_string(), objecting })
}

/// Adds what a guard says; the strictest comes first.
fn add(verdict: &mut Verdict, objection: Objection) {
    let Objection { guard, verdict: Verdict { decision, findings, .. }, .. } = objection;
    if decision.rank() > verdict.decision.rank() {
        verdict.decision = decision;
    }
    let named = |finding: Finding| Finding { message: format!("{guard}: {}", finding.message), ..finding };
    verdict.findings.extend(findings.into_iter().map(named));
    verdict.findings.sort_by_key(|finding| Reverse(finding.decision.rank()));
}
