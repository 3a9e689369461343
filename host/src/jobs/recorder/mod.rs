//! Sees all that a job prints: records it, looks for what the policy wants to be told of, and counts.
//!
//! It hears every chunk on the task that reads the pipes, so it only cuts, matches and hands on. What is not kept yet
//! is bounded: while too much of it waits, nothing more is read.

mod recent;
mod text;

use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use tokio::sync::{Notify, watch};

use self::recent::Recent;
use super::lines::Line;
use super::watches::{Hit, Watches};
use crate::clock;
use crate::policy::contract::output::{Chunk, Content, Item, RecordedEvent};
use crate::policy::contract::types::{self, Progress, Stdstream};
use crate::process::{Stream, Tap};
use crate::store::{Change, Store, StoreError, Stored};

/// Bytes of a job that may wait to be kept; more is not read before.
const BACKLOG: usize = 512 << 10;

/// Hits that may wait for the policy; more are counted.
const HITS: usize = 256;

/// How long part of a line waits for the rest.
const QUIET: Duration = Duration::from_millis(100);

/// What is recorded of a job, and told of it.
pub(crate) struct Recorder {
    inner: Mutex<Inner>,
    log: Option<Log>,
    /// Tells the actor of hits, and of output that is to be reported.
    news: Arc<Notify>,
    /// Tells the task that looks after what waits for more.
    waiting: Notify,
    report: Option<Duration>,
    /// The number of the item of a change of status that is recorded, and not true of the job yet; else the largest.
    coming: AtomicU64,
    /// The number of the newest such item that is true.
    status: AtomicU64,
}

/// Where the items of a durable job go.
struct Log {
    store: Arc<dyn Store>,
    id: Arc<str>,
    kept: Arc<Kept>,
}

/// What the store has done.
struct Kept {
    /// The number of the newest item that is kept.
    seq: AtomicU64,
    /// What the items that are kept hold.
    stored: Mutex<Stored>,
    /// Bytes that wait.
    waiting: AtomicUsize,
    less: Notify,
    failed: Mutex<Option<StoreError>>,
    changes: watch::Sender<()>,
    news: Arc<Notify>,
}

struct Inner {
    watches: Watches,
    sides: [Side; 2],
    recent: Recent,
    hits: VecDeque<types::Hit>,
    unreported: Progress,
    reported_at: Option<Instant>,
    /// The number of the newest item, kept or not.
    seq: u64,
    /// What all items hold, kept or not.
    stored: Stored,
    /// How many bytes of output may still be stored; none means all.
    room: Option<u64>,
    closed: bool,
}

/// What of a stream waits for more.
#[derive(Default)]
struct Side {
    /// Not recorded yet.
    pending: Vec<u8>,
    /// The unfinished line, for the watches.
    line: Line,
}

/// What is known of a job's items from before.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Known {
    /// The number of the newest.
    pub seq: u64,
    /// What they hold.
    pub stored: Stored,
}

/// What a job's output is recorded for.
pub(crate) struct Purpose {
    /// Where its items go, and how many bytes of output at most.
    pub store: Option<(Arc<dyn Store>, Option<u64>)>,
    pub watches: Watches,
    pub report: Option<Duration>,
}

impl Recorder {
    /// Goes on behind what is known of the job's items; `changes` is told whenever more are kept.
    pub(crate) fn new(job: &str, purpose: Purpose, known: Known, changes: &watch::Sender<()>) -> Arc<Self> {
        let Purpose { store, watches, report } = purpose;
        let room = store.as_ref().and_then(|(_, room)| *room);
        let news = Arc::<Notify>::default();
        let log = store.map(|(store, _)| {
            let kept = Kept {
                seq: AtomicU64::new(known.seq),
                stored: Mutex::new(known.stored),
                waiting: AtomicUsize::new(0),
                less: Notify::new(),
                failed: Mutex::default(),
                changes: changes.clone(),
                news: Arc::clone(&news),
            };
            Log { store, id: job.into(), kept: Arc::new(kept) }
        });
        let inner = Inner {
            watches,
            sides: Default::default(),
            recent: Recent::default(),
            hits: VecDeque::new(),
            unreported: Progress { stdout: 0, stderr: 0 },
            reported_at: None,
            seq: known.seq,
            stored: known.stored,
            room,
            closed: false,
        };
        let (coming, status) = (AtomicU64::new(u64::MAX), AtomicU64::new(0));
        Arc::new(Self { inner: Mutex::new(inner), log, news, waiting: Notify::new(), report, coming, status })
    }

