//! A job's record and the handles on what runs for it.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use tokio::sync::{mpsc, watch};

use super::launch;
use super::recorder::{Known, Purpose, Recorder};
use super::timers::{Timers, TooMany};
use super::typed::Line;
use super::work::Work;
use crate::blocks::{Blocks, Source, Taken};
use crate::clock;
use crate::host::Shared;
use crate::policy::contract::processes::Launch;
use crate::policy::contract::types::{Ending, Exited, Step, Unwanted};
use crate::policy::{Consent, Fault};
use crate::process::{Output, Traces};
use crate::store::{Phase, Run, Standing, Store, Stored};

/// How many messages may wait for a job's machine.
const INBOX: usize = 1024;

/// What is settled about a job before it starts and never changes.
#[derive(Debug)]
pub(crate) struct Birth {
    pub id: String,
    /// The session of the call: decides who may see the job.
    pub session: String,
    /// The session as the policy names it in records.
    pub label: String,
    pub call: String,
    pub tool: String,
    pub command: String,
    pub directory: String,
    pub timeout: Option<Duration>,
    pub status: String,
    pub memo: String,
    /// What to run, and how.
    pub launch: Arc<Launch>,
    /// What guards had left to a human when it was accepted, and to which the human said yes.
    pub consented: Vec<Consent>,
}

/// A message to a job's actor.
#[derive(Debug)]
pub(crate) enum Message {
    /// Something posted to the job's machine.
    Posted { name: String, data: String },
    /// The host wants it ended.
    Unwanted(Unwanted),
    /// Its timers were changed from outside its own machine.
    TimersChanged,
}

/// Why a message was not taken.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum PostRefused {
    Ended,
    Full,
}

/// How a job ended.
#[derive(Clone, Debug)]
pub(crate) struct Ended {
    pub ending: Ending,
    pub at: u64,
    /// Set when it ended because the policy failed.
    pub fault: Option<Fault>,
}

/// What changes while a job lives.
#[derive(Debug)]
pub(super) struct State {
    pub status: String,
    pub memo: String,
    pub started: Option<Start>,
    pub exited: Option<(Exited, Duration)>,
    pub ended: Option<Ended>,
    pub timers: Timers,
    /// Who decided last.
    pub policy: Arc<str>,
    /// Counted up when the status changes.
    pub statuses: u64,
    /// Counted up when a step releases the waiting calls.
    pub releases: u64,
    /// Counted up when a watch has matched.
    pub hits: u64,
    /// The number of the newest match's item; 0 where it has none.
    pub hit_seq: u64,
    /// How it stood when an earlier host left it, or as another host says; until it runs here.
    pub earlier: Option<Box<Standing>>,
    /// Whether the call that started it waits for its end, so that nobody else has to be told.
    pub awaited: bool,
    /// Left to the next host as it stands, as this one ends.
    pub left: bool,
}

/// The start of a job's process.
#[derive(Clone, Copy, Debug)]
pub(super) struct Start {
    pub at: u64,
    pub instant: Instant,
    pub pid: i32,
}

impl State {
    /// Takes over how a run stood that another host has, or had, in hand.
    fn stood(&mut self, standing: Standing) {
        self.releases = standing.releases;
        self.earlier = Some(Box::new(standing));
    }
}

/// A launch as it is kept, with all that is needed to run it again.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct KeptLaunch {
    #[serde(flatten)]
    pub launch: Launch,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub consented: Vec<Consent>,
}

/// One job.
pub(crate) struct Job {
    pub birth: Birth,
    pub created_at: u64,
    inbox: mpsc::Sender<Message>,
    state: Mutex<State>,
    work: OnceLock<Arc<Work>>,
    output: OnceLock<Output>,
    /// The label of its live output document.
    block: OnceLock<String>,
    /// Sees its output, where somebody wants to know more of it than what is kept.
    recorder: Option<Arc<Recorder>>,
    /// What is known of its items from the store, where it is only known from there.
    known: Known,
    /// Where a durable job is kept.
    store: Option<Arc<dyn Store>>,
    /// By what its processes will be found by a later host.
    traces: Mutex<Option<Traces>>,
    line: Line,
    changes: watch::Sender<()>,
    /// Told when items of its output are kept.
    prints: watch::Sender<()>,
}

