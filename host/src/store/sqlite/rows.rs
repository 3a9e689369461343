//! Runs and items as rows.

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use rusqlite::{Row, params};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::super::{Phase, Post, Run, Standing, Stored};
use crate::policy::contract::output::{Chunk, Content, Item, RecordedEvent};
use crate::policy::contract::types::{Ending, Exit};

/// The columns that [`run`] reads.
pub(super) const RUN: &str = "id, session_id, label, call, tool, policy, command, directory, timeout_ms, created_at, \
     launch, phase, status, memo, stamp, started_at, ended_at, duration_us, pid, exit_code, exit_signal, ending, \
     error, store_error, snippet, releases, stdout, stderr, traces, stored_stdout, stored_stderr, \
     (SELECT coalesce(max(seq), 0) FROM exec_run_items WHERE run = exec_runs.number) AS last_seq";

/// The columns that [`item`] reads.
pub(super) const ITEM: &str = "seq, at, kind, name, content, invalid";

pub(super) fn run(row: &Row<'_>) -> rusqlite::Result<Run> {
    let exit = match (row.get("exit_code")?, row.get("exit_signal")?) {
        (Some(code), _) => Some(Exit::Code(code)),
        (None, Some(name)) => Some(Exit::Signal(name)),
        (None, None) => None,
    };
    Ok(Run {
        id: row.get("id")?,
        session: row.get("session_id")?,
        label: row.get("label")?,
        call: row.get("call")?,
        tool: row.get("tool")?,
        policy: row.get("policy")?,
        command: row.get("command")?,
        directory: row.get("directory")?,
        timeout_ms: row.get::<_, Option<Int>>("timeout_ms")?.map(|int| int.0),
        created_at: row.get::<_, Int>("created_at")?.0,
        launch: row.get("launch")?,
        last_seq: row.get::<_, Int>("last_seq")?.0,
        stored: Stored { stdout: row.get::<_, Int>("stored_stdout")?.0, stderr: row.get::<_, Int>("stored_stderr")?.0 },
        standing: Standing {
            phase: row.get("phase")?,
            status: row.get("status")?,
            memo: row.get("memo")?,
            stamp: row.get("stamp")?,
            started_at: row.get::<_, Option<Int>>("started_at")?.map(|int| int.0),
            ended_at: row.get::<_, Option<Int>>("ended_at")?.map(|int| int.0),
            duration_us: row.get::<_, Int>("duration_us")?.0,
            pid: row.get("pid")?,
            exit,
            ending: row.get::<_, Option<Word<Ending>>>("ending")?.map(|word| word.0),
            error: row.get("error")?,
            store_error: row.get("store_error")?,
            snippet: row.get("snippet")?,
            releases: row.get::<_, Int>("releases")?.0,
            stdout: row.get::<_, Json<_>>("stdout")?.0,
            stderr: row.get::<_, Json<_>>("stderr")?.0,
            traces: row.get::<_, Option<Json<_>>>("traces")?.map(|json| json.0),
        },
    })
}

/// Adds a run, with the host that has it in hand.
pub(super) fn create(connection: &rusqlite::Connection, run: &Run, owner: &str) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached(
        "INSERT INTO exec_runs (id, session_id, label, call, tool, policy, command, directory, timeout_ms, created_at,
             launch, owner, phase, status, memo, stamp, duration_us, stdout, stderr, traces)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?)",
    )?;
    // The traces too: the host may be killed after it has started the run and before that is on record.
    let Standing { phase, status, memo, stamp, stdout, stderr, traces, .. } = &run.standing;
    statement.execute(params![
        run.id,
        run.session,
        run.label,
        run.call,
        run.tool,
        run.policy,
        run.command,
        run.directory,
        run.timeout_ms.map(Int),
        Int(run.created_at),
        run.launch,
        owner,
        phase,
        status,
        memo,
        stamp,
        Json(stdout),
        Json(stderr),
        traces.as_ref().map(Json)
    ])?;
    Ok(())
}

/// Notes how a run stands. What has ended stays so.
pub(super) fn save(connection: &rusqlite::Connection, id: &str, standing: &Standing) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached(
        "UPDATE exec_runs SET phase = ?2, status = ?3, memo = ?4, stamp = ?5, started_at = ?6, ended_at = ?7,
             duration_us = ?8, pid = ?9, exit_code = ?10, exit_signal = ?11, ending = ?12, error = ?13, stdout = ?14,
             stderr = ?15, traces = ?16, releases = ?17, store_error = ?18, snippet = ?19
         WHERE id = ?1 AND phase <> 'ended'",
    )?;
    let (code, signal) = match &standing.exit {
        Some(Exit::Code(code)) => (Some(*code), None),
        Some(Exit::Signal(name)) => (None, Some(name)),
        None => (None, None),
    };
    statement.execute(params![
        id,
        standing.phase,
        standing.status,
        standing.memo,
        standing.stamp,
        standing.started_at.map(Int),
        standing.ended_at.map(Int),
        Int(standing.duration_us),
        standing.pid,
        code,
        signal,
        standing.ending.map(Word),
        standing.error,
        Json(&standing.stdout),
        Json(&standing.stderr),
        standing.traces.as_ref().map(Json),
        Int(standing.releases),
        standing.store_error,
        standing.snippet
    ])?;
    Ok(())
}

