//! Deleting old runs, in steps so small that nobody notices.
//!
//! A run disappears at once and whole, in one small change; its items are deleted behind it, some at a time, and then
//! the file gives back what it does not need.

use std::path::Path;

use rusqlite::{Connection, OptionalExtension, params};

use super::super::{Keep, StoreError};
use super::rows::Int;
use crate::clock;

/// Items deleted in one step, and pages given back in one.
const ITEMS: u32 = 256;
const PAGES: u32 = 64;

/// Deletes what is older than it should be, step by step.
pub(super) struct Pruner {
    keep: Keep,
    at: At,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum At {
    Rest,
    /// Choosing the next run to go.
    Runs,
    /// Deleting the items of one that is gone.
    Items(i64),
    /// Giving pages back.
    Pages,
}

/// What a step did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Something, or there was nothing more to do.
    Done,
    /// A run was deleted.
    Deleted,
    /// It failed; it is tried again later.
    Failed,
}

impl Pruner {
    pub(super) fn new(keep: Keep) -> Self {
        Self { keep, at: At::Rest }
    }

    pub(super) fn begin(&mut self) {
        if self.at == At::Rest {
            self.at = At::Runs;
        }
    }

    pub(super) fn is_at_it(&self) -> bool {
        self.at != At::Rest
    }

    /// Takes one step.
    pub(super) fn step(&mut self, connection: &mut Connection) -> Step {
        match self.advance(connection) {
            Ok(step) => step,
            Err(error) => {
                tracing::debug!(%error, "old runs are deleted later");
                self.at = At::Rest;
                Step::Failed
            }
        }
    }

    fn advance(&mut self, connection: &mut Connection) -> rusqlite::Result<Step> {
        match self.at {
            At::Rest => Ok(Step::Done),
            At::Runs => {
                let next = match left_behind(connection)? {
                    Some(run) => Some(run),
                    None => too_old(connection, self.keep)?,
                };
                self.at = next.map_or(At::Pages, At::Items);
                if let Some(run) = next {
                    connection.execute("UPDATE exec_runs SET gone = 1 WHERE number = ?", [run])?;
                }
                Ok(Step::Done)
            }
            At::Items(run) => {
                let deleted = connection.execute(
                    "DELETE FROM exec_run_items WHERE number IN
                         (SELECT number FROM exec_run_items WHERE run = ? ORDER BY seq LIMIT ?)",
                    params![run, ITEMS],
                )?;
                if deleted > 0 {
                    return Ok(Step::Done);
                }
                connection.execute("DELETE FROM exec_run_posts WHERE run = ?", [run])?;
                connection.execute("DELETE FROM exec_runs WHERE number = ? AND gone = 1", [run])?;
                self.at = At::Runs;
                Ok(Step::Deleted)
            }
            At::Pages => {
                if pragma(connection, "freelist_count")? == 0 {
                    self.at = At::Rest;
                    return Ok(Step::Done);
                }
                let mut statement = connection.prepare(&format!("PRAGMA incremental_vacuum({PAGES})"))?;
                let mut rows = statement.query([])?;
                while rows.next()?.is_some() {}
                Ok(Step::Done)
            }
        }
    }
}

fn pragma(connection: &Connection, name: &str) -> rusqlite::Result<u64> {
    connection.query_row(&format!("PRAGMA {name}"), [], |row| row.get::<_, Int>(0)).map(|number| number.0)
}

/// A run whose deletion was begun, by this host or by one that is no more.
fn left_behind(connection: &Connection) -> rusqlite::Result<Option<i64>> {
    connection.query_row("SELECT number FROM exec_runs WHERE gone = 1 LIMIT 1", [], |row| row.get(0)).optional()
}

/// The ended run that is to go next, if one is.
fn too_old(connection: &Connection, keep: Keep) -> rusqlite::Result<Option<i64>> {
    let oldest: Option<(i64, Int)> = connection
        .query_row(
            "SELECT number, ended_at FROM exec_runs WHERE phase = 'ended' AND gone = 0 ORDER BY ended_at, number LIMIT 1",
            [],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .optional()?;
    let Some((run, ended_at)) = oldest else { return Ok(None) };
    let limit = clock::now().saturating_sub(u64::try_from(keep.age.as_millis()).unwrap_or(u64::MAX));
    if ended_at.0 < limit {
        return Ok(Some(run));
    }
    let ended: Int =
        connection.query_row("SELECT count(*) FROM exec_runs WHERE phase = 'ended'", [], |row| row.get(0))?;
    let pages = pragma(connection, "page_count")? - pragma(connection, "freelist_count")?;
    let bytes = pages * pragma(connection, "page_size")?;
    Ok((ended.0 > keep.runs || bytes > keep.bytes).then_some(run))
}

/// Deletes all that is older than it should be, and gives back the room; says how many runs are gone.
pub(in crate::store) fn prune(connection: &mut Connection, path: &Path, keep: Keep) -> Result<u64, StoreError> {
    let mut pruner = Pruner::new(keep);
    pruner.begin();
    let mut deleted = 0;
    let mut locked = 0;
    while pruner.is_at_it() {
        match pruner.advance(connection) {
            Ok(Step::Deleted) => deleted += 1,
            Ok(Step::Done | Step::Failed) => locked = 0,
            Err(error) => {
                let error = StoreError::explain(path, &error);
                locked += 1;
                // A host that writes lets others in between any two of its batches.
                if !error.is_passing() || locked > 20 {
                    return Err(error);
                }
            }
        }
    }
    // The file shrinks when the log is in it, for which nobody may be reading; a host's own checkpoints do the rest.
    for _ in 0..20 {
        let busy = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, bool>(0));
        if !busy.unwrap_or(true) {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(25));
    }
    Ok(deleted)
}
