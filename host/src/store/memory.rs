//! The store that leaves nothing behind.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{Change, Done, Keep, PageSize, Phase, Run, Store, StoreError, Which, text_of};
use crate::clock;
use crate::policy::contract::output::{Content, Item};
use crate::policy::contract::types::Stdstream;

/// Keeps runs as long as the host lives.
pub(crate) struct Memory {
    keep: Keep,
    runs: Mutex<BTreeMap<String, Kept>>,
}

struct Kept {
    run: Run,
    items: Vec<Item>,
    bytes: u64,
}

impl Memory {
    pub(crate) fn new(keep: Keep) -> Self {
        Self { keep, runs: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Kept>> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn prune(&self, runs: &mut BTreeMap<String, Kept>) {
        let mut ended: Vec<_> = runs
            .values()
            .filter_map(|kept| Some((kept.run.standing.ended_at?, kept.run.id.clone(), kept.bytes)))
            .collect();
        ended.sort_unstable();
        let mut count = ended.len() as u64;
        let mut bytes: u64 = runs.values().map(|kept| kept.bytes).sum();
        let oldest = clock::now().saturating_sub(u64::try_from(self.keep.age.as_millis()).unwrap_or(u64::MAX));
        for (ended_at, id, size) in ended {
            if count <= self.keep.runs && bytes <= self.keep.bytes && ended_at >= oldest {
                break;
            }
            runs.remove(&id);
            (count, bytes) = (count - 1, bytes - size);
        }
    }
}

impl Store for Memory {
    fn submit(&self, change: Change, done: Done) {
        {
            let mut runs = self.lock();
            match change {
                Change::Create(run) => {
                    self.prune(&mut runs);
                    runs.insert(run.id.clone(), Kept { run: *run, items: Vec::new(), bytes: 0 });
                }
                Change::Save(id, standing) => {
                    if let Some(kept) = runs.get_mut(&*id) {
                        kept.run.standing = *standing;
                    }
                }
                Change::Append(id, items, stored) => {
                    if let Some(kept) = runs.get_mut(&*id) {
                        kept.run.stored = stored;
                        kept.run.last_seq = items.last().map_or(kept.run.last_seq, |item| item.seq);
                        kept.bytes += items.iter().map(|item| text_of(item).len() as u64 + 64).sum::<u64>();
                        kept.items.extend(items);
                    }
                }
                // No other host sees these runs.
                Change::Post(_) | Change::Unwanted(_) => {}
            }
        }
        done(Ok(()));
    }

    fn find(&self, id: &str) -> Result<Option<Run>, StoreError> {
        Ok(self.lock().get(id).map(|kept| kept.run.clone()))
    }

    fn list(&self, which: Which<'_>) -> Result<Vec<Run>, StoreError> {
        let wanted = |run: &&Run| {
            let ended = run.standing.phase == Phase::Ended;
            which.session.is_none_or(|session| run.session == session) && if ended { which.ended } else { which.active }
        };
        let mut runs: Vec<_> = self.lock().values().map(|kept| &kept.run).filter(wanted).cloned().collect();
        // Calls are numbered by time, whatever prefix the job's id has.
        runs.sort_by(|one, other| one.call.cmp(&other.call));
        Ok(runs.split_off(runs.len().saturating_sub(which.limit)))
    }

    fn items(&self, id: &str, since: u64, limit: u32, stream: Option<Stdstream>) -> Result<Vec<Item>, StoreError> {
        let runs = self.lock();
        let Some(kept) = runs.get(id) else { return Ok(Vec::new()) };
        let mut size = PageSize::default();
        let newer = kept.items.iter().skip_while(|item| item.seq <= since).filter(|item| is_of(item, stream));
        Ok(newer.take(limit as usize).take_while(|item| size.takes(item)).cloned().collect())
    }

    fn newest(&self, id: &str, max: usize) -> Result<Vec<Item>, StoreError> {
        let runs = self.lock();
        let Some(kept) = runs.get(id) else { return Ok(Vec::new()) };
        let mut left = max;
        let output = kept.items.iter().rev().filter(|item| !matches!(item.content, Content::Event(_)));
        let enough = output.take_while(|item| {
            let before = left;
            left = left.saturating_sub(text_of(item).len());
            before > 0
        });
        Ok(enough.cloned().collect())
    }

    fn claim(&self, _policy: &str) -> Result<Vec<Run>, StoreError> {
        Ok(Vec::new())
    }

    fn wanted_ended(&self) -> Result<Vec<String>, StoreError> {
        Ok(Vec::new())
    }
}

fn is_of(item: &Item, stream: Option<Stdstream>) -> bool {
    match (stream, &item.content) {
        (None, _) | (Some(Stdstream::Stdout), Content::Stdout(_)) | (Some(Stdstream::Stderr), Content::Stderr(_)) => {
            true
        }
        (Some(_), _) => false,
    }
}
