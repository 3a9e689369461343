//! The engine that policies run in, and one entry into one of them.

use std::sync::Arc;

use wasmtime::component::{Component, HasSelf, Instance, InstancePre, Linker};
use wasmtime::{Config, Enabled, InstanceAllocationStrategy, OptLevel, PoolingAllocationConfig, Store};

use super::allowance::Allowance;
use super::bindings::Policy as Exports;
use super::cache::Cache;
use super::context::Context;
use super::fault::{self, Cause};
use super::limits::{Limits, Meter};
use super::own::{self, Own};
use super::places::Places;
use super::wasi::{self, Wasi};
use super::watchdog::Watchdog;

/// How many entries into policies have a place in the pool at once; further ones wait for one.
const POLICIES: u32 = 24;

/// The same for guards. They have places of their own: an entry into a policy keeps its own place while the guards
/// judge what it starts, and would wait for ever if those that do so had taken all.
const GUARDS: u32 = 8;

/// All places.
const POOL: u32 = POLICIES + GUARDS;

/// Whose entry takes a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// A policy's.
    Policy,
    /// A guard's.
    Guard,
}

/// How much of an instance's memory is cleaned by writing rather than by giving it back.
const KEPT: usize = 2 << 20;

/// What the store of one entry holds: an embedding program that offers imports of its own is called with it.
pub struct EntryState {
    wasi: Wasi,
    meter: Meter,
    context: Context,
}

impl wasmtime_wasi::WasiView for EntryState {
    fn ctx(&mut self) -> wasmtime_wasi::WasiCtxView<'_> {
        self.wasi.ctx()
    }
}

/// Compiles and runs policies.
pub(crate) struct Engine {
    engine: wasmtime::Engine,
    linker: Linker<EntryState>,
    watchdog: Watchdog,
    places: Places,
    guard_places: Places,
    limits: Limits,
    cache: Option<Cache>,
    /// The imports that the embedding program offers to policies.
    offered: Vec<String>,
}

/// The engine could not be set up.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The engine refused its settings, or the contract could not be linked.
    #[error("the WebAssembly engine cannot be set up on this machine: {0:#}")]
    Wasm(wasmtime::Error),
    /// The engine that was brought along does not do.
    #[error("the WebAssembly engine that was given is of no use here: {0:#}")]
    Unsuitable(wasmtime::Error),
    /// The thread that ends overlong entries could not be started.
    #[error("cannot start the thread that ends overlong policy entries: {0}")]
    Thread(#[from] std::io::Error),
}

/// What came of an entry: its result, or why it failed and in which functions.
pub(super) type Outcome<R> = Result<R, (Cause, Vec<String>)>;

impl Engine {
    pub(crate) fn new(limits: Limits, cache: Option<Cache>, own: Own) -> Result<Self, EngineError> {
        let engine = match own.engine {
            Some(engine) => own::check(&engine).map(|()| engine).map_err(EngineError::Unsuitable)?,
            None => ours(limits).map_err(EngineError::Wasm)?,
        };
        let mut linker = link(&engine).map_err(EngineError::Wasm)?;
        let mut offered = Vec::new();
        for (name, link) in own.imports {
            linker.instance(&name).and_then(|mut instance| link(&mut instance)).map_err(EngineError::Wasm)?;
            offered.push(name);
        }
        let ticking = engine.clone();
        let watchdog = Watchdog::start(move || ticking.increment_epoch())?;
        Ok(Self {
            engine,
            linker,
            watchdog,
            places: Places::new(POLICIES),
            guard_places: Places::new(GUARDS),
            limits,
            cache,
            offered,
        })
    }

    /// Compiles a component, or takes it from the cache.
    pub(super) fn compile(&self, bytes: &[u8], digest: &str) -> wasmtime::Result<Component> {
        if let Some(component) = self.cache.as_ref().and_then(|cache| cache.load(&self.engine, digest)) {
            return Ok(component);
        }
        let component = Component::new(&self.engine, bytes)?;
        if let Some(cache) = &self.cache {
            cache.store(&self.engine, digest, &component);
        }
        Ok(component)
    }

    /// Whether the embedding program offers an import to policies.
    pub(super) fn offers(&self, import: &str) -> bool {
        self.offered.iter().any(|name| name == import)
    }

