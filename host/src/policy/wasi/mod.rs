//! WASI with nothing granted.
//!
//! A policy links a standard library, which imports WASI whether it is used or not. It gets an environment that is
//! empty, clocks that stand still, random numbers that are the same each time, and no files: so that it can learn
//! nothing here and the same entry gives the same answer.

mod io;

use std::time::Duration;

use wasmtime::component::{Linker, ResourceTable};
use wasmtime_wasi::p2::pipe::MemoryOutputPipe;
use wasmtime_wasi::{Deterministic, HostMonotonicClock, HostWallClock, WasiCtx, WasiCtxBuilder, WasiCtxView, WasiView};

/// What is said to a policy that waits.
const NO_WAITING: &str = "a policy may not wait; arm a timer instead";

/// How much of what a policy prints is kept: a panic's message.
const PRINTED: usize = 64 << 10;

struct Still;

impl HostWallClock for Still {
    fn resolution(&self) -> Duration {
        Duration::from_secs(1)
    }

    fn now(&self) -> Duration {
        Duration::ZERO
    }
}

impl HostMonotonicClock for Still {
    fn resolution(&self) -> u64 {
        1
    }

    fn now(&self) -> u64 {
        0
    }
}

/// The WASI of one instance.
pub(super) struct Wasi {
    context: WasiCtx,
    table: ResourceTable,
    printed: MemoryOutputPipe,
}

impl Wasi {
    pub(super) fn nothing() -> Self {
        let printed = MemoryOutputPipe::new(PRINTED);
        let context = WasiCtxBuilder::new()
            .stderr(printed.clone())
            .secure_random(Deterministic::new(vec![0]))
            .insecure_random(Deterministic::new(vec![0]))
            .insecure_random_seed(0)
            .wall_clock(Still)
            .monotonic_clock(Still)
            .allow_tcp(false)
            .allow_udp(false)
            .build();
        Self { context, table: ResourceTable::new(), printed }
    }

    /// What the policy has printed to standard error.
    pub(super) fn printed(&self) -> String {
        String::from_utf8_lossy(&self.printed.contents()).into_owned()
    }
}

impl WasiView for Wasi {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView { ctx: &mut self.context, table: &mut self.table }
    }
}

/// The WASI interfaces that a policy may import. The rest (sockets, HTTP, …) is refused by name at load.
const OFFERED: [&str; 5] = ["wasi:cli/", "wasi:clocks/", "wasi:filesystem/", "wasi:io/", "wasi:random/"];

/// Whether an import's name is of WASI and offered.
pub(super) fn offers(import: &str) -> bool {
    OFFERED.iter().any(|prefix| import.starts_with(prefix)) && import.contains("@0.2.")
}

/// Adds WASI to a linker, with waiting made a trap: an entry that slept would hold its thread past the deadline.
pub(super) fn link<T: WasiView>(linker: &mut Linker<T>) -> wasmtime::Result<()> {
    wasmtime_wasi::p2::add_to_linker_sync(linker)?;
    linker.allow_shadowing(true);
    io::link(linker)?;
    linker.allow_shadowing(false);
    Ok(())
}
