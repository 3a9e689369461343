//! The database's shape, and how it came to be: one step for each format, tried in order.

use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::{Connection, OpenFlags};

use super::super::StoreError;

/// The steps from an empty database to the newest format. A step, once released, never changes.
const STEPS: [&str; 3] = [
    "
    CREATE TABLE exec_runs (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        session_id TEXT NOT NULL,
        label TEXT NOT NULL,
        call TEXT NOT NULL,
        tool TEXT NOT NULL,
        policy TEXT NOT NULL,
        command TEXT NOT NULL,
        directory TEXT NOT NULL,
        timeout_ms INTEGER,
        created_at INTEGER NOT NULL,
        launch TEXT NOT NULL,
        -- The host that has it in hand; its lock file says whether that host lives.
        owner TEXT NOT NULL,
        -- Set while it is being deleted, item by item: it is not shown any more.
        gone INTEGER NOT NULL DEFAULT 0,
        -- Set when somebody outside its host wants it ended.
        unwanted INTEGER NOT NULL DEFAULT 0,
        phase TEXT NOT NULL CHECK (phase IN ('queued', 'running', 'ended')),
        status TEXT NOT NULL,
        memo TEXT NOT NULL,
        stamp TEXT NOT NULL,
        started_at INTEGER,
        ended_at INTEGER,
        duration_us INTEGER NOT NULL,
        pid INTEGER,
        exit_code INTEGER,
        exit_signal TEXT,
        ending TEXT,
        error TEXT,
        stdout TEXT NOT NULL,
        stderr TEXT NOT NULL,
        traces TEXT,
        CHECK ((phase = 'ended') = (ending IS NOT NULL)),
        CHECK ((phase = 'ended') = (ended_at IS NOT NULL))
    );
    CREATE INDEX exec_runs_by_session ON exec_runs (session_id, number);
    CREATE INDEX exec_runs_unfinished ON exec_runs (owner) WHERE phase <> 'ended';
    CREATE INDEX exec_runs_by_end ON exec_runs (ended_at) WHERE phase = 'ended';
    CREATE TABLE exec_run_items (
        number INTEGER PRIMARY KEY,
        run INTEGER NOT NULL,
        seq INTEGER NOT NULL,
        at INTEGER NOT NULL,
        -- 0 standard output, 1 standard error, 2 event.
        kind INTEGER NOT NULL,
        -- An event's name.
        name TEXT,
        -- The text, or an event's content in JSON.
        content TEXT NOT NULL,
        -- Whether bytes of it were no UTF-8.
        invalid INTEGER NOT NULL
    );
    CREATE UNIQUE INDEX exec_run_items_by_seq ON exec_run_items (run, seq, kind);
",
    "
    -- How often its policy has released the calls that wait for it, which may be in another host.
    ALTER TABLE exec_runs ADD COLUMN releases INTEGER NOT NULL DEFAULT 0;
    -- What other hosts have for a run's machine, until its host takes it.
    CREATE TABLE exec_run_posts (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        run INTEGER NOT NULL,
        name TEXT NOT NULL,
        data TEXT NOT NULL
    );
    CREATE INDEX exec_run_posts_by_run ON exec_run_posts (run);
",
    "
    -- Bytes of output that its items hold, since it was last started.
    ALTER TABLE exec_runs ADD COLUMN stored_stdout INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE exec_runs ADD COLUMN stored_stderr INTEGER NOT NULL DEFAULT 0;
    -- Why nothing more of it was recorded from some point on.
    ALTER TABLE exec_runs ADD COLUMN store_error TEXT;
    -- The newest output at its end, where its items do not hold that.
    ALTER TABLE exec_runs ADD COLUMN snippet TEXT;
    -- Of what was recorded before this was counted: nearly so, as bytes that are no UTF-8 have become three each.
    UPDATE exec_runs SET
        stored_stdout = (SELECT coalesce(sum(octet_length(content)), 0) FROM exec_run_items
                         WHERE run = exec_runs.number AND kind = 0),
        stored_stderr = (SELECT coalesce(sum(octet_length(content)), 0) FROM exec_run_items
                         WHERE run = exec_runs.number AND kind = 1);
",
];

/// The newest format.
pub(super) const FORMAT: i64 = STEPS.len() as i64;

/// How long the engine itself waits for a lock before it says so.
const BUSY: Duration = Duration::from_millis(250);

/// How long a database is waited for that another program is making, converting or recovering at this moment: these
/// the engine does not wait for by itself.
const PATIENCE: Duration = Duration::from_secs(5);

/// Opens the database, makes it where there is none, and brings it to the newest format.
pub(super) fn open(path: &Path) -> Result<Connection, StoreError> {
    patiently(|| open_now(path))
}

/// Opens one more connection to a database that is there and has the newest format.
pub(super) fn reader(path: &Path) -> Result<Connection, StoreError> {
    patiently(|| connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE))
}

fn patiently<T>(attempt: impl Fn() -> Result<T, StoreError>) -> Result<T, StoreError> {
    let begun = Instant::now();
    loop {
        match attempt() {
            Err(error) if error.is_passing() && begun.elapsed() < PATIENCE => std::thread::sleep(BUSY / 10),
            other => return other,
        }
    }
}