/// A change of a job of which those who wait are told when this is dropped: who is woken by the end of a job finds its
/// notices published.
#[must_use]
pub(super) struct Change<'a>(&'a Job);

impl Drop for Change<'_> {
    fn drop(&mut self) {
        self.0.changes.send_replace(());
    }
}

impl Job {
    /// Makes a job that has not started, and the receiving end of its inbox.
    pub(crate) fn new(
        shared: &Shared,
        birth: Birth,
        policy: Arc<str>,
        purpose: Option<Purpose>,
    ) -> (Arc<Self>, mpsc::Receiver<Message>) {
        let (job, messages) = Self::make(birth, clock::now(), policy, purpose, Known::default());
        let traces = job.store.as_ref().map(|_| Traces::to_come(launch::mark(shared, job.id())));
        (Arc::new(Self { traces: Mutex::new(traces), ..job }), messages)
    }

    /// Makes a job of a run that an earlier host has left.
    pub(super) fn recovered(
        shared: &Shared,
        run: Run,
        launch: KeptLaunch,
        purpose: Purpose,
    ) -> (Arc<Self>, mpsc::Receiver<Message>) {
        let birth = Birth::of_run(&run, launch);
        let known = Known { seq: run.last_seq, stored: run.stored };
        let (job, messages) =
            Self::make(birth, run.created_at, run.standing.stamp.as_str().into(), Some(purpose), known);
        let traces = Mutex::new(Some(Traces::to_come(launch::mark(shared, job.id()))));
        let job = Self { traces, ..job };
        job.state().stood(run.standing);
        (Arc::new(job), messages)
    }

    /// Makes a job of a run that is only looked at: nothing can be asked of it.
    pub(crate) fn of_record(run: Run) -> Result<Arc<Self>, serde_json::Error> {
        let birth = Birth::of_run(&run, serde_json::from_str(&run.launch)?);
        let known = Known { seq: run.last_seq, stored: run.stored };
        let (job, _) = Self::make(birth, run.created_at, run.standing.stamp.as_str().into(), None, known);
        let standing = run.standing.running_on(clock::now());
        {
            let mut state = job.state();
            if let (Some(ending), Some(at)) = (standing.ending, standing.ended_at) {
                state.ended = Some(Ended { ending, at, fault: None });
            }
            state.stood(standing);
        }
        Ok(Arc::new(job))
    }

    fn make(
        birth: Birth,
        created_at: u64,
        policy: Arc<str>,
        purpose: Option<Purpose>,
        known: Known,
    ) -> (Self, mpsc::Receiver<Message>) {
        let (inbox, messages) = mpsc::channel(INBOX);
        let prints = watch::Sender::new(());
        let store = purpose.as_ref().and_then(|purpose| Some(Arc::clone(&purpose.store.as_ref()?.0)));
        let recorder = purpose.map(|purpose| Recorder::new(&birth.id, purpose, known, &prints));
        let state = State {
            status: birth.status.clone(),
            memo: birth.memo.clone(),
            started: None,
            exited: None,
            ended: None,
            timers: Timers::default(),
            policy,
            statuses: 0,
            releases: 0,
            hits: 0,
            hit_seq: 0,
            earlier: None,
            awaited: false,
            left: false,
        };
        let job = Self {
            birth,
            created_at,
            inbox,
            state: Mutex::new(state),
            work: OnceLock::new(),
            output: OnceLock::new(),
            block: OnceLock::new(),
            recorder,
            known,
            store,
            traces: Mutex::default(),
            line: Line::default(),
            changes: watch::Sender::new(()),
            prints,
        };
        (job, messages)
    }

    /// The line being typed into it, with more typed behind it.
    pub(crate) fn line_with(&self, more: &[u8]) -> String {
        self.line.with(more)
    }

    /// Notes what was typed into it.
    pub(crate) fn typed(&self, bytes: &[u8]) {
        self.line.note(bytes);
    }

