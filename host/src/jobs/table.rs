//! All jobs by their ids, and how long ended ones are remembered.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::watch;

use super::job::Job;

/// How long the records of ended jobs are kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Retention {
    pub jobs: usize,
    pub age: Duration,
}

/// The jobs of one host.
#[derive(Debug, Default)]
pub(crate) struct Jobs {
    inner: Mutex<Inner>,
    changes: watch::Sender<()>,
}

#[derive(Debug, Default)]
struct Inner {
    /// Ids end in a ULID, but prefixes differ: each has the number of its birth beside it.
    by_id: BTreeMap<String, (u64, Arc<Job>)>,
    by_age: BTreeMap<u64, Arc<Job>>,
    born: u64,
    /// Those that ended in the background: their records are all that tells of them.
    unattended: VecDeque<(Instant, String)>,
    /// Those whose end was the answer to a call: however many there are, they push none of the others out.
    answered: VecDeque<(Instant, String)>,
    /// Those whose time is over, but that say where a lasting shell is: the latest command of each.
    latest: Vec<String>,
}

impl Jobs {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells when a job was added, has ended, or was forgotten.
    pub(crate) fn changes(&self) -> watch::Receiver<()> {
        self.changes.subscribe()
    }

    /// Adds a job, unless its id is taken.
    pub(crate) fn insert(&self, job: &Arc<Job>) -> bool {
        let mut inner = self.lock();
        if inner.by_id.contains_key(job.id()) {
            return false;
        }
        inner.born += 1;
        let birth = inner.born;
        inner.by_id.insert(job.id().to_owned(), (birth, Arc::clone(job)));
        inner.by_age.insert(birth, Arc::clone(job));
        drop(inner);
        self.changes.send_replace(());
        true
    }

    /// Gives a job of a session.
    pub(crate) fn get(&self, session: &str, id: &str) -> Option<Arc<Job>> {
        self.any(id).filter(|job| job.birth.session == session)
    }

    /// Gives a job of whatever session.
    pub(crate) fn any(&self, id: &str) -> Option<Arc<Job>> {
        self.lock().by_id.get(id).map(|(_, job)| Arc::clone(job))
    }

    /// Gives a session's newest jobs, oldest first.
    pub(crate) fn list(&self, session: &str, active: bool, ended: bool, limit: usize) -> Vec<Arc<Job>> {
        let wanted = |job: &&Arc<Job>| job.birth.session == session && if job.is_running() { active } else { ended };
        let mut jobs: Vec<_> = self.lock().by_age.values().rev().filter(wanted).take(limit).cloned().collect();
        jobs.reverse();
        jobs
    }

    /// Gives every job that has not ended.
    pub(crate) fn running(&self) -> Vec<Arc<Job>> {
        self.lock().by_age.values().filter(|job| job.is_running()).cloned().collect()
    }

    /// Notes that a job has ended, and forgets those whose time is over.
    pub(crate) fn ended(&self, job: &Job, retention: Retention) {
        let mut inner = self.lock();
        let ended = if job.is_awaited() { &mut inner.answered } else { &mut inner.unattended };
        ended.push_back((Instant::now(), job.id().to_owned()));
        inner.forget(retention);
        drop(inner);
        self.changes.send_replace(());
    }

    /// Forgets those ended jobs whose time is over.
    pub(crate) fn forget(&self, retention: Retention) {
        self.lock().forget(retention);
    }
}

impl Inner {
    fn forget(&mut self, retention: Retention) {
        let mut over = std::mem::take(&mut self.latest);
        over.extend(overdue(&mut self.unattended, retention));
        over.extend(overdue(&mut self.answered, retention));
        let latest = |id: &String| {
            let work = self.by_id.get(id).and_then(|(_, job)| job.work());
            work.is_some_and(|work| work.is_latest())
        };
        let (kept, gone): (Vec<_>, Vec<_>) = over.into_iter().partition(latest);
        self.latest = kept;
        for id in gone {
            if let Some((birth, _)) = self.by_id.remove(&id) {
                self.by_age.remove(&birth);
            }
        }
    }
}

/// Takes out those that are too many or too old.
fn overdue(ended: &mut VecDeque<(Instant, String)>, retention: Retention) -> Vec<String> {
    let mut gone = Vec::new();
    while let Some((at, _)) = ended.front() {
        if ended.len() <= retention.jobs && at.elapsed() <= retention.age {
            break;
        }
        gone.extend(ended.pop_front().map(|(_, id)| id));
    }
    gone
}
