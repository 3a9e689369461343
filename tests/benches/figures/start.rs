//! The program's start.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::harness::{Figure, Scale, in_turns};

/// The figures of this room.
pub fn figures(scale: Scale) -> Vec<Figure> {
    let rounds = scale.rounds();
    vec![start(rounds / 5), cold_start(rounds)]
}

/// The program that was built beside this one.
pub fn program() -> PathBuf {
    std::env::current_exe().unwrap().ancestors().nth(2).unwrap().join("shellward")
}

fn shellward(home: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(program());
    command.args(arguments).env("XDG_CACHE_HOME", home).env("HOME", home).current_dir(home);
    command.stdin(Stdio::null()).stdout(Stdio::null());
    command
}

/// The program's start, against `sh`.
fn start(rounds: usize) -> Figure {
    let home = tempfile::tempdir().unwrap();
    let (ours, plain) = in_turns(
        rounds,
        || assert!(shellward(home.path(), &["run", "--", "true"]).status().unwrap().success()),
        || assert!(Command::new("/bin/sh").args(["-c", "true"]).status().unwrap().success()),
    );
    Figure::beside("`shellward run -- true`, warm cache", "ms", (ours / 1e3, plain / 1e3), "sh -c true")
}

/// The first start on a machine: the policy is compiled.
fn cold_start(rounds: usize) -> Figure {
    let home = tempfile::tempdir().unwrap();
    let (ours, plain) = in_turns(
        rounds.min(5),
        || assert!(shellward(home.path(), &["run", "--no-cache", "--", "true"]).status().unwrap().success()),
        || assert!(Command::new("/bin/sh").args(["-c", "true"]).status().unwrap().success()),
    );
    Figure::beside("`shellward run -- true`, cold cache", "ms", (ours / 1e3, plain / 1e3), "sh -c true")
}
