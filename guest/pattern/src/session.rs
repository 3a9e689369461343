//! Where the session's shell is, as far as the records of its commands say.
//!
//! A policy keeps nothing between calls: the directory is found in the memo of the newest command that has ended.

use shellward_kit::Host;
use shellward_kit::contract::{Filter, Job, Kind as PlaceKind};

use crate::own::{Kind, Own};
use crate::paths::Allowed;

/// How many jobs are looked at first: the newest command is nearly always among them.
const FIRST: u32 = 16;

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
    let start = allowed.start();
    let Some((job, own)) = newest(host) else {
        // The host forgets no shell's newest command while the shell lives, so there is none yet.
        return Session { directory: start, moved: true, notes: Vec::new() };
    };
    let escaped = own.escaped.is_some();
    // One that runs has not said where it leaves the shell; the next command will be refused anyway.
    let directory = own.directory.or_else(|| (!own.lost).then_some(job.directory));
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

/// Gives the session's newest command, however many tasks have been started since.
fn newest<H: Host>(host: &H) -> Option<(Job, Own)> {
    let mut limit = FIRST;
    loop {
        let jobs = host.jobs(Filter { active: true, ended: true, limit });
        let complete = jobs.len() < limit as usize;
        let command = |job: Job| Some((Own::of(&job).filter(|own| own.kind == Kind::Command)?, job));
        if let Some((own, job)) = jobs.into_iter().rev().find_map(command) {
            return Some((job, own));
        }
        if complete {
            return None;
        }
        limit = limit.saturating_mul(8);
    }
}