pub(super) fn append(connection: &rusqlite::Connection, run: i64, items: &[Item]) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached(
        "INSERT INTO exec_run_items (run, seq, at, kind, name, content, invalid) VALUES (?, ?, ?, ?, ?, ?, ?)",
    )?;
    for item in items {
        let (kind, name, content, invalid) = match &item.content {
            Content::Stdout(chunk) => (0, None, &chunk.text, chunk.invalid),
            Content::Stderr(chunk) => (1, None, &chunk.text, chunk.invalid),
            Content::Event(event) => (2, Some(&event.name), &event.data, false),
        };
        statement.execute(params![run, Int(item.seq), Int(item.at), kind, name, content, invalid])?;
    }
    Ok(())
}

/// Notes what the items of a run hold.
pub(super) fn stored(connection: &rusqlite::Connection, run: i64, stored: Stored) -> rusqlite::Result<()> {
    let mut statement =
        connection.prepare_cached("UPDATE exec_runs SET stored_stdout = ?, stored_stderr = ? WHERE number = ?")?;
    statement.execute(params![Int(stored.stdout), Int(stored.stderr), run])?;
    Ok(())
}

/// Leaves something for a run's machine; for one that is gone nobody takes it.
pub(super) fn post(connection: &rusqlite::Connection, post: &Post) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached(
        "INSERT INTO exec_run_posts (run, name, data)
         SELECT number, ?2, ?3 FROM exec_runs WHERE id = ?1 AND phase <> 'ended' AND gone = 0",
    )?;
    statement.execute(params![post.run, post.name, post.data])?;
    Ok(())
}

pub(super) fn item(row: &Row<'_>) -> rusqlite::Result<Item> {
    let text = row.get(4)?;
    let content = match row.get(2)? {
        0 => Content::Stdout(Chunk { text, invalid: row.get(5)? }),
        1 => Content::Stderr(Chunk { text, invalid: row.get(5)? }),
        2 => Content::Event(RecordedEvent { name: row.get(3)?, data: text }),
        other => return Err(FromSqlError::OutOfRange(other).into()),
    };
    Ok(Item { seq: row.get::<_, Int>(0)?.0, at: row.get::<_, Int>(1)?.0, content })
}

/// A number that is never negative; the database's own go up to half of what ours do, which nothing here reaches.
pub(super) struct Int(pub u64);

impl ToSql for Int {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(i64::try_from(self.0).unwrap_or(i64::MAX).into())
    }
}

impl FromSql for Int {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        value.as_i64().map(|number| Self(u64::try_from(number).unwrap_or(0)))
    }
}

/// A value kept as JSON.
struct Json<T>(T);

impl<T: Serialize> ToSql for Json<T> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        let text =
            serde_json::to_string(&self.0).map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))?;
        Ok(text.into())
    }
}

impl<T: DeserializeOwned> FromSql for Json<T> {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        serde_json::from_str(value.as_str()?).map(Self).map_err(|error| FromSqlError::Other(error.into()))
    }
}

/// A value kept as a word.
struct Word<T>(T);

const ENDINGS: [(Ending, &str); 5] = [
    (Ending::Completed, "completed"),
    (Ending::Failed, "failed"),
    (Ending::TimedOut, "timed-out"),
    (Ending::Cancelled, "cancelled"),
    (Ending::Lost, "lost"),
];

impl ToSql for Word<Ending> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        let word = ENDINGS.iter().find(|(ending, _)| *ending == self.0).map_or("failed", |(_, word)| word);
        Ok(word.into())
    }
}

impl FromSql for Word<Ending> {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let text = value.as_str()?;
        let found = ENDINGS.iter().find(|(_, word)| *word == text);
        found.map(|(ending, _)| Self(*ending)).ok_or_else(|| unknown_word(text))
    }
}

fn unknown_word(text: &str) -> FromSqlError {
    FromSqlError::Other(format!("the word '{text}' has no meaning here").into())
}

impl ToSql for Phase {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        let word = match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Ended => "ended",
        };
        Ok(word.into())
    }
}

impl FromSql for Phase {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        match value.as_str()? {
            "queued" => Ok(Self::Queued),
            "running" => Ok(Self::Running),
            "ended" => Ok(Self::Ended),
            other => Err(unknown_word(other)),
        }
    }
}
