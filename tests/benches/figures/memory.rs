//! Memory, measured in a program of its own: in one that has measured something else, what that has let go of would be
//! used again and seem to cost nothing.

use std::ffi::OsStr;
use std::fs;
use std::process::{Command, Stdio};

use crate::{blocks, guards, jobs, terminals};

/// The word by which this program is told to measure memory; what and of what follow.
pub const WORD: &str = "--memory";

/// Has this program, started anew, measure something, and gives the numbers it prints.
pub fn apart<const N: usize>(what: &str, arguments: &[&OsStr]) -> [f64; N] {
    let mut alone = Command::new(std::env::current_exe().unwrap());
    let said = alone.args([WORD, what]).args(arguments).stderr(Stdio::inherit()).output().unwrap();
    assert!(said.status.success(), "the memory of {what} could not be measured: {}", said.status);
    let numbers: Vec<f64> =
        String::from_utf8(said.stdout).unwrap().split_whitespace().map(|number| number.parse().unwrap()).collect();
    numbers.try_into().unwrap_or_else(|numbers| panic!("{what}: {numbers:?}"))
}

/// Measures what `apart` has asked for.
pub fn measure(arguments: &[String]) {
    let numbers = match arguments {
        [what, cache, guard] if what == "guard" => vec![guards::memory(cache.as_ref(), guard.as_ref())],
        [what] if what == "jobs" => vec![jobs::memory()],
        [what] if what == "shells" => vec![terminals::memory()],
        [what, megabytes] if what == "document" => blocks::document(megabytes.parse().unwrap()),
        _ => panic!("no such measure: {arguments:?}"),
    };
    numbers.iter().for_each(|number| println!("{number}"));
}

/// The memory that is this program's own now, in KiB.
pub fn resident() -> f64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("RssAnon:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}
