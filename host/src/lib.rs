//! Shellward: the shell tool for AI agents whose rules are a WebAssembly component.
//!
//! A [`Host`] loads a policy, offers its tools, and answers their calls: the policy decides and words the answer, the
//! host starts processes, signals them, keeps time and captures output.
//!
//! ```no_run
//! # fn main() -> Result<(), shellward::BuildError> {
//! let host = shellward::Host::builder().project(".").policy(shellward::Source::parse("bash")?).build()?;
//! # let _ = async {
//! let reply = host.call("session-1", "Bash", serde_json::json!({"command": "echo hello"})).await;
//! println!("{}", reply.answer());
//! host.shutdown().await;
//! # };
//! # Ok(())
//! # }
//! ```
//!
//! The library prints nothing and reads neither the user's settings nor the home directory; the `shellward` command
//! does. What it has to say to its operators goes to [`tracing`].

#![deny(missing_docs)]

mod blocks;
mod clock;
mod confinement;
pub mod control;
mod events;
mod host;
mod jobs;
pub mod mcp;
mod policy;
pub mod process;
mod screen;
pub mod settings;
mod store;
mod terminal;
mod threads;
mod workspace;

pub use blocks::{Block, BlockInfo, Changes, VersionError};
pub use confinement::try_containers;
pub use events::{Notice, Received, Sink, Subscription};
pub use host::{
    Approver, BuildError, Caller, Check, Component, FileWatch, Host, HostBuilder, HostLimits, Inspection, JobReport,
    Objecting, Reply, Storage, SwapError, Swapped, Swapper, Swaps, WatchError, inspect,
};
pub use policy::{
    Cache, CacheError, Cause, EngineError, Entry, EntryState, Fault, Guard, GuardSpec, Kind, Limits, LoadError, Loaded,
    Policy, Source, SourceError, built_in, contract,
};
pub use store::{Keep, KillRequest, Phase, Run, Runs, Standing, StoreError};
/// The engine's own library, in the version that [`HostBuilder::engine`] and [`HostBuilder::import`] take.
pub use wasmtime;
