//! One call, from the agent's words to the answer.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{self, Poll};
use std::time::{Duration, Instant};

use serde_json::Value;
use ulid::Ulid;

use super::reply::Reply;
use super::{Shared, question};
use crate::clock;
use crate::confinement::{ContainerError, docker};
use crate::jobs::{self, Job, Message, Seen};
use crate::policy::contract::types::{Answer, Question, ToolCall, Unwanted, Waiting};
use crate::policy::{Begun, CallContext, Cause, Consent, Context, Entry, Fault, GuardQuestion, Policy};
use crate::store::{Change, StoreError};
use crate::threads;

/// How often one call may ask a human before it must decide.
const QUESTIONS: usize = 8;

/// How often a run that another host has in hand is looked at while a call waits for it, and how long at most.
const LOOK_ELSEWHERE: Duration = Duration::from_millis(100);
const LONGEST_ELSEWHERE: Duration = Duration::from_secs(60);

/// The code of an answer where durable runs cannot be kept, or what is kept of them cannot be read.
const STORE_FAILED: &str = "store_failed";

/// Puts a policy's questions to a human.
pub trait Approver: Send + Sync {
    /// Asks, and says whether the answer was yes.
    fn ask<'a>(&'a self, session: &'a str, question: &'a Question) -> Pin<Box<dyn Future<Output = bool> + Send + 'a>>;
}

/// Makes calls of a host; can be cloned and sent.
#[derive(Clone)]
pub struct Caller {
    shared: Arc<Shared>,
    runtime: tokio::runtime::Handle,
}

impl std::fmt::Debug for Caller {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Caller").finish_non_exhaustive()
    }
}

impl Caller {
    pub(super) fn new(shared: &Arc<Shared>, runtime: tokio::runtime::Handle) -> Self {
        Self { shared: Arc::clone(shared), runtime }
    }

    /// Makes a tool call, as [`Host::call`](super::Host::call) does.
    pub async fn call(&self, session: &str, tool: &str, arguments: Value) -> Reply {
        self.call_as(new_call_id(), session, tool, arguments, None).await
    }

    /// Makes a tool call whose questions are put by `approver` instead of the host's own.
    pub async fn call_asking(&self, session: &str, tool: &str, arguments: Value, approver: Arc<dyn Approver>) -> Reply {
        self.call_as(new_call_id(), session, tool, arguments, Some(approver)).await
    }

    /// Makes a tool call under an id that the caller has from [`new_call_id`].
    pub(crate) async fn call_as(
        &self,
        id: String,
        session: &str,
        tool: &str,
        arguments: Value,
        approver: Option<Arc<dyn Approver>>,
    ) -> Reply {
        let call = ToolCall {
            id,
            session: session.to_owned(),
            tool: tool.to_owned(),
            arguments: arguments.to_string(),
            now: clock::now(),
            approved: Vec::new(),
        };
        let deciding = Deciding { shared: Arc::clone(&self.shared), call, approver, consented: Vec::new() };
        Within { runtime: self.runtime.clone(), future: Box::pin(deciding.run()) }.await
    }

    /// What the host's parts share.
    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    /// The host's own runtime.
    pub(super) fn runtime(&self) -> &tokio::runtime::Handle {
        &self.runtime
    }
}

/// Mints the id of a call.
pub(crate) fn new_call_id() -> String {
    Ulid::generate().to_string().to_lowercase()
}

/// Runs a future on whatever thread awaits it, with the host's runtime at hand: no thread has to be woken for a call.
struct Within<F> {
    runtime: tokio::runtime::Handle,
    future: Pin<Box<F>>,
}

impl<F: Future> Future for Within<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut task::Context<'_>) -> Poll<F::Output> {
        let Self { runtime, future } = &mut *self;
        let _entered = runtime.enter();
        future.as_mut().poll(context)
    }
}

/// A job that a call waits for, which is not to outlive the waiting if the call itself has started it.
struct Awaited {
    job: Arc<Job>,
    own: bool,
}

