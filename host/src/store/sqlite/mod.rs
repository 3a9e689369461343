//! The store in a database: one thread writes, readers never wait for it.
//!
//! Changes are queued and written in batches, each batch in one transaction. Checkpoints and the deletion of old runs
//! happen in small steps, when the writer has a moment.

mod prune;
mod read;
mod rows;
mod schema;
mod writer;

use std::fs;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use rusqlite::{Connection, params};

pub(super) use self::prune::prune;
use self::read::Readers;
pub(super) use self::read::{find, items, list, owner_of};
use self::writer::Queue;
use super::owner::{self, Owner};
use super::{Change, Done, Keep, POSTS, Post, Reach, Run, Store, StoreError, Which};
use crate::policy::contract::output::Item;
use crate::policy::contract::types::Stdstream;

/// The database's place below the data directory.
pub(super) const FILE: &str = "memory/sessions.db";

/// Where the hosts' locks are, below the data directory.
const HOSTS: &str = "memory/hosts";

/// The store of a host.
pub(crate) struct Sqlite {
    place: Place,
    host: String,
    /// Held until it is closed.
    owner: Mutex<Option<Owner>>,
    readers: Readers,
    queue: Arc<Queue>,
    writer: Mutex<Option<JoinHandle<()>>>,
}

/// Where a data directory's files are.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub database: PathBuf,
    pub hosts: PathBuf,
}

impl Place {
    pub(super) fn new(directory: &Path) -> Self {
        Self { database: directory.join(FILE), hosts: directory.join(HOSTS) }
    }

    pub(super) fn exists(&self) -> bool {
        self.database.exists()
    }

    pub(super) fn explain(&self, error: &rusqlite::Error) -> StoreError {
        StoreError::explain(&self.database, error)
    }

    /// Makes the directory, for its owner alone: commands and what they print are nobody else's business.
    fn prepare(&self) -> Result<(), StoreError> {
        let Some(directory) = self.database.parent() else { return Ok(()) };
        let failed =
            |error: std::io::Error| StoreError::Directory { path: directory.to_owned(), message: error.to_string() };
        if !directory.is_dir() {
            fs::DirBuilder::new().recursive(true).mode(0o700).create(directory).map_err(failed)?;
            fs::set_permissions(directory, fs::Permissions::from_mode(0o700)).map_err(failed)?;
            // Nobody wants it in a repository.
            fs::write(directory.join(".gitignore"), "*\n").map_err(failed)?;
        }
        Ok(())
    }

    /// Opens a connection for writing.
    pub(super) fn open(&self) -> Result<Connection, StoreError> {
        self.prepare()?;
        schema::open(&self.database)
    }
}

impl Sqlite {
    /// Opens the store of a data directory for a host, and makes it where there is none.
    pub(crate) fn open(directory: &Path, host: &str, keep: Keep) -> Result<Self, StoreError> {
        let place = Place::new(directory);
        let connection = place.open()?;
        Self::start(place, connection, host, keep)
    }

    /// Opens it over a database that cannot grow beyond so many pages, as on a full disk.
    #[cfg(test)]
    pub(super) fn open_small(directory: &Path, host: &str, pages: u32) -> Result<Self, StoreError> {
        let place = Place::new(directory);
        let connection = place.open()?;
        let limited = connection.pragma_update(None, "max_page_count", pages);
        limited.map_err(|error| place.explain(&error))?;
        Self::start(place, connection, host, Keep::default())
    }

    fn start(place: Place, connection: Connection, host: &str, keep: Keep) -> Result<Self, StoreError> {
        let owner = Owner::new(&place.hosts, host)
            .map_err(|error| StoreError::Directory { path: place.hosts.clone(), message: error.to_string() })?;
        owner::sweep(&place.hosts);
        let queue = Arc::<Queue>::default();
        let writer = writer::spawn(connection, place.clone(), host.to_owned(), Arc::clone(&queue), keep)?;
        let (readers, owner, writer) = (Readers::new(place.clone()), Some(owner).into(), Some(writer).into());
        Ok(Self { place, host: host.to_owned(), owner, readers, queue, writer })
    }

    /// Whether a data directory has a database.
    pub(crate) fn exists(directory: &Path) -> bool {
        Place::new(directory).exists()
    }
}

impl Store for Sqlite {
    fn submit(&self, change: Change, done: Done) {
        self.queue.push(change, done);
    }

    fn find(&self, id: &str) -> Result<Option<Run>, StoreError> {
        self.readers.with(|connection| read::find(connection, id))
    }

    fn list(&self, which: Which<'_>) -> Result<Vec<Run>, StoreError> {
        self.readers.with(|connection| read::list(connection, which))
    }

    fn items(&self, id: &str, since: u64, limit: u32, stream: Option<Stdstream>) -> Result<Vec<Item>, StoreError> {
        self.readers.with(|connection| read::items(connection, id, since, limit, stream))
    }

