//! Loading a policy: read, compile, check what it imports and exports, have it describe itself.

use std::sync::Arc;

use wasmtime::component::Component;
use wasmtime::component::types::ComponentItem;

use super::bindings::PolicyPre;
use super::contract::rules::{Manifest, SettingsError};
use super::engine::SharedEngine;
use super::fault::Fault;
use super::source::{self, Source, SourceError};
use super::{Policy, wasi};

/// The contract's package, as in the names of imports and exports.
const PACKAGE: &str = "shellward:policy/";

/// The versions of the contract that this host serves.
const VERSIONS: [&str; 1] = ["0.1."];

/// What every policy exports.
const EXPORTS: [&str; 2] = ["rules", "conduct"];

/// Why a policy was not loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// There is no component at its source.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The bytes are no valid component.
    #[error("{policy} is not a valid component: {message}")]
    Invalid {
        /// The policy.
        policy: String,
        /// The engine's words.
        message: String,
    },
    /// It is not the one that was asked for.
    #[error(
        "{policy} has the SHA-256 {found}, but {expected} is demanded; take the right file, or change the digest where it is demanded"
    )]
    OtherDigest {
        /// The policy.
        policy: String,
        /// The digest it must have.
        expected: String,
        /// The digest it has.
        found: String,
    },
    /// It imports something that no policy gets.
    #[error("{policy} asks for what no policy gets: {}; a policy may import {PACKAGE}* and the parts of WASI 0.2 that a standard library needs", .imports.join(", "))]
    ForbiddenImports {
        /// The policy.
        policy: String,
        /// The imports.
        imports: Vec<String>,
    },
    /// It does not export a policy's functions.
    #[error("{policy} is not a policy: it does not export {}", .missing.join(" and "))]
    NotAPolicy {
        /// The policy.
        policy: String,
        /// The interfaces it lacks.
        missing: Vec<String>,
    },
    /// It is made for another version of the contract.
    #[error("{policy} is made for {found} of the policy contract; this program serves {PACKAGE}*@{}x", VERSIONS[0])]
    OtherVersion {
        /// The policy.
        policy: String,
        /// The version it names.
        found: String,
    },
    /// Its functions have other types than the contract's.
    #[error("{policy} does not fit the policy contract: {message}")]
    Mismatch {
        /// The policy.
        policy: String,
        /// The engine's words.
        message: String,
    },
    /// It failed while it described itself.
    #[error(transparent)]
    Fault(#[from] Fault),
    /// It refused its settings.
    #[error("{policy} refuses its settings: {}", list(.errors))]
    Settings {
        /// The policy.
        policy: String,
        /// What is wrong.
        errors: Vec<SettingsError>,
    },
}

fn list(errors: &[SettingsError]) -> String {
    let line = |error: &SettingsError| match error.key.as_slice() {
        [] => error.message.clone(),
        key => format!("{}: {}", key.join("."), error.message),
    };
    errors.iter().map(line).collect::<Vec<_>>().join("; ")
}

/// A component that has been compiled and checked, but not told its settings.
#[derive(Clone)]
pub(crate) struct Compiled {
    engine: SharedEngine,
    pre: PolicyPre<super::engine::State>,
    name: String,
    digest: String,
    size: usize,
    imports: Vec<String>,
    functions: Vec<String>,
}

impl std::fmt::Debug for Compiled {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Compiled").field("name", &self.name).field("digest", &self.digest).finish_non_exhaustive()
    }
}

impl Compiled {
    /// Reads, compiles and checks a component, which must have the digest `pin` where one is given.
    pub(crate) fn new(engine: &SharedEngine, source: &Source, pin: Option<&str>) -> Result<Self, LoadError> {
        let bytes = source.bytes()?;
        let digest = source::digest(&bytes);
        let name = source.name();
        if let Some(expected) = pin.filter(|expected| !expected.eq_ignore_ascii_case(&digest)) {
            return Err(LoadError::OtherDigest { policy: name, expected: expected.to_owned(), found: digest });
        }
        let invalid =
            |error: wasmtime::Error| LoadError::Invalid { policy: name.clone(), message: format!("{error:#}") };
        let component = engine.compile(&bytes, &digest).map_err(invalid)?;
        let imports = imports(engine.wasm(), &component);
        let functions = functions(engine.wasm(), &component);
        check_imports(&name, &imports)?;
        check_exports(&name, &exports(engine.wasm(), &component))?;
        let mismatch =
            |error: wasmtime::Error| LoadError::Mismatch { policy: name.clone(), message: format!("{error:#}") };
        let pre = engine.prepare(&component).and_then(PolicyPre::new).map_err(mismatch)?;
        Ok(Self { engine: Arc::clone(engine), pre, digest, size: bytes.len(), imports, functions, name })
    }