impl Drop for Awaited {
    /// The caller has gone: what it alone was waiting for is to end. A job that another call started goes on.
    fn drop(&mut self) {
        if self.own {
            // A job that has ended meanwhile needs no message; one whose inbox is full is busy ending or faulty, and
            // the host's patience does not depend on it.
            let _ = self.job.post(Message::Unwanted(Unwanted::CallerGone));
        }
    }
}

impl Shared {
    /// Puts a job that was begun into the table, and lets it run.
    fn admit(self: &Arc<Self>, begun: Begun) {
        if self.jobs.insert(&begun.job) {
            jobs::spawn(self, begun.job, begun.inbox, begun.begin);
        }
    }

    /// Finds out whether a container can be made; for a task that may wait for it.
    async fn prepare_container(self: &Arc<Self>, name: &str) -> Result<(), ContainerError> {
        let (shared, name) = (Arc::clone(self), name.to_owned());
        let prepared = threads::apart(move || {
            let docker = docker(|name| shared.workspace.find_program(name), &shared.environment);
            shared.containers.prepare(&name, docker)
        });
        prepared.await.unwrap_or_else(|| Err(ContainerError::NoEngine("asking for it was cut short".into())))
    }
}

/// What deciding a call has left for its waiting.
struct Looked {
    /// What it has seen of the job it waits for.
    seen: Option<Seen>,
    /// The job it has begun.
    begun: Option<Arc<Job>>,
}

/// What a policy has decided, and what came with it.
struct Decided {
    answer: Answer,
    looked: Looked,
    guards: Option<GuardQuestion>,
}

/// A call on its way to an answer.
struct Deciding {
    shared: Arc<Shared>,
    call: ToolCall,
    /// Who puts this call's questions; the host's own approver where there is none.
    approver: Option<Arc<dyn Approver>>,
    /// What guards have left to a human, and to which the human has said yes.
    consented: Vec<Consent>,
}

impl Deciding {
    async fn run(mut self) -> Reply {
        if self.shared.is_closing() {
            return self.refuse("shutting_down", "the host is shutting down and takes no more calls".into());
        }
        let (size, most) = (self.call.arguments.len(), self.shared.limits.arguments);
        if size > most {
            let advice = "write long text to a file in parts, and name the file";
            return self.refuse(
                "arguments_too_long",
                format!("the arguments are {size} bytes of JSON; this host takes {most}: {advice}"),
            );
        }
        // An entry must not wait for it.
        let mut unkept = match self.shared.lacks_store() {
            true => self.shared.open_store().await.err(),
            false => None,
        };
        for _ in 0..QUESTIONS {
            // One policy decides, and its name stands on what it says, whichever is in place by then.
            let policy = self.shared.policy();
            let Decided { answer, looked, guards } = match self.decide(&policy, &mut unkept).await {
                Ok(decided) => decided,
                Err(reply) => return *reply,
            };
            let question = match (answer, &guards) {
                (Answer::Wait(waiting), _) => return self.wait(&policy, waiting, looked).await,
                // The policy need not know that guards ask: what it words for their refusal is the answer to a no.
                (Answer::Reply(refusal), Some(asked)) if looked.begun.is_none() => question::of_guard(asked, refusal),
                (Answer::Reply(reply), _) => {
                    return Reply::of_policy(&self.call.id, &policy.stamp(), reply, None);
                }
                // Where it does know, the guard's own words are the better ones.
                (Answer::Ask(asking), Some(asked)) if question::id_of(asked) == asking.id => {
                    question::of_guard(asked, asking.refusal)
                }
                (Answer::Ask(asking), _) => question::of_policy(asking, &self.call),
            };
            if !self.ask(&question).await {
                return Reply::of_policy(&self.call.id, &policy.stamp(), question.refusal, None);
            }
            self.consented
                .extend(guards.filter(|asked| question::id_of(asked) == question.id).map(|asked| asked.consent));
            self.call.approved.push(question.id);
        }
        self.refuse(
            "too_many_questions",
            format!("the policy asked a human {QUESTIONS} times and still does not decide"),
        )
    }