    /// Looks after what waits for more, until [`finish`](Self::finish) or the end of the recorder.
    pub(crate) fn look_after(self: &Arc<Self>) {
        let recorder = Arc::downgrade(self);
        tokio::spawn(async move { while rest(&recorder).await {} });
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of the newest item that is kept, and says nothing that is not true of the job yet.
    pub(crate) fn last_seq(&self) -> u64 {
        self.kept_seq().min(self.coming.load(Ordering::Acquire) - 1)
    }

    fn kept_seq(&self) -> u64 {
        self.log.as_ref().map_or(0, |log| log.kept.seq.load(Ordering::Acquire))
    }

    /// What the items that are kept hold.
    pub(crate) fn stored(&self) -> Stored {
        self.log.as_ref().map(|log| log.kept.stored()).unwrap_or_default()
    }

    /// Forgets what was recorded of an earlier life of the job: it runs again.
    pub(super) fn begin_anew(&self) {
        let mut inner = self.lock();
        inner.stored = Stored::default();
        if let Some(log) = &self.log {
            *log.kept.stored.lock().unwrap_or_else(PoisonError::into_inner) = Stored::default();
        }
    }

    /// Why nothing more of the job is recorded, where that is so.
    pub(crate) fn failed(&self) -> Option<StoreError> {
        self.log.as_ref()?.kept.failed()
    }

    /// The newest output in order of arrival, at most `max` bytes.
    pub(crate) fn snippet(&self, max: usize) -> String {
        let inner = self.lock();
        inner.recent.text(max, inner.closed)
    }

    /// Records that something happened to the job.
    pub(crate) fn note(&self, name: &str, data: &serde_json::Value) {
        let Some(log) = &self.log else { return };
        let mut inner = self.lock();
        let item = inner.event(name, data);
        log.keep(vec![item], 0, inner.stored);
    }

    /// Records a status that the job is about to have: until [`has_come`](Self::has_come) nobody is told of it.
    pub(super) fn note_status(&self, status: &str) {
        let Some(log) = &self.log else { return };
        let mut inner = self.lock();
        let item = inner.event("status", &status.into());
        self.coming.store(item.seq, Ordering::Release);
        log.keep(vec![item], 0, inner.stored);
    }

    /// Notes that the job has the status that was recorded last, or never will.
    pub(super) fn has_come(&self) {
        let coming = self.coming.swap(u64::MAX, Ordering::AcqRel);
        if coming != u64::MAX {
            self.status.store(coming, Ordering::Release);
        }
    }

    /// Whether the item of the job's status can be read, or never will be.
    pub(super) fn has_status(&self) -> bool {
        self.log.is_none() || self.kept_seq() >= self.status.load(Ordering::Acquire) || self.failed().is_some()
    }

    /// Waits until there may be something for the policy.
    pub(crate) async fn news(&self) {
        self.news.notified().await;
    }

    /// The next hit to be told: one whose item can be read already.
    pub(crate) fn hit(&self) -> Option<types::Hit> {
        let (kept, failed) = (self.kept_seq(), self.failed().is_some());
        let mut inner = self.lock();
        let ready = self.log.is_none() || failed || inner.hits.front().is_some_and(|hit| hit.seq <= kept);
        if ready { inner.hits.pop_front() } else { None }
    }

    /// When output is to be reported next; none while there is none.
    pub(crate) fn report_due(&self) -> Option<Instant> {
        let interval = self.report?;
        let inner = self.lock();
        let some = inner.unreported.stdout + inner.unreported.stderr > 0;
        some.then(|| inner.reported_at.map_or_else(Instant::now, |at| at + interval))
    }

    /// Takes what was printed since the last report.
    pub(crate) fn report(&self, now: Instant) -> Option<Progress> {
        self.report?;
        let mut inner = self.lock();
        let progress = std::mem::replace(&mut inner.unreported, Progress { stdout: 0, stderr: 0 });
        inner.reported_at = Some(now);
        (progress.stdout + progress.stderr > 0).then_some(progress)
    }

    /// Records what still waited for more: nothing more comes.
    pub(crate) fn finish(&self) {
        let mut inner = self.lock();
        if inner.closed {
            return;
        }
        inner.closed = true;
        let mut batch = Batch::default();
        let now = Instant::now();
        for stream in [Stream::Stdout, Stream::Stderr] {
            let hits = if inner.side(stream).line.is_empty() { Vec::new() } else { inner.look(stream, b"", true, now) };
            let pending = std::mem::take(&mut inner.side(stream).pending);
            inner.output(stream, &pending, &mut batch);
            inner.tell(hits, self.log.is_some(), &mut batch);
        }
        let held = inner.watches.held(true, now);
        inner.tell(held, self.log.is_some(), &mut batch);
        self.keep(batch, inner.stored);
        drop(inner);
        self.waiting.notify_one();
    }

    /// Waits until all that was recorded is kept, or cannot be.
    pub(crate) async fn settled(&self) {
        let Some(log) = &self.log else { return };
        let mut changes = log.kept.changes.subscribe();
        while self.kept_seq() < self.lock().seq && log.kept.failed().is_none() {
            if changes.changed().await.is_err() {
                return;
            }
        }
    }

    /// Records what has waited long enough, and tells of what was held back.
    fn flush(&self) {
        let mut inner = self.lock();
        if inner.closed {
            return;
        }
        let mut batch = Batch::default();
        for stream in [Stream::Stdout, Stream::Stderr] {
            let side = inner.side(stream);
            let end = side.pending.len() - text::unfinished(&side.pending);
            let pending: Vec<u8> = side.pending.drain(..end).collect();
            inner.output(stream, &pending, &mut batch);
        }
        let held = inner.watches.held(false, Instant::now());
        inner.tell(held, self.log.is_some(), &mut batch);
        self.keep(batch, inner.stored);
        self.news.notify_one();
    }

    /// Hands a batch to the store. The record stays locked, so that batches arrive in order.
    fn keep(&self, batch: Batch, stored: Stored) {
        if let Some(log) = self.log.as_ref().filter(|_| !batch.items.is_empty()) {
            log.keep(batch.items, batch.bytes, stored);
        }
    }

    /// Whether something waits that should not wait for ever.
    fn has_waiting(&self) -> bool {
        let inner = self.lock();
        inner.watches.holds_back() || inner.sides.iter().any(|side| !side.pending.is_empty())
    }
}

/// One round of looking after what waits; false when there is nothing more to look after.
async fn rest(recorder: &Weak<Recorder>) -> bool {
    {
        let Some(recorder) = recorder.upgrade() else { return false };
        if recorder.lock().closed {
            return false;
        }
        if !recorder.has_waiting() {
            recorder.waiting.notified().await;
        }
    }
    tokio::time::sleep(QUIET).await;
    let Some(recorder) = recorder.upgrade() else { return false };
    recorder.flush();
    true
}

impl Tap for Recorder {
    fn chunk(&self, stream: Stream, bytes: &[u8]) {
        let mut inner = self.lock();
        if inner.closed {
            return;
        }
        inner.recent.push(bytes);
        let waited = !inner.side(stream).pending.is_empty();
        let mut batch = Batch::default();
        let (hits, durable) = (inner.hits.len(), self.log.is_some());
        inner.read(stream, bytes, durable, &mut batch);
        self.keep(batch, inner.stored);
        let (told, waits) = (inner.hits.len() > hits, !inner.side(stream).pending.is_empty());
        let mut wake = told;
        if self.report.is_some() {
            // The first byte since the last report sets its time; the actor knows of it from then on.
            wake |= inner.unreported.stdout + inner.unreported.stderr == 0;
            match stream {
                Stream::Stdout => inner.unreported.stdout += bytes.len() as u64,
                Stream::Stderr => inner.unreported.stderr += bytes.len() as u64,
            }
        }
        let waits = waits && !waited || inner.watches.holds_back();
        drop(inner);
        if wake {
            self.news.notify_one();
        }
        if waits {
            self.waiting.notify_one();
        }
    }

