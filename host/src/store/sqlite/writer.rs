//! The one thread that writes.

use std::collections::{HashMap, VecDeque};
use std::fs;
use std::path::PathBuf;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rusqlite::{Connection, OptionalExtension};

use super::super::{Change, Done, Keep, Standing, StoreError, text_of};
use super::prune::{Pruner, Step};
use super::{Place, rows, schema, want_ended};

/// Bytes of text in one transaction.
const BATCH: usize = 8 << 20;

/// How long a locked database is waited for before a change counts as failed.
const PATIENCE: Duration = Duration::from_secs(30);

/// The same for a new run, whose caller waits for it.
const PATIENCE_OF_CALLS: Duration = Duration::from_secs(5);

/// How often the end of a run that could not be kept is tried again.
const AGAIN: Duration = Duration::from_secs(1);

/// Bytes written before the log of changes is brought into the database, which another thread does meanwhile.
const CHECKPOINT: usize = 8 << 20;

/// How large that log may grow before the writer waits until it is emptied.
const TOO_LARGE: u64 = 64 << 20;

/// How often old runs are looked for.
const PRUNE_EVERY: Duration = Duration::from_secs(60);

/// Changes that wait to be written.
#[derive(Default)]
pub(super) struct Queue {
    inner: Mutex<Inner>,
    wake: Condvar,
    idle: Condvar,
}

#[derive(Default)]
struct Inner {
    changes: VecDeque<(Change, Done)>,
    stop: bool,
    /// How many changes were given, and how many of them are done with.
    given: u64,
    done: u64,
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a change; none any more once it was told to stop.
    pub(super) fn push(&self, change: Change, done: Done) {
        let mut inner = self.lock();
        if inner.stop {
            drop(inner);
            return done(Err(StoreError::closed()));
        }
        inner.changes.push_back((change, done));
        inner.given += 1;
        drop(inner);
        self.wake.notify_one();
    }

    /// Waits until all that was given so far is written, or cannot be, for at most [`PATIENCE_OF_CALLS`].
    pub(super) fn flush(&self) {
        let inner = self.lock();
        let given = inner.given;
        // Who gives up leaves the rest to the thread, which goes on.
        drop(self.idle.wait_timeout_while(inner, PATIENCE_OF_CALLS, |inner| inner.done < given));
    }

    fn finished(&self, count: usize) {
        self.lock().done += count as u64;
        self.idle.notify_all();
    }

    /// Lets the thread end once all is written.
    pub(super) fn stop(&self) {
        self.lock().stop = true;
        self.wake.notify_one();
    }

