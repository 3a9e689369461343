//! Judging a command line without running anything.

use serde::Serialize;

use super::{Host, Shared};
use crate::policy::contract::commands::Language;
use crate::policy::contract::rules::{Request, Subject, Verdict};
use crate::policy::{Context, Fault, analyse};

/// A verdict, and who gave it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Check {
    /// The verdict.
    pub verdict: Verdict,
    /// The policy that gave it.
    pub policy: String,
}

impl Host {
    /// Has the policy judge a command line, in the project's root, without running anything.
    ///
    /// # Errors
    /// When the policy fails.
    pub fn check(&self, command: &str) -> Result<Check, Fault> {
        check(&self.shared, command)
    }
}

fn check(shared: &std::sync::Arc<Shared>, command: &str) -> Result<Check, Fault> {
    let policy = shared.policy();
    let root = shared.workspace.root().to_string_lossy().into_owned();
    let request = Request {
        session: String::new(),
        tool: String::new(),
        subject: Subject::CommandLine(command.to_owned()),
        analysis: analyse(command, Language::Bash),
        directory: root.clone(),
        root,
        environment: Vec::new(),
        settings: policy.settings().to_string(),
    };
    let verdict = policy.review(Context::for_session(shared, &policy, ""), &request)?;
    Ok(Check { verdict, policy: policy.stamp().to_string() })
}
