//! What is kept of one stream: its first bytes, its last bytes, and exact counts.
//!
//! Owns the bytes and knows nothing of files or text. A reader asks for `room`, reads straight
//! into it and `commit`s what it got, so that no byte is copied twice.

/// The most that one read may take, which is what a pipe holds.
pub(crate) const READ_SIZE: usize = 64 * 1024;
/// The first allocation of a stream that says anything.
const FIRST_ROOM: usize = 4 * 1024;

/// How much of one stream is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CaptureLimits {
    /// Bytes kept from the start of the stream.
    pub head: usize,
    /// Bytes kept from its end.
    pub tail: usize,
}

/// The first `head` and the last `tail` bytes of a stream of any length.
#[derive(Debug)]
pub(crate) struct Ring {
    limits: CaptureLimits,
    /// Allocated and zeroed up to its length; filled up to `min(total, limits.head)`.
    head: Vec<u8>,
    /// Grows in a straight line up to `ring_size`, and wraps from then on.
    tail: Vec<u8>,
    total: u64,
}

/// The kept bytes as they lie: `head`, then `gap` bytes that were let go, then `tail` in two pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kept<'a> {
    pub head: &'a [u8],
    pub gap: u64,
    pub tail: (&'a [u8], &'a [u8]),
}

impl Ring {
    pub(crate) fn new(limits: CaptureLimits) -> Self {
        Self { limits, head: Vec::new(), tail: Vec::new(), total: 0 }
    }

    /// Returns the number of bytes the stream has brought so far.
    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// Returns where the next bytes go, in order: never empty, at most `READ_SIZE` in all.
    ///
    /// Bytes written there but not committed are harmless.
    pub(crate) fn room(&mut self) -> (&mut [u8], &mut [u8]) {
        let filled = self.head_filled();
        if filled < self.limits.head {
            if filled == self.head.len() {
                grow(&mut self.head, self.limits.head);
            }
            let end = self.head.len().min(filled + READ_SIZE);
            return (&mut self.head[filled..end], &mut []);
        }
        let written = self.tail_written();
        let size = self.ring_size();
        if self.tail.len() < size && written == self.tail.len() as u64 {
            grow(&mut self.tail, size);
        }
        let position = self.position(written);
        let (before, after) = self.tail.split_at_mut(position);
        let first = after.len().min(READ_SIZE);
        // Until it has its full size the ring may not wrap: its start is not yet old enough to go.
        let second = if before.len() + after.len() < size { 0 } else { before.len().min(READ_SIZE - first) };
        (&mut after[..first], &mut before[..second])
    }

    /// Takes over the first `count` bytes of the `room` given last, and returns them.
    pub(crate) fn commit(&mut self, count: usize) -> (&[u8], &[u8]) {
        let filled = self.head_filled();
        if filled < self.limits.head {
            self.total += count as u64;
            return (&self.head[filled..filled + count], &[]);
        }
        let position = self.position(self.tail_written());
        self.total += count as u64;
        let first = count.min(self.tail.len() - position);
        (&self.tail[position..position + first], &self.tail[..count - first])
    }

    /// Returns the kept bytes.
    pub(crate) fn kept(&self) -> Kept<'_> {
        let written = self.tail_written();
        let count = written.min(self.limits.tail as u64);
        let start = self.position(written - count);
        let count = count as usize;
        let first = count.min(self.tail.len() - start);
        Kept {
            head: &self.head[..self.head_filled()],
            gap: written - count as u64,
            tail: (&self.tail[start..start + first], &self.tail[..count - first]),
        }
    }

    /// Gives back the memory that the kept bytes do not need; nothing may be read into it afterwards.
    pub(crate) fn settle(&mut self) {
        let filled = self.head_filled();
        self.head.truncate(filled);
        self.head.shrink_to_fit();
        let size = self.tail_written().min(self.limits.tail as u64) as usize;
        if size == self.tail.len() {
            return;
        }
        let written = self.tail_written();
        let mut smaller = vec![0; size];
        let (first, second) = self.kept().tail;
        if size > 0 {
            // Every byte stays where its number in the stream, modulo the ring's length, says.
            let start = ((written - size as u64) % size as u64) as usize;
            for (index, byte) in first.iter().chain(second).enumerate() {
                smaller[(start + index) % size] = *byte;
            }
        }
        self.tail = smaller;
    }

    fn head_filled(&self) -> usize {
        self.total.min(self.limits.head as u64) as usize
    }

    fn tail_written(&self) -> u64 {
        self.total - self.head_filled() as u64
    }

    /// A ring smaller than a read would make many small reads of a large output.
    fn ring_size(&self) -> usize {
        self.limits.tail.max(READ_SIZE)
    }

    fn position(&self, written: u64) -> usize {
        if self.tail.is_empty() { 0 } else { (written % self.tail.len() as u64) as usize }
    }
}

/// Doubles the storage, up to `limit`, without the slack that `Vec` would add.
fn grow(storage: &mut Vec<u8>, limit: usize) {
    let size = (storage.len() * 2).max(FIRST_ROOM).min(limit);
    storage.reserve_exact(size - storage.len());
    storage.resize(size, 0);
}

#[cfg(test)]
#[path = "ring_tests.rs"]
mod tests;
