//! The chain of guards over whichever policy is in use: the strictest verdict wins, and a guard that fails denies.

use super::contract::rules::{Request, Verdict};
use super::contract::types::{Decision, Finding, Refusal};
use super::guard::Guard;

/// The code of the finding when a guard fails.
const FAULT: &str = "guard_fault";

/// The guards of a host, in order.
#[derive(Debug, Default)]
pub(crate) struct Guards(Vec<Guard>);

/// What one guard has against a request.
#[derive(Debug)]
pub(crate) struct Objection {
    /// Name, version and digest of the guard.
    pub stamp: String,
    /// The guard's name.
    pub guard: String,
    pub verdict: Verdict,
}

impl Guards {
    pub(crate) fn new(guards: Vec<Guard>) -> Self {
        Self(guards)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Has every guard judge, in order, and gives what those say that do not allow it.
    pub(crate) fn objections(&self, mut request: Request) -> Vec<Objection> {
        self.0.iter().filter_map(|guard| object(guard, &mut request)).collect()
    }

    /// The strictest of the verdicts, as the contract tells it; none where all guards allow it. Once one denies, the
    /// others are not asked.
    pub(crate) fn refusal(&self, mut request: Request) -> Option<Refusal> {
        let mut asking: Vec<Objection> = Vec::new();
        for guard in &self.0 {
            match object(guard, &mut request) {
                Some(objection) if objection.verdict.decision == Decision::Deny => return Some(join(vec![objection])),
                Some(objection) => asking.push(objection),
                None => {}
            }
        }
        (!asking.is_empty()).then(|| join(asking))
    }
}

/// What a guard has against it, if it has.
fn object(guard: &Guard, request: &mut Request) -> Option<Objection> {
    let name = guard.manifest().name.clone();
    let verdict = match guard.review(request) {
        Ok(verdict) => sound(&name, verdict),
        Err(fault) => {
            tracing::error!(guard = guard.stamp(), %fault, "a guard failed, and so denies");
            denied(Finding {
                decision: Decision::Deny,
                code: FAULT.into(),
                message: format!("the guard {name} failed, and one that fails allows nothing: {fault}"),
                hint: Some("tell the one who maintains it".into()),
                span: None,
            })
        }
    };
    let objects = verdict.decision != Decision::Allow;
    objects.then(|| Objection { stamp: guard.stamp().to_owned(), guard: name, verdict })
}

fn denied(finding: Finding) -> Verdict {
    Verdict { decision: Decision::Deny, findings: vec![finding], commands: Vec::new(), language: None }
}

/// Takes a verdict at its strictest word, and keeps the findings that make it so.
fn sound(guard: &str, mut verdict: Verdict) -> Verdict {
    let decisions = verdict.findings.iter().map(|finding| finding.decision).chain([verdict.decision]);
    let strictest = decisions.max_by_key(|decision| decision.rank());
    verdict.decision = strictest.unwrap_or(Decision::Deny);
    verdict.findings.sort_by_key(|finding| std::cmp::Reverse(finding.decision.rank()));
    if verdict.findings.is_empty() && verdict.decision != Decision::Allow {
        verdict.findings.push(Finding {
            decision: verdict.decision,
            code: "guard".into(),
            message: format!("the guard {guard} gives no reason"),
            hint: None,
            span: None,
        });
    }
    verdict
}

/// One refusal of objections that are equally strict.
fn join(objections: Vec<Objection>) -> Refusal {
    let decision = objections.first().map_or(Decision::Deny, |objection| objection.verdict.decision);
    let by = objections.iter().map(|objection| objection.guard.as_str()).collect::<Vec<_>>().join(", ");
    let mut findings: Vec<_> = objections.into_iter().flat_map(|objection| objection.verdict.findings).collect();
    findings.retain(|finding| finding.decision == decision);
    Refusal { by, decision, findings }
}
