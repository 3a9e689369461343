//! The store of durable runs: opened when a policy first has something to keep, or something may have been left.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use super::Shared;
use crate::jobs::{self, Job, Message, PostRefused};
use crate::policy::contract::types::Unwanted;
use crate::store::{self, Keep, Memory, Run, Sqlite, Store, StoreError, Which};
use crate::threads;

/// How often a host looks whether somebody outside it wants one of its runs ended.
const LOOK: Duration = Duration::from_millis(200);

/// Where durable runs are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Storage {
    /// In a database below this directory; a relative one starts at the project's root.
    Directory(PathBuf),
    /// In memory: nothing outlives the host.
    Memory,
}

impl Default for Storage {
    /// The project's `.shellward`.
    fn default() -> Self {
        Self::Directory(PathBuf::from(".shellward"))
    }
}

/// The store, once it is open.
pub(super) struct Durables {
    storage: Storage,
    keep: Keep,
    /// Whether what hosts that are gone have left unfinished is taken over.
    recover: bool,
    open: Mutex<Option<Arc<dyn Store>>>,
}

impl Durables {
    pub(super) fn new(storage: Storage, keep: Keep, recover: bool) -> Self {
        Self { storage, keep, recover, open: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Arc<dyn Store>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether there may be something to find: it is open, or was used by an earlier host.
    fn exists(&self) -> bool {
        self.lock().is_some() || matches!(&self.storage, Storage::Directory(directory) if Sqlite::exists(directory))
    }

    /// Whether there may be something to take over at once.
    pub(super) fn may_recover(&self) -> bool {
        self.recover && self.exists()
    }
}

impl Shared {
    /// The store, opened if it is not. Must be called inside the host's runtime.
    pub(super) fn store(self: &Arc<Self>) -> Result<Arc<dyn Store>, StoreError> {
        // Held until what was left is in line: what is enqueued later comes behind it.
        let mut open = self.durables.lock();
        if let Some(store) = &*open {
            return Ok(Arc::clone(store));
        }
        let store: Arc<dyn Store> = match &self.durables.storage {
            Storage::Memory => Arc::new(Memory::new(self.durables.keep)),
            Storage::Directory(directory) => Arc::new(Sqlite::open(directory, &self.id, self.durables.keep)?),
        };
        if self.durables.recover {
            jobs::recover(self, &store)?;
        }
        tokio::spawn(heed(Arc::downgrade(self), Arc::clone(&store)));
        *open = Some(Arc::clone(&store));
        Ok(store)
    }

    /// The store if it is open.
    pub(crate) fn opened_store(&self) -> Option<Arc<dyn Store>> {
        self.durables.lock().clone()
    }

    /// Whether the store should be open before a call is decided: there is something in it that the policy may ask for.
    pub(super) fn lacks_store(&self) -> bool {
        self.policy().is_durable() && self.opened_store().is_none() && self.durables.exists()
    }

    /// Opens the store; for a task that may wait for it, as an entry into a policy may not.
    pub(super) async fn open_store(self: &Arc<Self>) -> Result<(), StoreError> {
        let shared = Arc::clone(self);
        let cut = || StoreError::Other { path: "the store".into(), message: "its opening was cut short".into() };
        threads::apart(move || shared.store().map(drop)).await.unwrap_or_else(|| Err(cut()))
    }

    /// What earlier hosts and others have kept, for a policy that has to do with durable runs.
    fn past(&self) -> Option<Arc<dyn Store>> {
        self.opened_store().filter(|_| self.policy().is_durable())
    }

    /// A run that this host does not have in hand: one of an earlier host, or of another that runs now.
    pub(crate) fn past_job(&self, session: &str, id: &str) -> Option<Arc<Job>> {
        let run = self.past()?.find(id).inspect_err(told).ok()??;
        if run.session == session { recorded(run) } else { None }
    }

    /// Such runs of a session, oldest first.
    pub(crate) fn past_jobs(&self, session: &str, active: bool, ended: bool, limit: usize) -> Vec<Arc<Job>> {
        let which = Which { session: Some(session), active, ended, limit };
        let runs = self.past().and_then(|store| store.list(which).inspect_err(told).ok()).unwrap_or_default();
        runs.into_iter().filter_map(recorded).collect()
    }

    /// Lets go of the durable runs, once everything is kept that was given to the store. Blocks.
    pub(super) fn close_store(&self) {
        if let Some(store) = self.opened_store() {
            store.close();
        }
    }

    /// Waits until everything is kept that was given to the store. Blocks.
    pub(super) fn flush(&self) {
        let store = self.durables.lock().clone();
        if let Some(store) = store {
            store.flush();
        }
    }
}

fn told(error: &StoreError) {
    tracing::error!(%error, "cannot read durable runs");
}

fn recorded(run: Run) -> Option<Arc<Job>> {
    let id = run.id.clone();
    let unreadable =
        |error: &serde_json::Error| tracing::error!(id, %error, "cannot read how a durable run was launched");
    Job::of_record(run).inspect_err(unreadable).ok()
}

/// Tells jobs that somebody outside this host wants them ended, and what other hosts have posted to them.
async fn heed(shared: Weak<Shared>, store: Arc<dyn Store>) {
    let mut told = HashSet::new();
    let mut posts = Vec::new();
    loop {
        tokio::time::sleep(LOOK).await;
        let Some(shared) = shared.upgrade() else { return };
        if shared.closing.load(Ordering::Acquire) {
            return;
        }
        let durable = shared.jobs.running().into_iter().any(|job| job.birth.launch.durable);
        if !durable {
            told.clear();
            continue;
        }
        for id in store.wanted_ended().unwrap_or_default() {
            let Some(job) = shared.jobs.any(&id) else { continue };
            // One whose inbox is full is told at the next look.
            if !told.contains(&id) && job.post(Message::Unwanted(Unwanted::ByHand)).is_ok() {
                told.insert(id);
            }
        }
        posts.extend(store.posts().unwrap_or_default());
        deliver(&shared, &mut posts);
    }
}

/// Gives posts to the jobs that they are for, in order, and leaves those whose jobs are too busy.
fn deliver(shared: &Shared, posts: &mut Vec<store::Post>) {
    let mut busy = HashSet::new();
    posts.retain(|post| {
        // One that has ended meanwhile needs no messages.
        let Some(job) = shared.jobs.any(&post.run) else { return false };
        if !busy.contains(&post.run) {
            let message = Message::Posted { name: post.name.clone(), data: post.data.clone() };
            match job.post(message) {
                Ok(()) | Err(PostRefused::Ended) => return false,
                Err(PostRefused::Full) => busy.insert(post.run.clone()),
            };
        }
        true
    });
}
