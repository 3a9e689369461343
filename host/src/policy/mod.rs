//! Policies: loaded from components, entered one fresh instance at a time, never trusted.

mod allowance;
mod analysis;
mod bindings;
mod cache;
mod context;
mod engine;
mod fault;
mod imports;
mod limits;
mod load;
mod places;
mod source;
mod wasi;
mod watchdog;

use std::sync::Arc;

use wasmtime::Store;

pub(crate) use self::analysis::analyse;
pub use self::cache::{Cache, CacheError};
pub(crate) use self::context::{Begun, CallContext, Context};
pub use self::engine::EngineError;
pub(crate) use self::engine::{Engine, SharedEngine};
pub use self::fault::{Cause, Entry, Fault};
pub use self::limits::Limits;
pub(crate) use self::load::Compiled;
pub use self::load::LoadError;
pub use self::source::{Source, SourceError, built_in};

/// The contract's types, each under its interface.
pub mod contract {
    pub use super::bindings::exports::shellward::policy::rules;
    pub use super::bindings::shellward::policy::{
        blocks, commands, diagnostics, input, jobs, output, processes, signals, timers, types, workspace,
    };
}

use self::bindings::{Policy as Exports, PolicyPre};
use self::contract::rules::{Manifest, Request, SettingsError, Verdict};
use self::contract::types::{Answer, Event, Job, Reply, Step, ToolCall};
use self::engine::State;

/// A policy that has been compiled, checked and told its settings.
pub struct Policy {
    engine: SharedEngine,
    pre: PolicyPre<State>,
    manifest: Manifest,
    stamp: Arc<str>,
    settings: Arc<str>,
    digest: String,
    size: usize,
    imports: Vec<String>,
    /// The contract's functions that it imports: `output.read`.
    functions: Vec<String>,
}

impl Policy {
    /// What it says of itself.
    #[must_use]
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The SHA-256 of the component, in hexadecimal.
    #[must_use]
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// The size of the component in bytes.
    #[must_use]
    pub fn size(&self) -> usize {
        self.size
    }

    /// The names of what it imports.
    #[must_use]
    pub fn imports(&self) -> &[String] {
        &self.imports
    }

    /// Whether it imports a function of the contract.
    pub(crate) fn uses(&self, function: &str) -> bool {
        self.functions.iter().any(|used| used == function)
    }

    /// Whether it has to do with durable runs at all.
    pub(crate) fn is_durable(&self) -> bool {
        self.uses("output.items")
    }

    /// Name, version and digest, as they stand on jobs and replies.
    pub(crate) fn stamp(&self) -> Arc<str> {
        Arc::clone(&self.stamp)
    }

    pub(crate) fn settings(&self) -> Arc<str> {
        Arc::clone(&self.settings)
    }

    fn with(mut self, manifest: Manifest) -> Self {
        self.stamp = format!("{}@{} {}", manifest.name, manifest.version, &self.digest[..12]).into();
        self.manifest = manifest;
        self
    }

    /// A fault of this policy.
    pub(crate) fn fault(&self, entry: Entry, cause: Cause) -> Fault {
        Fault { policy: self.stamp.to_string(), entry, cause, frames: Vec::new() }
    }

    fn enter<R>(
        &self,
        entry: Entry,
        context: Context,
        run: impl FnOnce(&Exports, &mut Store<State>) -> wasmtime::Result<R>,
    ) -> (Result<R, Fault>, Context) {
        let (outcome, context) = self.engine.enter(&self.pre, context, run);
        let result = outcome.map_err(|(cause, frames)| Fault { frames, ..self.fault(entry, cause) });
        (result, context)
    }

    fn describe(&self, settings: &str) -> Result<Result<Manifest, Vec<SettingsError>>, Fault> {
        let context = Context::detached(settings.into());
        let settings = settings.to_owned();
        let run = |exports: &Exports, store: &mut Store<State>| {
            exports.shellward_policy_rules().call_describe(store, &settings)
        };
        let described = self.enter(Entry::Describe, context, run).0?;
        if let Ok(manifest) = &described {
            check_manifest(manifest).map_err(|message| self.fault(Entry::Describe, Cause::Nonsense(message)))?;
        }
        Ok(described)
    }

