//! What one entry into a policy acts on.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::Policy;
use super::contract::types::Finding;
use crate::confinement::ContainerError;
use crate::host::Shared;
use crate::jobs::{Begin, Birth, Job, Purpose, Seen};
use crate::store::{Store, StoreError};

/// The call an entry decides.
#[derive(Clone, Debug)]
pub(crate) struct CallContext {
    pub id: String,
    pub tool: String,
    /// The commands that a guard leaves to a human, and to which a human has said yes.
    pub consented: Vec<Consent>,
}

/// What a human has said yes to: this text, in this place, although this guard asks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Consent {
    pub by: String,
    pub text: String,
    pub place: String,
}

/// What a guard leaves to a human.
#[derive(Clone, Debug)]
pub(crate) struct GuardQuestion {
    pub consent: Consent,
    pub findings: Vec<Finding>,
}

/// A job that an entry has started, not yet handed to its actor.
pub(crate) struct Begun {
    pub job: Arc<Job>,
    pub inbox: tokio::sync::mpsc::Receiver<crate::jobs::Message>,
    pub begin: Begin,
}

/// What an entry acts on: whose session, which call or job. Lost with the instance, but for what it began.
pub(crate) struct Context {
    pub(super) attached: Option<Attached>,
    pub(super) settings: Arc<str>,
    pub(super) logged: u32,
    pub(super) signalled: u32,
    /// The processor time that guards have taken on the entry's thread.
    pub(super) guarded: Duration,
    /// Whether the entry has typed something into a job.
    pub(super) typed: bool,
}

/// The part of a context that an entry has when it runs inside a host.
pub(crate) struct Attached {
    pub shared: Arc<Shared>,
    pub stamp: Arc<str>,
    pub session: String,
    pub call: Option<CallContext>,
    /// The job that the entry is about, which may be forgotten by the table already.
    pub about: Option<Arc<Job>>,
    pub begun: Option<Begun>,
    /// Why the store cannot be had, where that was tried.
    pub unkept: Option<StoreError>,
    /// Set when the entry was given up because the store is not open yet: opening it may take longer than an entry.
    pub wants_store: bool,
    /// Why it is not known whether a job is there that the entry has asked for.
    pub unread: Option<StoreError>,
    /// The container that was prepared for the entry, or why it cannot be had.
    pub prepared: Option<(String, Result<(), ContainerError>)>,
    /// Set when the entry was given up because this container is not prepared.
    pub wants_container: Option<String>,
    /// Jobs that the entry has looked at, and what it saw: what comes later is news to a call that then waits.
    pub seen: Vec<(String, Seen)>,
    /// What a guard has left to a human in this entry.
    pub question: Option<GuardQuestion>,
}

impl Context {
    /// For `describe` and `review` outside a host: nothing can be asked for.
    pub(crate) fn detached(settings: Arc<str>) -> Self {
        Self { attached: None, settings, logged: 0, signalled: 0, guarded: Duration::ZERO, typed: false }
    }

    fn attached(shared: &Arc<Shared>, policy: &Policy, session: &str) -> Self {
        let attached = Attached {
            shared: Arc::clone(shared),
            stamp: policy.stamp(),
            session: session.to_owned(),
            call: None,
            about: None,
            begun: None,
            unkept: None,
            wants_store: false,
            unread: None,
            prepared: None,
            wants_container: None,
            seen: Vec::new(),
            question: None,
        };
        Self {
            attached: Some(attached),
            settings: policy.settings(),
            logged: 0,
            signalled: 0,
            guarded: Duration::ZERO,
            typed: false,
        }
    }

    /// For an entry that decides a call.
    pub(crate) fn for_call(shared: &Arc<Shared>, policy: &Policy, session: &str, call: CallContext) -> Self {
        let mut context = Self::attached(shared, policy, session);
        if let Some(attached) = &mut context.attached {
            attached.call = Some(call);
        }
        context
    }

    /// For an entry that reads only.
    pub(crate) fn for_session(shared: &Arc<Shared>, policy: &Policy, session: &str) -> Self {
        Self::attached(shared, policy, session)
    }

    /// For an entry that advances a job, or settles a call that waited on it.
    pub(crate) fn for_job(shared: &Arc<Shared>, policy: &Policy, session: &str, job: &Arc<Job>) -> Self {
        let mut context = Self::attached(shared, policy, session);
        if let Some(attached) = &mut context.attached {
            attached.about = Some(Arc::clone(job));
        }
        context
    }

