//! What can be wrong with the store of durable runs, worded with what to do about it.

use std::path::{Path, PathBuf};

/// Why the store of durable runs did not do what it should. What was written before is kept.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// Its directory is of no use.
    #[error("cannot use {path} for durable runs: {message}; make it writable, or set `data_directory` in the [host] settings", path = .path.display())]
    Directory {
        /// The directory.
        path: PathBuf,
        /// The system's words.
        message: String,
    },
    /// There is no room for more.
    #[error("the disk is full: {path} cannot grow; what was written is kept: free some space, or run `shellward jobs prune`", path = .path.display())]
    Full {
        /// The database.
        path: PathBuf,
    },
    /// Another program holds it.
    #[error("{path} is locked by another program; close what has it open (a database browser, a backup) and try again", path = .path.display())]
    Locked {
        /// The database.
        path: PathBuf,
    },
    /// It is no database, or a broken one.
    #[error("{path} is damaged: {message}; nothing was changed in it: move it away, and a new one is made", path = .path.display())]
    Corrupt {
        /// The database.
        path: PathBuf,
        /// The engine's words.
        message: String,
    },
    /// It was made by a later version of this program.
    #[error("{path} has format {found}, made by a newer Shellward; this one knows formats up to {known}: use the newer program, or another `data_directory`", path = .path.display())]
    Newer {
        /// The database.
        path: PathBuf,
        /// Its format.
        found: i64,
        /// The newest that this program knows.
        known: i64,
    },
    /// Anything else; the engine's own words.
    #[error("{path}: {message}", path = .path.display())]
    Other {
        /// The database.
        path: PathBuf,
        /// What went wrong.
        message: String,
    },
}

impl StoreError {
    /// Words an error of the engine.
    pub(super) fn explain(path: &Path, error: &rusqlite::Error) -> Self {
        use rusqlite::ErrorCode;
        let (path, message) = (path.to_owned(), error.to_string());
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Locked { path },
            Some(ErrorCode::DiskFull) => Self::Full { path },
            Some(ErrorCode::SystemIoFailure) if no_room(error) => Self::Full { path },
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Self::Corrupt { path, message },
            Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => {
                Self::Directory { path, message }
            }
            _ => Self::Other { path, message },
        }
    }

    /// Nothing more is taken: its host has ended.
    pub(crate) fn closed() -> Self {
        Self::Other { path: "the store".into(), message: "it was closed meanwhile".into() }
    }

    /// Whether the same may well succeed a moment later.
    pub(super) fn is_passing(&self) -> bool {
        matches!(self, Self::Locked { .. })
    }
}

/// A write that the system has cut short: a limit of the file's size says so in this way.
fn no_room(error: &rusqlite::Error) -> bool {
    let extended = error.sqlite_error().map(|error| error.extended_code);
    matches!(extended, Some(rusqlite::ffi::SQLITE_IOERR_WRITE | rusqlite::ffi::SQLITE_IOERR_SHMSIZE))
}
