//! What the host asks the engine, through Docker's command line.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::ContainerError;
use super::arguments::OWNER;
use crate::process::{Answer, Aside, AsideError, Birthmark};

/// The engine's client.
pub(crate) const PROGRAM: &str = "docker";
/// How to get it.
pub(crate) const INSTALL: &str = "apt-get install docker.io";

/// How long the engine has to answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// Docker's command line.
#[derive(Clone, Debug)]
pub(crate) struct Docker(Aside);

impl Docker {
    pub(crate) fn new(program: PathBuf, environment: Vec<(OsString, OsString)>) -> Self {
        Self(Aside { program, environment })
    }

    pub(super) fn program(&self) -> &Path {
        &self.0.program
    }

    pub(super) fn environment(&self) -> &[(OsString, OsString)] {
        &self.0.environment
    }

    pub(super) fn ask(&self, arguments: &[&str]) -> Result<Answer, AsideError> {
        self.0.ask(arguments, PATIENCE)
    }

    /// The engine's version.
    pub(crate) fn version(&self) -> Result<String, ContainerError> {
        let answer = self.ask(&["version", "--format", "{{.Server.Version}}"])?;
        if answer.is_success() {
            return Ok(answer.stdout.trim().to_owned());
        }
        Err(ContainerError::NoEngine(words(&answer)))
    }

    /// Sees whether an image is there.
    pub(crate) fn look_for(&self, image: &str) -> Result<(), ContainerError> {
        let answer = self.ask(&["image", "inspect", "--format", "{{.Id}}", image])?;
        if answer.is_success() {
            return Ok(());
        }
        // The engine's words are the only way in which its client tells this from an engine that is not there.
        match answer.stderr.to_lowercase().contains("no such image") {
            true => Err(ContainerError::NoImage(image.to_owned())),
            false => Err(ContainerError::NoEngine(words(&answer))),
        }
    }

    /// Whether the engine knows nothing of a container, running or not.
    pub(super) fn is_absent(&self, name: &str) -> Result<bool, AsideError> {
        let filter = format!("name=^/{name}$");
        let answer = self.ask(&["ps", "--all", "--quiet", "--filter", &filter])?;
        Ok(answer.is_success() && answer.stdout.trim().is_empty())
    }

    /// Removes the containers of hosts of this machine that have ended, whose keepers were killed as well.
    pub(super) fn sweep(&self) {
        let format = format!("{{{{.ID}}}} {{{{.Label \"{OWNER}\"}}}}");
        let filter = format!("label={OWNER}");
        let listed = match self.ask(&["ps", "--all", "--filter", &filter, "--format", &format]) {
            Ok(answer) => answer.stdout,
            Err(error) => return tracing::warn!(%error, "cannot look for containers of dead hosts"),
        };
        let left: Vec<&str> = listed.lines().filter_map(orphan).collect();
        if left.is_empty() {
            return;
        }
        tracing::warn!(containers = ?left, "removes containers of dead hosts");
        let arguments: Vec<&str> = ["rm", "--force"].into_iter().chain(left).collect();
        if let Err(error) = self.ask(&arguments) {
            tracing::warn!(%error, "cannot remove containers of dead hosts");
        }
    }
}

/// The id in a line of a list, where the container's host has ended.
fn orphan(line: &str) -> Option<&str> {
    let (id, owner) = line.split_once(' ')?;
    Birthmark::parse(owner.trim()).filter(Birthmark::is_over).map(|_| id)
}

/// What was said against it, in one line.
fn words(answer: &Answer) -> String {
    let line = answer.stderr.lines().map(str::trim).find(|line| !line.is_empty());
    line.map_or_else(|| format!("it ended with code {:?} and said nothing", answer.code), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_containers_of_hosts_that_have_ended_are_orphans() {
        let own = Birthmark::own().to_string();
        assert_eq!(orphan(&format!("abc {own}")), None);
        assert_eq!(orphan(&format!("abc {own}0")), Some("abc"));
        assert_eq!(orphan("abc elsewhere/pid:[1]/1/1"), None);
        assert_eq!(orphan("abc"), None);
    }
}
