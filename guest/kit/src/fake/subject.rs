//! What is under test: a policy, natively or as a component.

use std::marker::PhantomData;

use crate::contract::{Answer, Event, Job, Manifest, Reply, Request, SettingsError, Step, ToolCall, Verdict};
use crate::policy::Policy;

use super::Fake;

/// A policy under test. The same scenarios run against the native one and against its component.
pub trait Subject {
    /// Calls `describe`.
    fn describe(&self, settings: &str) -> Result<Manifest, Vec<SettingsError>>;
    /// Calls `review`.
    fn review(&self, host: &Fake, request: &Request) -> Verdict;
    /// Calls `call`.
    fn call(&self, host: &Fake, call: &ToolCall) -> Answer;
    /// Calls `advance`.
    fn advance(&self, host: &Fake, job: &Job, event: &Event) -> Step;
    /// Calls `settle`.
    fn settle(&self, host: &Fake, call: &ToolCall, job: &Job) -> Reply;
}

/// A policy compiled into the test itself.
#[derive(Debug)]
pub struct Native<P>(PhantomData<P>);

impl<P> Native<P> {
    /// Makes the subject.
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}

impl<P> Default for Native<P> {
    fn default() -> Self {
        Self::new()
    }
}

impl<P: Policy> Subject for Native<P> {
    fn describe(&self, settings: &str) -> Result<Manifest, Vec<SettingsError>> {
        P::describe(settings)
    }

    fn review(&self, host: &Fake, request: &Request) -> Verdict {
        P::review(host, request)
    }

    fn call(&self, host: &Fake, call: &ToolCall) -> Answer {
        P::call(host, call)
    }

    fn advance(&self, host: &Fake, job: &Job, event: &Event) -> Step {
        P::advance(host, job, event)
    }

    fn settle(&self, host: &Fake, call: &ToolCall, job: &Job) -> Reply {
        P::settle(host, call, job)
    }
}