    fn stamp(&self) -> String {
        self.shared.policy().stamp().to_string()
    }

    fn refuse(&self, code: &str, message: String) -> Reply {
        Reply::of_host(&self.call.id, &self.stamp(), code, message)
    }

    fn failed(&self, policy: &Policy, fault: &Fault) -> Reply {
        tracing::error!(%fault, tool = self.call.tool, "a call failed because its policy did");
        Reply::of_fault(&self.call.id, &policy.stamp(), fault)
    }

    fn context(&self, policy: &Policy) -> Context {
        let (id, tool) = (self.call.id.clone(), self.call.tool.clone());
        let call = CallContext { id, tool, consented: self.consented.clone() };
        Context::for_call(&self.shared, policy, &self.call.session, call)
    }

    /// Has the policy decide. A job that it began runs from here on, or, after a fault, not at all.
    async fn decide(&self, policy: &Policy, unkept: &mut Option<StoreError>) -> Result<Decided, Box<Reply>> {
        let context = self.context(policy).without_store(unkept.clone());
        let (mut result, mut context) = policy.call(context, &self.call);
        if context.wants_store() {
            // The first durable run of a project: what it is kept in is made now, and the call decided anew.
            *unkept = self.shared.open_store().await.err();
            drop(context.take_begun());
            let again = self.context(policy).without_store(unkept.clone());
            (result, context) = policy.call(again, &self.call);
        }
        if let Some(name) = context.wants_container().map(str::to_owned) {
            // Whether it can be made is found out now, as the engine takes its time, and the call decided anew.
            let prepared = self.shared.prepare_container(&name).await;
            drop(context.take_begun());
            let again = self.context(policy).without_store(unkept.clone()).with_container(Some((name, prepared)));
            (result, context) = policy.call(again, &self.call);
        }
        let (begun, guards) = (context.take_begun(), context.take_question());
        if let Some(error) = context.take_unread() {
            // What the policy says rests on a job's not being there. Dropping what it began kills that.
            let message = format!("what is on record of earlier runs cannot be read: {error}");
            return Err(Box::new(Reply::of_host(&self.call.id, &policy.stamp(), STORE_FAILED, message)));
        }
        let answer = match result {
            Ok(answer) => answer,
            Err(fault) => {
                // Dropping a job that never got its actor kills its tree.
                drop(begun);
                return Err(Box::new(self.failed(policy, &fault)));
            }
        };
        let seen = match (&answer, &begun) {
            (Answer::Wait(waiting), Some(begun)) if begun.job.id() == waiting.job => Some(Seen::default()),
            (Answer::Wait(waiting), _) => context.seen(&waiting.job),
            (Answer::Reply(_) | Answer::Ask(_), _) => None,
        };
        match begun {
            None => Ok(Decided { answer, looked: Looked { seen, begun: None }, guards }),
            Some(begun) if !matches!(answer, Answer::Ask(_)) && self.shared.jobs.any(begun.job.id()).is_none() => {
                let job = Arc::clone(&begun.job);
                if matches!(&answer, Answer::Wait(waiting) if waiting.job == job.id()) {
                    job.await_end();
                }
                self.admit(policy, begun).await?;
                Ok(Decided { answer, looked: Looked { seen, begun: Some(job) }, guards })
            }
            Some(_) => {
                let message = "it started a job that exists already, or before a question about it was answered";
                let fault = policy.fault(Entry::Call, Cause::Nonsense(message.into()));
                Err(Box::new(self.failed(policy, &fault)))
            }
        }
    }

