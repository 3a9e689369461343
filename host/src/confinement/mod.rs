//! Fences around commands: what a launch asks to run, put behind something that holds it in.
//!
//! A fence is made of another program that runs the command. It takes a [`Recipe`] and gives another, so that whatever
//! starts processes starts fenced ones the same way. The marks by which a job's processes are found hold inside too.

mod sandbox;

use std::ffi::OsString;
use std::path::PathBuf;

use crate::policy::contract::processes::Confinement;
use crate::policy::contract::types::StartError;

/// What is to be run: a program, its arguments and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Recipe {
    pub program: PathBuf,
    pub arguments: Vec<OsString>,
    pub directory: PathBuf,
}

/// Why a command cannot be fenced in.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ConfinementError {
    /// The program that makes the fence is not installed.
    #[error("bubblewrap is not installed, and without it there is no sandbox; install it with `{}`", sandbox::INSTALL)]
    NoBubblewrap,
    /// This host has no containers.
    #[error("containers (the container '{0}')")]
    NoContainers(String),
    /// A path is not absolute.
    #[error("a path of a sandbox is not absolute: {0}")]
    NotAbsolute(String),
}

impl From<ConfinementError> for StartError {
    fn from(error: ConfinementError) -> Self {
        match error {
            ConfinementError::NotAbsolute(_) => Self::Invalid(error.to_string()),
            ConfinementError::NoBubblewrap | ConfinementError::NoContainers(_) => Self::Unsupported(error.to_string()),
        }
    }
}

/// Puts a command behind the fence that a launch wants; `find` finds programs by name.
pub(crate) fn confine(
    confinement: &Confinement,
    recipe: Recipe,
    find: impl Fn(&str) -> Option<String>,
) -> Result<Recipe, ConfinementError> {
    match confinement {
        Confinement::None => Ok(recipe),
        Confinement::Sandbox(openings) => {
            let bwrap = find(sandbox::PROGRAM).ok_or(ConfinementError::NoBubblewrap)?;
            sandbox::wrap(bwrap.into(), openings, recipe)
        }
        Confinement::Container(name) => Err(ConfinementError::NoContainers(name.clone())),
    }
}