    pub(crate) fn id(&self) -> &str {
        &self.birth.id
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        // A poisoned record is still the best there is; every change to it is a few plain assignments.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that its process runs, and since when: its start takes part of its time.
    pub(crate) fn started(&self, work: Work, since: Instant) {
        let mut state = self.state();
        state.started = Some(Start { at: clock::now(), instant: since, pid: work.pid() });
        if let Some(timeout) = self.birth.timeout {
            // A job that has just begun has no timers yet, so there is room.
            let _ = state.timers.arm("timeout", since, timeout);
        }
        state.earlier = None;
        if self.store.is_some() {
            *self.traces.lock().unwrap_or_else(PoisonError::into_inner) = work.tree().map(|tree| tree.traces());
        }
        // A job starts once: nothing is in these yet.
        let _ = self.output.set(work.output().clone());
        let _ = self.work.set(Arc::new(work));
    }

    /// Whether this host only knows it from the store, and has it not in hand.
    pub(crate) fn is_elsewhere(&self) -> bool {
        self.birth.launch.durable && self.store.is_none()
    }

    /// Leaves it to the next host as it stands: calls that wait are settled, and it is never noted to have ended.
    pub(super) fn leave(&self) {
        let mut state = self.state();
        state.left = true;
        state.releases += 1;
        drop(state);
        self.changes.send_replace(());
    }

    pub(super) fn is_left(&self) -> bool {
        self.state().left
    }

    /// Where it is kept, if it is durable.
    pub(crate) fn store(&self) -> Option<&Arc<dyn Store>> {
        self.store.as_ref()
    }

    /// The number of its newest item.
    pub(crate) fn last_seq(&self) -> u64 {
        self.recorder.as_ref().map_or(self.known.seq, |recorder| recorder.last_seq())
    }

    /// What its items hold of its output.
    pub(crate) fn stored(&self) -> Stored {
        self.recorder.as_ref().map_or(self.known.stored, |recorder| recorder.stored())
    }

    /// Why nothing more of it is recorded, in this life or in one that has not been followed by another yet.
    pub(crate) fn store_error(&self) -> Option<String> {
        let failed = self.recorder.as_ref().and_then(|recorder| recorder.failed());
        failed.map(|error| error.to_string()).or_else(|| self.state().earlier.as_ref()?.store_error.clone())
    }

    /// Its newest output when it ended, where that was kept apart from its items.
    pub(crate) fn last_snippet(&self) -> Option<String> {
        self.state().earlier.as_ref()?.snippet.clone()
    }

    /// By what its processes are found by a later host.
    pub(super) fn traces(&self) -> Option<Traces> {
        self.traces.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Forgets how it stood in its earlier life: it is queued anew.
    pub(super) fn begin_anew(&self) {
        self.state().earlier = None;
        if let Some(recorder) = &self.recorder {
            recorder.begin_anew();
        }
    }

    /// Where it is.
    pub(super) fn phase(&self) -> Phase {
        let state = self.state();
        match (&state.ended, &state.started) {
            (Some(_), _) => Phase::Ended,
            (None, Some(_)) => Phase::Running,
            (None, None) => state.earlier.as_ref().map_or(Phase::Queued, |earlier| earlier.phase),
        }
    }

    pub(crate) fn recorder(&self) -> Option<&Arc<Recorder>> {
        self.recorder.as_ref()
    }

    /// What runs, or ran, for it.
    pub(crate) fn work(&self) -> Option<&Arc<Work>> {
        self.work.get()
    }

    pub(crate) fn output(&self) -> Option<&Output> {
        self.output.get()
    }

    /// Opens a live document of its output; none where it has not started.
    pub(crate) fn open_block(&self, blocks: &Blocks, label: &str) -> Option<Result<(), Taken>> {
        let output = self.output()?.clone();
        let source = Source {
            session: self.birth.session.clone(),
            label: label.to_owned(),
            job: self.birth.id.clone(),
            command: self.birth.command.clone(),
            directory: self.birth.directory.clone(),
            started_at: self.state().started.map_or(self.created_at, |start| start.at),
        };
        let opened = blocks.open(source, output);
        if opened.is_ok() {
            // The first label is the one that its record shows.
            let _ = self.block.set(label.to_owned());
        }
        Some(opened)
    }

    pub(super) fn block(&self) -> Option<&String> {
        self.block.get()
    }

    pub(crate) fn ended(&self) -> Option<Ended> {
        self.state().ended.clone()
    }

    /// Notes that the call which started it waits for its end.
    pub(crate) fn await_end(&self) {
        self.state().awaited = true;
    }

    pub(super) fn is_awaited(&self) -> bool {
        self.state().awaited
    }

    pub(crate) fn is_running(&self) -> bool {
        self.state().ended.is_none()
    }

    /// Sends a message to its actor.
    pub(crate) fn post(&self, message: Message) -> Result<(), PostRefused> {
        if !self.is_running() {
            return Err(PostRefused::Ended);
        }
        self.inbox.try_send(message).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => PostRefused::Full,
            mpsc::error::TrySendError::Closed(_) => PostRefused::Ended,
        })
    }

