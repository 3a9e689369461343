//! Setting up a host.

use std::ffi::OsString;
use std::io;
use std::num::NonZero;
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use tokio::sync::watch;
use ulid::Ulid;
use wasmtime::component::LinkerInstance;

use super::{Approver, Durables, Host, HostLimits, Shared, Storage};
use crate::confinement::Containers;
use crate::events::{Bus, Sink};
use crate::policy::{
    Cache, Compiled, Engine, EngineError, EntryState, Guard, GuardSpec, Guards, Kind, Limits, LoadError, Loaded,
    Loading, Own, Policy, Source, SourceError,
};
use crate::settings::{self, Settings};
use crate::threads;
use crate::workspace::Workspace;

/// Sets up a [`Host`].
#[derive(Default)]
pub struct HostBuilder {
    project: Option<PathBuf>,
    source: Option<Source>,
    settings: Settings,
    policy_limits: Limits,
    limits: HostLimits,
    cache: Option<Cache>,
    environment: Option<Vec<(OsString, OsString)>>,
    approver: Option<Box<dyn Approver>>,
    sinks: Vec<Box<dyn Sink>>,
    pin: Option<String>,
    storage: Option<Storage>,
    leave: bool,
    guards: Vec<GuardSpec>,
    containers: Vec<(String, String)>,
    own: Own,
}

/// Why a host could not be set up.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// The project's root is of no use.
    #[error("cannot work in the project directory {path}: {error}; name an existing directory", path = path.display())]
    Project {
        /// The directory.
        path: PathBuf,
        /// The system's words.
        error: io::Error,
    },
    /// The engine could not be set up.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The policy could not be loaded.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The policy could not be found.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The settings are wrong.
    #[error(transparent)]
    Settings(#[from] settings::Error),
    /// No threads can be had.
    #[error("cannot start the host's threads: {0}; end some processes, or raise the limit (`ulimit -u`)")]
    Threads(io::Error),
}

impl HostBuilder {
    /// The directory that commands work in and paths are judged by; the current one unless said.
    #[must_use]
    pub fn project(mut self, directory: impl Into<PathBuf>) -> Self {
        self.project = Some(directory.into());
        self
    }

    /// The policy; `bash` unless said.
    #[must_use]
    pub fn policy(mut self, source: Source) -> Self {
        self.source = Some(source);
        self
    }

    /// The SHA-256, in hexadecimal, that the policy's component must have, and any that replaces it later.
    #[must_use]
    pub fn pin(mut self, sha256: impl Into<String>) -> Self {
        self.pin = Some(sha256.into());
        self
    }

    /// The embedding program's own engine, for policies and guards; one of the host's own unless said.
    ///
    /// It must have epoch interruption and the component model. The host advances its epoch every 10 ms while an entry
    /// runs. A pooling engine must have room for 24 policies and 8 guards at once, each within
    /// [`policy_limits`](Self::policy_limits).
    #[must_use]
    pub fn engine(mut self, engine: wasmtime::Engine) -> Self {
        self.own.engine = Some(engine);
        self
    }

