//! Everything the fake host knows.

use std::collections::BTreeMap;

use crate::contract::{
    BlockError, Chunk, Content, Exit, Happening, Item, Job, Launch, Level, Notice, Post, Progress, RecordedEvent,
    Recovery, RunPlace as Place, Stdstream, Storage, StreamState,
};

use super::behaviour::Behaviour;
use super::capture::Capture;
use super::files::Files;
use super::watching::Watching;
use super::{Human, Sent};

/// The wall clock when a fake is made: 2026-11-20T12:00:00Z.
const EPOCH: u64 = 1_795_176_000_000;

#[derive(Debug)]
pub(super) struct State {
    pub(super) files: Files,
    pub(super) programs: BTreeMap<String, String>,
    pub(super) settings: String,
    /// Whether `describe` has seen these settings.
    pub(super) described: bool,
    pub(super) scripts: BTreeMap<String, Behaviour>,
    pub(super) otherwise: Option<Behaviour>,
    pub(super) human: Human,
    pub(super) injections: Vec<(u64, Happening)>,

    /// Microseconds since the fake was made.
    pub(super) now: u64,
    pub(super) sequence: u64,
    pub(super) calendar: BTreeMap<(u64, u64), Due>,
    pub(super) calls: u64,
    pub(super) jobs: Vec<JobState>,
    pub(super) entry: Entry,

    /// The directories of lasting shells, by session and name.
    pub(super) shells: BTreeMap<(String, String), String>,
    /// Live documents by session and label: of which job, and whether it is pinned.
    pub(super) blocks: BTreeMap<(String, String), (String, bool)>,

    pub(super) launches: Vec<Launch>,
    pub(super) signals: Vec<Sent>,
    pub(super) logs: Vec<(Level, String)>,
    pub(super) notices: Vec<Notice>,
    /// What the policy did against the contract in this entry.
    pub(super) violations: Vec<String>,
}

/// The entry that runs now.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Entry {
    None,
    Review,
    Call { id: String, session: String, tool: String, started: Option<String> },
    Advance { session: String },
    Settle { session: String },
}

/// Something on the calendar.
#[derive(Clone, Debug)]
pub(super) enum Due {
    /// A process begins, or turns out not to.
    Begins(String),
    /// A process prints.
    Prints(String, Stdstream, Vec<u8>),
    /// A process ends; the number says whether the plan still holds.
    Ends(String, u64, Exit),
    /// The drain after an end is over.
    Drained(String, Exit),
    /// A timer fires; the number says whether it is still armed so.
    Fires(String, String, u64),
    /// What was printed is reported.
    Reports(String),
    /// An event that comes whatever the state.
    Happens(String, Happening),
    /// Something posted to a job.
    Posted(String, Post),
    /// The host has restarted.
    Recovers(String, Recovery),
    /// Only time passes.
    Nothing,
}

/// Where a job's process is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    Queued,
    Starting,
    Running,
    Gone,
}

#[derive(Clone, Debug)]
pub(super) struct JobState {
    /// The session of the call, which decides who may see the job; the job itself has the one its launch names.
    pub(super) owner: String,
    pub(super) job: Job,
    pub(super) launch: Launch,
    pub(super) behaviour: Behaviour,
    pub(super) stage: Stage,
    /// How the next host finds it, where one that shuts down has left it.
    pub(super) left: Option<Recovery>,
    /// Microseconds at which the process began and ended.
    pub(super) began: Option<u64>,
    pub(super) gone: Option<u64>,
    /// Counts the plans for the process's end; only the newest holds.
    pub(super) plan: u64,
    pub(super) timers: BTreeMap<String, u64>,
    pub(super) stdout: Capture,
    pub(super) stderr: Capture,
    /// Bytes printed since the last report, and when that was.
    pub(super) unreported: Progress,
    pub(super) reported: Option<u64>,
    pub(super) input: Vec<u8>,
    pub(super) input_closed: bool,
    /// What the items hold of the output.
    pub(super) stored: Storage,
    pub(super) watching: Watching,
    /// Output in order of arrival.
    pub(super) arrival: Vec<u8>,
    pub(super) items: Vec<Item>,
}

impl State {
    pub(super) fn new() -> Self {
        let programs = ["sh", "bash"].map(|name| (name.to_owned(), format!("/bin/{name}")));
        Self {
            files: Files::new(),
            programs: programs.into(),
            settings: "{}".into(),
            described: false,
            scripts: BTreeMap::new(),
            otherwise: None,
            human: Human::Absent,
            injections: Vec::new(),
            now: 0,
            sequence: 0,
            calendar: BTreeMap::new(),
            calls: 0,
            jobs: Vec::new(),
            entry: Entry::None,
            shells: BTreeMap::new(),
            blocks: BTreeMap::new(),
            launches: Vec::new(),
            signals: Vec::new(),
            logs: Vec::new(),
            notices: Vec::new(),
            violations: Vec::new(),
        }
    }

