//! What guards say of what a policy is about to do.

use std::sync::Arc;

use crate::jobs::Job;
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
        let request = request(attached, launch, &launch.command, Subject::CommandLine);
        self.guard(request, &launch.command, format!("in {}", launch.directory))
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
        let request = request(attached, launch, &text, typed);
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

/// What guards are asked of a text that a launch runs, or that its program reads.
fn request(attached: &Attached, launch: &Launch, text: &str, subject: impl FnOnce(String) -> Subject) -> Request {
    Request {
        session: attached.session.clone(),
        tool: attached.call.as_ref().map(|call| call.tool.clone()).unwrap_or_default(),
        subject: subject(text.to_owned()),
        analysis: analyse(text, launch.language),
        directory: launch.directory.clone(),
        root: attached.shared.workspace.root().to_string_lossy().into_owned(),
        environment: launch.environment.clone(),
        // Each guard gets its own.
        settings: String::new(),
    }
}
