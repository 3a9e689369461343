//! What guards say of what a policy is about to do.

use std::sync::Arc;

use crate::host::Shared;
use crate::jobs::{Birth, Job};
use crate::policy::allowance::spent;
use crate::policy::analysis::analyse;
use crate::policy::bindings::exports::shellward::policy::rules::{Request, Subject, Typed};
use crate::policy::bindings::shellward::policy::processes::Launch;
use crate::policy::bindings::shellward::policy::types::{Decision, Refusal};
use crate::policy::context::{Attached, Consent, Context, GuardQuestion};

impl Context {
    /// Has the guards judge a launch.
    pub(super) fn guard_launch(&mut self, launch: &Launch) -> wasmtime::Result<Result<(), Refusal>> {
        let attached = self.host()?;
        if attached.shared.guards.is_empty() {
            return Ok(Ok(()));
        }
        let request = request(attached.asker(), launch, &launch.command, Subject::CommandLine);
        self.guard(request, &launch.command, place(launch))
    }

    /// Has the guards judge what is typed into a job: the line it goes on with, however it was cut into pieces.
    pub(super) fn guard_input(&mut self, job: &Arc<Job>, bytes: &[u8]) -> wasmtime::Result<Result<(), Refusal>> {
        let attached = self.host()?;
        if attached.shared.guards.is_empty() {
            return Ok(Ok(()));
        }
        let launch = &job.birth.launch;
        let text = job.line_with(bytes);
        let typed = |text| Subject::Typed(Typed { text, reader: launch.command.clone() });
        let request = request(attached.asker(), launch, &text, typed);
        self.guard(request, &text, format!("typed into {}", launch.command))
    }

    /// Has the guards judge. What one of them leaves to a human is remembered for the call, which asks; once the human
    /// has said yes to this very text, it passes.
    fn guard(&mut self, request: Request, text: &str, place: String) -> wasmtime::Result<Result<(), Refusal>> {
        let begun = spent();
        let attached = self.host()?;
        let refusal = attached.shared.guards.refusal(request);
        let call = attached.call.clone();
        self.guarded += spent().saturating_sub(begun);
        let Some(refusal) = refusal else { return Ok(Ok(())) };
        let Some(call) = call.filter(|_| refusal.decision == Decision::Ask) else { return Ok(Err(refusal)) };
        let consent = Consent { by: refusal.by.clone(), text: text.to_owned(), place };
        if call.consented.contains(&consent) {
            return Ok(Ok(()));
        }
        // The call is decided anew after a yes: what it has typed already would be typed twice.
        if !self.typed {
            self.host()?.question = Some(GuardQuestion { consent, findings: refusal.findings.clone() });
        }
        Ok(Err(refusal))
    }
}

/// What the guards of this host have against running a job again that an earlier host has accepted. What was left to a
/// human then, and allowed, is not asked once more; what is to be asked now nobody can say yes to.
pub(crate) fn objection_to_rerun(shared: &Shared, birth: &Birth) -> Option<Refusal> {
    if shared.guards.is_empty() {
        return None;
    }
    let launch = &birth.launch;
    let asker = Asker { shared, session: &birth.session, tool: &birth.tool };
    let refusal = shared.guards.refusal(request(asker, launch, &launch.command, Subject::CommandLine))?;
    let consent = Consent { by: refusal.by.clone(), text: launch.command.clone(), place: place(launch) };
    let allowed = refusal.decision == Decision::Ask && birth.consented.contains(&consent);
    (!allowed).then_some(refusal)
}

/// Where a launch runs, for the human who decides about it.
fn place(launch: &Launch) -> String {
    format!("in {}", launch.directory)
}

/// On whose behalf guards are asked.
struct Asker<'a> {
    shared: &'a Shared,
    session: &'a str,
    tool: &'a str,
}

impl Attached {
    fn asker(&self) -> Asker<'_> {
        let tool = self.call.as_ref().map_or("", |call| call.tool.as_str());
        Asker { shared: &self.shared, session: &self.session, tool }
    }
}

/// What guards are asked of a text that a launch runs, or that its program reads.
fn request(asker: Asker<'_>, launch: &Launch, text: &str, subject: impl FnOnce(String) -> Subject) -> Request {
    Request {
        session: asker.session.to_owned(),
        tool: asker.tool.to_owned(),
        subject: subject(text.to_owned()),
        analysis: analyse(text, launch.language),
        directory: launch.directory.clone(),
        root: asker.shared.workspace.root().to_string_lossy().into_owned(),
        environment: launch.environment.clone(),
        // Each guard gets its own.
        settings: String::new(),
    }
}
