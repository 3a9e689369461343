//! Loading a policy: read, compile, check what it imports and exports, have it describe itself.

use std::sync::Arc;

use wasmtime::Store;
use wasmtime::component::types::ComponentItem;
use wasmtime::component::{Component, Instance};

use super::bindings::exports::shellward::policy::{conduct, rules};
use super::component::Loaded;
use super::contract::rules::{Manifest, SettingsError};
use super::engine::{EntryState, Role, SharedEngine};
use super::fault::Fault;
use super::guard::CompiledGuard;
use super::source::{self, Source, SourceError};
use super::{Policy, wasi};

/// The contract's package, as in the names of imports and exports.
const PACKAGE: &str = "shellward:policy/";

/// The versions of the contract that this host serves.
const VERSIONS: [&str; 1] = ["0.1."];

/// What a component is to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A policy: decides calls.
    Policy,
    /// A guard: judges commands on top of a policy.
    Guard,
}

impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Policy => "policy",
            Self::Guard => "guard",
        })
    }
}

impl Kind {
    /// What a component seems to be.
    fn of(exports: &[String]) -> Self {
        let exported = |interface: &str| exports.iter().any(|name| name.starts_with(&format!("{PACKAGE}{interface}@")));
        if exported("rules") && !exported("conduct") { Self::Guard } else { Self::Policy }
    }

