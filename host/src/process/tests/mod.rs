//! Real children, one file per behaviour, and what those tests share.

mod alone;
mod output;
mod start;
mod terminal;
mod tree;

use std::ffi::OsString;
use std::path::PathBuf;

use super::tree::{LimitMark, Marks};
use super::{CaptureLimits, Launch, Process, Started, Stdin, Stdio, Tree};

/// Repeatable numbers that look random (xorshift).
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// Returns a number from 0 up to, not including, `limit`.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }
}

/// A mark that no other test, and no other run of the tests, uses.
pub(super) fn unique_mark() -> String {
    use std::sync::atomic::{AtomicUsize, Ordering};
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let since = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap().as_nanos();
    format!("test-{}-{since:x}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

pub(super) fn launch(program: &str, arguments: &[&str]) -> Launch {
    Launch {
        program: PathBuf::from(program),
        arguments: arguments.iter().map(OsString::from).collect(),
        directory: PathBuf::from("/"),
        environment: vec![("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into())],
        mark: unique_mark(),
        stdio: Stdio::Pipes(Stdin::Null),
        capture: CaptureLimits { head: 64 * 1024, tail: 64 * 1024 },
        tap: None,
        front: super::Front::None,
    }
}

pub(super) fn shell(script: &str) -> Launch {
    launch("/bin/sh", &["-c", script])
}

pub(super) fn bash(script: &str) -> Launch {
    launch("/bin/bash", &["-c", script])
}

pub(super) fn start(launch: &Launch) -> Started {
    Process::start(launch).unwrap()
}

/// The drain that the design gives a job after its process has ended.
pub(super) const DRAIN: std::time::Duration = std::time::Duration::from_millis(100);

/// Waits until something holds, and fails after a generous time.
pub(super) async fn until(what: &str, condition: impl Fn() -> bool) {
    for _ in 0..6000 {
        if condition() {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    panic!("waited 30 seconds for: {what}");
}

/// Whether a process runs the program of this name.
pub(super) fn is_named(pid: i32, name: &str) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|comm| comm.trim_end() == name)
}

/// By which sign a test's tree is to be found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Marked {
    /// By all that the machine offers, as in use.
    Fully,
    ByLimit,
    ByEnvironment,
}

pub(super) fn start_as(launch: &Launch, how: Marked) -> Started {
    let marks = match how {
        Marked::Fully => Marks::take(),
        Marked::ByLimit => Marks { limit: LimitMark::next(), cgroup: None },
        Marked::ByEnvironment => Marks::default(),
    };
    Process::start_marked(launch, marks).unwrap()
}

/// The living processes of a tree, by any sign, counted from /proc.
pub(super) fn members(started: &Started) -> Vec<i32> {
    members_of(started.process.tree())
}

pub(super) fn members_of(tree: &Tree) -> Vec<i32> {
    tree.living().unwrap()
}