    /// Resolves a component's imports once, so that instances are made of it quickly.
    pub(super) fn prepare(&self, component: &Component) -> wasmtime::Result<InstancePre<EntryState>> {
        self.linker.instantiate_pre(component)
    }

    pub(super) fn wasm(&self) -> &wasmtime::Engine {
        &self.engine
    }

    /// Runs one entry in a fresh instance, and gives the context back.
    pub(super) fn enter<R>(
        &self,
        pre: &InstancePre<EntryState>,
        role: Role,
        context: Context,
        entry: impl FnOnce(&Instance, &mut Store<EntryState>) -> wasmtime::Result<R>,
    ) -> (Outcome<R>, Context) {
        // Taken before the store is made and kept until its memory is back in the pool.
        let _place = match role {
            Role::Policy => self.places.take(),
            Role::Guard => self.guard_places.take(),
        };
        let state = EntryState { wasi: Wasi::nothing(), meter: Meter::new(self.limits), context };
        let mut store = Store::new(&self.engine, state);
        store.limiter(|state| &mut state.meter);
        store.set_epoch_deadline(Watchdog::ticks(self.limits.deadline));
        let allowance = Allowance::begin(self.limits.deadline);
        store.epoch_deadline_callback(move |store| Ok(allowance.look(store.data().context.guarded)));
        let watched = self.watchdog.watch();
        let result = pre.instantiate(&mut store).and_then(|instance| entry(&instance, &mut store));
        drop(watched);
        let state = store.into_data();
        let outcome = result.map_err(|error| self.explain(&error, &state));
        (outcome, state.context)
    }

    fn explain(&self, error: &wasmtime::Error, state: &EntryState) -> (Cause, Vec<String>) {
        let printed = state.wasi.printed();
        let cause = fault::cause(error, &printed, state.meter.refused(), self.limits.deadline.as_millis());
        (cause, fault::frames(error))
    }
}

/// An engine of our own.
fn ours(limits: Limits) -> wasmtime::Result<wasmtime::Engine> {
    pooled(limits).or_else(|error| {
        // Where so much address space cannot be reserved, each instance gets memory of its own.
        tracing::debug!(%error, "no pool of instances on this machine");
        wasmtime::Engine::new(&config())
    })
}

fn config() -> Config {
    let mut config = Config::new();
    config.wasm_component_model(true).epoch_interruption(true).cranelift_opt_level(OptLevel::Speed);
    config
}

/// An engine whose instances take turns in memory that stays mapped: an entry then costs no mapping and few faults.
fn pooled(limits: Limits) -> wasmtime::Result<wasmtime::Engine> {
    let most = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let mut pool = PoolingAllocationConfig::new();
    pool.total_component_instances(POOL)
        .total_core_instances(POOL.saturating_mul(most(limits.instances)))
        .max_core_instances_per_component(most(limits.instances))
        .total_memories(POOL * 2)
        .max_memories_per_component(most(limits.instances))
        .max_memory_size(limits.memory)
        .total_tables(POOL * 4)
        .max_tables_per_component(most(limits.instances))
        .table_elements(limits.table_elements)
        // Entries are never suspended, so no stacks are needed for that.
        .total_stacks(1)
        // Cleans only what was written, where the system can tell.
        .pagemap_scan(Enabled::Auto)
        .linear_memory_keep_resident(KEPT)
        .table_keep_resident(KEPT);
    let mut config = config();
    config.allocation_strategy(InstanceAllocationStrategy::Pooling(pool));
    wasmtime::Engine::new(&config)
}

fn link(engine: &wasmtime::Engine) -> wasmtime::Result<Linker<EntryState>> {
    let mut linker = Linker::new(engine);
    wasi::link(&mut linker)?;
    Exports::add_to_linker::<EntryState, HasSelf<Context>>(&mut linker, |state| &mut state.context)?;
    Ok(linker)
}

impl std::fmt::Debug for EntryState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EntryState").finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine").field("limits", &self.limits).field("cache", &self.cache).finish_non_exhaustive()
    }
}

/// The engine, shared by all who load and run policies with it.
pub(crate) type SharedEngine = Arc<Engine>;
