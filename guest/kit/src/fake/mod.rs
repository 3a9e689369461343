//! A fake host with virtual time, so that a policy's whole behaviour is tested in microseconds.
//!
//! A test scripts what files there are and how commands behave, calls a tool with [`Fake::run`] and looks at the
//! reply and at what was asked of the host. The driver holds the policy to the contract: whoever ends a job twice,
//! arms a timer after the end or answers with broken JSON fails the test with a message that says so.
//!
//! Watches match the lines that hold their pattern to the letter; the fake has no regular expressions, and takes a
//! pattern with an opening parenthesis and no closing one for a wrong one. Its terminals show what is printed as it is,
//! and its lasting shells know nothing but their directory.

#![expect(clippy::panic, reason = "the fake is for tests, and fails them by panicking")]

mod answers;
mod behaviour;
mod capture;
mod checks;
mod driver;
mod files;
mod host;
mod orders;
mod process;
mod state;
mod subject;
mod watching;

#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::contract::{Happening, Job, Launch, Level, Notice, Post, Signal, Size, Stdio, Stdstream, Unwanted, Whom};
use crate::machine::CANCEL;

pub use answers::{body, keys, schema_defaults, with};
pub use behaviour::Behaviour;
pub use orders::Orders;
pub use subject::{Native, Subject};

use files::Node;
use state::{Due, State};

/// A host that only pretends. Clones share one state, so that a component's imports can hold one.
#[derive(Clone, Debug)]
pub struct Fake(Arc<Mutex<State>>);

/// A signal that a policy sent.
#[derive(Clone, Debug, PartialEq)]
pub struct Sent {
    /// When, in milliseconds since the fake was made.
    pub at: u64,
    /// To which job.
    pub job: String,
    /// Which signal.
    pub signal: Signal,
    /// To whom of it.
    pub whom: Whom,
}

/// What the human says who is asked before a call may go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Human {
    /// There is nobody to ask.
    Absent,
    /// Yes, to everything.
    Approves,
    /// No, to everything.
    Refuses,
}

impl Default for Fake {
    fn default() -> Self {
        Self::new()
    }
}

impl Fake {
    /// Makes a host with an empty project at `/project`, a home at `/home/agent`, and `sh` and `bash` in `/bin`.
    pub fn new() -> Self {
        Self(Arc::new(Mutex::new(State::new())))
    }

    /// Adds a directory. Paths start at the project's root; what is above a path comes with it.
    pub fn directory(&self, path: &str) -> &Self {
        self.node(path, Node::Directory { closed: false })
    }

    /// Adds a directory that may be neither read nor entered.
    pub fn closed_directory(&self, path: &str) -> &Self {
        self.node(path, Node::Directory { closed: true })
    }

    /// Adds a file.
    pub fn file(&self, path: &str) -> &Self {
        self.node(path, Node::File)
    }

    /// Adds a symbolic link.
    pub fn link(&self, path: &str, target: &str) -> &Self {
        self.node(path, Node::Link(target.into()))
    }

    fn node(&self, path: &str, node: Node) -> &Self {
        self.state().files.add(path, node);
        self
    }

    /// Installs a program at an absolute path, to be found by its last name.
    pub fn program(&self, path: &str) -> &Self {
        let name = path.rsplit('/').next().unwrap_or(path).to_owned();
        self.state().programs.insert(name, path.into());
        self
    }

    /// Uninstalls every program of this name.
    pub fn without_program(&self, name: &str) -> &Self {
        self.state().programs.remove(name);
        self
    }

    /// Gives the policy these settings; the next call has `describe` look at them first, as a host does.
    pub fn settings_json(&self, json: &str) -> &Self {
        let mut state = self.state();
        state.settings = json.into();
        state.described = false;
        drop(state);
        self
    }

    /// Says how a command behaves that is written exactly so.
    pub fn on(&self, command: &str, behaviour: Behaviour) -> &Self {
        self.state().scripts.insert(command.into(), behaviour);
        self
    }