    fn is_full(&self) -> bool {
        self.log.as_ref().is_some_and(|log| log.kept.waiting.load(Ordering::Acquire) >= BACKLOG)
    }

    fn drained<'a>(&'a self) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>> {
        Box::pin(async move {
            let Some(log) = &self.log else { return };
            loop {
                let less = log.kept.less.notified();
                if !self.is_full() {
                    return;
                }
                less.await;
            }
        })
    }
}

/// Items on their way to the store.
#[derive(Default)]
struct Batch {
    items: Vec<Item>,
    bytes: usize,
}

impl Inner {
    fn side(&mut self, stream: Stream) -> &mut Side {
        match stream {
            Stream::Stdout => &mut self.sides[0],
            Stream::Stderr => &mut self.sides[1],
        }
    }

    /// Takes a chunk: looks at each line that it ends, and records whole lines.
    fn read(&mut self, stream: Stream, bytes: &[u8], durable: bool, batch: &mut Batch) {
        let mut rest = bytes;
        let now = Instant::now();
        while self.watches.look()
            && let Some(end) = rest.iter().position(|byte| *byte == b'\n')
        {
            let (line, after) = rest.split_at(end + 1);
            rest = after;
            let hits = self.look(stream, &line[..end], true, now);
            self.follow(stream, line, hits, durable, batch);
        }
        let hits = if self.watches.look() { self.look(stream, rest, false, now) } else { Vec::new() };
        self.follow(stream, rest, hits, durable, batch);
        if durable {
            self.whole_lines(stream, batch);
        }
    }

