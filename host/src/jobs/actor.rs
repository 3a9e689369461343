//! A job's actor: turns what happens into events, has the policy decide, and does what the step says.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;
use tokio::sync::mpsc;

use super::ceiling::{Place, Slot};
use super::job::{Job, Message};
use super::record::{exit, micros};
use super::recorder::Recorder;
use super::recovery::Left;
use super::work::{Finished, Work};
use super::{keeping, launch};
use crate::blocks::End;
use crate::clock;
use crate::host::Shared;
use crate::policy::contract::types::{
    self, Ending, Event, Exited, Happening, Notice, Post, Progress, Recovery, Refusal, StartError, Stdstream, Step,
    Unwanted,
};
use crate::policy::{Cause, Context, Entry, Fault, objection_to_rerun};
use crate::process::{self, Leaked, Tap};
use crate::store::Phase;
use crate::threads;

/// How long the pipes of a process that has ended are read before they count as held by somebody else.
const DRAIN: Duration = Duration::from_millis(100);

/// How long a process that a host had begun to start when it was killed may take until it shows its marks.
const STARTING: Duration = Duration::from_millis(500);

/// How long a durable job may take to end after SIGTERM when it is left to the next host.
const LEAVING: Duration = Duration::from_secs(1);

/// The status of a job that ended because its policy failed.
const FAULTED: &str = "policy_fault";

/// The status of a job that the host ended when its policy did not.
const ENDED_BY_HOST: &str = "ended_by_host";

/// How a job begins.
#[derive(Debug)]
pub(crate) enum Begin {
    /// Its process runs already.
    Running(Slot),
    /// It waits for its turn.
    InLine(Place),
    /// An earlier host has left it; it keeps its place in line until it is known what becomes of it.
    Recovered(Place, Left),
}

/// What an actor wakes for.
enum Next {
    /// Its turn has come.
    Turn(Slot),
    /// The process has ended; its output is not drained yet.
    Ended(process::Exit, Duration),
    /// The program in its terminal waits for its user.
    AwaitsInput,
    Hit(types::Hit),
    Printed(Progress),
    Message(Message),
    Timer(String),
    /// The host's own patience with a job that should end is over.
    Impatient,
}

struct Actor {
    shared: Arc<Shared>,
    job: Arc<Job>,
    inbox: mpsc::Receiver<Message>,
    stage: Stage,
    /// Until when a job that nobody wants may take to end.
    patience: Option<Instant>,
    /// Left to the next host, as this one shuts down.
    left: bool,
}

/// Where the job's process is.
enum Stage {
    /// It waits for its turn.
    InLine(Place),
    /// It runs. Its place under the ceiling is given back when it has exited.
    Running(Arc<Work>, Slot),
    /// It has exited, or never was.
    Gone,
}

/// Starts the actor of a job.
pub(crate) fn spawn(shared: &Arc<Shared>, job: Arc<Job>, inbox: mpsc::Receiver<Message>, begin: Begin) {
    let running = shared.actors.enter();
    let shared = Arc::clone(shared);
    let unfinished = Unfinished { job: Arc::clone(&job), shared: Arc::clone(&shared) };
    if let Some(recorder) = job.recorder() {
        recorder.look_after();
    }
    // What runs already has its document before its call is answered.
    if let Some(label) = &job.birth.launch.block {
        let _ = job.open_block(&shared.blocks, label);
    }
    tokio::spawn(async move {
        run(shared, job, inbox, begin).await;
        drop((unfinished, running));
    });
}

/// Ends a job whose actor is gone before its time, so that nobody waits for it for ever and nothing of it runs on.
struct Unfinished {
    job: Arc<Job>,
    shared: Arc<Shared>,
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        let job = &self.job;
        if !job.is_running() || job.is_left() {
            return;
        }
        if let Some(tree) = job.work().and_then(|work| work.tree()) {
            // What cannot be ended was said where the host ends.
            let _ = tree.kill_now();
        }
        match self.shared.is_gone() && job.store().is_some() {
            true => job.leave(),
            false => drop(job.fail(Ending::Failed, ENDED_BY_HOST, clock::now(), None)),
        }
    }
}