    fn newest(&self, id: &str, max: usize) -> Result<Vec<Item>, StoreError> {
        self.readers.with(|connection| read::newest(connection, id, max))
    }

    fn claim(&self, policy: &str) -> Result<Vec<Run>, StoreError> {
        self.readers.with(|connection| claim(connection, &self.place, policy, &self.host))
    }

    fn flush(&self) {
        self.queue.flush();
    }

    fn wanted_ended(&self) -> Result<Vec<String>, StoreError> {
        self.readers.with(|connection| {
            let mut statement = connection
                .prepare_cached("SELECT id FROM exec_runs WHERE owner = ? AND phase <> 'ended' AND unwanted = 1")?;
            statement.query_map([&self.host], |row| row.get(0))?.collect()
        })
    }

    fn reach(&self, id: &str) -> Result<Reach, StoreError> {
        let (owner, posts) = self.readers.with(|connection| {
            let posts = "SELECT count(*) FROM exec_run_posts JOIN exec_runs ON run = exec_runs.number WHERE id = ?";
            let posts = connection.prepare_cached(posts)?.query_row([id], |row| row.get::<_, rows::Int>(0))?;
            Ok((read::owner_of(connection, id)?, posts.0))
        })?;
        let attended = owner.is_some_and(|owner| owner::is_alive(&self.place.hosts, &owner));
        Ok(match attended {
            false => Reach::Unattended,
            true if posts >= POSTS => Reach::Full,
            true => Reach::Attended,
        })
    }

    fn posts(&self) -> Result<Vec<Post>, StoreError> {
        self.readers.with(|connection| take_posts(connection, &self.host))
    }

    fn close(&self) {
        self.queue.stop();
        let writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner).take();
        if writer.is_some_and(|writer| writer.join().is_err()) {
            tracing::error!("the thread that writes durable runs failed");
        }
        drop(self.owner.lock().unwrap_or_else(PoisonError::into_inner).take());
    }
}

/// Notes that somebody outside its host wants a run ended.
pub(super) fn want_ended(connection: &Connection, id: &str) -> rusqlite::Result<()> {
    connection.execute("UPDATE exec_runs SET unwanted = 1 WHERE id = ? AND phase <> 'ended'", [id]).map(drop)
}

/// Takes over what hosts that are gone have left unfinished. Two that try at once get each a part, and no run twice.
fn claim(connection: &mut Connection, place: &Place, policy: &str, host: &str) -> rusqlite::Result<Vec<Run>> {
    let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    let mut dead: Vec<String> = {
        let mut statement = transaction
            .prepare("SELECT DISTINCT owner FROM exec_runs WHERE phase <> 'ended' AND gone = 0 AND policy = ?")?;
        statement.query_map([policy], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?
    };
    dead.retain(|owner| owner != host && !owner::is_alive(&place.hosts, owner));
    let mut claimed = Vec::new();
    for owner in &dead {
        let sql = format!(
            "SELECT {} FROM exec_runs WHERE owner = ? AND policy = ? AND phase <> 'ended' AND gone = 0",
            rows::RUN
        );
        let mut statement = transaction.prepare(&sql)?;
        claimed.extend(statement.query_map([owner, policy], rows::run)?.collect::<rusqlite::Result<Vec<_>>>()?);
        transaction.execute(
            "UPDATE exec_runs SET owner = ?3 WHERE owner = ?1 AND policy = ?2 AND phase <> 'ended' AND gone = 0",
            params![owner, policy, host],
        )?;
    }
    transaction.commit()?;
    claimed.sort_by(|one, other| one.call.cmp(&other.call));
    Ok(claimed)
}

/// Takes what is posted to the runs of a host. Where there is nothing, as nearly always, it takes no lock.
fn take_posts(connection: &mut Connection, host: &str) -> rusqlite::Result<Vec<Post>> {
    let ours = "run IN (SELECT number FROM exec_runs WHERE owner = ? AND phase <> 'ended')";
    let some = format!("SELECT EXISTS (SELECT 1 FROM exec_run_posts WHERE {ours})");
    if !connection.prepare_cached(&some)?.query_row([host], |row| row.get(0))? {
        return Ok(Vec::new());
    }
    let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    let posts = {
        let mut statement = transaction.prepare(&format!(
            "SELECT id, name, data FROM exec_run_posts AS posts JOIN exec_runs ON run = exec_runs.number
             WHERE {ours} ORDER BY posts.number"
        ))?;
        let post = |row: &rusqlite::Row<'_>| Ok(Post { run: row.get(0)?, name: row.get(1)?, data: row.get(2)? });
        statement.query_map([host], post)?.collect::<rusqlite::Result<_>>()?
    };
    transaction.execute(&format!("DELETE FROM exec_run_posts WHERE {ours}"), [host])?;
    transaction.commit()?;
    Ok(posts)
}

impl Drop for Sqlite {
    fn drop(&mut self) {
        self.close();
    }
}
