//! Where durable runs are kept: what was launched, how it stands, and what it printed, item by item.
//!
//! Behind one trait: a database in the project's data directory, and memory for hosts that should leave nothing. The
//! host opens it when a policy first asks for a durable job. It knows nothing of processes; who may run what is
//! decided by `jobs/`, with the owners recorded here.

mod error;
mod memory;
mod owner;
mod runs;
mod sqlite;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use tokio::sync::oneshot;

pub use self::error::StoreError;
pub(crate) use self::memory::Memory;
pub use self::runs::{KillRequest, Runs};
pub(crate) use self::sqlite::Sqlite;
use crate::policy::contract::output::Item;
use crate::policy::contract::types::{Ending, Exit, Stdstream, StreamState};
use crate::process::Traces;

/// How many items one page has at most.
pub(crate) const PAGE: u32 = 1000;

/// How many bytes of text one page has, but for its first item.
const PAGE_BYTES: usize = 1 << 20;

/// What is called when a change is kept, or could not be.
pub(crate) type Done = Box<dyn FnOnce(Result<(), StoreError>) + Send>;

/// A durable run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Run {
    /// The job's id.
    pub id: String,
    /// The session of the call: decides who may see it.
    pub session: String,
    /// The session as the policy names it.
    pub label: String,
    /// The call that started it.
    pub call: String,
    /// The tool of that call.
    pub tool: String,
    /// The name of the policy it belongs to.
    pub policy: String,
    /// The command as the agent wrote it.
    pub command: String,
    /// The directory it runs in.
    pub directory: String,
    /// The longest it may run, in milliseconds.
    pub timeout_ms: Option<u64>,
    /// When the call was accepted, in milliseconds since 1970.
    pub created_at: u64,
    /// How it stands.
    #[serde(flatten)]
    pub standing: Standing,
    /// The number of its newest item.
    pub last_seq: u64,
    /// What its items hold of its output.
    #[serde(skip)]
    pub(crate) stored: Stored,
    /// The launch, to run it again.
    #[serde(skip)]
    pub(crate) launch: String,
}

/// What changes while a run lives.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Standing {
    /// Where it is.
    pub phase: Phase,
    /// The policy's own word.
    pub status: String,
    /// The policy's own JSON.
    #[serde(skip)]
    pub memo: String,
    /// Who decided last: name, version and digest.
    #[serde(rename = "decided_by")]
    pub stamp: String,
    /// When its process started.
    pub started_at: Option<u64>,
    /// When it ended.
    pub ended_at: Option<u64>,
    /// How long its process ran, in microseconds.
    pub duration_us: u64,
    /// The number of its process.
    pub pid: Option<u32>,
    /// How its process ended.
    pub exit: Option<Exit>,
    /// How it ended.
    pub ending: Option<Ending>,
    /// What the host has to say about its end.
    pub error: Option<String>,
    /// Why nothing more of it was recorded from some point on.
    pub store_error: Option<String>,
    /// Its newest output when it ended, where its items do not hold that.
    #[serde(skip)]
    pub(crate) snippet: Option<String>,
    /// How often its policy has released the calls that wait for it.
    #[serde(skip)]
    pub(crate) releases: u64,
    /// Standard output.
    #[serde(skip)]
    pub(crate) stdout: StreamState,
    /// Standard error.
    #[serde(skip)]
    pub(crate) stderr: StreamState,
    /// By what its processes are found again.
    #[serde(skip)]
    pub(crate) traces: Option<Traces>,
}

impl Run {
    /// Bytes of what it has printed that no item holds: it was told to store no more, or could not.
    #[must_use]
    pub fn unstored(&self) -> u64 {
        let Self { standing, stored, .. } = self;
        let settled = standing.phase == Phase::Ended || standing.store_error.is_some();
        let printed = standing.stdout.total + standing.stderr.total;
        if settled { printed.saturating_sub(stored.bytes()) } else { 0 }
    }
}

/// Bytes of output that the items of a run hold, since it was last started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stored {
    pub stdout: u64,
    pub stderr: u64,
}

impl Stored {
    pub(crate) fn bytes(self) -> u64 {
        self.stdout + self.stderr
    }
}

impl Standing {
    /// The same of a run whose process runs in another host: it has run since its start.
    pub(crate) fn running_on(mut self, now: u64) -> Self {
        if let (Phase::Running, Some(started_at)) = (self.phase, self.started_at) {
            self.duration_us = now.saturating_sub(started_at) * 1000;
        }
        self
    }

    /// How long its process ran.
    pub(crate) fn ran_for(&self) -> Duration {
        Duration::from_micros(self.duration_us)
    }
}

/// Where a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// It waits for its turn.
    Queued,
    /// Its process runs.
    Running,
    /// It is over.
    Ended,
}

