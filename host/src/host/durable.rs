//! The store of durable runs: opened when a policy first has something to keep, or something may have been left.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::{Duration, Instant};

use super::Shared;
use crate::jobs::{self, Job, Message, PostRefused};
use crate::policy::Begun;
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
    /// Set when what was left is in line: what is enqueued later comes behind it.
    open: OnceLock<Arc<dyn Store>>,
    /// Held while it is being opened, which may take seconds. When that failed last, and why.
    opening: Mutex<Option<(Instant, StoreError)>>,
}

impl Durables {
    pub(super) fn new(storage: Storage, keep: Keep, recover: bool) -> Self {
        Self { storage, keep, recover, open: OnceLock::new(), opening: Mutex::default() }
    }

    /// Waits for an opening that is under way, and keeps others from opening it. Not for an entry, nor for async code.
    fn lock_opening(&self) -> MutexGuard<'_, Option<(Instant, StoreError)>> {
        self.opening.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether there may be something to find: it is open, or was used by an earlier host.
    fn exists(&self) -> bool {
        self.open.get().is_some() || matches!(&self.storage, Storage::Directory(directory) if Sqlite::exists(directory))
    }

    /// Whether there may be something to take over at once.
    pub(super) fn may_recover(&self) -> bool {
        self.recover && self.exists()
    }
}

impl Shared {
    /// The store, opened if it is not. Must be called inside the host's runtime. Blocks, for some seconds at most.
    pub(super) fn store(self: &Arc<Self>) -> Result<Arc<dyn Store>, StoreError> {
        let asked = Instant::now();
        let mut failed = self.durables.lock_opening();
        if let Some(store) = self.opened_store() {
            return Ok(store);
        }
        // Who has waited while another tried has its answer: to try again would take as long again.
        if let Some((_, error)) = failed.as_ref().filter(|(when, _)| *when > asked) {
            return Err(error.clone());
        }
        let opened = self.open_now();
        let error = opened.as_ref().err();
        *failed = error.map(|error| (Instant::now(), error.clone()));
        opened.inspect_err(|error| tracing::error!(%error, "cannot open the store of durable runs"))
    }

    fn open_now(self: &Arc<Self>) -> Result<Arc<dyn Store>, StoreError> {
        let store: Arc<dyn Store> = match &self.durables.storage {
            Storage::Memory => Arc::new(Memory::new(self.durables.keep)),
            Storage::Directory(directory) => Arc::new(Sqlite::open(directory, &self.id, self.durables.keep)?),
        };
        let left = if self.durables.recover { jobs::recover(self, &store)? } else { Vec::new() };
        tokio::spawn(heed(Arc::downgrade(self), Arc::clone(&store)));
        let store = Arc::clone(self.durables.open.get_or_init(|| store));
        // Only now: what the policy decides about them may need the store.
        for Begun { job, inbox, begin } in left {
            jobs::spawn(self, job, inbox, begin);
        }
        Ok(store)
    }

    /// The store if it is open. Returns at once, also while it is being opened.
    pub(crate) fn opened_store(&self) -> Option<Arc<dyn Store>> {
        self.durables.open.get().cloned()
    }

    /// Whether an earlier host may have kept something.
    pub(crate) fn has_past(&self) -> bool {
        self.durables.exists()
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
    pub(crate) fn past_job(&self, session: &str, id: &str) -> Result<Option<Arc<Job>>, StoreError> {
        let Some(store) = self.past() else { return Ok(None) };
        let run = store.find(id).inspect_err(told)?;
        Ok(run.filter(|run| run.session == session).and_then(recorded))
    }

    /// Such runs of a session, oldest first.
    pub(crate) fn past_jobs(&self, session: &str, active: bool, ended: bool, limit: usize) -> Vec<Arc<Job>> {
        let which = Which { session: Some(session), active, ended, limit };
        let runs = self.past().and_then(|store| store.list(which).inspect_err(told).ok()).unwrap_or_default();
        runs.into_iter().filter_map(recorded).collect()
    }

    /// Lets go of the durable runs, once everything is kept that was given to the store. Blocks.
    pub(super) fn close_store(&self) {
        // What is being opened would stay so, and its runs be held.
        let _opening = self.durables.lock_opening();
        if let Some(store) = self.opened_store() {
            store.close();
        }
    }

    /// Waits until everything is kept that was given to the store. Blocks.
    pub(super) fn flush(&self) {
        if let Some(store) = self.opened_store() {
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