/// Runs a job to its end.
async fn run(shared: Arc<Shared>, job: Arc<Job>, inbox: mpsc::Receiver<Message>, begin: Begin) {
    let mut actor = Actor { shared, job, inbox, stage: Stage::Gone, patience: None, left: false };
    match begin {
        Begin::InLine(place) => actor.stage = Stage::InLine(place),
        Begin::Running(slot) => actor.runs(slot).await,
        Begin::Recovered(place, left) => actor.recovered(place, left).await,
    }
    while actor.job.is_running() && !actor.left {
        let next = actor.next().await;
        actor.handle(next).await;
    }
    if let Some(recorder) = actor.job.recorder() {
        recorder.finish();
    }
    actor.shared.jobs.ended(&actor.job, actor.shared.retention());
}

impl Actor {
    /// Waits for the next thing to happen. An exit comes before a timer that is due at the same time.
    async fn next(&mut self) -> Next {
        let job = Arc::clone(&self.job);
        let recorder = job.recorder();
        loop {
            if let Some(hit) = recorder.and_then(|recorder| recorder.hit()) {
                return Next::Hit(hit);
            }
            let timer = job.state().timers.next();
            let report = recorder.and_then(|recorder| recorder.report_due());
            let due = [timer, self.patience, report].into_iter().flatten().min();
            tokio::select! {
                biased;
                next = self.stage.next() => return match next {
                    Stirred::Turn(slot) => Next::Turn(slot),
                    Stirred::Ended(exit) => Next::Ended(exit, job.elapsed()),
                    Stirred::AwaitsInput => Next::AwaitsInput,
                },
                Some(message) = self.inbox.recv() => match message {
                    Message::TimersChanged => {}
                    other => return Next::Message(other),
                },
                () = news(recorder) => {}
                () = sleep_until(due) => {
                    let now = Instant::now();
                    let name = job.state().timers.take_due(now);
                    if let Some(name) = name {
                        return Next::Timer(name);
                    }
                    if self.patience.is_some_and(|patience| patience <= now) {
                        return Next::Impatient;
                    }
                    if report.is_some_and(|report| report <= now)
                        && let Some(progress) = recorder.and_then(|recorder| recorder.report(now))
                    {
                        return Next::Printed(progress);
                    }
                }
            }
        }
    }

    async fn handle(&mut self, next: Next) {
        if self.shared.is_gone() && self.job.store().is_some() {
            // What happens to it now the host does, by going: it stands on record as it stood before. It may have been
            // started a moment after all was killed.
            self.kill().await;
            return self.leave();
        }
        match next {
            Next::Turn(slot) => self.start(slot).await,
            Next::Ended(status, elapsed) => self.exited(status, elapsed).await,
            Next::AwaitsInput => drop(self.deliver(Happening::AwaitsInput).await),
            Next::Hit(hit) => self.hit(hit).await,
            Next::Printed(progress) => drop(self.deliver(Happening::Printed(progress)).await),
            Next::Timer(name) => {
                self.deliver(Happening::Timer(name)).await;
                self.require_an_end().await;
            }
            Next::Message(Message::Posted { name, data }) => {
                self.deliver(Happening::Posted(Post { name, data })).await;
            }
            Next::Message(Message::Unwanted(why)) => {
                self.unwanted(why).await;
            }
            Next::Message(Message::TimersChanged) => {}
            Next::Impatient => {
                let policy = self.shared.policy().stamp();
                tracing::warn!(job = self.job.id(), %policy, "the policy did not end a job in time; the host ends it");
                self.kill().await;
                self.end(Ending::Cancelled, ENDED_BY_HOST, "its policy did not end it in time", None).await;
            }
        }
    }

