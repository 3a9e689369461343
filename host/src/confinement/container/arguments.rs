//! What `docker run` is told.

use std::ffi::OsString;
use std::path::Path;

use nix::unistd::{getegid, geteuid};

use crate::confinement::{ConfinementError, Recipe};
use crate::policy::contract::processes::Container;
use crate::policy::contract::types::EnvironmentChange;
use crate::process::Birthmark;

/// The label with the id of the host.
pub(super) const HOST: &str = "shellward.host";
/// The label with the process that the host is.
pub(super) const OWNER: &str = "shellward.owner";

/// A container to be run.
pub(super) struct Run<'a> {
    pub name: &'a str,
    pub host: &'a str,
    pub image: &'a str,
    pub container: &'a Container,
    pub changes: &'a [EnvironmentChange],
    /// Whether it reads what the client reads.
    pub input: bool,
}

impl Run<'_> {
    pub(super) fn arguments(&self, recipe: &Recipe) -> Result<Vec<OsString>, ConfinementError> {
        let mut arguments = Arguments::default();
        // What it prints is kept by the host alone. As in a sandbox, not even root has rights over what is outside.
        arguments.words(&["run", "--rm", "--init", "--pull", "never", "--log-driver", "none"]);
        arguments.words(&["--cap-drop", "ALL", "--security-opt", "no-new-privileges"]);
        arguments.pair("--user", format!("{}:{}", geteuid(), getegid()));
        arguments.pair("--name", self.name);
        arguments.pair("--label", format!("{HOST}={}", self.host));
        arguments.pair("--label", format!("{OWNER}={}", Birthmark::own()));
        if self.input {
            arguments.words(&["--interactive"]);
        }
        if !self.container.network {
            arguments.words(&["--network", "none"]);
        }
        for (path, writable) in self.openings(&recipe.directory)? {
            arguments.pair("--mount", mount(&path, writable));
        }
        arguments.pair("--workdir", &recipe.directory);
        for EnvironmentChange { name, value } in self.changes {
            if let Some(value) = value {
                arguments.pair("--env", format!("{name}={value}"));
            }
        }
        let program = recipe.program.file_name().unwrap_or(recipe.program.as_os_str());
        arguments.pair("--entrypoint", program);
        arguments.words(&[self.image]);
        arguments.0.extend(recipe.arguments.iter().cloned());
        Ok(arguments.0)
    }

    /// What of the host's files is opened, each path once, with whether it may be written. What is not there is left
    /// out. The directory is opened for reading where nothing else opens it.
    fn openings(&self, directory: &Path) -> Result<Vec<(String, bool)>, ConfinementError> {
        let mut openings: Vec<(String, bool)> = Vec::new();
        let writable = self.container.writable.iter().map(|path| (path, true));
        let readable = self.container.readable.iter().map(|path| (path, false));
        for (path, writable) in writable.chain(readable) {
            if !path.starts_with('/') {
                return Err(ConfinementError::NotAbsolute(path.clone()));
            }
            if Path::new(path).parent().is_none() {
                return Err(ConfinementError::WholeRoot);
            }
            if !openings.iter().any(|(known, _)| known == path) && Path::new(path).exists() {
                openings.push((path.clone(), writable));
            }
        }
        if !openings.iter().any(|(path, _)| directory.starts_with(path))
            && let Some(directory) = directory.to_str()
            && directory != "/"
        {
            openings.push((directory.to_owned(), false));
        }
        Ok(openings)
    }
}

/// A mount at a path's own place, in the comma-separated form that knows quotes.
fn mount(path: &str, writable: bool) -> String {
    let path = path.replace('"', "\"\"");
    let way = if writable { "" } else { ",readonly" };
    format!("type=bind,\"source={path}\",\"target={path}\"{way}")
}

#[derive(Default)]
struct Arguments(Vec<OsString>);

impl Arguments {
    fn words(&mut self, words: &[&str]) {
        self.0.extend(words.iter().map(OsString::from));
    }

    fn pair(&mut self, option: &str, value: impl Into<OsString>) {
        self.0.extend([option.into(), value.into()]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::Front;

    fn arguments(container: &Container, directory: &str) -> Result<Vec<String>, ConfinementError> {
        let recipe = Recipe {
            program: "/usr/bin/bash".into(),
            arguments: vec!["-c".into(), "true".into()],
            directory: directory.into(),
            environment: Vec::new(),
            front: Front::None,
        };
        let changes = [("A", Some("1 2")), ("B", None)]
            .map(|(name, value)| EnvironmentChange { name: name.into(), value: value.map(Into::into) });
        let run = Run { name: "n", host: "h", image: "debian:12", container, changes: &changes, input: false };
        let arguments = run.arguments(&recipe)?;
        Ok(arguments.into_iter().map(|word| word.into_string().unwrap()).collect())
    }

    fn container(writable: &[&str], readable: &[&str], network: bool) -> Container {
        let texts = |paths: &[&str]| paths.iter().map(|path| (*path).to_owned()).collect();
        Container { name: "dev".into(), writable: texts(writable), readable: texts(readable), network }
    }

    #[test]
    fn paths_are_opened_at_their_own_places_and_the_rest_is_closed() {
        let words = arguments(&container(&["/tmp", "/nowhere/at/all"], &["/usr", "/tmp"], false), "/usr/bin").unwrap();
        let mounts: Vec<_> = words.iter().filter(|word| word.starts_with("type=")).collect();
        let (tmp, usr) = ("type=bind,\"source=/tmp\",\"target=/tmp\"", "type=bind,\"source=/usr\",\"target=/usr\"");
        assert_eq!(mounts, [tmp, &format!("{usr},readonly")]);
        let end = ["--workdir", "/usr/bin", "--env", "A=1 2", "--entrypoint", "bash", "debian:12", "-c", "true"];
        assert_eq!(words[words.len() - end.len()..], end);
        assert!(words.windows(2).any(|pair| pair == ["--network", "none"]), "{words:?}");
        assert!(!words.iter().any(|word| word == "--interactive"), "{words:?}");
        let words = arguments(&container(&[], &[], true), "/etc").unwrap();
        assert!(words.iter().any(|word| word.ends_with("target=/etc\",readonly")), "{words:?}");
        assert!(!words.iter().any(|word| word == "--network"), "{words:?}");
        let user = format!("{}:{}", geteuid(), getegid());
        assert!(words.windows(2).any(|pair| pair[0] == "--user" && pair[1] == user), "{words:?}");
    }

    #[test]
    fn what_docker_would_misread_is_refused_or_quoted() {
        assert_eq!(arguments(&container(&["tmp"], &[], false), "/"), Err(ConfinementError::NotAbsolute("tmp".into())));
        assert_eq!(arguments(&container(&[], &["/"], false), "/"), Err(ConfinementError::WholeRoot));
        assert_eq!(mount("/a,b\"c", true), "type=bind,\"source=/a,b\"\"c\",\"target=/a,b\"\"c\"");
    }
}
