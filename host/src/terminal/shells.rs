//! All lasting shells of a host, by session and name.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use tokio::sync::watch;

use super::command::{Command, Running};
use super::dialect::{Dialect, Line};
use super::session::Session;
use crate::process::{CaptureLimits, Launch, Moment, Output, Process, Size, SpawnError, Tap};

/// How many shells a host has at most, idle ones included.
const MOST: usize = 256;
/// The longest command, so that a line always fits the queue in front of a shell.
const LONGEST: usize = 1 << 20;

/// A command to run in a lasting shell.
pub(crate) struct Wanted<'a> {
    /// Whose shell.
    pub session: &'a str,
    /// Which of its shells.
    pub name: &'a str,
    /// The command as written.
    pub command: &'a str,
    pub dialect: Dialect,
    /// How the shell is started where there is none, but for what makes it read commands.
    pub launch: Launch,
    /// What must be the same for every command of one shell.
    pub likeness: String,
    /// The directory to go to first.
    pub directory: Option<&'a str>,
    pub size: Option<Size>,
    pub raw: bool,
    pub capture: CaptureLimits,
    pub tap: Option<Arc<dyn Tap>>,
}

/// Why a command was not taken.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Refused {
    #[error("another command runs in this shell")]
    Busy,
    #[error("the shell of this name was started in another way; name another shell")]
    Different,
    #[error("this host has {MOST} shells already: end some sessions")]
    TooMany,
    #[error("the command holds a NUL, which no shell can read: remove it")]
    Nul,
    #[error("the command is longer than {LONGEST} bytes: put it in a file and run that")]
    TooLong,
    #[error(transparent)]
    Spawn(#[from] SpawnError),
}

/// The lasting shells of one host.
#[derive(Debug, Default)]
pub(crate) struct Shells {
    by_name: Mutex<HashMap<(String, String), Arc<Session>>>,
    secrets: RandomState,
    commands: AtomicU64,
}

impl Shells {
    fn lock(&self) -> MutexGuard<'_, HashMap<(String, String), Arc<Session>>> {
        self.by_name.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs a command in the shell it names, which is started where there is none. Returns at once.
    pub(crate) fn run(&self, wanted: Wanted<'_>) -> Result<Command, Refused> {
        if wanted.command.contains('\0') {
            return Err(Refused::Nul);
        }
        if wanted.command.len() > LONGEST {
            return Err(Refused::TooLong);
        }
        let session = self.shell(&wanted)?;
        let secret = self.secret();
        let apart = session.terminal.is_none();
        let line = {
            let state = session.state();
            let directory = wanted.directory.filter(|directory| *directory != state.directory);
            let Wanted { command, .. } = wanted;
            session.dialect.line(&Line {
                command,
                secret: &secret,
                strict: state.strict,
                status: state.status,
                directory,
                apart,
            })
        };
        let running = Arc::new(Running {
            line,
            secret,
            output: Output::new(wanted.capture, wanted.tap),
            size: wanted.size,
            raw: wanted.raw,
            since: Moment::now(),
            next: OnceLock::new(),
            ended: watch::Sender::new(None),
        });
        session.run(&running);
        Ok(Command::new(session, running))
    }

    /// Finds or starts the shell, and makes it busy.
    fn shell(&self, wanted: &Wanted<'_>) -> Result<Arc<Session>, Refused> {
        let mut shells = self.lock();
        let key = (wanted.session.to_owned(), wanted.name.to_owned());
        if let Some(session) = shells.get(&key).filter(|session| session.is_alive()) {
            if session.likeness != wanted.likeness {
                return Err(Refused::Different);
            }
            let mut state = session.state();
            if std::mem::replace(&mut state.busy, true) && !state.over {
                return Err(Refused::Busy);
            }
            drop(state);
            return Ok(Arc::clone(session));
        }
        shells.retain(|_, session| session.is_alive());
        if shells.len() >= MOST {
            return Err(Refused::TooMany);
        }
        let mut launch = wanted.launch.clone();
        launch.arguments.extend(wanted.dialect.arguments().iter().map(Into::into));
        let directory = launch.directory.to_string_lossy().into_owned();
        let (process, ends) = Process::start_shell(&launch)?;
        let session = Session::begin(process, ends, wanted.dialect, wanted.likeness.clone(), directory);
        session.state().busy = true;
        shells.insert(key, Arc::clone(&session));
        Ok(session)
    }

    /// A secret that nobody can know who does not know the ones before and the keys.
    fn secret(&self) -> String {
        let number = self.commands.fetch_add(1, Ordering::Relaxed);
        format!("{:016x}{:016x}", self.secrets.hash_one((number, 0_u8)), self.secrets.hash_one((number, 1_u8)))
    }

    /// How many shells live.
    pub(crate) fn count(&self) -> usize {
        self.lock().values().filter(|session| session.is_alive()).count()
    }

    /// Takes the shells of a session out, or all; dropping them ends their trees.
    fn take(&self, of: Option<&str>) -> Vec<Arc<Session>> {
        let mut shells = self.lock();
        let taken = shells.extract_if(|(session, _), _| of.is_none_or(|of| session == of));
        taken.map(|(_, session)| session).collect()
    }

    /// Ends the shells of a session, with all that runs in them. Blocks while it does.
    pub(crate) fn end_session(&self, session: &str) -> Vec<i32> {
        kill(&self.take(Some(session)))
    }

    /// Ends all shells. Blocks while it does.
    pub(crate) fn kill(&self) -> Vec<i32> {
        kill(&self.take(None))
    }
}

fn kill(shells: &[Arc<Session>]) -> Vec<i32> {
    shells.iter().flat_map(|session| session.process.tree().kill_now().left).collect()
}
