//! Sandboxes, made by bubblewrap: namespaces of their own, and of the file system what is opened.
//!
//! Everything is read-only but the openings. `/tmp` and `/run` are empty and the sandbox's own: sockets lie there by
//! which programs outside could be made to do what the sandbox may not. Processes inside see none outside. The host
//! sees them all, and ends them as those of any job.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::{ConfinementError, Recipe};
use crate::policy::contract::processes::Sandbox;
use crate::process::Front;

/// The program that makes sandboxes.
pub(super) const PROGRAM: &str = "bwrap";
/// How to get it.
pub(super) const INSTALL: &str = "apt-get install bubblewrap";

/// What programs need to run at all, where not everything may be read.
const SYSTEM: [&str; 9] =
    ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc/ld.so.cache", "/etc/alternatives", "/etc/ssl"];

/// How names of the network are looked up on machines where `/etc/resolv.conf` leads there.
const RESOLVERS: [&str; 3] = ["/run/systemd/resolve", "/run/resolvconf", "/run/NetworkManager"];

pub(super) fn wrap(bwrap: PathBuf, openings: &Sandbox, recipe: Recipe) -> Result<Recipe, ConfinementError> {
    if let Some(path) = openings.writable.iter().chain(&openings.readable).find(|path| !path.starts_with('/')) {
        return Err(ConfinementError::NotAbsolute(path.clone()));
    }
    let mut arguments = Arguments::default();
    // Started by root, bubblewrap would leave it root's capabilities, and with them what it takes to mount all anew.
    arguments.words(&["--unshare-pid", "--unshare-ipc", "--unshare-uts", "--cap-drop", "ALL"]);
    if !openings.network {
        arguments.words(&["--unshare-net"]);
    }
    match openings.readable.as_slice() {
        [] => arguments.mount("--ro-bind", Path::new("/")),
        paths => {
            SYSTEM.iter().for_each(|path| arguments.mount("--ro-bind-try", Path::new(path)));
            paths.iter().for_each(|path| arguments.mount("--ro-bind-try", Path::new(path)));
        }
    }
    arguments.words(&["--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp"]);
    if Path::new("/run").is_dir() {
        arguments.words(&["--tmpfs", "/run"]);
        if openings.network {
            RESOLVERS.iter().for_each(|path| arguments.mount("--ro-bind-try", Path::new(path)));
        }
    }
    // These may lie in `/tmp`, so they come after it. Who may read only some paths still has its own program.
    arguments.mount("--ro-bind", &recipe.program);
    if openings.readable.is_empty() {
        arguments.mount("--ro-bind", &recipe.directory);
    }
    for path in &openings.readable {
        arguments.mount("--ro-bind-try", Path::new(path));
    }
    for path in &openings.writable {
        arguments.mount("--bind-try", Path::new(path));
    }
    arguments.words(&["--chdir"]);
    arguments.0.push(recipe.directory.clone().into());
    arguments.words(&["--"]);
    arguments.0.push(recipe.program.clone().into());
    arguments.0.extend(recipe.arguments.iter().cloned());
    // It is started in the root: the directory is looked up inside.
    Ok(Recipe { program: bwrap, arguments: arguments.0, front: Front::Wrapper, ..recipe })
}

#[derive(Default)]
struct Arguments(Vec<OsString>);

impl Arguments {
    fn words(&mut self, words: &[&str]) {
        self.0.extend(words.iter().map(OsString::from));
    }

    /// Opens a path at its own place.
    fn mount(&mut self, how: &str, path: &Path) {
        self.0.extend([OsString::from(how), path.into(), path.into()]);
    }
}
