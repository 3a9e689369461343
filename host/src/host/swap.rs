//! Changing the policy while the host runs.
//!
//! A replacement is compiled, checked and told the current settings beside the one at work, and only then put in its
//! place, in one exchange. An entry that has begun ends with the policy it began with; every later one, of old jobs
//! too, is the new one's.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use tokio::sync::watch;

use super::builder::configure;
use super::{Host, Shared};
use crate::policy::{Compiled, LoadError, Policy, Source};
use crate::{settings, threads};

/// Why a policy was not replaced. The one before it goes on.
#[derive(Debug, thiserror::Error)]
pub enum SwapError {
    /// The replacement could not be loaded.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The replacement refuses the current settings.
    #[error(transparent)]
    Settings(#[from] settings::Error),
    /// The host shuts down.
    #[error("the host is shutting down and takes no other policy")]
    Closing,
    /// The work was cut short.
    #[error("loading the policy was cut short: {0}")]
    CutShort(String),
}

/// A policy that was replaced, and by what.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Swapped {
    /// The one before: name, version and digest.
    pub from: String,
    /// The one that decides from now on.
    pub to: String,
    /// The SHA-256 of its component, in hexadecimal.
    pub sha256: String,
}

/// The policies that are put in place from now on; one that is followed by another at once may be left out.
#[derive(Debug)]
pub struct Swaps(watch::Receiver<Arc<Policy>>);

impl Swaps {
    /// Waits for the next; none when the host is gone.
    pub async fn next(&mut self) -> Option<Arc<Policy>> {
        self.0.changed().await.ok()?;
        Some(Arc::clone(&self.0.borrow_and_update()))
    }
}

/// Replaces the policy of a host; can be cloned and sent.
#[derive(Clone)]
pub struct Swapper {
    shared: Arc<Shared>,
    runtime: tokio::runtime::Handle,
}

impl Swapper {
    /// Replaces the policy, as [`Host::swap`] does.
    ///
    /// # Errors
    /// When the replacement is of no use; the one before it goes on.
    pub async fn swap(&self, source: Source) -> Result<Swapped, SwapError> {
        let shared = Arc::clone(&self.shared);
        let done = {
            let _entered = self.runtime.enter();
            threads::apart(move || shared.swap(&source))
        };
        done.await.unwrap_or_else(|| Err(SwapError::CutShort("the one who did it has panicked".into())))
    }

    /// Replaces the policy on the thread that calls this, which it blocks while it compiles.
    ///
    /// # Errors
    /// When the replacement is of no use; the one before it goes on.
    pub fn swap_now(&self, source: &Source) -> Result<Swapped, SwapError> {
        self.shared.swap(source)
    }

    /// The policy in use.
    #[must_use]
    pub fn policy(&self) -> Arc<Policy> {
        self.shared.policy()
    }

    pub(crate) fn runtime(&self) -> &tokio::runtime::Handle {
        &self.runtime
    }
}

impl std::fmt::Debug for Swapper {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Swapper").finish_non_exhaustive()
    }
}

impl Shared {
    /// Loads a policy and puts it in place. Blocks while it compiles; calls go on meanwhile.
    fn swap(&self, source: &Source) -> Result<Swapped, SwapError> {
        // One at a time, so that of two swaps the one that was asked for last stays.
        let _turn = self.swapping.lock().unwrap_or_else(PoisonError::into_inner);
        let compiled = Compiled::new(&self.engine, source, self.pin.as_deref())?;
        let next: Policy = configure::<SwapError>(&compiled, &self.settings, &self.environment)?;
        if self.closing.load(Ordering::Acquire) {
            return Err(SwapError::Closing);
        }
        let (to, sha256) = (next.stamp().to_string(), next.digest().to_owned());
        let from = self.policy.send_replace(Arc::new(next)).stamp().to_string();
        tracing::info!(from, to, "another policy decides from now on");
        Ok(Swapped { from, to, sha256 })
    }
}

impl Host {
    /// Replaces the policy, while calls and jobs go on.
    ///
    /// An entry that has begun ends with the policy it began with; every later one, of jobs that were started before
    /// too, is the new one's. Where it cannot be loaded, or refuses the settings, the one before stays.
    ///
    /// # Errors
    /// When the replacement is of no use, and why.
    pub async fn swap(&self, source: Source) -> Result<Swapped, SwapError> {
        self.swapper().swap(source).await
    }

    /// A handle for replacing the policy that can be cloned and sent to other threads.
    #[must_use]
    pub fn swapper(&self) -> Swapper {
        Swapper { shared: Arc::clone(&self.shared), runtime: self.handle() }
    }

    /// The policies that are put in place from now on.
    #[must_use]
    pub fn swaps(&self) -> Swaps {
        Swaps(self.shared.policy.subscribe())
    }
}