/// A change to what is kept. Changes of one run are kept in the order in which they are given.
#[derive(Debug)]
pub(crate) enum Change {
    /// A new run.
    Create(Box<Run>),
    /// How a run stands now.
    Save(Arc<str>, Box<Standing>),
    /// What it printed, and what happened to it; and what its items hold with these.
    Append(Arc<str>, Vec<Item>, Stored),
    /// Something for the machine of a run that another host has in hand.
    Post(Post),
    /// Nobody wants a run any more: a host that has it in hand ends it, this one or, where this one cannot, the next.
    Unwanted(Arc<str>),
}

/// Something for a run's machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Post {
    /// The run.
    pub run: String,
    pub name: String,
    pub data: String,
}

/// Whether a run can be reached through its host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// A host has it in hand.
    Attended,
    /// So much waits for its machine already that no more should.
    Full,
    /// Its host is gone.
    Unattended,
}

/// How much may wait for one run's machine on its way from another host.
const POSTS: u64 = 256;

/// Which runs are wanted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Which<'a> {
    pub session: Option<&'a str>,
    pub active: bool,
    pub ended: bool,
    /// The newest so many.
    pub limit: usize,
}

/// How long ended runs are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keep {
    /// At most so many.
    pub runs: u64,
    /// None that ended longer ago.
    pub age: Duration,
    /// Only as many as leave the whole store no larger, in bytes.
    pub bytes: u64,
}

impl Default for Keep {
    /// A thousand runs, thirty days, 1 GiB.
    fn default() -> Self {
        Self { runs: 1000, age: Duration::from_secs(30 * 24 * 3600), bytes: 1 << 30 }
    }
}

/// A store of durable runs. Reading never waits for a change that is being written.
pub(crate) trait Store: Send + Sync {
    /// Takes a change. Returns at once; `done` is called when it is kept, by another thread or by this.
    fn submit(&self, change: Change, done: Done);

    /// Gives a run.
    fn find(&self, id: &str) -> Result<Option<Run>, StoreError>;

    /// Gives runs, oldest first.
    fn list(&self, which: Which<'_>) -> Result<Vec<Run>, StoreError>;

    /// Gives items after `since`, in order: at most `limit`, and fewer where they are long.
    fn items(&self, id: &str, since: u64, limit: u32, stream: Option<Stdstream>) -> Result<Vec<Item>, StoreError>;

    /// Gives the newest items of output, newest first, until they hold `max` bytes.
    fn newest(&self, id: &str, max: usize) -> Result<Vec<Item>, StoreError>;

    /// Takes over the unfinished runs of a policy whose hosts are gone, oldest first.
    fn claim(&self, policy: &str) -> Result<Vec<Run>, StoreError>;

    /// Waits until all that was given is kept, or cannot be, for at most some seconds. Blocks.
    fn flush(&self) {}

    /// Gives the ids of this host's unfinished runs that somebody outside it wants ended.
    fn wanted_ended(&self) -> Result<Vec<String>, StoreError>;

    /// Whether what is posted to a run reaches it.
    fn reach(&self, _id: &str) -> Result<Reach, StoreError> {
        Ok(Reach::Unattended)
    }

    /// Takes what other hosts have posted to runs of this one, oldest first.
    fn posts(&self) -> Result<Vec<Post>, StoreError> {
        Ok(Vec::new())
    }

    /// Keeps what was given, takes no more, and lets go of the runs: from now on other hosts may claim them. What was
    /// kept can still be read. Blocks.
    fn close(&self) {}
}

impl dyn Store {
    /// Waits until a change is kept.
    pub(crate) async fn commit(&self, change: Change) -> Result<(), StoreError> {
        let (sender, kept) = oneshot::channel();
        self.submit(
            change,
            Box::new(move |result| {
                // Who does not wait any more has given up on it.
                let _ = sender.send(result);
            }),
        );
        match kept.await {
            Ok(result) => result,
            Err(_) => Err(StoreError::closed()),
        }
    }
}

/// Counts the bytes of a page as it grows, and says when it has enough.
#[derive(Default)]
struct PageSize(usize);

impl PageSize {
    /// Whether one more item of this size belongs on the page.
    fn takes(&mut self, item: &Item) -> bool {
        let first = self.0 == 0;
        self.0 += text_of(item).len() + 64;
        first || self.0 <= PAGE_BYTES
    }
}

/// The text of an item, or the content of an event.
pub(crate) fn text_of(item: &Item) -> &str {
    use crate::policy::contract::output::Content;
    match &item.content {
        Content::Stdout(chunk) | Content::Stderr(chunk) => &chunk.text,
        Content::Event(event) => &event.data,
    }
}
