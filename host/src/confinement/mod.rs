//! Fences around commands: what a launch asks to run, put behind something that holds it in.
//!
//! A fence is made of another program that runs the command. It takes a [`Recipe`] and gives another, so that whatever
//! starts processes starts fenced ones the same way, and is told what then stands in front of the command.

mod container;
mod sandbox;

use std::ffi::OsString;
use std::path::PathBuf;

pub use self::container::try_containers;
pub(crate) use self::container::{ContainerError, Containers, docker};
use crate::policy::contract::processes::{Confinement, Launch, Place, Stdin, Stdio};
use crate::policy::contract::types::StartError;
use crate::process::Front;

/// What is to be run: a program, its arguments, where and with which environment.
#[derive(Clone, Debug)]
pub(crate) struct Recipe {
    pub program: PathBuf,
    pub arguments: Vec<OsString>,
    pub directory: PathBuf,
    pub environment: Vec<(OsString, OsString)>,
    /// What stands in front of the command.
    pub front: Front,
}

/// Why a command cannot be fenced in.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ConfinementError {
    /// The program that makes the fence is not installed.
    #[error("bubblewrap is not installed, and without it there is no sandbox; install it with `{}`", sandbox::INSTALL)]
    NoBubblewrap,
    /// There is no such container.
    #[error(transparent)]
    NoContainer(#[from] ContainerError),
    /// A container has no terminal: its client would read it all the time.
    #[error("terminals in containers")]
    NoTerminal,
    /// What a container does ends with the host.
    #[error("durable jobs in containers")]
    NotDurable,
    /// A path is not absolute.
    #[error("a path of a sandbox or container is not absolute: {0}")]
    NotAbsolute(String),
    /// The root cannot be opened in a container, which has a root of its own.
    #[error("the whole file system cannot be opened in a container: name the directories it needs")]
    WholeRoot,
}

impl From<ConfinementError> for StartError {
    fn from(error: ConfinementError) -> Self {
        match error {
            ConfinementError::NotAbsolute(_) | ConfinementError::WholeRoot => Self::Invalid(error.to_string()),
            ConfinementError::NoBubblewrap
            | ConfinementError::NoContainer(_)
            | ConfinementError::NoTerminal
            | ConfinementError::NotDurable => Self::Unsupported(error.to_string()),
        }
    }
}

/// What fences are made with.
pub(crate) struct Means<'a> {
    /// Finds programs by name.
    pub find: &'a dyn Fn(&str) -> Option<String>,
    pub containers: &'a Containers,
    /// The host's own environment.
    pub environment: &'a [(OsString, OsString)],
}

/// Puts a command behind the fence that its launch wants.
pub(crate) fn confine(launch: &Launch, recipe: Recipe, means: &Means<'_>) -> Result<Recipe, ConfinementError> {
    match &launch.confinement {
        Confinement::None => Ok(recipe),
        Confinement::Sandbox(openings) => {
            let bwrap = (means.find)(sandbox::PROGRAM).ok_or(ConfinementError::NoBubblewrap)?;
            sandbox::wrap(bwrap.into(), openings, recipe)
        }
        Confinement::Container(container) => {
            let shell = matches!(launch.place, Place::ShellSession(_));
            let input = match launch.stdio {
                Stdio::Pipes(stdin) => shell || matches!(stdin, Stdin::Open),
                Stdio::Terminal(_) | Stdio::RawTerminal(_) => return Err(ConfinementError::NoTerminal),
            };
            if launch.durable {
                return Err(ConfinementError::NotDurable);
            }
            let docker = docker(means.find, means.environment);
            means.containers.wrap(docker, container, &launch.environment, input, recipe)
        }
    }
}