    async fn unwanted(&mut self, why: Unwanted) {
        self.patience.get_or_insert(Instant::now() + self.shared.limits.patience);
        let wish = self.deliver(Happening::Unwanted(why)).await;
        if wish == Wish::Again && why == Unwanted::Shutdown && self.job.store().is_some() && self.job.is_running() {
            self.end_to_leave().await;
            self.leave();
        }
    }

    /// Ends what runs of a job that the next host is to have. It is asked first, so that it can tidy up.
    async fn end_to_leave(&self) {
        let Some(work) = self.job.work().map(Arc::clone) else { return };
        let asked = work.signal(process::Signal::TERM, process::Whom::Tree);
        if asked.is_ok_and(|reached| reached > 0) {
            // One that does not end in time is killed.
            let _ = tokio::time::timeout(LEAVING, work.wait()).await;
        }
        work.kill().await;
        // What it printed last is still in its pipes.
        work.finish(DRAIN).await;
    }

    fn leave(&mut self) {
        self.left = true;
        self.job.leave();
    }

    /// Ends what has survived of a job that an earlier host has left, and has the policy say what becomes of it.
    async fn recovered(&mut self, place: Place, left: Left) {
        let traces = left.traces;
        if traces.as_ref().is_some_and(|traces| traces.leader.is_none()) {
            // Known by its environment alone, which a process that is being started just now does not show yet.
            tokio::time::sleep(STARTING).await;
        }
        let ended = threads::apart(move || traces.map(|traces| traces.kill_survivors()).unwrap_or_default());
        let killed = ended.await.unwrap_or_default();
        if !killed.complete() {
            tracing::error!(job = self.job.id(), left = ?killed.left, blind = ?killed.blind, "cannot end a run of an earlier host");
            // It must not run twice at once, so it does not run again.
            self.end(
                Ending::Lost,
                ENDED_BY_HOST,
                "what was left of its processes after a restart of the host cannot be ended",
                None,
            )
            .await;
            return;
        }
        let how = match (left.phase, killed.killed) {
            (_, 1..) => Recovery::HadSurvived,
            (Phase::Queued, 0) => Recovery::WasQueued,
            (Phase::Running | Phase::Ended, 0) => Recovery::WasRunning,
        };
        if let Some(recorder) = self.job.recorder() {
            recorder.note("recovered", &keeping::word(how).into());
        }
        let wish = self.deliver(Happening::Recovered(how)).await;
        if left.unwanted && self.job.is_running() {
            self.unwanted(Unwanted::ByHand).await;
        }
        if wish == Wish::Again && self.job.is_running() && !left.unwanted {
            // Guards that are new, or have new rules, have not judged it yet.
            if let Some(refusal) = objection_to_rerun(&self.shared, &self.job.birth) {
                return self.refused(refusal).await;
            }
            self.job.begin_anew();
            // From now on it is found by this host's marks.
            keeping::commit(&self.job).await;
            place.ready();
            self.stage = Stage::InLine(place);
        }
        self.require_an_end().await;
    }

    /// Tells the policy that guards do not let a job run again; its record says why.
    async fn refused(&mut self, refusal: Refusal) {
        tracing::warn!(job = self.job.id(), by = refusal.by, "a guard does not let a recovered job run again");
        if let Some(recorder) = self.job.recorder() {
            let reasons: Vec<_> = refusal.findings.iter().map(|finding| finding.message.as_str()).collect();
            recorder.note("refused", &json!({"by": refusal.by, "reasons": reasons}));
        }
        self.start_failed(StartError::Refused(refusal)).await;
    }

    /// Starts the process of a job whose turn has come.
    async fn start(&mut self, slot: Slot) {
        let tap = self.job.recorder().map(|recorder| Arc::clone(recorder) as Arc<dyn Tap>);
        let since = Instant::now();
        match launch::start(&self.shared, &self.job.birth.session, &self.job.birth.launch, tap) {
            Ok(started) => {
                self.job.started(started, since);
                keeping::save(&self.job);
                self.runs(slot).await;
            }
            Err(error) => self.start_failed(error).await,
        }
    }

