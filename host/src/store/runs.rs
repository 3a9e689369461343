//! The runs of a data directory, seen from outside the host that runs them.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::Connection;

use super::sqlite::{self, Place};
use super::{Keep, Phase, Run, StoreError, Which, owner};
use crate::clock;
use crate::policy::contract::output::Item;
use crate::policy::contract::types::Stdstream;

/// How long a lock of the database is waited for.
const PATIENCE: Duration = Duration::from_secs(5);

/// The durable runs of a data directory, for looking at and for ending them from another process than the one that
/// runs them.
#[derive(Debug)]
pub struct Runs {
    place: Place,
    connection: Mutex<Connection>,
}

/// What became of the wish to end a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KillRequest {
    /// There is no such run.
    NotFound,
    /// It has ended already.
    Ended,
    /// The host that runs it was asked, and its policy will end it.
    Asked,
    /// Its host is gone. What had survived of it, so many processes, was ended; and no later host runs it again.
    Orphan {
        /// How many processes were killed.
        killed: usize,
        /// The numbers of those that could not be ended.
        left: Vec<i32>,
    },
}

impl Runs {
    /// Opens the runs of a data directory; none where there never was one.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn open(directory: &Path) -> Result<Option<Self>, StoreError> {
        let place = Place::new(directory);
        if !place.exists() {
            return Ok(None);
        }
        let connection = place.open()?;
        // A person waits rather than reads that somebody writes just now.
        connection.busy_timeout(PATIENCE).map_err(|error| place.explain(&error))?;
        Ok(Some(Self { place, connection: Mutex::new(connection) }))
    }

    fn lock(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with<T>(&self, work: impl FnOnce(&mut Connection) -> rusqlite::Result<T>) -> Result<T, StoreError> {
        work(&mut self.lock()).map_err(|error| self.place.explain(&error))
    }

    /// The newest runs, oldest of them first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn list(&self, limit: usize) -> Result<Vec<Run>, StoreError> {
        let which = Which { session: None, active: true, ended: true, limit };
        let runs = self.with(|connection| sqlite::list(connection, which))?;
        Ok(runs.into_iter().map(|run| self.as_of_now(run)).collect())
    }

    /// What runs in a living host has run since it was started, whatever was noted last.
    fn as_of_now(&self, run: Run) -> Run {
        if run.standing.phase != Phase::Running || !self.has_host(&run.id).unwrap_or(false) {
            return run;
        }
        Run { standing: run.standing.running_on(clock::now()), ..run }
    }

    /// A run.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn find(&self, id: &str) -> Result<Option<Run>, StoreError> {
        let found = self.with(|connection| sqlite::find(connection, id))?;
        Ok(found.map(|run| self.as_of_now(run)))
    }

    /// Items of a run after `since`, in order; as many as make a page. Reading the same again gives the same.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn items(&self, id: &str, since: u64, stream: Option<Stdstream>) -> Result<Vec<Item>, StoreError> {
        self.with(|connection| sqlite::items(connection, id, since, super::PAGE, stream))
    }

    /// Whether the host that has the run in hand is alive.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn has_host(&self, id: &str) -> Result<bool, StoreError> {
        let owner = self.with(|connection| sqlite::owner_of(connection, id))?;
        Ok(owner.is_some_and(|owner| owner::is_alive(&self.place.hosts, &owner)))
    }

    /// Has a run ended: by its host, whose policy is told that a person said so, or by this process, where its host is
    /// gone.
    ///
    /// # Errors
    /// When the database cannot be changed.
    pub fn kill(&self, id: &str) -> Result<KillRequest, StoreError> {
        let Some(run) = self.find(id)? else { return Ok(KillRequest::NotFound) };
        if run.standing.phase == Phase::Ended {
            return Ok(KillRequest::Ended);
        }
        self.with(|connection| sqlite::want_ended(connection, id))?;
        if self.has_host(id)? {
            return Ok(KillRequest::Asked);
        }
        let killed = run.standing.traces.map(|traces| traces.kill_survivors()).unwrap_or_default();
        Ok(KillRequest::Orphan { killed: killed.killed, left: killed.left })
    }

    /// Deletes what is older than `keep` says, and gives back the room; says how many runs were deleted.
    ///
    /// # Errors
    /// When the database cannot be changed.
    pub fn prune(&self, keep: Keep) -> Result<u64, StoreError> {
        sqlite::prune(&mut self.lock(), &self.place.database, keep)
    }
}
