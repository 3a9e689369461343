//! The Loro document of a block: a map `process` with the fields of a process, and two texts.

use std::borrow::Cow;

use loro::{ExportMode, LoroDoc, LoroMap, LoroResult, LoroText, LoroValue, VersionVector};

use super::block::{Changes, End, Source, VersionError};
use super::feed::Feed;
use crate::policy::contract::types::Exit;
use crate::process::{Output, Stream};

/// The map that holds everything.
const ROOT: &str = "process";
const STDOUT: &str = "stdout";
const STDERR: &str = "stderr";

/// Characters of history that are kept at least; beyond it, as many as some times what the text holds.
const HISTORY: usize = 1 << 20;
const TIMES: usize = 4;

#[derive(Debug)]
pub(super) struct Document {
    doc: LoroDoc,
    stdout: Feed,
    stderr: Feed,
    ended: bool,
    /// Characters inserted since history was last let go.
    inserted: usize,
    /// The version at which history was last let go: where this document begins.
    begins: VersionVector,
    /// What led there from the time before, so that a peer that follows is never behind what is kept.
    before: Option<Before>,
}

/// A stretch of history that the document itself no longer has.
#[derive(Debug)]
struct Before {
    from: VersionVector,
    updates: Vec<u8>,
}

impl Document {
    pub(super) fn new(source: &Source) -> Self {
        let doc = LoroDoc::new();
        let (stdout, stderr) = (Feed::default(), Feed::default());
        let begins = VersionVector::default();
        let document = Self { doc, stdout, stderr, ended: false, inserted: 0, begins, before: None };
        document.log("written", document.begin(source));
        document
    }

    fn begin(&self, source: &Source) -> LoroResult<()> {
        let root = self.root();
        root.insert("label", source.label.as_str())?;
        root.insert("task_id", source.job.as_str())?;
        root.insert("command", source.command.as_str())?;
        root.insert("cwd", source.directory.as_str())?;
        root.insert("started_at", number(source.started_at))?;
        root.insert_container(STDOUT, LoroText::new())?;
        root.insert_container(STDERR, LoroText::new())?;
        root.insert("exit_code", LoroValue::Null)?;
        root.insert("ended_at", LoroValue::Null)?;
        self.doc.commit();
        Ok(())
    }

    /// Takes over what the process has printed since the last look, and its end.
    pub(super) fn follow(&mut self, output: &Output, end: Option<&End>) {
        for stream in [Stream::Stdout, Stream::Stderr] {
            let Some(text) = self.container(stream) else { continue };
            let feed = match stream {
                Stream::Stdout => &mut self.stdout,
                Stream::Stderr => &mut self.stderr,
            };
            match feed.follow(output, stream, &text) {
                Ok(inserted) => self.inserted += inserted,
                Err(error) => tracing::error!(%error, "a live document does not take its process's output"),
            }
        }
        if let Some(end) = end.filter(|_| !self.ended) {
            self.log("ended", self.finish(end));
            self.ended = true;
        }
        self.doc.commit();
        if self.inserted > HISTORY + TIMES * self.length() {
            self.forget_history();
        }
    }

    fn finish(&self, end: &End) -> LoroResult<()> {
        let root = self.root();
        match &end.exit {
            Exit::Code(code) => root.insert("exit_code", i64::from(*code))?,
            Exit::Signal(name) => root.insert("signal", name.as_str())?,
        }
        root.insert("ended_at", number(end.at))
    }

    /// Begins again with the document's present state. Its versions go on, and the stretch of history just gone is kept
    /// as updates, so that peers which are not far behind notice nothing.
    fn forget_history(&mut self) {
        let peer = self.doc.peer_id();
        let (now, frontiers) = (self.doc.oplog_vv(), self.doc.oplog_frontiers());
        let updates = self.exported(ExportMode::Updates { from: Cow::Borrowed(&self.begins) });
        let state = self.doc.export(ExportMode::shallow_snapshot(&frontiers)).map_err(|error| error.to_string());
        let doc = state.and_then(|state| LoroDoc::from_snapshot(&state).map_err(|error| error.to_string()));
        match doc {
            Ok(doc) => {
                self.log("continued", doc.set_peer_id(peer));
                self.doc = doc;
                self.inserted = 0;
                self.before = Some(Before { from: std::mem::replace(&mut self.begins, now), updates });
            }
            Err(error) => tracing::error!(error, "the history of a live document cannot be let go"),
        }
    }

    pub(super) fn text(&self, stream: Stream) -> String {
        self.container(stream).map(|text| text.to_string()).unwrap_or_default()
    }

    pub(super) fn snapshot(&self) -> Vec<u8> {
        self.exported(ExportMode::Snapshot)
    }

    pub(super) fn version(&self) -> Vec<u8> {
        self.doc.oplog_vv().encode()
    }

    pub(super) fn changes(&self, since: &[u8]) -> Result<Changes, VersionError> {
        let since = match since {
            [] => VersionVector::default(),
            bytes => VersionVector::decode(bytes).map_err(|error| VersionError(error.to_string()))?,
        };
        if since.includes_vv(&self.begins) {
            return Ok(Changes::Updates(vec![self.exported(ExportMode::Updates { from: Cow::Owned(since) })]));
        }
        Ok(match &self.before {
            Some(before) if since.includes_vv(&before.from) => {
                let later = self.exported(ExportMode::Updates { from: Cow::Borrowed(&self.begins) });
                Changes::Updates(vec![before.updates.clone(), later])
            }
            Some(_) | None => Changes::Anew(self.snapshot()),
        })
    }

    fn exported(&self, mode: ExportMode<'_>) -> Vec<u8> {
        // Exporting fails for versions that a document does not have; none of ours is one.
        self.doc.export(mode).unwrap_or_else(|error| {
            tracing::error!(%error, "a live document cannot be exported");
            Vec::new()
        })
    }

    fn root(&self) -> LoroMap {
        self.doc.get_map(ROOT)
    }

    fn container(&self, stream: Stream) -> Option<LoroText> {
        let name = match stream {
            Stream::Stdout => STDOUT,
            Stream::Stderr => STDERR,
        };
        self.root().get(name)?.into_container().ok()?.into_text().ok()
    }

    fn length(&self) -> usize {
        [Stream::Stdout, Stream::Stderr]
            .into_iter()
            .filter_map(|stream| self.container(stream))
            .map(|text| text.len_unicode())
            .sum()
    }

    fn log(&self, what: &str, result: LoroResult<()>) {
        if let Err(error) = result {
            tracing::error!(%error, "a live document could not be {what}");
        }
    }
}

fn number(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