    async fn start_failed(&mut self, error: StartError) {
        // Its place is free for the next: it has nothing to run.
        self.stage = Stage::Gone;
        self.deliver(Happening::StartFailed(error)).await;
        self.require_an_end().await;
    }

    /// Tells the policy that the process runs.
    async fn runs(&mut self, slot: Slot) {
        let Some(work) = self.job.work().map(Arc::clone) else {
            self.end(Ending::Failed, ENDED_BY_HOST, "it was said to run, and the host has no process of it", None)
                .await;
            return;
        };
        let pid = u32::try_from(work.pid()).unwrap_or(0);
        self.stage = Stage::Running(work, slot);
        self.open_block();
        self.deliver(Happening::Started(pid)).await;
    }

    /// Opens its live document, where that was not done when its call began it.
    fn open_block(&self) {
        let Some(label) = &self.job.birth.launch.block else { return };
        if self.job.open_block(&self.shared.blocks, label) != Some(Ok(())) {
            tracing::warn!(job = self.job.id(), label, "a job has no live document: its label was taken meanwhile");
        }
    }

    async fn exited(&mut self, status: process::Exit, elapsed: Duration) {
        let Stage::Running(work, slot) = std::mem::replace(&mut self.stage, Stage::Gone) else { return };
        if let Some(recorder) = self.job.recorder() {
            // While a slow store is waited for, nobody reads: what the pipes hold is not yet there.
            let _ = tokio::time::timeout(keeping::STORING, recorder.drained()).await;
        }
        // Nothing else is looked at while the pipes drain: a timer that fires now comes after the exit.
        let Finished { leaked, directory, session_lost } = work.finish(DRAIN).await;
        self.last_output().await;
        let end = End { exit: exit(&status), at: clock::now() };
        self.shared.blocks.ended(&self.job.birth.session, self.job.id(), &end);
        // A policy may keep the job for a while yet; nothing of it runs.
        drop(slot);
        if !self.job.is_running() {
            return;
        }
        let exited = Exited { exit: exit(&status), leaked: streams(leaked), directory, session_lost };
        self.job.state().exited = Some((exited.clone(), elapsed));
        self.deliver(Happening::Exited(exited)).await;
        self.require_an_end().await;
    }

    /// Tells the policy what came last, before it hears of the exit.
    async fn last_output(&mut self) {
        let Some(recorder) = self.job.recorder().map(Arc::clone) else { return };
        keeping::close(&self.job, &recorder).await;
        while let Some(hit) = recorder.hit().filter(|_| self.job.is_running()) {
            self.hit(hit).await;
        }
        if let Some(progress) = recorder.report(Instant::now()).filter(|_| self.job.is_running()) {
            self.deliver(Happening::Printed(progress)).await;
        }
    }

    async fn hit(&mut self, hit: types::Hit) {
        let seq = hit.seq;
        self.deliver(Happening::Matched(hit)).await;
        self.job.was_hit(seq);
    }

    /// A job with no process and no timer would wait for ever, and so would the calls that wait on it.
    async fn require_an_end(&self) {
        let stuck = matches!(self.stage, Stage::Gone) && self.job.is_running() && !self.job.has_timers();
        if stuck {
            let policy = self.shared.policy();
            let cause =
                Cause::Nonsense("the job's process has exited, no timer is armed, and the job has not ended".into());
            self.faulted(policy.fault(Entry::Advance, cause)).await;
        }
    }

    /// Has the policy decide about an event, and does what it says.
    async fn deliver(&mut self, what: Happening) -> Wish {
        let policy = self.shared.policy();
        let event = Event { at: clock::now(), elapsed: micros(self.job.elapsed()), what };
        let context = Context::for_job(&self.shared, &policy, &self.job.birth.session, &self.job);
        match policy.advance(context, &self.job.record(), &event) {
            Ok(step) => self.take(step, policy.stamp()).await,
            Err(fault) => {
                self.kill().await;
                self.faulted(fault).await;
                Wish::None
            }
        }
    }