    /// Whether a timer is armed.
    pub(super) fn has_timers(&self) -> bool {
        self.state().timers.next().is_some()
    }

    /// Arms a timer; its actor is told unless it asks itself.
    pub(crate) fn arm(&self, name: &str, after: Duration) -> Result<(), TooMany> {
        self.state().timers.arm(name, Instant::now(), after)?;
        self.wake();
        Ok(())
    }

    pub(crate) fn disarm(&self, name: &str) {
        self.state().timers.disarm(name);
        self.wake();
    }

    fn wake(&self) {
        // A full inbox wakes the actor anyway, and an ended job has no timers to look at.
        let _ = self.inbox.try_send(Message::TimersChanged);
    }

    /// Takes over what a step says. What is ended stays ended.
    pub(super) fn apply(&self, step: &Step, policy: Arc<str>, at: u64) -> Change<'_> {
        let mut state = self.state();
        self.status_has_come();
        if state.ended.is_some() {
            return Change(self);
        }
        if state.status != step.status {
            state.status.clone_from(&step.status);
            state.statuses += 1;
        }
        state.memo.clone_from(&step.memo);
        state.policy = policy;
        state.releases += u64::from(step.release);
        state.awaited &= !step.release;
        if let Some(ending) = step.ended {
            end(&mut state, ending, at, None);
        }
        Change(self)
    }

    /// Notes that the policy was told of a watch's match.
    pub(super) fn was_hit(&self, seq: u64) {
        let mut state = self.state();
        state.hits += 1;
        state.hit_seq = seq;
        drop(state);
        self.changes.send_replace(());
    }

    /// Ends a job that its policy cannot end; none where it has ended before.
    pub(super) fn fail(&self, ending: Ending, status: &str, at: u64, fault: Option<Fault>) -> Option<Change<'_>> {
        let mut state = self.state();
        self.status_has_come();
        if state.ended.is_some() {
            return None;
        }
        status.clone_into(&mut state.status);
        state.statuses += 1;
        end(&mut state, ending, at, fault);
        Some(Change(self))
    }

    /// Has its items tell of the status that it takes on. The state is locked meanwhile, so that a record has both.
    fn status_has_come(&self) {
        if let Some(recorder) = &self.recorder {
            recorder.has_come();
        }
    }

    /// Whether its items tell of the status that it has.
    pub(super) fn has_status_item(&self) -> bool {
        self.recorder.as_ref().is_none_or(|recorder| recorder.has_status())
    }

    /// Tells of every change to the job's status, memo and end; not of its output.
    pub(crate) fn changes(&self) -> watch::Receiver<()> {
        self.changes.subscribe()
    }

    /// Tells when items of its output are kept.
    pub(super) fn prints(&self) -> watch::Receiver<()> {
        self.prints.subscribe()
    }

    /// Waits until the job has ended.
    pub(crate) async fn until_ended(&self) {
        // The sender is a part of this job, so the channel cannot be closed.
        let _ = self.changes().wait_for(|()| !self.is_running()).await;
    }

    /// Time since its process started, up to the exit.
    pub(super) fn elapsed(&self) -> Duration {
        elapsed(&self.state())
    }
}

pub(super) fn elapsed(state: &State) -> Duration {
    match (&state.exited, &state.started) {
        (Some((_, elapsed)), _) => *elapsed,
        (None, Some(start)) => start.instant.elapsed(),
        (None, None) => state.earlier.as_ref().map_or(Duration::ZERO, |earlier| earlier.ran_for()),
    }
}

fn end(state: &mut State, ending: Ending, at: u64, fault: Option<Fault>) {
    state.ended = Some(Ended { ending, at, fault });
    state.timers.clear();
}

impl std::fmt::Debug for Job {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Job").field("birth", &self.birth).field("state", &self.state()).finish_non_exhaustive()
    }
}