    /// Records what was looked at, and right behind it what was found in it.
    fn follow(&mut self, stream: Stream, looked: &[u8], hits: Vec<Hit>, durable: bool, batch: &mut Batch) {
        if durable {
            let side = self.side(stream);
            side.pending.extend_from_slice(looked);
            if !hits.is_empty() {
                let end = side.pending.len() - text::unfinished(&side.pending);
                let pending: Vec<u8> = side.pending.drain(..end).collect();
                self.output(stream, &pending, batch);
            }
        }
        self.tell(hits, durable, batch);
    }

    /// Adds to the unfinished line, and matches what of it is ready: all of it where it ends here.
    fn look(&mut self, stream: Stream, bytes: &[u8], ends: bool, now: Instant) -> Vec<Hit> {
        let room = self.hits.len() < HITS;
        let Self { watches, sides: [stdout, stderr], .. } = self;
        let side = if stream == Stream::Stdout { stdout } else { stderr };
        let mut hits = Vec::new();
        side.line.read(bytes, ends, |window| {
            let (found, matched) = watches.read(stream, window, room, now);
            hits.extend(found);
            matched
        });
        hits
    }

    /// Records what of the pending bytes is whole lines, or too long to wait for the end of its line.
    fn whole_lines(&mut self, stream: Stream, batch: &mut Batch) {
        let side = self.side(stream);
        let mut end = side.pending.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        if side.pending.len() - end >= text::LONGEST {
            end = text::between_characters(&side.pending, side.pending.len() - text::unfinished(&side.pending));
        }
        let whole: Vec<u8> = side.pending.drain(..end).collect();
        self.output(stream, &whole, batch);
    }

