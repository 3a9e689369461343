//! Answers, the policy's and the host's own.

use serde::Serialize;
use serde_json::json;

use crate::policy::Fault;
use crate::policy::contract::types::{self, Ending, Exit};

/// The answer to a call.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reply {
    /// The call's id.
    pub call: String,
    /// The answer as text, for people and models.
    pub text: String,
    /// The answer as JSON text, where the tool answers in JSON.
    pub structured: Option<String>,
    /// Whether the tool could not do what it was asked.
    pub is_error: bool,
    /// A stable word for the kind of error.
    pub code: Option<String>,
    /// The job that the call waited for.
    pub job: Option<JobReport>,
    /// Who decided: name, version and digest.
    pub policy: String,
    /// Whether it is an error of the host's own, which has not the form of the tool's answers.
    #[serde(skip)]
    pub(crate) by_host: bool,
}

/// How the job of a call stands.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JobReport {
    /// Its id.
    pub id: String,
    /// How it ended, if it has.
    pub ending: Option<Ending>,
    /// How its process ended, if it has.
    pub exit: Option<Exit>,
}

impl Reply {
    /// The answer as the agent gets it: JSON where the tool answers in JSON, else text.
    #[must_use]
    pub fn answer(&self) -> &str {
        self.structured.as_deref().unwrap_or(&self.text)
    }

    pub(super) fn of_policy(call: &str, policy: &str, reply: types::Reply, job: Option<&types::Job>) -> Self {
        let job = job.map(|job| JobReport { id: job.id.clone(), ending: job.ending, exit: job.exit.clone() });
        Self {
            call: call.to_owned(),
            text: reply.text,
            structured: reply.structured,
            is_error: reply.is_error,
            code: reply.code,
            job,
            policy: policy.to_owned(),
            by_host: false,
        }
    }

    /// An error of the host's own, in a shape that no policy need know.
    pub(super) fn of_host(call: &str, policy: &str, code: &str, message: String) -> Self {
        Self {
            call: call.to_owned(),
            structured: Some(json!({"error": code, "message": message}).to_string()),
            text: message,
            is_error: true,
            code: Some(code.to_owned()),
            job: None,
            policy: policy.to_owned(),
            by_host: true,
        }
    }

    pub(super) fn of_fault(call: &str, policy: &str, fault: &Fault) -> Self {
        let message = format!("{fault}. Nothing of this call is left running. Tell the one who maintains the policy.");
        Self::of_host(call, policy, POLICY_FAULT, message)
    }
}

/// The code of an answer that a policy's failure left to the host.
pub(crate) const POLICY_FAULT: &str = "policy_fault";