    /// Says how all commands behave that are not scripted. Without this such a command fails the test.
    pub fn otherwise(&self, behaviour: Behaviour) -> &Self {
        self.state().otherwise = Some(behaviour);
        self
    }

    /// Says what the human says who is asked.
    pub fn human(&self, human: Human) -> &Self {
        self.state().human = human;
        self
    }

    /// Brings an event to the job that the next launch starts, so many milliseconds after that launch.
    ///
    /// It is brought whatever state the job is in, unless the job has ended: so are late and repeated events tested.
    pub fn at(&self, millis: u64, happening: Happening) -> &Self {
        self.state().injections.push((millis, happening));
        self
    }

    /// Brings a cancellation to the job that the next launch starts.
    pub fn cancelled_at(&self, millis: u64) -> &Self {
        self.at(millis, Happening::Posted(Post { name: CANCEL.into(), data: "null".into() }))
    }

    /// Has the host want the job ended that the next launch starts.
    pub fn unwanted_at(&self, millis: u64, why: Unwanted) -> &Self {
        self.at(millis, Happening::Unwanted(why))
    }

    /// Gives every launch that was accepted, in order.
    pub fn launches(&self) -> Vec<Launch> {
        self.state().launches.clone()
    }

    /// Gives the signals sent so far.
    pub fn signals(&self) -> Vec<Sent> {
        self.state().signals.clone()
    }

    /// Gives what was logged so far.
    pub fn logs(&self) -> Vec<(Level, String)> {
        self.state().logs.clone()
    }

    /// Gives the notices published so far.
    pub fn notices(&self) -> Vec<Notice> {
        self.state().notices.clone()
    }

    /// Gives every job, oldest first, whatever its session.
    pub fn all_jobs(&self) -> Vec<Job> {
        let state = self.state();
        state.jobs.iter().map(|job| state.view(job)).collect()
    }

    /// Gives the bytes written to a job's input.
    pub fn written(&self, job: &str) -> Vec<u8> {
        self.state().job(job).map(|job| job.input.clone()).unwrap_or_default()
    }

    /// Tells whether a job's input was closed.
    pub fn input_closed(&self, job: &str) -> bool {
        self.state().job(job).is_some_and(|job| job.input_closed)
    }

    /// Gives the size of a job's terminal.
    pub fn terminal_size(&self, job: &str) -> Option<Size> {
        match self.state().job(job)?.launch.stdio {
            Stdio::Terminal(size) | Stdio::RawTerminal(size) => Some(size),
            Stdio::Pipes(_) => None,
        }
    }

    /// Gives the time since the fake was made, in milliseconds.
    pub fn elapsed(&self) -> u64 {
        self.state().now / 1000
    }

    /// Keeps no more items of a job from now on, and says why.
    pub fn keeps_no_more(&self, job: &str, why: &str) {
        if let Some(job) = self.state().job_mut(job) {
            job.stored.failed = Some(why.into());
        }
    }

    /// Gives what a stream of a job has brought, all of it, kept or not.
    pub fn printed(&self, job: &str, stream: Stdstream) -> u64 {
        let state = self.state();
        state.job(job).map(|job| job.capture(stream).total()).unwrap_or_default()
    }

    /// Tells whether a live document of the session `session` is pinned; none where there is no such document.
    pub fn is_pinned(&self, label: &str) -> Option<bool> {
        self.state().blocks.get(&("session".into(), label.into())).map(|block| block.1)
    }

    /// Gives the directory of a lasting shell of the session `session`.
    pub fn shell(&self, name: &str) -> Option<String> {
        self.state().shells.get(&("session".into(), name.into())).cloned()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A test that failed while it held the state says more than a poisoned lock would.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Puts something on the calendar, so many microseconds from now.
    fn schedule(&mut self, after: u64, due: Due) {
        self.sequence += 1;
        self.calendar.insert((self.now + after, self.sequence), due);
    }
}