    /// Makes items of output, as far as there is room for it.
    fn output(&mut self, stream: Stream, bytes: &[u8], batch: &mut Batch) {
        let mut bytes = bytes;
        if let Some(room) = &mut self.room {
            let fits = usize::try_from(*room).unwrap_or(usize::MAX);
            if bytes.len() > fits {
                bytes = &bytes[..between_or_none(bytes, fits)];
                *room = 0;
            } else {
                *room -= bytes.len() as u64;
            }
        }
        let at = clock::now();
        batch.bytes += bytes.len();
        match stream {
            Stream::Stdout => self.stored.stdout += bytes.len() as u64,
            Stream::Stderr => self.stored.stderr += bytes.len() as u64,
        }
        for piece in text::pieces(bytes) {
            let chunk = Chunk { text: piece.text, invalid: piece.invalid };
            self.seq += 1;
            let content = match stream {
                Stream::Stdout => Content::Stdout(chunk),
                Stream::Stderr => Content::Stderr(chunk),
            };
            batch.items.push(Item { seq: self.seq, at, content });
        }
    }

    fn event(&mut self, name: &str, data: &serde_json::Value) -> Item {
        self.seq += 1;
        let event = RecordedEvent { name: name.to_owned(), data: data.to_string() };
        Item { seq: self.seq, at: clock::now(), content: Content::Event(event) }
    }

    /// Puts hits in line for the policy, and on record.
    fn tell(&mut self, hits: Vec<Hit>, durable: bool, batch: &mut Batch) {
        for Hit { event, stream, line, suppressed } in hits {
            let printed_on = match stream {
                Stream::Stdout => Stdstream::Stdout,
                Stream::Stderr => Stdstream::Stderr,
            };
            let mut seq = 0;
            if durable {
                let item = self.event(&event, &line.as_str().into());
                seq = item.seq;
                batch.items.push(item);
            }
            self.hits.push_back(types::Hit { event, printed_on, line, seq, suppressed });
        }
    }
}

/// As many bytes as fit, without cutting a character; none where not even the first does.
fn between_or_none(bytes: &[u8], fits: usize) -> usize {
    let end = text::between_characters(bytes, fits);
    if end > fits { 0 } else { end - text::unfinished(&bytes[..end]) }
}

impl Log {
    fn keep(&self, items: Vec<Item>, bytes: usize, stored: Stored) {
        if self.kept.failed().is_some() {
            return;
        }
        let Some(last) = items.last().map(|item| item.seq) else { return };
        self.kept.waiting.fetch_add(bytes, Ordering::AcqRel);
        let (kept, id) = (Arc::clone(&self.kept), Arc::clone(&self.id));
        let done = move |result: Result<(), StoreError>| {
            match result {
                Ok(()) => {
                    *kept.stored.lock().unwrap_or_else(PoisonError::into_inner) = stored;
                    kept.seq.store(last, Ordering::Release);
                }
                Err(error) => kept.fail(&id, error),
            }
            kept.waiting.fetch_sub(bytes, Ordering::AcqRel);
            kept.less.notify_waiters();
            kept.changes.send_replace(());
            // A hit that waited for its item can be told.
            kept.news.notify_one();
        };
        self.store.submit(Change::Append(Arc::clone(&self.id), items, stored), Box::new(done));
    }
}

impl Kept {
    fn failed(&self) -> Option<StoreError> {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn stored(&self) -> Stored {
        *self.stored.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Nothing after an item that could not be kept is kept, so that what is kept has no gap.
    fn fail(&self, job: &str, error: StoreError) {
        let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        if failed.is_none() {
            tracing::error!(job, %error, "the output of a durable run is not recorded any more");
            *failed = Some(error);
        }
    }
}

impl std::fmt::Debug for Recorder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Recorder").field("durable", &self.log.is_some()).finish_non_exhaustive()
    }
}