    /// Waits for changes until `due`, and takes as many as one transaction should hold; none when all is done.
    fn take(&self, due: Instant) -> Option<Vec<(Change, Done)>> {
        let mut inner = self.lock();
        while inner.changes.is_empty() {
            if inner.stop {
                return None;
            }
            let left = due.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Some(Vec::new());
            }
            inner = self.wake.wait_timeout(inner, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        let (mut batch, mut bytes) = (Vec::new(), 0);
        while bytes < BATCH
            && let Some((change, done)) = inner.changes.pop_front()
        {
            bytes += size(&change);
            batch.push((change, done));
        }
        Some(batch)
    }

    fn is_stopping(&self) -> bool {
        self.lock().stop
    }
}

fn size(change: &Change) -> usize {
    match change {
        Change::Create(_) | Change::Save(..) | Change::Unwanted(_) => 1024,
        Change::Append(_, items, _) => items.iter().map(|item| text_of(item).len() + 64).sum(),
        Change::Post(post) => post.name.len() + post.data.len() + 64,
    }
}

/// Starts the thread.
pub(super) fn spawn(
    connection: Connection,
    place: Place,
    host: String,
    queue: Arc<Queue>,
    keep: Keep,
) -> Result<JoinHandle<()>, StoreError> {
    let database = place.database.clone();
    let mut log = database.clone().into_os_string();
    log.push("-wal");
    let checkpoints = checkpointer(&place)?;
    let mut writer = Writer {
        connection,
        place,
        host,
        log: log.into(),
        numbers: HashMap::new(),
        broken: HashMap::new(),
        owed: HashMap::new(),
        pruner: Pruner::new(keep),
        written: 0,
        checkpoints,
    };
    let thread = std::thread::Builder::new().name("shellward-store".into()).spawn(move || writer.run(&queue));
    thread.map_err(|error| StoreError::Other { path: database, message: format!("no thread can be had: {error}") })
}

struct Writer {
    connection: Connection,
    place: Place,
    host: String,
    /// The file of the log of changes.
    log: PathBuf,
    /// The runs' numbers in the table.
    numbers: HashMap<Arc<str>, i64>,
    /// Runs of which an item could not be kept: no later one is, or there would be a gap.
    broken: HashMap<Arc<str>, StoreError>,
    /// How runs stand that could not be kept yet.
    owed: HashMap<Arc<str>, Box<Standing>>,
    pruner: Pruner,
    /// Bytes written since the log was last brought into the database.
    written: usize,
    checkpoints: SyncSender<()>,
}

/// Starts the thread that brings the log of changes into the database, so that the writer need not. It ends with the
/// writer.
fn checkpointer(place: &Place) -> Result<SyncSender<()>, StoreError> {
    let connection = schema::reader(&place.database)?;
    let (sender, wanted) = sync_channel(1);
    let run = move || {
        while wanted.recv().is_ok() {
            // One that others keep from its end is done by the next.
            let _ = connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
        }
    };
    let thread = std::thread::Builder::new().name("shellward-checkpoint".into()).spawn(run);
    let failed =
        |error| StoreError::Other { path: place.database.clone(), message: format!("no thread can be had: {error}") };
    thread.map(|_| sender).map_err(failed)
}

impl Writer {
    fn run(&mut self, queue: &Queue) {
        let mut next_prune = Instant::now() + Duration::from_secs(2);
        loop {
            let now = Instant::now();
            let again = if self.owed.is_empty() { next_prune } else { now + AGAIN };
            let due = if self.pruner.is_at_it() { now } else { again.min(next_prune) };
            let Some(batch) = queue.take(due) else { break };
            if batch.is_empty() {
                self.pay();
            } else {
                let (count, written) = (batch.len(), batch.iter().map(|(change, _)| size(change)).sum());
                self.write(batch, queue);
                queue.finished(count);
                self.checkpoint(written);
            }
            if Instant::now() >= next_prune {
                self.pruner.begin();
                next_prune = Instant::now() + PRUNE_EVERY;
            }
            if self.pruner.is_at_it() && self.pruner.step(&mut self.connection) == Step::Failed {
                next_prune = Instant::now() + PRUNE_EVERY;
            }
        }
        self.pay();
        // Whoever opens it next finds all in one file. Another host that reads or writes keeps the log.
        let _ = self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
    }

    /// Writes a batch in one transaction; where that fails for good, each change by itself.
    fn write(&mut self, batch: Vec<(Change, Done)>, queue: &Queue) {
        let (changes, dones): (Vec<_>, Vec<_>) = batch.into_iter().unzip();
        let waits = changes.iter().any(|change| matches!(change, Change::Create(_)));
        let patience = if waits { PATIENCE_OF_CALLS } else { PATIENCE };
        let begun = Instant::now();
        if self.broken.is_empty() {
            match self.patiently(&changes, patience, queue) {
                Ok(()) => return dones.into_iter().for_each(|done| done(Ok(()))),
                // There is no time to try each: the host ends, and what is not kept is as if it had been killed.
                Err(error) if error.is_passing() && queue.is_stopping() => {
                    return dones.into_iter().for_each(|done| done(Err(error.clone())));
                }
                Err(_) => {}
            }
        }
        for (change, done) in changes.into_iter().zip(dones) {
            let result = match &change {
                Change::Append(run, ..) if self.broken.contains_key(run) => Err(self.broken[run].clone()),
                Change::Create(_) => self.transaction(std::slice::from_ref(&change)),
                _ => {
                    let left = PATIENCE.saturating_sub(begun.elapsed());
                    self.patiently(std::slice::from_ref(&change), left, queue)
                }
            };
            if let Err(error) = &result {
                self.failed(change, error);
            }
            done(result);
        }
    }

