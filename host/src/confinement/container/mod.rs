//! Containers, made by Docker's command line: one for each job or lasting shell, gone with it.
//!
//! The process that is started is `docker run`, a client: what runs is the engine's child, perhaps on another machine.
//! So it is signalled and ended through the engine (`running`), and a keeper outside the host ends all its containers
//! when the host is killed (`keeper`). An image that is not there is not fetched.

mod arguments;
mod docker;
mod keeper;
mod running;

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsString;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use ulid::Ulid;

use self::arguments::Run;
use self::docker::{Docker, INSTALL, PROGRAM};
use self::keeper::Keeper;
use self::running::Running;
use super::{ConfinementError, Recipe};
use crate::policy::contract::processes::Container;
use crate::policy::contract::types::EnvironmentChange;
use crate::process::{AsideError, Front};

/// For how long an image that was seen is taken to be there.
const SEEN: Duration = Duration::from_secs(30);

/// Why a container cannot be had.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ContainerError {
    /// Docker's command line is not installed.
    #[error("docker is not installed, and without it there are no containers; install it with `{INSTALL}`")]
    NoDocker,
    /// There is nobody to make containers.
    #[error("no container engine answers; start it, or say in DOCKER_HOST where it is: {0}")]
    NoEngine(String),
    /// The settings do not know the container.
    #[error(
        "the settings name no image for the container '{name}': add `{name} = \"IMAGE\"` to [host.containers]{known}"
    )]
    Unnamed {
        name: String,
        /// What they do know, as a clause.
        known: String,
    },
    /// The image is not there.
    #[error("the image '{0}' is not there, and none is fetched without being asked for: get it with `docker pull {0}`")]
    NoImage(String),
    /// Nobody would end the host's containers if the host were killed.
    #[error("what ends containers when the host is killed cannot be started: {0}")]
    NoKeeper(String),
}

/// The containers of a host.
#[derive(Debug)]
pub(crate) struct Containers {
    /// The images by the names that policies use.
    images: BTreeMap<String, String>,
    /// The host's id, which its containers bear.
    host: String,
    /// When an image was last seen, by the container's name.
    seen: Mutex<HashMap<String, Instant>>,
    keeper: Mutex<Option<Keeper>>,
}

impl Containers {
    pub(crate) fn new(images: BTreeMap<String, String>, host: &str) -> Self {
        Self { images, host: host.to_owned(), seen: Mutex::default(), keeper: Mutex::default() }
    }

    fn image(&self, name: &str) -> Result<&str, ContainerError> {
        self.images.get(name).map(String::as_str).ok_or_else(|| {
            let names: Vec<_> = self.images.keys().map(|name| format!("'{name}'")).collect();
            let known = if names.is_empty() { String::new() } else { format!("; they have {}", names.join(", ")) };
            ContainerError::Unnamed { name: name.to_owned(), known }
        })
    }

    /// Whether a container was prepared a short while ago.
    pub(crate) fn is_prepared(&self, name: &str) -> bool {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.get(name).is_some_and(|seen| seen.elapsed() < SEEN)
    }

    /// Finds out whether a container can be made, and has what is left of dead hosts ended. Blocks.
    pub(crate) fn prepare(&self, name: &str, docker: Option<Docker>) -> Result<(), ContainerError> {
        let image = self.image(name)?;
        let docker = docker.ok_or(ContainerError::NoDocker)?;
        docker.look_for(image)?;
        let mut keeper = self.keeper.lock().unwrap_or_else(PoisonError::into_inner);
        if !keeper.as_mut().is_some_and(Keeper::is_there) {
            docker.sweep();
            *keeper = Some(Keeper::start(&docker, &self.host)?);
        }
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned(), Instant::now());
        Ok(())
    }

    /// Turns what is to be run into the run of a container; `input` says whether it has one.
    pub(crate) fn wrap(
        &self,
        docker: Option<Docker>,
        container: &Container,
        changes: &[EnvironmentChange],
        input: bool,
        recipe: Recipe,
    ) -> Result<Recipe, ConfinementError> {
        let image = self.image(&container.name)?;
        let docker = docker.ok_or(ContainerError::NoDocker)?;
        let name = format!("shellward-{}", Ulid::generate().to_string().to_lowercase());
        let run = Run { name: &name, host: &self.host, image, container, changes, input };
        let arguments = run.arguments(&recipe)?;
        let (program, environment) = (docker.program().to_owned(), docker.environment().to_vec());
        let front = Front::Client(Arc::new(Running::new(docker, name)));
        Ok(Recipe { program, arguments, directory: recipe.directory, environment, front })
    }

    /// Lets the keeper go, as nothing is left that it would have to end.
    pub(crate) fn dismiss_keeper(&self) {
        if let Some(keeper) = self.keeper.lock().unwrap_or_else(PoisonError::into_inner).take() {
            keeper.dismiss();
        }
    }
}

/// Looks whether containers can be made from these images, by name: the engine's version, or what is missing, in words.
///
/// Blocks for as long as the engine takes to answer.
///
/// # Errors
/// There is no client, no engine, or an image is missing.
pub fn try_containers(images: &BTreeMap<String, String>) -> Result<String, String> {
    let search = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&search).map(|entry| entry.join(PROGRAM)).find(|path| path.is_file());
    let client = found.map(|program| Docker::new(program, std::env::vars_os().collect()));
    let tried = client.ok_or(ContainerError::NoDocker).and_then(|client| {
        let version = client.version()?;
        images.values().try_for_each(|image| client.look_for(image))?;
        Ok(version)
    });
    tried.map_err(|error| error.to_string())
}

/// The engine's client, where there is one, with the environment in which it finds its engine.
pub(crate) fn docker(find: impl Fn(&str) -> Option<String>, environment: &[(OsString, OsString)]) -> Option<Docker> {
    Some(Docker::new(find(PROGRAM)?.into(), environment.to_vec()))
}

impl From<AsideError> for ContainerError {
    fn from(error: AsideError) -> Self {
        Self::NoEngine(error.to_string())
    }
}
