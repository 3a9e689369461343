//! Policies: loaded from components, entered one fresh instance at a time, never trusted.

mod allowance;
mod analysis;
mod bindings;
mod cache;
mod check;
mod component;
mod context;
mod decision;
mod engine;
mod fault;
mod guard;
mod guards;
mod imports;
mod limits;
mod load;
mod own;
mod places;
mod source;
mod wasi;
mod watchdog;

use std::ops::Deref;
use std::sync::Arc;

use wasmtime::Store;
use wasmtime::component::Instance;

pub(crate) use self::analysis::analyse;
pub use self::cache::{Cache, CacheError};
pub use self::component::Loaded;
pub(crate) use self::context::{Begun, CallContext, Consent, Context, GuardQuestion};
pub(crate) use self::engine::{Engine, SharedEngine};
pub use self::engine::{EngineError, EntryState};
pub use self::fault::{Cause, Entry, Fault};
pub use self::guard::{Guard, GuardSpec};
pub(crate) use self::guards::{Guards, Objection};
pub(crate) use self::imports::objection_to_rerun;
pub use self::limits::Limits;
pub(crate) use self::load::{Compiled, Loading};
pub use self::load::{Kind, LoadError};
pub(crate) use self::own::Own;
pub use self::source::{Source, SourceError, built_in};

/// The contract's types, each under its interface.
pub mod contract {
    pub use super::bindings::exports::shellward::policy::rules;
    pub use super::bindings::shellward::policy::{
        blocks, commands, diagnostics, input, jobs, output, processes, signals, timers, types, workspace,
    };
}

use self::bindings::exports::shellward::policy::conduct;
use self::contract::rules::{Request, Verdict};
use self::contract::types::{Answer, Event, Job, Reply, Step, ToolCall};

/// A policy that has been compiled, checked and told its settings.
pub struct Policy {
    loaded: Loaded,
    conduct: conduct::GuestIndices,
}

impl Deref for Policy {
    type Target = Loaded;

    fn deref(&self) -> &Loaded {
        &self.loaded
    }
}

impl Policy {
    /// Whether it imports a function of the contract.
    pub(crate) fn uses(&self, function: &str) -> bool {
        self.loaded.functions.iter().any(|used| used == function)
    }

    /// Whether it has to do with durable runs at all.
    pub(crate) fn is_durable(&self) -> bool {
        self.uses("output.items") || self.uses("processes.enqueue")
    }

    /// Name, version and digest, as they stand on jobs and replies.
    pub(crate) fn stamp(&self) -> Arc<str> {
        Arc::clone(&self.loaded.stamp)
    }

    pub(crate) fn settings(&self) -> Arc<str> {
        Arc::clone(&self.loaded.settings)
    }

    /// A fault of this policy.
    pub(crate) fn fault(&self, entry: Entry, cause: Cause) -> Fault {
        self.loaded.fault(entry, cause)
    }

    fn enter<R>(
        &self,
        entry: Entry,
        context: Context,
        run: impl FnOnce(&conduct::Guest, &mut Store<EntryState>) -> wasmtime::Result<R>,
    ) -> (Result<R, Fault>, Context) {
        self.loaded.enter(entry, context, |instance: &Instance, store| {
            let exports = self.conduct.load(&mut *store, instance)?;
            run(&exports, store)
        })
    }

    pub(crate) fn review(&self, context: Context, request: &Request) -> Result<Verdict, Fault> {
        self.loaded.review(context, request)
    }

    /// Decides a call. The context comes back with the job that was begun, fault or not.
    pub(crate) fn call(&self, context: Context, call: &ToolCall) -> (Result<Answer, Fault>, Context) {
        let (result, context) = self.enter(Entry::Call, context, |exports, store| exports.call_call(store, call));
        let checked = result.and_then(|answer| match check::answer(&answer) {
            Ok(()) => Ok(answer),
            Err(message) => Err(self.fault(Entry::Call, Cause::Nonsense(message))),
        });
        (checked, context)
    }

    pub(crate) fn advance(&self, context: Context, job: &Job, event: &Event) -> Result<Step, Fault> {
        let run = |exports: &conduct::Guest, store: &mut Store<EntryState>| exports.call_advance(store, job, event);
        let step = self.enter(Entry::Advance, context, run).0?;
        check::step(&step).map_err(|message| self.fault(Entry::Advance, Cause::Nonsense(message)))?;
        Ok(step)
    }

    pub(crate) fn settle(&self, context: Context, call: &ToolCall, job: &Job) -> Result<Reply, Fault> {
        let run = |exports: &conduct::Guest, store: &mut Store<EntryState>| exports.call_settle(store, call, job);
        let reply = self.enter(Entry::Settle, context, run).0?;
        check::reply(&reply).map_err(|message| self.fault(Entry::Settle, Cause::Nonsense(message)))?;
        Ok(reply)
    }
}

impl std::fmt::Debug for Policy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Policy").field("stamp", &self.loaded.stamp).finish_non_exhaustive()
    }
}
