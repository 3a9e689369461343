//! All documents by session and label, and how many are kept.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::block::{Block, End, Source};
use crate::process::Output;

/// How many documents of ended processes are kept. Those of running ones always are.
const KEPT: usize = 256;

/// The label is in use in this session.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Taken;

/// The documents of one host.
#[derive(Debug, Default)]
pub(crate) struct Blocks(Mutex<Inner>);

#[derive(Debug, Default)]
struct Inner {
    by_label: BTreeMap<(String, String), Block>,
    /// In the order of their processes' ends.
    ended: VecDeque<Block>,
}

impl Blocks {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens a document, pinned. One that the same job has under this label is left as it is.
    pub(crate) fn open(&self, source: Source, output: Output) -> Result<(), Taken> {
        let mut inner = self.lock();
        let key = (source.session.clone(), source.label.clone());
        match inner.by_label.get(&key) {
            Some(other) if other.source().job == source.job => Ok(()),
            Some(_) => Err(Taken),
            None => {
                inner.by_label.insert(key, Block::new(source, output));
                Ok(())
            }
        }
    }

    /// Tells whether a label is in use in a session.
    pub(crate) fn is_taken(&self, session: &str, label: &str) -> bool {
        self.get(session, label).is_some()
    }

    /// Gives a document of a session.
    pub(crate) fn get(&self, session: &str, label: &str) -> Option<Block> {
        self.lock().by_label.get(&(session.to_owned(), label.to_owned())).cloned()
    }

    /// Gives a session's documents, oldest first.
    pub(crate) fn list(&self, session: &str) -> Vec<Block> {
        let mut blocks: Vec<Block> =
            self.lock().by_label.values().filter(|block| block.source().session == session).cloned().collect();
        blocks.sort_by_key(|block| block.source().started_at);
        blocks
    }

    /// Notes that the process of a job has ended, and forgets the oldest documents where there are too many.
    pub(crate) fn ended(&self, session: &str, job: &str, end: &End) {
        let mut inner = self.lock();
        let of_job = |block: &&Block| block.source().session == session && block.source().job == job;
        let blocks: Vec<Block> =
            inner.by_label.values().filter(of_job).filter(|block| !block.has_ended()).cloned().collect();
        for block in blocks {
            block.ended(end.clone());
            inner.ended.push_back(block);
        }
        inner.forget();
    }
}

impl Inner {
    /// Forgets the oldest that nobody has pinned; where all are pinned, the oldest.
    fn forget(&mut self) {
        while self.ended.len() > KEPT {
            let oldest = self.ended.iter().position(|block| !block.is_pinned()).unwrap_or(0);
            if let Some(block) = self.ended.remove(oldest) {
                let source = block.source();
                self.by_label.remove(&(source.session.clone(), source.label.clone()));
            }
        }
    }
}