    /// The host behind the entry, or a trap where there is none.
    pub(super) fn host(&mut self) -> wasmtime::Result<&mut Attached> {
        self.attached
            .as_mut()
            .ok_or_else(|| wasmtime::format_err!("nothing can be asked for while the policy is described"))
    }

    /// The same, where the store could not be opened.
    pub(crate) fn without_store(mut self, error: Option<StoreError>) -> Self {
        if let Some(attached) = &mut self.attached {
            attached.unkept = error;
        }
        self
    }

    /// Whether the entry was given up for want of the store.
    pub(crate) fn wants_store(&self) -> bool {
        self.attached.as_ref().is_some_and(|attached| attached.wants_store)
    }

    /// Takes the reason why the entry did not learn whether a job is there: nothing is to be built on what it says.
    pub(crate) fn take_unread(&mut self) -> Option<StoreError> {
        self.attached.as_mut()?.unread.take()
    }

    /// The same, with a container that was prepared for it.
    pub(crate) fn with_container(mut self, prepared: Option<(String, Result<(), ContainerError>)>) -> Self {
        if let Some(attached) = &mut self.attached {
            attached.prepared = prepared;
        }
        self
    }

    /// The container for want of which the entry was given up.
    pub(crate) fn wants_container(&self) -> Option<&str> {
        self.attached.as_ref()?.wants_container.as_deref()
    }

    /// What the entry has seen of a job, if it has looked at it.
    pub(crate) fn seen(&self, job: &str) -> Option<Seen> {
        self.attached.as_ref()?.seen.iter().find(|(id, _)| id == job).map(|(_, seen)| *seen)
    }

    /// Takes what a guard has left to a human.
    pub(crate) fn take_question(&mut self) -> Option<GuardQuestion> {
        self.attached.as_mut()?.question.take()
    }

    /// Takes the job that the entry has begun.
    pub(crate) fn take_begun(&mut self) -> Option<Begun> {
        self.attached.as_mut()?.begun.take()
    }
}

impl Attached {
    /// The store, or why it cannot be had. Where it is not open the entry is given up, and tried again once it is.
    pub(super) fn store(&mut self) -> wasmtime::Result<Result<Arc<dyn Store>, StoreError>> {
        match (self.shared.opened_store(), &self.unkept) {
            (Some(store), _) => Ok(Ok(store)),
            (None, Some(error)) => Ok(Err(error.clone())),
            (None, None) => {
                self.wants_store = true;
                Err(wasmtime::format_err!("the store of durable runs is not open"))
            }
        }
    }

    /// Whether a container can be made, or why not. Where that is not known the entry is given up, and tried again.
    pub(super) fn container(&mut self, name: &str) -> wasmtime::Result<Result<(), ContainerError>> {
        match &self.prepared {
            Some((prepared, result)) if prepared == name => Ok(result.clone()),
            _ if self.shared.containers.is_prepared(name) => Ok(Ok(())),
            _ => {
                self.wants_container = Some(name.to_owned());
                Err(wasmtime::format_err!("the container '{name}' is not prepared"))
            }
        }
    }

    /// Gives a job of this session. Notes it where one may be on record, and the record cannot be read.
    pub(super) fn job(&mut self, id: &str) -> Option<Arc<Job>> {
        let at_hand = self.begun.as_ref().map(|begun| &begun.job).into_iter().chain(&self.about);
        let found = at_hand.into_iter().find(|job| job.id() == id).cloned();
        if let Some(job) = found.or_else(|| self.shared.jobs.get(&self.session, id)) {
            return Some(job);
        }
        let unkept = self.unkept.clone().filter(|_| self.shared.has_past());
        match (self.shared.past_job(&self.session, id), unkept) {
            (Ok(None), Some(error)) | (Err(error), _) => {
                self.unread = Some(error);
                None
            }
            (Ok(found), _) => found,
        }
    }

    /// Makes a job for this entry's call.
    pub(super) fn new_job(
        &self,
        birth: Birth,
        purpose: Option<Purpose>,
    ) -> (Arc<Job>, tokio::sync::mpsc::Receiver<crate::jobs::Message>) {
        Job::new(&self.shared, birth, Arc::clone(&self.stamp), purpose)
    }
}
