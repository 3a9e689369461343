//! Who ends a host's containers when the host itself cannot: a small process of its own, which hears of the host's
//! end by the end of a pipe.

use std::io::Write;
use std::path::PathBuf;
use std::process::Child;

use super::ContainerError;
use super::arguments::HOST;
use super::docker::Docker;
use crate::process::Aside;

/// Waits for the end of its input, then removes what bears the label, for ten seconds: that long may a client that has
/// outlived the host need to make what it was asked for. It is told nothing but that it is not needed any more.
const SCRIPT: &str = r#"trap '' HUP INT TERM QUIT
read -r word
[ "$word" = done ] && exit 0
rounds=0
while [ $rounds -lt 40 ]; do
    left=$("$1" ps --all --quiet --filter "label=$2")
    [ -n "$left" ] && "$1" rm --force $left
    rounds=$((rounds + 1))
    sleep 0.25
done"#;

/// The word that lets it go.
const DONE: &[u8] = b"done\n";

/// A process that outlives the host, if need be.
#[derive(Debug)]
pub(super) struct Keeper(Child);

impl Keeper {
    pub(super) fn start(docker: &Docker, host: &str) -> Result<Self, ContainerError> {
        let shell = Aside { program: PathBuf::from("/bin/sh"), environment: docker.environment().to_vec() };
        let (program, label) = (docker.program().as_os_str(), format!("{HOST}={host}"));
        let arguments = ["-c".as_ref(), SCRIPT.as_ref(), "shellward-keeper".as_ref(), program, label.as_ref()];
        shell.leave(arguments).map(Self).map_err(|error| ContainerError::NoKeeper(error.to_string()))
    }

    /// Whether it has not been killed.
    pub(super) fn is_there(&mut self) -> bool {
        matches!(self.0.try_wait(), Ok(None))
    }

    /// Lets it go, and waits until it has gone.
    pub(super) fn dismiss(mut self) {
        let told = self.0.stdin.take().is_some_and(|mut pipe| pipe.write_all(DONE).is_ok());
        // One that was killed meanwhile is not told, and has ended; only a zombie is left of it.
        if told || !self.is_there() {
            let _ = self.0.wait();
        }
    }
}
