//! A job's actor: turns what happens into events, has the policy decide, and does what the step says.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::mpsc;

use super::ceiling::Slot;
use super::job::{Job, Message};
use super::record::{exit, micros};
use crate::clock;
use crate::host::Shared;
use crate::policy::contract::types::{Ending, Event, Exited, Happening, Post, Stdstream, Step};
use crate::policy::{Cause, Context, Entry, Fault};
use crate::process::{self, Leaked, Process};

/// How long the pipes of a process that has ended are read before they count as held by somebody else.
const DRAIN: Duration = Duration::from_millis(100);

/// The status of a job that ended because its policy failed.
const FAULTED: &str = "policy_fault";

/// The status of a job that the host ended when its policy did not.
const ENDED_BY_HOST: &str = "ended_by_host";

/// What an actor wakes for.
enum Next {
    /// The process has ended; its output is not drained yet.
    Ended(process::Exit, Duration),
    Message(Message),
    Timer(String),
    /// The host's own patience with a job that should end is over.
    Impatient,
}

struct Actor {
    shared: Arc<Shared>,
    job: Arc<Job>,
    process: Arc<Process>,
    inbox: mpsc::Receiver<Message>,
    exited: bool,
    /// Until when a job that nobody wants may take to end.
    patience: Option<Instant>,
}

/// Starts the actor of a job whose process runs. The slot is given back when the job has ended.
pub(crate) fn spawn(shared: &Arc<Shared>, job: Arc<Job>, inbox: mpsc::Receiver<Message>, slot: Slot) {
    let running = shared.actors.enter();
    let shared = Arc::clone(shared);
    let unfinished = Unfinished(Arc::clone(&job));
    tokio::spawn(async move {
        run(shared, job, inbox).await;
        drop((unfinished, slot, running));
    });
}

/// Ends a job whose actor is gone before its time, so that nobody waits for it for ever.
struct Unfinished(Arc<Job>);

impl Drop for Unfinished {
    fn drop(&mut self) {
        self.0.fail(Ending::Failed, ENDED_BY_HOST, None);
    }
}

/// Runs a job to its end.
pub(crate) async fn run(shared: Arc<Shared>, job: Arc<Job>, inbox: mpsc::Receiver<Message>) {
    let Some(process) = job.process().map(Arc::clone) else {
        job.fail(Ending::Failed, ENDED_BY_HOST, None);
        return;
    };
    let mut actor = Actor { shared, job, process, inbox, exited: false, patience: None };
    let pid = u32::try_from(actor.process.pid()).unwrap_or(0);
    actor.deliver(Happening::Started(pid)).await;
    while actor.job.is_running() {
        let next = actor.next().await;
        actor.handle(next).await;
    }
    actor.shared.jobs.ended(actor.job.id(), actor.shared.retention());
}

impl Actor {
    /// Waits for the next thing to happen. An exit comes before a timer that is due at the same time.
    async fn next(&mut self) -> Next {
        loop {
            let timer = self.job.state().timers.next();
            let due = [timer, self.patience].into_iter().flatten().min();
            tokio::select! {
                biased;
                status = self.process.wait(), if !self.exited => return Next::Ended(status, self.job.elapsed()),
                Some(message) = self.inbox.recv() => match message {
                    Message::TimersChanged => {}
                    other => return Next::Message(other),
                },
                () = sleep_until(due) => {
                    let now = Instant::now();
                    let name = self.job.state().timers.take_due(now);
                    if let Some(name) = name {
                        return Next::Timer(name);
                    }
                    if self.patience.is_some_and(|patience| patience <= now) {
                        return Next::Impatient;
                    }
                }
            }
        }
    }

    async fn handle(&mut self, next: Next) {
        match next {
            Next::Ended(status, elapsed) => {
                self.exited = true;
                // Nothing else is looked at while the pipes drain: a timer that fires now comes after the exit.
                let leaked = streams(self.process.finish(DRAIN).await);
                let exited = Exited { exit: exit(&status), leaked, directory: None, session_lost: false };
                self.job.state().exited = Some((exited.clone(), elapsed));
                self.deliver(Happening::Exited(exited)).await;
                self.require_an_end();
            }
            Next::Timer(name) => {
                self.deliver(Happening::Timer(name)).await;
                self.require_an_end();
            }
            Next::Message(Message::Posted { name, data }) => {
                self.deliver(Happening::Posted(Post { name, data })).await;
            }
            Next::Message(Message::Unwanted(why)) => {
                self.patience.get_or_insert(Instant::now() + self.shared.limits.patience);
                self.deliver(Happening::Unwanted(why)).await;
            }
            Next::Message(Message::TimersChanged) => {}
            Next::Impatient => {
                let policy = self.shared.policy().stamp();
                tracing::warn!(job = self.job.id(), %policy, "the policy did not end a job in time; the host ends it");
                self.process.kill_tree().await;
                self.job.fail(Ending::Cancelled, ENDED_BY_HOST, None);
            }
        }
    }

    /// A job with no process and no timer would wait for ever, and so would the calls that wait on it.
    fn require_an_end(&self) {
        let state = self.job.state();
        let stuck = self.exited && state.ended.is_none() && state.timers.next().is_none();
        drop(state);
        if stuck {
            let policy = self.shared.policy();
            let cause =
                Cause::Nonsense("the job's process has exited, no timer is armed, and the job has not ended".into());
            self.faulted(policy.fault(Entry::Advance, cause));
        }
    }

    /// Has the policy decide about an event, and does what it says.
    async fn deliver(&mut self, what: Happening) {
        let policy = self.shared.policy();
        let event = Event { at: clock::now(), elapsed: micros(self.job.elapsed()), what };
        let context = Context::for_job(&self.shared, &policy, &self.job.birth.session, &self.job);
        match policy.advance(context, &self.job.record(), &event) {
            Ok(step) => self.take(step, policy.stamp()).await,
            Err(fault) => {
                self.process.kill_tree().await;
                self.faulted(fault);
            }
        }
    }

    fn faulted(&self, fault: Fault) {
        tracing::error!(job = self.job.id(), %fault, "a job was ended because its policy failed");
        self.job.fail(Ending::Failed, FAULTED, Some(fault));
    }

    async fn take(&self, step: Step, stamp: Arc<str>) {
        match step.ended {
            None | Some(Ending::Completed) => {}
            Some(Ending::Failed | Ending::TimedOut | Ending::Cancelled | Ending::Lost) => {
                self.process.kill_tree().await;
            }
        }
        self.job.apply(&step, stamp);
        for notice in step.notices {
            self.shared.events.publish(&self.job.birth.session, Some(self.job.id()), notice);
        }
        // What it left running in the background it left on purpose, until the host ends.
        if step.ended == Some(Ending::Completed) && !self.process.tree().is_surely_over() {
            self.shared.leftovers.add(self.process.tree().clone());
        }
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