fn open_now(path: &Path) -> Result<Connection, StoreError> {
    let explain = |error: rusqlite::Error| StoreError::explain(path, &error);
    let mut connection = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE)?;
    let found = format(&connection).map_err(explain)?;
    if found > FORMAT {
        return Err(StoreError::Newer { path: path.to_owned(), found, known: FORMAT });
    }
    if found == 0 {
        // Settled before the first page is written, and kept in the file. Each of these takes the lock for writing,
        // which later connections must not wait for.
        let shape = "PRAGMA page_size = 16384; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL;";
        connection.execute_batch(shape).map_err(explain)?;
    }
    if found < FORMAT {
        migrate(&mut connection).map_err(explain)?;
    }
    Ok(connection)
}

fn connect(path: &Path, flags: OpenFlags) -> Result<Connection, StoreError> {
    let explain = |error: rusqlite::Error| StoreError::explain(path, &error);
    let connection = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX).map_err(explain)?;
    connection.busy_timeout(BUSY).map_err(explain)?;
    connection.set_prepared_statement_cache_capacity(32);
    // A crash of this program loses nothing that was committed; one of the machine may lose the newest commits, and
    // never their order.
    connection
        .execute_batch(
            "PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0; PRAGMA journal_size_limit = 67108864;
             PRAGMA temp_store = MEMORY;",
        )
        .map_err(explain)?;
    Ok(connection)
}

fn format(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row("PRAGMA user_version", [], |row| row.get(0))
}

fn migrate(connection: &mut Connection) -> rusqlite::Result<()> {
    // Another host may be doing the same: who comes second finds it done.
    let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    let found = format(&transaction)?;
    for (number, step) in (1_i64..).zip(STEPS).filter(|(number, _)| *number > found) {
        transaction.execute_batch(step)?;
        transaction.pragma_update(None, "user_version", number)?;
    }
    transaction.commit()
}

#[cfg(test)]
mod tests {
    use super::super::super::Stored;
    use super::*;

    #[test]
    fn it_is_made_as_it_should_be_and_opened_again() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("sessions.db");
        for _ in 0..2 {
            let connection = open(&path).unwrap();
            let pragma = |name: &str| connection.query_row(&format!("PRAGMA {name}"), [], |row| row.get::<_, i64>(0));
            assert_eq!(
                (pragma("page_size"), pragma("auto_vacuum"), pragma("user_version")),
                (Ok(16384), Ok(2), Ok(FORMAT))
            );
            let mode: String = connection.query_row("PRAGMA journal_mode", [], |row| row.get(0)).unwrap();
            assert_eq!(mode, "wal");
        }
    }

    #[test]
    fn a_database_of_an_older_format_is_brought_to_the_newest_with_all_that_is_in_it() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("sessions.db");
        let old = Connection::open(&path).unwrap();
        old.execute_batch(STEPS[0]).unwrap();
        old.execute_batch(
            "INSERT INTO exec_runs (id, session_id, label, call, tool, policy, command, directory, created_at, launch,
                 owner, phase, status, memo, stamp, duration_us, stdout, stderr)
             VALUES ('a', 's', 's', 'c', 't', 'p', 'true', '/', 1, '{}', 'host', 'queued', 'queued', '{}', 'p@1', 0,
                 '{\"total\":0,\"dropped\":0,\"leaked\":false,\"closed\":false}',
                 '{\"total\":0,\"dropped\":0,\"leaked\":false,\"closed\":false}');
             INSERT INTO exec_run_items (run, seq, at, kind, content, invalid) VALUES (1, 1, 1, 0, 'x', 0), (1, 2, 1, 1, 'ä', 0);
             PRAGMA user_version = 1;",
        )
        .unwrap();
        drop(old);
        for _ in 0..2 {
            let mut connection = open(&path).unwrap();
            assert_eq!(format(&connection), Ok(FORMAT));
            let run = super::super::find(&connection, "a").unwrap().unwrap();
            assert_eq!((run.standing.status.as_str(), run.standing.releases, run.last_seq), ("queued", 0, 2));
            assert_eq!((run.stored, run.standing.store_error), (Stored { stdout: 1, stderr: 2 }, None));
            assert_eq!(super::super::items(&mut connection, "a", 0, 9, None).unwrap().len(), 2);
        }
    }

    #[test]
    fn what_is_no_database_or_a_newer_one_is_said_and_left_alone() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("sessions.db");
        std::fs::write(&path, "this is no database at all, but it is long enough to be looked at".repeat(100)).unwrap();
        let before = std::fs::read(&path).unwrap();
        let error = open(&path).unwrap_err();
        assert!(matches!(error, StoreError::Corrupt { .. }), "{error}");
        assert!(error.to_string().contains("is damaged") && error.to_string().contains("move it away"), "{error}");
        assert_eq!(std::fs::read(&path).unwrap(), before);

        let path = directory.path().join("newer.db");
        open(&path).unwrap().pragma_update(None, "user_version", FORMAT + 1).unwrap();
        let error = open(&path).unwrap_err();
        assert_eq!(error, StoreError::Newer { path, found: FORMAT + 1, known: FORMAT });
        assert!(error.to_string().contains("a newer Shellward"), "{error}");
    }

    #[test]
    fn a_directory_that_is_none_is_said() {
        let error = open(Path::new("/dev/null/sessions.db")).unwrap_err();
        assert!(matches!(error, StoreError::Directory { .. }), "{error:?}");
    }
}