    /// The wall clock.
    pub(super) fn instant(&self) -> u64 {
        EPOCH + self.now / 1000
    }

    pub(super) fn job(&self, id: &str) -> Option<&JobState> {
        self.jobs.iter().find(|job| job.job.id == id)
    }

    pub(super) fn job_mut(&mut self, id: &str) -> Option<&mut JobState> {
        self.jobs.iter_mut().find(|job| job.job.id == id)
    }

    /// The session of the running entry; of the test itself, the first.
    pub(super) fn own_session(&self) -> String {
        match &self.entry {
            Entry::Call { session, .. } | Entry::Advance { session } | Entry::Settle { session } => session.clone(),
            Entry::None | Entry::Review => "session".into(),
        }
    }

    /// The session whose jobs the running entry may see; the test itself sees those of every session.
    pub(super) fn may_see(&self, session: &str) -> bool {
        match &self.entry {
            Entry::None => true,
            Entry::Review => false,
            Entry::Call { session: own, .. } | Entry::Advance { session: own } | Entry::Settle { session: own } => {
                own == session
            }
        }
    }

    pub(super) fn visible(&self, id: &str) -> Option<&JobState> {
        self.job(id).filter(|job| self.may_see(&job.owner))
    }

    /// Pins a live document of the running entry's session, or unpins it.
    pub(super) fn pinned(&mut self, label: &str, pinned: bool) -> Result<(), BlockError> {
        let key = (self.own_session(), label.to_owned());
        self.blocks.get_mut(&key).map(|block| block.1 = pinned).ok_or(BlockError::NotFound)
    }

    /// Notes something against the contract; the driver fails the test with it after the entry.
    pub(super) fn violation(&mut self, text: String) {
        self.violations.push(text);
    }

    /// A job as a policy sees it now.
    pub(super) fn view(&self, state: &JobState) -> Job {
        let stream = |capture: &Capture| StreamState {
            total: capture.total(),
            dropped: capture.dropped(),
            leaked: capture.leaked,
            closed: capture.closed,
        };
        let mut job = state.job.clone();
        job.duration = state.elapsed(self.now);
        job.timers = state.timers.keys().cloned().collect();
        job.stdout = stream(&state.stdout);
        job.stderr = stream(&state.stderr);
        job.last_seq = state.items.len() as u64;
        job
    }
}

/// A stream that has brought nothing yet.
pub(super) fn stream_start() -> StreamState {
    StreamState { total: 0, dropped: 0, leaked: false, closed: false }
}

impl JobState {
    /// Microseconds that the process has run, or ran.
    pub(super) fn elapsed(&self, now: u64) -> u64 {
        self.began.map(|began| self.gone.unwrap_or(now).saturating_sub(began)).unwrap_or(0)
    }

    pub(super) fn capture(&self, stream: Stdstream) -> &Capture {
        match stream {
            Stdstream::Stdout => &self.stdout,
            Stdstream::Stderr => &self.stderr,
        }
    }

    pub(super) fn capture_mut(&mut self, stream: Stdstream) -> &mut Capture {
        match stream {
            Stdstream::Stdout => &mut self.stdout,
            Stdstream::Stderr => &mut self.stderr,
        }
    }

    /// Tells whether it is a command in the lasting shell of this name that has not left it.
    pub(super) fn is_in_shell(&self, name: &str) -> bool {
        let inside = matches!(&self.launch.place, Place::ShellSession(shell) if shell.name == name);
        inside && self.stage != Stage::Gone && !self.has_ended()
    }

    pub(super) fn has_ended(&self) -> bool {
        self.job.ending.is_some()
    }

    /// Records an item of a durable job.
    pub(super) fn record(&mut self, at: u64, content: Content) {
        if self.launch.durable && self.stored.failed.is_none() {
            let seq = self.items.len() as u64 + 1;
            self.items.push(Item { seq, at, content });
        }
    }

    /// Records output of a durable job, up to as much as it may store.
    pub(super) fn record_output(&mut self, at: u64, stream: Stdstream, bytes: &[u8]) {
        if self.stored.failed.is_some() {
            return;
        }
        let stored = self.stored.stdout + self.stored.stderr;
        let room = self.launch.keep.stored.unwrap_or(u64::MAX).saturating_sub(stored);
        let taken = &bytes[..bytes.len().min(usize::try_from(room).unwrap_or(usize::MAX))];
        let side = if stream == Stdstream::Stdout { &mut self.stored.stdout } else { &mut self.stored.stderr };
        *side += taken.len() as u64;
        let text = String::from_utf8_lossy(taken).into_owned();
        let chunk = Chunk { text, invalid: std::str::from_utf8(taken).is_err() };
        if !taken.is_empty() {
            self.record(at, if stream == Stdstream::Stdout { Content::Stdout(chunk) } else { Content::Stderr(chunk) });
        }
    }

    /// Records an event of a durable job.
    pub(super) fn record_event(&mut self, at: u64, name: &str, data: String) {
        self.record(at, Content::Event(RecordedEvent { name: name.into(), data }));
    }
}
