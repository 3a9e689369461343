//! `jobs`: the records of this session's jobs, and messages to their machines.

use crate::jobs::{Message, PostRefused, Seen};
use crate::policy::Context;
use crate::policy::bindings::shellward::policy::jobs::{Filter, Host, Job, PostError};
use crate::store::{Change, Post, Reach};

/// The most jobs that one list holds.
const LISTED: usize = 10_000;

impl Context {
    /// Gives a message to the host that has a run in hand, which looks for such five times a second.
    fn post_elsewhere(&mut self, post: Post) -> wasmtime::Result<Result<(), PostError>> {
        let store = match self.host()?.store()? {
            Ok(store) => store,
            // The run was just read from it.
            Err(error) => return Err(wasmtime::format_err!("the store of durable runs cannot be had: {error}")),
        };
        let reach = store.reach(&post.run);
        Ok(match reach {
            Ok(Reach::Attended) => {
                // The store says itself what it could not keep.
                store.submit(Change::Post(post), Box::new(|_| ()));
                Ok(())
            }
            Ok(Reach::Full) => Err(PostError::Full),
            Ok(Reach::Unattended) => Err(PostError::Unattended),
            Err(error) => {
                tracing::error!(run = post.run, %error, "cannot find out who has a run in hand");
                Err(PostError::Full)
            }
        })
    }
}

impl Host for Context {
    fn get(&mut self, id: String) -> wasmtime::Result<Option<Job>> {
        let attached = self.host()?;
        attached.shared.jobs.forget(attached.shared.retention());
        let Some(job) = attached.job(&id) else { return Ok(None) };
        // The first look counts: what the policy decides by may be of then.
        if attached.call.is_some() && attached.seen.iter().all(|(seen, _)| *seen != id) {
            attached.seen.push((id, Seen::now(&job)));
        }
        Ok(Some(job.record()))
    }

    fn list(&mut self, filter: Filter) -> wasmtime::Result<Vec<Job>> {
        let attached = self.host()?;
        attached.shared.jobs.forget(attached.shared.retention());
        let limit = usize::try_from(filter.limit).unwrap_or(LISTED).min(LISTED);
        let Filter { active, ended, .. } = filter;
        let mut jobs = attached.shared.jobs.list(&attached.session, active, ended, limit);
        let past = attached.shared.past_jobs(&attached.session, active, ended, limit);
        // What this host has in hand it knows best, though it may have ended a moment ago.
        jobs.extend(past.into_iter().filter(|job| attached.shared.jobs.any(job.id()).is_none()));
        // Calls are numbered by time, whatever prefixes their jobs have.
        jobs.sort_by(|one, other| one.birth.call.cmp(&other.birth.call));
        jobs.drain(..jobs.len().saturating_sub(limit));
        Ok(jobs.iter().map(|job| job.record()).collect())
    }

    fn post(&mut self, id: String, name: String, data: String) -> wasmtime::Result<Result<(), PostError>> {
        let Some(job) = self.host()?.job(&id) else { return Ok(Err(PostError::NotFound)) };
        if let Err(error) = serde_json::from_str::<serde::de::IgnoredAny>(&data) {
            return Err(wasmtime::format_err!("what it posts to a job is not JSON: {error}"));
        }
        if job.is_elsewhere() && job.is_running() {
            return self.post_elsewhere(Post { run: id, name, data });
        }
        Ok(job.post(Message::Posted { name, data }).map_err(|refused| match refused {
            PostRefused::Ended => PostError::Ended,
            PostRefused::Full => PostError::Full,
        }))
    }
}