    /// Lets a job that was begun run. A durable one is on record before anybody hears of it.
    async fn admit(&self, policy: &Policy, begun: Begun) -> Result<(), Box<Reply>> {
        let shared = Arc::clone(&self.shared);
        let Some(store) = begun.job.store().map(Arc::clone) else {
            shared.admit(begun);
            return Ok(());
        };
        let run = begun.job.run(&policy.manifest().name).map_err(|error| error.to_string());
        // A task of its own: a caller that goes away meanwhile leaves no job on record that nobody has in hand.
        let admitted = tokio::spawn(async move {
            store.commit(Change::Create(Box::new(run?))).await.map_err(|error| error.to_string())?;
            shared.admit(begun);
            Ok::<_, String>(())
        });
        let result = admitted.await.unwrap_or_else(|error| Err(error.to_string()));
        result.map_err(|error| {
            let message = format!("the job was not started, as it cannot be put on record: {error}");
            Box::new(Reply::of_host(&self.call.id, &policy.stamp(), STORE_FAILED, message))
        })
    }

    async fn ask(&self, question: &Question) -> bool {
        let Some(approver) = self.approver.as_deref().or(self.shared.approver.as_deref()) else { return false };
        approver.ask(&self.call.session, question).await
    }

    /// Waits for a job. The policy that is in place when the waiting is over words the answer.
    async fn wait(&self, policy: &Policy, waiting: Waiting, Looked { seen, begun }: Looked) -> Reply {
        // A job that has just begun may have ended, and been forgotten by the table, already.
        let begun = begun.filter(|job| job.id() == waiting.job);
        let there = begun.or_else(|| self.shared.jobs.get(&self.call.session, &waiting.job));
        let Some(job) = there.or_else(|| self.past_job(&waiting.job)) else {
            let message = format!("it waits for a job '{}' that its session does not have", waiting.job);
            return self.failed(policy, &policy.fault(Entry::Call, Cause::Nonsense(message)));
        };
        if job.is_elsewhere() {
            let seen = seen.unwrap_or_else(|| Seen::now(&job)).up_to(waiting.since);
            return self.settle(&self.wait_elsewhere(job, &waiting, seen).await);
        }
        let mut awaited = Awaited { own: job.birth.call == self.call.id, job: Arc::clone(&job) };
        let seen = seen.unwrap_or_else(|| Seen::now(&job)).up_to(waiting.since);
        jobs::wait(&job, waiting.wakes, seen, waiting.at_most.map(Duration::from_millis)).await;
        awaited.own = false;
        self.settle(&job)
    }

    /// A run that this host does not have in hand; none where it cannot be read, which is logged.
    fn past_job(&self, id: &str) -> Option<Arc<Job>> {
        self.shared.past_job(&self.call.session, id).ok().flatten()
    }

    /// Waits for a run that another host has in hand, by looking again and again; not for ever, as nobody may have it.
    async fn wait_elsewhere(&self, mut job: Arc<Job>, waiting: &Waiting, seen: Seen) -> Arc<Job> {
        let most = waiting.at_most.map_or(LONGEST_ELSEWHERE, Duration::from_millis);
        let deadline = Instant::now() + most.min(LONGEST_ELSEWHERE);
        let status = job.record().status;
        let wakes = waiting.wakes;
        loop {
            let news = seen.is_over(&job, wakes) || wakes.status && job.record().status != status;
            let left = deadline.saturating_duration_since(Instant::now());
            if news || left.is_zero() {
                return job;
            }
            tokio::time::sleep(left.min(LOOK_ELSEWHERE)).await;
            match self.past_job(job.id()) {
                Some(found) => job = found,
                None => return job,
            }
        }
    }

    fn settle(&self, job: &Arc<Job>) -> Reply {
        let policy = self.shared.policy();
        if let Some(fault) = job.ended().and_then(|ended| ended.fault) {
            return self.failed(&policy, &fault);
        }
        let record = job.record();
        let context = Context::for_job(&self.shared, &policy, &self.call.session, job);
        match policy.settle(context, &self.call, &record) {
            Ok(reply) => Reply::of_policy(&self.call.id, &policy.stamp(), reply, Some(&record)),
            Err(fault) => self.failed(&policy, &fault),
        }
    }
}
