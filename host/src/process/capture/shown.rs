//! What a terminal shows, written into an `Output`.

use std::sync::atomic::Ordering;

use super::super::launch::Size;
use super::{Flow, Output, Side, Stream};
use crate::screen::Screen;

/// Takes what a terminal brings, and keeps in an output what the terminal shows of it, or all as it comes.
pub(crate) struct Shown {
    output: Output,
    stream: Stream,
    screen: Option<Screen>,
}

impl Shown {
    /// Without a size everything is kept as it comes.
    pub(crate) fn new(output: Output, stream: Stream, size: Option<Size>) -> Self {
        Self { output, stream, screen: size.map(|size| Screen::new(size.rows, size.columns)) }
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) {
        if !bytes.is_empty() {
            self.output.0.activity.fetch_add(1, Ordering::Relaxed);
        }
        let Some(screen) = &mut self.screen else { return self.output.append(self.stream, bytes) };
        screen.feed(bytes);
        let settled = screen.take();
        let mut side = self.output.side(self.stream);
        // It may be among what is kept for good now; `show` follows when the terminal pauses.
        side.shown.clear();
        side.append(settled.as_slice(), |bytes| self.output.tap(self.stream, bytes));
    }

    /// Lets readers see also what may still change.
    pub(crate) fn show(&mut self) {
        if let Some(screen) = &self.screen {
            let view = screen.view();
            self.output.side(self.stream).shown = view;
        }
    }

    pub(crate) fn resize(&mut self, size: Size) {
        if let Some(screen) = &mut self.screen {
            screen.resize(size.rows, size.columns);
        }
    }

    /// True where a moment of silence would settle something.
    pub(crate) fn unsettled(&self) -> bool {
        self.screen.as_ref().is_some_and(Screen::unsettled)
    }

    /// Takes a moment of silence as a sign that whole lines will stay as they are.
    pub(crate) fn settle(&mut self) {
        if let Some(screen) = &mut self.screen {
            screen.settle();
        }
        self.write(&[]);
        self.show();
    }

    /// Keeps what is shown now for good: nothing more comes.
    pub(crate) fn end(&mut self, state: Flow) {
        let last = self.screen.as_mut().map(Screen::end).unwrap_or_default();
        let mut side = self.output.side(self.stream);
        side.shown = Vec::new();
        side.append(&last, |bytes| self.output.tap(self.stream, bytes));
        side.state = state;
        side.ring.settle();
    }
}

impl Output {
    /// Adds bytes to a stream.
    fn append(&self, stream: Stream, bytes: &[u8]) {
        self.side(stream).append(bytes, |bytes| self.tap(stream, bytes));
    }

    /// Says of a stream that it brings nothing more.
    pub(crate) fn close(&self, stream: Stream, state: Flow) {
        let mut side = self.side(stream);
        side.state = state;
        side.ring.settle();
    }

    fn tap(&self, stream: Stream, bytes: &[u8]) {
        if let Some(tap) = &self.0.tap {
            tap.chunk(stream, bytes);
        }
    }
}

impl Side {
    fn append(&mut self, mut bytes: &[u8], tap: impl Fn(&[u8])) {
        while !bytes.is_empty() {
            let (room, _) = self.ring.room();
            let count = room.len().min(bytes.len());
            room[..count].copy_from_slice(&bytes[..count]);
            let (first, second) = self.ring.commit(count);
            tap(first);
            if !second.is_empty() {
                tap(second);
            }
            bytes = &bytes[count..];
        }
    }
}