    async fn faulted(&self, fault: Fault) {
        tracing::error!(job = self.job.id(), %fault, "a job was ended because its policy failed");
        let why = fault.to_string();
        self.end(Ending::Failed, FAULTED, &why, Some(fault)).await;
    }

    /// Ends the job in its policy's place, and says so to those who wait for the policy's own notice of its end.
    async fn end(&self, ending: Ending, status: &str, why: &str, fault: Option<Fault>) {
        let at = clock::now();
        keeping::failing(&self.job, ending, status, at, fault.as_ref()).await;
        if let Some(_change) = self.job.fail(ending, status, at, fault) {
            let notice = notice_of_end(&self.job.record(), why);
            self.publish(self.shared.policy().stamp(), notice);
        }
    }

    fn publish(&self, stamp: Arc<str>, notice: Notice) {
        self.shared.events.publish(&self.job.birth.session, Some(self.job.id()), stamp, notice);
    }

    /// Kills what runs of the job; a job without a process has nothing.
    async fn kill(&self) {
        if let Some(work) = self.job.work() {
            work.kill().await;
        }
    }

    async fn take(&self, step: Step, stamp: Arc<str>) -> Wish {
        match step.ended {
            None | Some(Ending::Completed) => {}
            Some(Ending::Failed | Ending::TimedOut | Ending::Cancelled | Ending::Lost) => self.kill().await,
        }
        let at = clock::now();
        keeping::step(&self.job, &step, &stamp, at).await;
        let _change = self.job.apply(&step, Arc::clone(&stamp), at);
        for notice in step.notices {
            self.publish(Arc::clone(&stamp), notice);
        }
        // What it left running in the background it left on purpose, until the host ends.
        if step.ended == Some(Ending::Completed)
            && let Some(tree) = self.job.work().and_then(|work| work.tree())
            && !tree.is_surely_over()
        {
            self.shared.leftovers.add(&self.job.birth.session, tree.clone());
        }
        if step.requeue { Wish::Again } else { Wish::None }
    }
}

/// What a step wants besides.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wish {
    None,
    /// The job is to run again.
    Again,
}

/// What a stage brings by itself.
enum Stirred {
    Turn(Slot),
    Ended(process::Exit),
    AwaitsInput,
}

impl Stage {
    async fn next(&mut self) -> Stirred {
        match self {
            Self::InLine(place) => Stirred::Turn(place.turn().await),
            Self::Running(work, _) => tokio::select! {
                biased;
                exit = work.wait() => Stirred::Ended(exit),
                () = work.awaits_input() => Stirred::AwaitsInput,
            },
            Self::Gone => std::future::pending().await,
        }
    }
}

async fn news(recorder: Option<&Arc<Recorder>>) {
    match recorder {
        Some(recorder) => recorder.news().await,
        None => std::future::pending().await,
    }
}

/// The event of a job that the host has ended because its policy could not.
const ENDED_BY_HOST_EVENT: &str = "job_ended_by_host";

fn notice_of_end(job: &types::Job, why: &str) -> Notice {
    let data = json!({
        "job_id": job.id, "command": job.command, "ending": job.ending.map(word), "status": job.status, "reason": why,
    });
    let text = format!("The host ended job {}: {why}", job.id);
    Notice { event_type: ENDED_BY_HOST_EVENT.into(), data: data.to_string(), text: Some(text) }
}

/// An ending as the contract spells it.
fn word(ending: Ending) -> &'static str {
    match ending {
        Ending::Completed => "completed",
        Ending::Failed => "failed",
        Ending::TimedOut => "timed-out",
        Ending::Cancelled => "cancelled",
        Ending::Lost => "lost",
    }
}

fn streams(leaked: Leaked) -> Vec<Stdstream> {
    [(leaked.stdout, Stdstream::Stdout), (leaked.stderr, Stdstream::Stderr)]
        .into_iter()
        .filter_map(|(held, stream)| held.then_some(stream))
        .collect()
}

async fn sleep_until(due: Option<Instant>) {
    match due {
        Some(due) => tokio::time::sleep_until(due.into()).await,
        None => std::future::pending().await,
    }
}