    pub(crate) fn review(&self, context: Context, request: &Request) -> Result<Verdict, Fault> {
        let run =
            |exports: &Exports, store: &mut Store<State>| exports.shellward_policy_rules().call_review(store, request);
        self.enter(Entry::Review, context, run).0
    }

    /// Decides a call. The context comes back with the job that was begun, fault or not.
    pub(crate) fn call(&self, context: Context, call: &ToolCall) -> (Result<Answer, Fault>, Context) {
        let run =
            |exports: &Exports, store: &mut Store<State>| exports.shellward_policy_conduct().call_call(store, call);
        let (result, context) = self.enter(Entry::Call, context, run);
        let checked = result.and_then(|answer| match check_answer(&answer) {
            Ok(()) => Ok(answer),
            Err(message) => Err(self.fault(Entry::Call, Cause::Nonsense(message))),
        });
        (checked, context)
    }

    pub(crate) fn advance(&self, context: Context, job: &Job, event: &Event) -> Result<Step, Fault> {
        let run = |exports: &Exports, store: &mut Store<State>| {
            exports.shellward_policy_conduct().call_advance(store, job, event)
        };
        let step = self.enter(Entry::Advance, context, run).0?;
        check_step(&step).map_err(|message| self.fault(Entry::Advance, Cause::Nonsense(message)))?;
        Ok(step)
    }

    pub(crate) fn settle(&self, context: Context, call: &ToolCall, job: &Job) -> Result<Reply, Fault> {
        let run = |exports: &Exports, store: &mut Store<State>| {
            exports.shellward_policy_conduct().call_settle(store, call, job)
        };
        let reply = self.enter(Entry::Settle, context, run).0?;
        check_reply(&reply).map_err(|message| self.fault(Entry::Settle, Cause::Nonsense(message)))?;
        Ok(reply)
    }
}

impl std::fmt::Debug for Policy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Policy").field("stamp", &self.stamp).finish_non_exhaustive()
    }
}

/// Checks that a text is JSON, without building it.
fn check_json(what: &str, text: &str) -> Result<(), String> {
    serde_json::from_str::<serde::de::IgnoredAny>(text)
        .map(drop)
        .map_err(|error| format!("{what} is not JSON: {error}"))
}

fn check_object(what: &str, text: &str) -> Result<(), String> {
    match serde_json::from_str::<serde_json::Value>(text) {
        Ok(value) if value.is_object() => Ok(()),
        Ok(_) => Err(format!("{what} is not a JSON object")),
        Err(error) => Err(format!("{what} is not JSON: {error}")),
    }
}

fn check_reply(reply: &Reply) -> Result<(), String> {
    reply.structured.as_deref().map_or(Ok(()), |text| check_json("the structured answer", text))
}

fn check_answer(answer: &Answer) -> Result<(), String> {
    match answer {
        Answer::Reply(reply) => check_reply(reply),
        Answer::Ask(question) => check_reply(&question.refusal),
        Answer::Wait(_) => Ok(()),
    }
}

fn check_step(step: &Step) -> Result<(), String> {
    check_json("the memo", &step.memo)?;
    step.notices.iter().try_for_each(|notice| check_json("a notice's data", &notice.data))
}

fn check_manifest(manifest: &Manifest) -> Result<(), String> {
    check_object("the settings schema", &manifest.settings_schema)?;
    manifest.run.iter().try_for_each(|run| check_object("the constant arguments of the run form", &run.constant))?;
    manifest.tools.iter().try_for_each(|tool| {
        check_object(&format!("the input schema of {}", tool.name), &tool.input_schema)?;
        tool.output_schema
            .iter()
            .try_for_each(|text| check_object(&format!("the output schema of {}", tool.name), text))
    })
}
