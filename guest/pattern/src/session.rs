//! Where the session's shell is, as far as the records of its commands say.
//!
//! A policy keeps nothing between calls: the directory is found in the memo of the newest command that has ended.

use shellward_kit::Host;
use shellward_kit::contract::{Filter, Kind as PlaceKind};

use crate::own::{Kind, Own};
use crate::paths::Allowed;

/// How many jobs are looked at.
const LOOKED_AT: u32 = 500;

/// The shell of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// The directory in which the next command finds it.
    pub directory: String,
    /// Whether it has to be put there first.
    pub moved: bool,
    /// What the next answer is to say.
    pub notes: Vec<String>,
}

/// Finds out where the session's shell is.
#[must_use]
pub fn find<H: Host>(host: &H, allowed: &Allowed) -> Session {
    let jobs = host.jobs(Filter { active: true, ended: true, limit: LOOKED_AT });
    let last = jobs.iter().rev().find_map(|job| {
        let own = Own::of(job).filter(|own| own.kind == Kind::Command)?;
        // One that runs has not said where it leaves the shell; the next command will be refused anyway.
        Some((own.directory.clone().or_else(|| (!own.lost).then(|| job.directory.clone())), own.escaped.is_some()))
    });
    let start = allowed.start();
    let Some((directory, escaped)) = last else {
        // Nothing is known: it may be new, or its records may be forgotten.
        return Session { directory: start, moved: true, notes: Vec::new() };
    };
    let Some(directory) = directory else { return Session { directory: start, moved: true, notes: Vec::new() } };
    match host.resolve(&directory, None) {
        Ok(place) if place.kind == PlaceKind::Directory && allowed.holds(&place.absolute) => {
            Session { directory, moved: escaped, notes: Vec::new() }
        }
        Ok(_) | Err(_) => {
            let note =
                format!("the session's directory {directory} is gone or no longer allowed; it was put into {start}");
            Session { directory: start, moved: true, notes: vec![note] }
        }
    }
}
