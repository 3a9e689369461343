//! Reading: each reader has a connection of its own and sees the last commit, whatever is being written.

use std::sync::{Mutex, PoisonError};

use rusqlite::{Connection, OptionalExtension, params};

use super::super::{PageSize, Run, StoreError, Which, text_of};
use super::rows::{self, Int};
use super::{Place, schema};
use crate::policy::contract::output::Item;
use crate::policy::contract::types::Stdstream;

/// Connections that wait for the next reader.
const SPARE: usize = 4;

/// The connections of readers.
pub(super) struct Readers {
    place: Place,
    spare: Mutex<Vec<Connection>>,
}

impl Readers {
    pub(super) fn new(place: Place) -> Self {
        Self { place, spare: Mutex::default() }
    }

    /// Reads with a connection of its own.
    pub(super) fn with<T>(&self, read: impl FnOnce(&mut Connection) -> rusqlite::Result<T>) -> Result<T, StoreError> {
        let spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut connection = match spare {
            Some(connection) => connection,
            None => schema::reader(&self.place.database)?,
        };
        let result = read(&mut connection).map_err(|error| self.place.explain(&error))?;
        let mut spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        if spare.len() < SPARE {
            spare.push(connection);
        }
        Ok(result)
    }
}

pub(in crate::store) fn find(connection: &Connection, id: &str) -> rusqlite::Result<Option<Run>> {
    let sql = format!("SELECT {} FROM exec_runs WHERE id = ? AND gone = 0", rows::RUN);
    connection.prepare_cached(&sql)?.query_row([id], rows::run).optional()
}

pub(in crate::store) fn list(connection: &Connection, which: Which<'_>) -> rusqlite::Result<Vec<Run>> {
    let sql = format!(
        "SELECT {} FROM exec_runs
         WHERE gone = 0 AND (?1 IS NULL OR session_id = ?1) AND ((phase = 'ended' AND ?2) OR (phase <> 'ended' AND ?3))
         ORDER BY number DESC LIMIT ?4",
        rows::RUN
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let limit = Int(which.limit as u64);
    let found = statement.query_map(params![which.session, which.ended, which.active, limit], rows::run)?;
    let mut runs: Vec<Run> = found.collect::<rusqlite::Result<_>>()?;
    runs.reverse();
    Ok(runs)
}

pub(in crate::store) fn items(
    connection: &mut Connection,
    id: &str,
    since: u64,
    limit: u32,
    stream: Option<Stdstream>,
) -> rusqlite::Result<Vec<Item>> {
    // One view of both tables: a run that is being deleted is there whole, or not at all.
    let transaction = connection.transaction()?;
    let Some(run) = number(&transaction, id)? else { return Ok(Vec::new()) };
    let kind = stream.map(|stream| match stream {
        Stdstream::Stdout => 0,
        Stdstream::Stderr => 1,
    });
    let sql = format!(
        "SELECT {} FROM exec_run_items WHERE run = ?1 AND seq > ?2 AND (?3 IS NULL OR kind = ?3) ORDER BY seq LIMIT ?4",
        rows::ITEM
    );
    let mut statement = transaction.prepare_cached(&sql)?;
    let mut found = statement.query(params![run, Int(since), kind, limit])?;
    let (mut items, mut size) = (Vec::new(), PageSize::default());
    while let Some(row) = found.next()? {
        let item = rows::item(row)?;
        if !size.takes(&item) {
            break;
        }
        items.push(item);
    }
    Ok(items)
}

pub(super) fn newest(connection: &mut Connection, id: &str, max: usize) -> rusqlite::Result<Vec<Item>> {
    let transaction = connection.transaction()?;
    let Some(run) = number(&transaction, id)? else { return Ok(Vec::new()) };
    let sql = format!("SELECT {} FROM exec_run_items WHERE run = ? AND kind < 2 ORDER BY seq DESC", rows::ITEM);
    let mut statement = transaction.prepare_cached(&sql)?;
    let mut found = statement.query([run])?;
    let (mut items, mut left) = (Vec::new(), max);
    while left > 0
        && let Some(row) = found.next()?
    {
        let item = rows::item(row)?;
        left = left.saturating_sub(text_of(&item).len());
        items.push(item);
    }
    Ok(items)
}

/// The host that has a run in hand.
pub(in crate::store) fn owner_of(connection: &Connection, id: &str) -> rusqlite::Result<Option<String>> {
    connection.query_row("SELECT owner FROM exec_runs WHERE id = ?", [id], |row| row.get(0)).optional()
}

/// The run's number in the table, if it is shown.
fn number(connection: &Connection, id: &str) -> rusqlite::Result<Option<i64>> {
    let mut statement = connection.prepare_cached("SELECT number FROM exec_runs WHERE id = ? AND gone = 0")?;
    statement.query_row([id], |row| row.get(0)).optional()
}
