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
pub struct Loaded {
    pub(super) engine: SharedEngine,
    pub(super) pre: InstancePre<EntryState>,
    pub(super) rules: GuestIndices,
    pub(super) role: Role,
    /// What it goes by while it has not said its name.
    pub(super) name: String,
    pub(super) manifest: Manifest,
    pub(super) stamp: Arc<str>,
    pub(super) settings: Arc<str>,
    pub(super) digest: String,
    pub(super) size: usize,
    pub(super) imports: Vec<String>,
    /// The contract's functions that it imports: `output.read`.
    pub(super) functions: Vec<String>,
    pub(super) exports: Vec<String>,
}

impl Loaded {
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

    /// The names of what it exports.
    #[must_use]
    pub fn exports(&self) -> &[String] {
        &self.exports
    }

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