    /// Offers policies an interface of the embedding program's own, by its full name such as `acme:audit/log@1.0.0`.
    ///
    /// Its functions must return at once, as all imports do. Guards do not get it: they judge and do nothing else.
    #[must_use]
    pub fn import(
        mut self,
        name: impl Into<String>,
        link: impl FnOnce(&mut LinkerInstance<'_, EntryState>) -> wasmtime::Result<()> + Send + 'static,
    ) -> Self {
        self.own.imports.push((name.into(), Box::new(link)));
        self
    }

    /// Adds a guard, behind those that the settings name: it judges every command, whatever the policy.
    #[must_use]
    pub fn guard(mut self, guard: GuardSpec) -> Self {
        self.guards.push(guard);
        self
    }

    /// The settings; the policy's defaults unless said.
    #[must_use]
    pub fn settings(mut self, settings: Settings) -> Self {
        self.settings = settings;
        self
    }

    /// What one entry into the policy may use.
    #[must_use]
    pub fn policy_limits(mut self, limits: Limits) -> Self {
        self.policy_limits = limits;
        self
    }

    /// What the host allows, whatever its policy says.
    #[must_use]
    pub fn limits(mut self, limits: HostLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Where compiled policies are kept; nowhere unless said, and each start compiles.
    #[must_use]
    pub fn cache(mut self, cache: Cache) -> Self {
        self.cache = Some(cache);
        self
    }

    /// The environment of commands; this program's own unless said.
    #[must_use]
    pub fn environment(mut self, environment: Vec<(OsString, OsString)>) -> Self {
        self.environment = Some(environment);
        self
    }

    /// Who puts questions to a human; without one every question is answered with its refusal.
    #[must_use]
    pub fn approver(mut self, approver: impl Approver + 'static) -> Self {
        self.approver = Some(Box::new(approver));
        self
    }

    /// Where durable runs are kept: in the project's `.shellward` unless said. Nothing is made there before a policy
    /// asks for a durable run.
    #[must_use]
    pub fn storage(mut self, storage: Storage) -> Self {
        self.storage = Some(storage);
        self
    }

    /// Leaves alone what earlier hosts have left unfinished, for a host that does not stay.
    #[must_use]
    pub fn leave_unfinished(mut self) -> Self {
        self.leave = true;
        self
    }

    /// Names a container for policies that want one: the image it is made of, over what the settings say.
    ///
    /// An image that is not there is not fetched.
    #[must_use]
    pub fn container(mut self, name: impl Into<String>, image: impl Into<String>) -> Self {
        self.containers.push((name.into(), image.into()));
        self
    }

    /// Adds a sink for events.
    #[must_use]
    pub fn sink(mut self, sink: impl Sink + 'static) -> Self {
        self.sinks.push(Box::new(sink));
        self
    }

    /// Loads the policy and starts the host's threads.
    ///
    /// # Errors
    /// When the project, the policy or its settings are of no use; nothing is left running.
    pub fn build(self) -> Result<Host, BuildError> {
        let environment = self.environment.unwrap_or_else(|| std::env::vars_os().collect());
        let project = self.project.unwrap_or_else(|| PathBuf::from("."));
        let workspace =
            Workspace::open(&project, &environment).map_err(|error| BuildError::Project { path: project, error })?;
        let cores = std::thread::available_parallelism().map_or(2, NonZero::get);
        // The compiler takes one for each core, the runtime one more, the watchdog one, and who serves clients four.
        threads::spare(2 * cores + 6).map_err(BuildError::Threads)?;
        let engine = Arc::new(Engine::new(self.policy_limits, self.cache, self.own)?);
        let guards = self.settings.guards()?.into_iter().chain(self.guards);
        let guards: Vec<_> = guards.map(|spec| Guard::load(&engine, &spec)).collect::<Result<_, _>>()?;
        let source = self.source.map_or_else(|| Source::parse("bash"), Ok)?;
        let pin = self.pin.or_else(|| self.settings.pin().map(str::to_owned));
        let compiled = Compiled::new(&engine, &source, pin.as_deref())?;
        let policy = configure::<BuildError>(&compiled, &self.settings, &environment)?;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            // Entries run on these threads: more than there are cores, so that a policy which takes its whole
            // deadline does not hold up the others.
            .worker_threads(cores + 1)
            .thread_name("shellward")
            .enable_all()
            .build()
            .map_err(BuildError::Threads)?;
        let storage = match self.storage.unwrap_or_default() {
            Storage::Directory(directory) => Storage::Directory(workspace.root().join(directory)),
            Storage::Memory => Storage::Memory,
        };
        let images = self.settings.containers()?.into_iter().chain(self.containers).collect();
        let id = Ulid::generate().to_string().to_lowercase();
        let shared = Shared {
            containers: Containers::new(images, &id),
            id,
            workspace,
            environment,
            limits: self.limits,
            jobs: Default::default(),
            ceiling: Default::default(),
            actors: Default::default(),
            leftovers: Default::default(),
            nameless: Default::default(),
            blocks: Default::default(),
            shells: Default::default(),
            events: Bus::new(self.sinks),
            durables: Durables::new(storage, self.limits.keep, !self.leave),
            approver: self.approver,
            engine,
            guards: Guards::new(guards),
            settings: self.settings,
            pin,
            policy: watch::Sender::new(Arc::new(policy)),
            swapping: Mutex::new(()),
            closing: AtomicBool::new(false),
            gone: AtomicBool::new(false),
        };
        let shared = Arc::new(shared);
        if shared.policy().is_durable() && shared.durables.may_recover() {
            let shared = Arc::clone(&shared);
            // A store that cannot be opened is said by each call that needs it.
            let _entered = runtime.enter();
            drop(threads::apart(move || shared.store().map(drop)));
        }
        Ok(Host { shared, runtime: Some(runtime) })
    }
}

/// Has a component describe itself bare, and then with the settings that its own table and variables give.
pub(super) fn configure<E: From<LoadError> + From<settings::Error>>(
    compiled: &Compiled,
    settings: &Settings,
    environment: &[(OsString, OsString)],
) -> Result<Policy, E> {
    let bare = compiled.configure("{}")?;
    let table = settings.table(bare.manifest(), environment)?;
    if table.is_empty() {
        return Ok(bare);
    }
    match compiled.configure(&table.json()) {
        Err(LoadError::Settings { policy, errors }) => Err(table.refused(&policy, errors).into()),
        other => Ok(other?),
    }
}

/// A component, looked at without running a host, with its default settings.
#[derive(Debug)]
pub enum Component {
    /// A policy.
    Policy(Policy),
    /// A guard, which was held to its own examples.
    Guard(Guard),
}

impl Component {
    /// Which of the two it is.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self {
            Self::Policy(_) => Kind::Policy,
            Self::Guard(_) => Kind::Guard,
        }
    }
}

impl Deref for Component {
    type Target = Loaded;

    fn deref(&self) -> &Loaded {
        match self {
            Self::Policy(policy) => policy,
            Self::Guard(guard) => guard,
        }
    }
}

/// What is to be known of a policy or guard without running a host.
#[derive(Debug)]
pub struct Inspection {
    /// The component.
    pub component: Component,
    /// Where it came from.
    pub source: Source,
}

/// Loads a policy or guard with its default settings, to look at it.
///
/// # Errors
/// When it cannot be loaded, or fails one of its own examples.
pub fn inspect(source: Source, cache: Option<Cache>) -> Result<Inspection, BuildError> {
    let engine = Arc::new(Engine::new(Limits::default(), cache, Own::default())?);
    let component = match Loading::read(&engine, &source)? {
        Loading::Policy(compiled) => Component::Policy(compiled.configure("{}")?),
        Loading::Guard(guard) => Component::Guard(guard.configure(&Default::default())?),
    };
    Ok(Inspection { component, source })
}
