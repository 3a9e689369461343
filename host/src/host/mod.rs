//! The host: what an embedding program holds.

mod actors;
mod builder;
mod call;
mod check;
mod durable;
mod follow;
mod question;
mod reply;
mod session;
mod shutdown;
mod swap;

use std::ffi::OsString;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value;
use tokio::sync::watch;

pub(crate) use self::actors::Actors;
pub use self::builder::{BuildError, Component, HostBuilder, Inspection, inspect};
pub(crate) use self::call::new_call_id;
pub use self::call::{Approver, Caller};
pub use self::check::{Check, Objecting};
use self::durable::Durables;
pub use self::durable::Storage;
pub use self::follow::{FileWatch, WatchError};
pub use self::reply::{JobReport, Reply};
use self::session::Nameless;
pub use self::swap::{SwapError, Swapped, Swapper, Swaps};
use crate::blocks::{Block, Blocks};
use crate::confinement::Containers;
use crate::events::{Bus, Subscription};
use crate::jobs::{Ceiling, Jobs, Leftovers, Retention};
use crate::policy::contract::rules::Tool;
use crate::policy::{Guards, Policy, SharedEngine};
use crate::settings::Settings;
use crate::store::Keep;
use crate::terminal::Shells;
use crate::workspace::Workspace;

/// What a host allows, whatever its policy says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostLimits {
    /// Jobs that run at the same time.
    pub running_jobs: u32,
    /// Bytes kept of each output stream of a job, head and tail together.
    pub kept_output: usize,
    /// Bytes of JSON in the arguments of one call.
    pub arguments: usize,
    /// How long a job that should end may take before the host ends it.
    pub patience: Duration,
    /// How long durable runs are kept after their end.
    pub keep: Keep,
}

impl Default for HostLimits {
    fn default() -> Self {
        Self {
            running_jobs: 256,
            kept_output: 8 << 20,
            arguments: 1 << 20,
            patience: Duration::from_secs(10),
            keep: Keep::default(),
        }
    }
}

/// What all parts of a host share.
pub(crate) struct Shared {
    /// Names this host among others on the machine: the first part of its jobs' marks.
    pub id: String,
    pub workspace: Workspace,
    pub environment: Vec<(OsString, OsString)>,
    pub limits: HostLimits,
    pub jobs: Jobs,
    pub ceiling: Ceiling,
    pub actors: Actors,
    pub leftovers: Leftovers,
    pub nameless: Nameless,
    pub blocks: Blocks,
    pub shells: Shells,
    pub containers: Containers,
    pub events: Bus,
    durables: Durables,
    approver: Option<Box<dyn Approver>>,
    engine: SharedEngine,
    pub guards: Guards,
    settings: Settings,
    /// The digest that any policy of this host must have, where one is demanded.
    pin: Option<String>,
    policy: watch::Sender<Arc<Policy>>,
    /// Held while a policy is being replaced.
    swapping: Mutex<()>,
    /// Set when the host shuts down: no more calls are taken.
    closing: AtomicBool,
    /// Set when what is left is killed: what happens to durable runs from then on is no news of theirs.
    gone: AtomicBool,
}

impl Shared {
    /// The policy that decides from now on.
    pub(crate) fn policy(&self) -> Arc<Policy> {
        Arc::clone(&self.policy.borrow())
    }

    /// Tells when another policy is put in place.
    pub(crate) fn swaps(&self) -> watch::Receiver<Arc<Policy>> {
        self.policy.subscribe()
    }

    /// How long the policy wants ended jobs to be remembered.
    pub(crate) fn retention(&self) -> Retention {
        let retention = self.policy().manifest().retention;
        Retention {
            jobs: usize::try_from(retention.jobs).unwrap_or(usize::MAX),
            age: Duration::from_millis(retention.millis),
        }
    }
}

/// A policy at work in a project.
///
/// It runs on threads of its own, so its methods can be called from any runtime, and from none. Dropping it kills
/// what it started; [`Host::shutdown`] does so in good order.
pub struct Host {
    shared: Arc<Shared>,
    runtime: Option<tokio::runtime::Runtime>,
}

impl Host {
    /// Begins to set up a host.
    #[must_use]
    pub fn builder() -> HostBuilder {
        HostBuilder::default()
    }

    /// The tools that the policy offers now.
    #[must_use]
    pub fn tools(&self) -> Vec<Tool> {
        self.shared.policy().manifest().tools.clone()
    }

    /// The policy in use.
    #[must_use]
    pub fn policy(&self) -> Arc<Policy> {
        self.shared.policy()
    }

    /// Events from now on.
    #[must_use]
    pub fn events(&self) -> Subscription {
        self.shared.events.subscribe()
    }

    /// The live output documents of a session, oldest first: those of running processes, and of the latest that ended.
    #[must_use]
    pub fn blocks(&self, session: &str) -> Vec<Block> {
        self.shared.blocks.list(session)
    }

    /// The live output document of a session by its label.
    #[must_use]
    pub fn block(&self, session: &str, label: &str) -> Option<Block> {
        self.shared.blocks.get(session, label)
    }

    /// Makes a tool call for a session, and gives the answer.
    ///
    /// Whatever goes wrong is an answer too, with [`Reply::is_error`] set. Dropping the future before the answer is
    /// there ends the command that the call waits for, with all that descends from it.
    pub async fn call(&self, session: &str, tool: &str, arguments: Value) -> Reply {
        self.caller().call(session, tool, arguments).await
    }

    /// A handle for calls that can be cloned and sent to other threads.
    #[must_use]
    pub fn caller(&self) -> Caller {
        Caller::new(&self.shared, self.handle())
    }

    /// How many lasting shells live now.
    #[must_use]
    pub fn shells(&self) -> usize {
        self.shared.shells.count()
    }

    /// How many jobs run now.
    #[must_use]
    pub fn running_jobs(&self) -> usize {
        self.shared.jobs.running().len()
    }

    /// Waits until no job runs.
    pub async fn idle(&self) {
        self.shared.actors.all_done().await;
    }

    fn handle(&self) -> tokio::runtime::Handle {
        match &self.runtime {
            Some(runtime) => runtime.handle().clone(),
            // Only `drop` and `shutdown`, which take the host, take the runtime out.
            None => unreachable!("a host is used after it was shut down"),
        }
    }
}

impl std::fmt::Debug for Host {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Host").field("project", &self.shared.workspace.root()).field("policy", &self.policy()).finish()
    }
}