    fn failed(&mut self, change: Change, error: &StoreError) {
        match change {
            Change::Create(_) => {}
            Change::Post(post) => tracing::error!(run = post.run, %error, "what was sent to a run does not reach it"),
            Change::Unwanted(run) => tracing::error!(run = &*run, %error, "that nobody wants a run is not kept"),
            Change::Save(run, standing) => {
                tracing::error!(run = &*run, %error, "how a durable run stands is not kept yet; it is tried again");
                self.owed.insert(run, standing);
            }
            Change::Append(run, ..) => {
                self.broken.entry(run).or_insert_with(|| error.clone());
            }
        }
    }

    /// Tries again to keep how runs stand.
    fn pay(&mut self) {
        for (run, standing) in std::mem::take(&mut self.owed) {
            let change = Change::Save(Arc::clone(&run), standing);
            if self.transaction(std::slice::from_ref(&change)).is_err()
                && let Change::Save(run, standing) = change
            {
                self.owed.insert(run, standing);
            }
        }
    }

    /// Writes, and waits where somebody else has locked the database.
    fn patiently(&mut self, changes: &[Change], patience: Duration, queue: &Queue) -> Result<(), StoreError> {
        let deadline = Instant::now() + patience;
        loop {
            match self.transaction(changes) {
                Err(error) if error.is_passing() && Instant::now() < deadline && !queue.is_stopping() => {
                    tracing::debug!(%error, "waiting for the lock");
                }
                other => return other,
            }
        }
    }

    fn transaction(&mut self, changes: &[Change]) -> Result<(), StoreError> {
        let Self { connection, numbers, owed, host, .. } = self;
        let mut write = || -> rusqlite::Result<()> {
            let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
            let mut stored = HashMap::new();
            for change in changes {
                match change {
                    Change::Create(run) => rows::create(&transaction, run, host)?,
                    Change::Save(id, standing) => rows::save(&transaction, id, standing)?,
                    Change::Post(post) => rows::post(&transaction, post)?,
                    Change::Unwanted(id) => want_ended(&transaction, id)?,
                    Change::Append(id, items, bytes) => {
                        if let Some(number) = number(&transaction, numbers, id)? {
                            rows::append(&transaction, number, items)?;
                            stored.insert(number, *bytes);
                        }
                    }
                }
            }
            for (number, bytes) in stored {
                rows::stored(&transaction, number, bytes)?;
            }
            transaction.commit()
        };
        write().map_err(|error| self.place.explain(&error))?;
        for change in changes {
            match change {
                // What is newer than what is owed makes it pointless.
                Change::Save(id, standing) => {
                    owed.remove(id);
                    if standing.ended_at.is_some() {
                        numbers.remove(id);
                        self.broken.remove(id);
                    }
                }
                Change::Create(_) | Change::Append(..) | Change::Post(_) | Change::Unwanted(_) => {}
            }
        }
        Ok(())
    }

    /// Has the log of changes brought into the database when it has grown.
    fn checkpoint(&mut self, written: usize) {
        self.written += written;
        if self.written < CHECKPOINT {
            return;
        }
        self.written = 0;
        // One that is wanted already will do.
        let _ = self.checkpoints.try_send(());
        // The log starts anew only where nothing was written while it was copied; under steady load it only grows.
        if fs::metadata(&self.log).is_ok_and(|log| log.len() > TOO_LARGE) {
            let emptied = self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
            if let Err(error) = emptied {
                tracing::debug!(%error, "the log of changes stays large");
            }
        }
    }
}

/// The run's number in the table; none for one that is not there, whose items go nowhere.
fn number(
    connection: &Connection,
    numbers: &mut HashMap<Arc<str>, i64>,
    id: &Arc<str>,
) -> rusqlite::Result<Option<i64>> {
    if let Some(number) = numbers.get(id) {
        return Ok(Some(*number));
    }
    let mut statement = connection.prepare_cached("SELECT number FROM exec_runs WHERE id = ?")?;
    let found = statement.query_row([&**id], |row| row.get(0)).optional()?;
    if let Some(number) = found {
        numbers.insert(Arc::clone(id), number);
    }
    Ok(found)
}