    /// Has the component describe itself with the given settings.
    pub(crate) fn configure(&self, settings: &str) -> Result<Policy, LoadError> {
        let policy = Policy {
            engine: Arc::clone(&self.engine),
            pre: self.pre.clone(),
            manifest: Manifest::unknown(&self.name),
            stamp: format!("{}@{}", self.name, &self.digest[..12]).into(),
            settings: settings.into(),
            digest: self.digest.clone(),
            size: self.size,
            imports: self.imports.clone(),
            functions: self.functions.clone(),
        };
        match policy.describe(settings)? {
            Ok(manifest) => Ok(policy.with(manifest)),
            Err(errors) => Err(LoadError::Settings { policy: self.name.clone(), errors }),
        }
    }
}

fn imports(engine: &wasmtime::Engine, component: &Component) -> Vec<String> {
    component.component_type().imports(engine).map(|(name, _)| name.to_owned()).collect()
}

/// The contract's functions that a component imports, each behind the name of its interface.
fn functions(engine: &wasmtime::Engine, component: &Component) -> Vec<String> {
    let component = component.component_type();
    let interfaces = component.imports(engine).filter_map(|(name, item)| {
        let interface = name.strip_prefix(PACKAGE)?.split('@').next()?;
        match item.ty {
            ComponentItem::ComponentInstance(instance) => Some((interface.to_owned(), instance)),
            _ => None,
        }
    });
    interfaces
        .flat_map(|(interface, instance)| {
            let names: Vec<_> = instance.exports(engine).map(|(name, _)| format!("{interface}.{name}")).collect();
            names
        })
        .collect()
}

fn exports(engine: &wasmtime::Engine, component: &Component) -> Vec<String> {
    component.component_type().exports(engine).map(|(name, _)| name.to_owned()).collect()
}

/// Whether a name is of a version of the contract that this host serves.
fn served(name: &str) -> bool {
    name.starts_with(PACKAGE)
        && name.split_once('@').is_some_and(|(_, version)| VERSIONS.iter().any(|served| version.starts_with(served)))
}

fn check_imports(policy: &str, imports: &[String]) -> Result<(), LoadError> {
    let forbidden: Vec<_> = imports.iter().filter(|name| !served(name) && !wasi::offers(name)).cloned().collect();
    if forbidden.is_empty() {
        Ok(())
    } else {
        Err(LoadError::ForbiddenImports { policy: policy.to_owned(), imports: forbidden })
    }
}

fn check_exports(policy: &str, exports: &[String]) -> Result<(), LoadError> {
    let find = |interface: &str| exports.iter().find(|name| name.starts_with(&format!("{PACKAGE}{interface}@")));
    let missing: Vec<_> =
        EXPORTS.iter().filter(|name| find(name).is_none()).map(|name| format!("{PACKAGE}{name}")).collect();
    if !missing.is_empty() {
        return Err(LoadError::NotAPolicy { policy: policy.to_owned(), missing });
    }
    match EXPORTS.iter().filter_map(|name| find(name)).find(|name| !served(name)) {
        Some(other) => Err(LoadError::OtherVersion { policy: policy.to_owned(), found: other.clone() }),
        None => Ok(()),
    }
}

impl Manifest {
    /// Stands in until a component has described itself.
    fn unknown(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            version: String::new(),
            summary: String::new(),
            tools: Vec::new(),
            settings_table: String::new(),
            settings_schema: "{}".into(),
            variables: Vec::new(),
            run: None,
            retention: super::contract::rules::Retention { jobs: 0, millis: 0 },
        }
    }
}