    /// What it must export.
    fn exports(self) -> &'static [&'static str] {
        match self {
            Self::Policy => &["rules", "conduct"],
            Self::Guard => &["rules"],
        }
    }

    /// Whether it may import an interface of the contract.
    fn may_import(self, name: &str) -> bool {
        let types = ["types@", "commands@"];
        served(name)
            && match self {
                Self::Policy => true,
                Self::Guard => types.iter().any(|only| name[PACKAGE.len()..].starts_with(only)),
            }
    }

    /// What it may import, in words.
    fn imports(self) -> &'static str {
        match self {
            Self::Policy => "shellward:policy/* and the parts of WASI 0.2 that a standard library needs",
            Self::Guard => {
                "nothing but shellward:policy/types, /commands and the parts of WASI 0.2 that a standard library needs"
            }
        }
    }
}

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
    #[error("{policy} asks for what no {kind} gets: {}; a {kind} may import {}", .imports.join(", "), .kind.imports())]
    ForbiddenImports {
        /// The policy.
        policy: String,
        /// What it is to be.
        kind: Kind,
        /// The imports.
        imports: Vec<String>,
    },
    /// It does not export a policy's functions.
    #[error("{policy} is not a {kind}: it does not export {}", .missing.join(" and "))]
    NotAPolicy {
        /// The policy.
        policy: String,
        /// What it is to be.
        kind: Kind,
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
    /// It judges its own examples otherwise than it says.
    #[error("{policy} fails {} of its own cases: {}", .failures.len(), .failures.join("; "))]
    Cases {
        /// The guard.
        policy: String,
        /// The examples, each with what came of it.
        failures: Vec<String>,
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

/// Reads, compiles and checks a component, which must have the digest `pin` where one is given. What it is to be is told
/// by what it exports, where it is not said.
pub(super) fn load(
    engine: &SharedEngine,
    source: &Source,
    pin: Option<&str>,
    kind: Option<Kind>,
) -> Result<Loaded, LoadError> {
    let bytes = source.bytes()?;
    let digest = source::digest(&bytes);
    let name = source.name();
    if let Some(expected) = pin.filter(|expected| !expected.eq_ignore_ascii_case(&digest)) {
        return Err(LoadError::OtherDigest { policy: name, expected: expected.to_owned(), found: digest });
    }
    let invalid = |error: wasmtime::Error| LoadError::Invalid { policy: name.clone(), message: format!("{error:#}") };
    let component = engine.compile(&bytes, &digest).map_err(invalid)?;
    let (imports, exports) = (imports(engine.wasm(), &component), exports(engine.wasm(), &component));
    let kind = kind.unwrap_or_else(|| Kind::of(&exports));
    let own: Vec<_> = imports.iter().filter(|name| kind == Kind::Guard || !engine.offers(name)).cloned().collect();
    check_imports(&name, &own, kind)?;
    check_exports(&name, &exports, kind)?;
    let pre = engine.prepare(&component).map_err(|error| mismatch(&name, &error))?;
    Ok(Loaded {
        engine: Arc::clone(engine),
        rules: rules::GuestIndices::new(&pre).map_err(|error| mismatch(&name, &error))?,
        pre,
        role: if kind == Kind::Guard { Role::Guard } else { Role::Policy },
        manifest: Manifest::unknown(&name),
        stamp: format!("{name}@{}", &digest[..12]).into(),
        settings: "{}".into(),
        digest,
        size: bytes.len(),
        imports,
        functions: functions(engine.wasm(), &component),
        exports,
        name,
    })
}

pub(super) fn mismatch(policy: &str, error: &wasmtime::Error) -> LoadError {
    LoadError::Mismatch { policy: policy.to_owned(), message: format!("{error:#}") }
}

/// A policy that has been compiled and checked, but not told its settings.
#[derive(Clone)]
pub(crate) struct Compiled {
    loaded: Loaded,
    conduct: conduct::GuestIndices,
}

impl Compiled {
    /// Reads, compiles and checks a policy, which must have the digest `pin` where one is given.
    pub(crate) fn new(engine: &SharedEngine, source: &Source, pin: Option<&str>) -> Result<Self, LoadError> {
        Self::of(load(engine, source, pin, Some(Kind::Policy))?)
    }

    fn of(loaded: Loaded) -> Result<Self, LoadError> {
        let conduct = conduct::GuestIndices::new(&loaded.pre).map_err(|error| mismatch(&loaded.name, &error))?;
        Ok(Self { loaded, conduct })
    }

    /// Has the policy describe itself with the given settings.
    pub(crate) fn configure(&self, settings: &str) -> Result<Policy, LoadError> {
        let check = |instance: &Instance, store: &mut Store<EntryState>| self.conduct.load(store, instance).map(drop);
        let loaded = self.loaded.clone().configure(settings, check)?;
        Ok(Policy { loaded, conduct: self.conduct.clone() })
    }
}

/// A component that has been compiled and checked, whatever it is.
pub(crate) enum Loading {
    Policy(Compiled),
    Guard(CompiledGuard),
}

impl Loading {
    pub(crate) fn read(engine: &SharedEngine, source: &Source) -> Result<Self, LoadError> {
        let loaded = load(engine, source, None, None)?;
        Ok(match loaded.role {
            Role::Policy => Self::Policy(Compiled::of(loaded)?),
            Role::Guard => Self::Guard(CompiledGuard(loaded)),
        })
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

fn check_imports(policy: &str, imports: &[String], kind: Kind) -> Result<(), LoadError> {
    let forbidden: Vec<_> =
        imports.iter().filter(|name| !kind.may_import(name) && !wasi::offers(name)).cloned().collect();
    if forbidden.is_empty() {
        Ok(())
    } else {
        Err(LoadError::ForbiddenImports { policy: policy.to_owned(), kind, imports: forbidden })
    }
}

fn check_exports(policy: &str, exports: &[String], kind: Kind) -> Result<(), LoadError> {
    let find = |interface: &str| exports.iter().find(|name| name.starts_with(&format!("{PACKAGE}{interface}@")));
    let wanted = kind.exports();
    let missing: Vec<_> =
        wanted.iter().filter(|name| find(name).is_none()).map(|name| format!("{PACKAGE}{name}")).collect();
    if !missing.is_empty() {
        return Err(LoadError::NotAPolicy { policy: policy.to_owned(), kind, missing });
    }
    match wanted.iter().filter_map(|name| find(name)).find(|name| !served(name)) {
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
