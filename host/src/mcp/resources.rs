//! Jobs, their output and live documents as resources. Of jobs: `shellward://jobs/{id}`, with `/stdout` and `/stderr`.

use std::sync::Arc;

use rmcp::model::{
    Annotations, ErrorData, MetaObject, ReadResourceResult, Resource, ResourceContents, ResourceTemplate,
};
use serde_json::{Value, json};

use super::blocks;
use super::session::Session;
use crate::blocks::Block;
use crate::jobs::Job;
use crate::policy::contract::types::{Ending, Exit};
use crate::process::{Stream, Window};

const SCHEME: &str = "shellward://jobs/";

/// How many of a session's newest jobs are listed.
const LISTED: usize = 200;

/// What of a job is a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// How it stands.
    Record,
    /// What it has printed.
    Output(Stream),
}

impl Part {
    const ALL: [Self; 3] = [Self::Record, Self::Output(Stream::Stdout), Self::Output(Stream::Stderr)];

    fn suffix(self) -> &'static str {
        match self {
            Self::Record => "",
            Self::Output(Stream::Stdout) => "/stdout",
            Self::Output(Stream::Stderr) => "/stderr",
        }
    }

    fn mime_type(self) -> &'static str {
        match self {
            Self::Record => "application/json",
            Self::Output(_) => "text/plain",
        }
    }

    fn description(self) -> &'static str {
        match self {
            Self::Record => "How the job stands, as JSON: status, exit code, times, bytes printed.",
            Self::Output(Stream::Stdout) => "What the job has printed to standard output so far.",
            Self::Output(Stream::Stderr) => "What the job has printed to standard error so far.",
        }
    }
}

/// A resource that there is.
pub(super) enum Found {
    Job(Arc<Job>, Part),
    Block(Block),
}

/// Finds a resource of this session.
pub(super) fn find(session: &Session, uri: &str) -> Result<Found, ErrorData> {
    let job = |rest: &str| {
        let (id, suffix) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
        let part = Part::ALL.into_iter().find(|part| part.suffix() == suffix)?;
        Some(Found::Job(session.job(id)?, part))
    };
    let found = match uri.strip_prefix(SCHEME) {
        Some(rest) => job(rest),
        None => blocks::find(session, uri).map(Found::Block),
    };
    found.ok_or_else(|| {
        let message = format!(
            "there is no resource {uri} in this session; resources/list gives those there are, and a job that ended \
             long ago is forgotten"
        );
        ErrorData::resource_not_found(message, Some(json!({"uri": uri})))
    })
}

/// Lists this session's resources: live documents, then jobs, the newest first.
pub(super) fn list(session: &Session) -> Vec<Resource> {
    let jobs = session.jobs(LISTED);
    let jobs = jobs.iter().rev().flat_map(|job| Part::ALL.map(|part| resource(job, part)));
    blocks::list(session).into_iter().chain(jobs).collect()
}

fn resource(job: &Job, part: Part) -> Resource {
    let title = job.birth.command.lines().next().unwrap_or_default();
    let shown = Resource::new(uri(job, part), format!("{}{}", job.id(), part.suffix()))
        .with_title(title)
        .with_description(part.description())
        .with_mime_type(part.mime_type());
    // What runs matters more than what has ended.
    shown.with_annotations(Annotations::default().with_priority(if job.is_running() { 0.8 } else { 0.3 }))
}

fn uri(job: &Job, part: Part) -> String {
    format!("{SCHEME}{}{}", job.id(), part.suffix())
}

pub(super) fn templates() -> Vec<ResourceTemplate> {
    let template = |part: Part, name: &str| {
        ResourceTemplate::new(format!("{SCHEME}{{id}}{}", part.suffix()), name)
            .with_description(part.description())
            .with_mime_type(part.mime_type())
    };
    let jobs = Part::ALL.into_iter().zip(["job", "stdout", "stderr"]).map(|(part, name)| template(part, name));
    jobs.chain([blocks::template()]).collect()
}

/// Reads a resource.
pub(super) fn read(session: &Session, uri: &str) -> Result<ReadResourceResult, ErrorData> {
    let (job, part) = match find(session, uri)? {
        Found::Job(job, part) => (job, part),
        Found::Block(block) => return Ok(blocks::read(&block, uri)),
    };
    let contents = match part {
        Part::Record => ResourceContents::text(record(&job).to_string(), uri),
        Part::Output(stream) => output(&job, stream, uri),
    };
    Ok(ReadResourceResult::new(vec![contents.with_mime_type(part.mime_type())]))
}

/// How a job stands, in the host's own words, which are the same for every policy.
pub(super) fn record(job: &Job) -> Value {
    let record = job.record();
    json!({
        "id": record.id,
        "tool": record.tool,
        "command": record.command,
        "directory": record.directory,
        "status": record.status,
        "running": record.ended_at.is_none(),
        "ending": record.ending.map(ending),
        "exit": record.exit.map(exit),
        "created_at": record.created_at,
        "started_at": record.started_at,
        "ended_at": record.ended_at,
        "duration_us": record.duration,
        "timeout_ms": record.timeout,
        "stdout": {"bytes": record.stdout.total, "not_kept": record.stdout.dropped},
        "stderr": {"bytes": record.stderr.total, "not_kept": record.stderr.dropped},
        "policy": record.policy,
    })
}

fn ending(ending: Ending) -> &'static str {
    match ending {
        Ending::Completed => "completed",
        Ending::Failed => "failed",
        Ending::TimedOut => "timed_out",
        Ending::Cancelled => "cancelled",
        Ending::Lost => "lost",
    }
}

fn exit(exit: Exit) -> Value {
    match exit {
        Exit::Code(code) => json!({"code": code}),
        Exit::Signal(name) => json!({"signal": name}),
    }
}

/// A stream's text; where bytes were not kept, a line says how many.
fn output(job: &Job, stream: Stream, uri: &str) -> ResourceContents {
    let text = job.output().map(|output| output.snapshot(stream, Window::All)).unwrap_or_default();
    let shown = if text.dropped_bytes == 0 {
        text.text.clone()
    } else {
        format!("{}\n[... {} bytes not kept ...]\n{}", text.head(), text.dropped_bytes, text.tail())
    };
    let mut meta = MetaObject::new();
    meta.0.insert("shellward/running".into(), job.is_running().into());
    meta.0.insert("shellward/bytes".into(), text.total_bytes.into());
    meta.0.insert("shellward/not_kept".into(), text.dropped_bytes.into());
    ResourceContents::text(shown, uri).with_meta(meta)
}
