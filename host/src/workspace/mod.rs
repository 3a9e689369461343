//! The project's root, and where paths lead from it.

mod programs;
mod resolve;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::policy::contract::workspace::{PathError, Place};

/// How many programs are remembered; a policy that asks for names without end is to fill no memory.
const REMEMBERED: usize = 256;

/// The project that calls work in.
#[derive(Debug)]
pub(crate) struct Workspace {
    root: PathBuf,
    home: Option<PathBuf>,
    search: Option<OsString>,
    /// Programs found before: a look that is repeated for every command, over every directory of `PATH`.
    found: Mutex<BTreeMap<String, PathBuf>>,
}

impl Workspace {
    /// Opens a project's root, which must be a directory.
    pub(crate) fn open(root: &Path, environment: &[(OsString, OsString)]) -> io::Result<Self> {
        let root = root.canonicalize()?;
        if !root.is_dir() {
            return Err(io::Error::from(io::ErrorKind::NotADirectory));
        }
        let variable =
            |wanted: &str| environment.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.clone());
        Ok(Self { root, home: variable("HOME").map(PathBuf::from), search: variable("PATH"), found: Mutex::default() })
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Says where a path leads.
    pub(crate) fn resolve(&self, path: &str, base: Option<&str>) -> Result<Place, PathError> {
        resolve::place(&self.root, path, base)
    }

    /// The home directory of the user that commands run as.
    pub(crate) fn home(&self) -> Option<String> {
        self.home.as_ref()?.to_str().map(str::to_owned)
    }

    /// Finds a program as the system would.
    pub(crate) fn find_program(&self, name: &str) -> Option<String> {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        // As shells do, what was found once is taken again for as long as it is there.
        if let Some(path) = found.get(name).filter(|path| programs::runs(path)) {
            return path.to_str().map(str::to_owned);
        }
        let path = programs::find(name, self.search.as_deref(), &self.root)?;
        if found.len() < REMEMBERED {
            found.insert(name.to_owned(), path.clone());
        }
        path.to_str().map(str::to_owned)
    }
}
