//! One document: its label, whether it is pinned, how its process ended, and its text.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use serde::Serialize;

use super::document::Document;
use crate::policy::contract::types::Exit;
use crate::process::{Output, Stream};

/// What a document is about, settled when it is opened.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    /// The session of the job's call: decides who may see the document.
    pub session: String,
    pub label: String,
    pub job: String,
    pub command: String,
    pub directory: String,
    /// In milliseconds since 1970.
    pub started_at: u64,
}

/// The end of a document's process.
#[derive(Clone, Debug)]
pub(crate) struct End {
    pub exit: Exit,
    /// In milliseconds since 1970.
    pub at: u64,
}

/// A live output document. Cloning gives another handle on the same one.
#[derive(Clone, Debug)]
pub struct Block(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    source: Source,
    output: Output,
    pinned: AtomicBool,
    end: OnceLock<End>,
    /// Made when somebody first looks at it.
    document: Mutex<Option<Document>>,
}

/// What is known of a document without its text.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BlockInfo {
    /// Its label, such as `process:task_01k…`.
    pub label: String,
    /// The job whose output it holds.
    pub job: String,
    /// The command, as the agent wrote it.
    pub command: String,
    /// The directory it was started in.
    pub directory: String,
    /// When it was started, in milliseconds since 1970.
    pub started_at: u64,
    /// How its process ended; none while it runs.
    pub exit: Option<Exit>,
    /// When its process ended, in milliseconds since 1970.
    pub ended_at: Option<u64>,
    /// Whether it is among those shown to the agent.
    pub pinned: bool,
    /// Bytes that the process has written to standard output so far.
    pub stdout_bytes: u64,
    /// Bytes that it has written to standard error.
    pub stderr_bytes: u64,
}

/// What a peer lacks of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Changes {
    /// Updates to import, in this order, into the document that the peer has.
    Updates(Vec<Vec<u8>>),
    /// The history that the peer would need is gone: a snapshot, to begin a new document with.
    Anew(Vec<u8>),
}

/// A version of a document that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this is no version of a document: {0}; give what `Block::version` returned, or nothing for all of it")]
pub struct VersionError(pub(super) String);

impl Block {
    pub(crate) fn new(source: Source, output: Output) -> Self {
        Self(Arc::new(Inner {
            source,
            output,
            pinned: AtomicBool::new(true),
            end: OnceLock::new(),
            document: Mutex::new(None),
        }))
    }

    pub(crate) fn source(&self) -> &Source {
        &self.0.source
    }

    pub(crate) fn output(&self) -> &Output {
        &self.0.output
    }

    /// Its label, unique within its session.
    #[must_use]
    pub fn label(&self) -> &str {
        &self.0.source.label
    }

    /// What is known of it.
    #[must_use]
    pub fn info(&self) -> BlockInfo {
        let source = &self.0.source;
        let end = self.0.end.get();
        BlockInfo {
            label: source.label.clone(),
            job: source.job.clone(),
            command: source.command.clone(),
            directory: source.directory.clone(),
            started_at: source.started_at,
            exit: end.map(|end| end.exit.clone()),
            ended_at: end.map(|end| end.at),
            pinned: self.is_pinned(),
            stdout_bytes: self.0.output.total_bytes(Stream::Stdout),
            stderr_bytes: self.0.output.total_bytes(Stream::Stderr),
        }
    }

    /// Whether it is among those shown to the agent.
    #[must_use]
    pub fn is_pinned(&self) -> bool {
        self.0.pinned.load(Ordering::Acquire)
    }

    /// Puts it among those shown to the agent, or takes it from there; it stays readable.
    pub fn pin(&self, pinned: bool) {
        self.0.pinned.store(pinned, Ordering::Release);
    }

    /// Notes how its process ended. The first end counts.
    pub(crate) fn ended(&self, end: End) {
        let _ = self.0.end.set(end);
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.0.end.get().is_some()
    }

    /// The text of a stream as the document holds it.
    #[must_use]
    pub fn text(&self, stream: Stream) -> String {
        self.look(|document| document.text(stream))
    }

    /// The whole document, for a peer that has nothing of it yet.
    #[must_use]
    pub fn snapshot(&self) -> Vec<u8> {
        self.look(Document::snapshot)
    }

    /// The document's version now, to ask with for what comes after it.
    #[must_use]
    pub fn version(&self) -> Vec<u8> {
        self.look(Document::version)
    }

    /// What has changed since a version that [`Block::version`], or a peer's own document, has given.
    ///
    /// # Errors
    /// When these bytes are no version.
    pub fn updates(&self, since: &[u8]) -> Result<Changes, VersionError> {
        self.look(|document| document.changes(since))
    }

    /// Brings the document up to date, and looks at it.
    fn look<T>(&self, at: impl FnOnce(&Document) -> T) -> T {
        let mut document = self.lock();
        let document = document.get_or_insert_with(|| Document::new(&self.0.source));
        document.follow(&self.0.output, self.0.end.get());
        at(document)
    }

    fn lock(&self) -> MutexGuard<'_, Option<Document>> {
        // One that a panic has left half changed is made anew: what it shows is all in the output.
        self.0.document.lock().unwrap_or_else(|poisoned: PoisonError<MutexGuard<'_, Option<Document>>>| {
            let mut document = poisoned.into_inner();
            *document = None;
            document
        })
    }
}
