//! What policies and guards have in common: a component that has been compiled and checked, and its `rules`.

use std::sync::Arc;

use wasmtime::Store;
use wasmtime::component::{Instance, InstancePre};

use super::bindings::exports::shellward::policy::rules::GuestIndices;
use super::context::Context;
use super::contract::rules::{Manifest, Request, SettingsError, Verdict};
use super::engine::{EntryState, Role, SharedEngine};
use super::fault::{Cause, Entry, Fault};
use super::load::LoadError;

/// A component that has been compiled and checked, and that says who it is.
#[derive(Clone)]
pub(super) struct Loaded {
    pub engine: SharedEngine,
    pub pre: InstancePre<EntryState>,
    pub rules: GuestIndices,
    pub role: Role,
    /// What it goes by while it has not said its name.
    pub name: String,
    pub manifest: Manifest,
    pub stamp: Arc<str>,
    pub settings: Arc<str>,
    pub digest: String,
    pub size: usize,
    pub imports: Vec<String>,
    /// The contract's functions that it imports: `output.read`.
    pub functions: Vec<String>,
    pub exports: Vec<String>,
}

impl Loaded {
    /// The same, having described itself with the given settings; `check` looks at an instance first.
    pub(super) fn configure(
        mut self,
        settings: &str,
        check: impl FnOnce(&Instance, &mut Store<EntryState>) -> wasmtime::Result<()>,
    ) -> Result<Self, LoadError> {
        let manifest = match self.describe(settings, check)? {
            Ok(manifest) => manifest,
            Err(errors) => return Err(LoadError::Settings { policy: self.name, errors }),
        };
        self.stamp = format!("{}@{} {}", manifest.name, manifest.version, &self.digest[..12]).into();
        self.manifest = manifest;
        self.settings = settings.into();
        Ok(self)
    }

    /// A fault of this component.
    pub(super) fn fault(&self, entry: Entry, cause: Cause) -> Fault {
        Fault { policy: self.stamp.to_string(), entry, cause, frames: Vec::new() }
    }

    /// Runs one entry in a fresh instance.
    pub(super) fn enter<R>(
        &self,
        entry: Entry,
        context: Context,
        run: impl FnOnce(&Instance, &mut Store<EntryState>) -> wasmtime::Result<R>,
    ) -> (Result<R, Fault>, Context) {
        let (outcome, context) = self.engine.enter(&self.pre, self.role, context, run);
        let result = outcome.map_err(|(cause, frames)| Fault { frames, ..self.fault(entry, cause) });
        (result, context)
    }

    fn describe(
        &self,
        settings: &str,
        check: impl FnOnce(&Instance, &mut Store<EntryState>) -> wasmtime::Result<()>,
    ) -> Result<Result<Manifest, Vec<SettingsError>>, Fault> {
        let context = Context::detached(settings.into());
        let settings = settings.to_owned();
        let run = |instance: &Instance, store: &mut Store<EntryState>| {
            check(instance, &mut *store)?;
            self.rules.load(&mut *store, instance)?.call_describe(store, &settings)
        };
        let described = self.enter(Entry::Describe, context, run).0?;
        if let Ok(manifest) = &described {
            super::check::manifest(manifest)
                .map_err(|message| self.fault(Entry::Describe, Cause::Nonsense(message)))?;
        }
        Ok(described)
    }

    pub(super) fn review(&self, context: Context, request: &Request) -> Result<Verdict, Fault> {
        let run = |instance: &Instance, store: &mut Store<EntryState>| {
            self.rules.load(&mut *store, instance)?.call_review(store, request)
        };
        self.enter(Entry::Review, context, run).0
    }
}
