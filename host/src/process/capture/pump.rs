//! Reads both pipes of a process, or its terminal, into its `Output`.
//!
//! One task per process. It owns the pipes.

use std::fs::File;
use std::io::{self, ErrorKind, IoSliceMut, Read};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::unix::AsyncFd;
use tokio::sync::futures::OwnedNotified;

use super::super::pty::Master;
use super::ring::READ_SIZE;
use super::{Flow, Output, Shown, Stream};

/// Where a process's output comes from, registered with the runtime.
pub(crate) enum Sources {
    /// The reading ends of its pipes.
    Pipes { stdout: AsyncFd<File>, stderr: AsyncFd<File> },
    /// Its terminal, and whether its output is kept as it comes.
    Terminal { master: Arc<Master>, raw: bool },
}

/// How long a terminal must be silent until the lines it shows count as settled.
pub(crate) const SILENCE: Duration = Duration::from_millis(150);
/// What one read of a terminal may take; the system gives a quarter of it.
pub(crate) const TERMINAL_READ: usize = 16 * 1024;

/// What one read did.
enum Got {
    /// The pipe may hold more.
    Full,
    /// The pipe gave its last byte for now.
    Drained,
    /// The pipe had nothing.
    Nothing,
    /// Nothing will come any more.
    End,
}

impl Output {
    /// Makes the future that reads all there is until its end, or until `stop_reading`.
    pub(crate) fn pump(&self, sources: Sources) -> impl Future<Output = ()> + Send + 'static {
        let output = self.clone();
        // Made here, not in the future: a stop before its first poll must reach it too.
        let stops = [self.stopped(), self.stopped()];
        async move {
            let [first, second] = stops;
            match sources {
                // Both stay open until both are done: who writes to one may die of its closing, and
                // would then not be seen to hold the other.
                Sources::Pipes { stdout, stderr } => {
                    tokio::join!(
                        output.pump_one(Stream::Stdout, &stdout, first),
                        output.pump_one(Stream::Stderr, &stderr, second),
                    );
                }
                Sources::Terminal { master, raw } => output.pump_terminal(&master, raw, first).await,
            }
        }
    }

    async fn pump_terminal(&self, master: &Master, raw: bool, stop: OwnedNotified) {
        let mut stop = pin!(stop);
        let mut shown = Shown::new(self.clone(), Stream::Stdout, (!raw).then(|| master.size()));
        // A terminal has no standard error of its own.
        self.close(Stream::Stderr, Flow::Ended);
        let mut buffer = vec![0; TERMINAL_READ];
        let state = loop {
            if let Some(tap) = self.0.tap.as_ref().filter(|tap| tap.is_full()) {
                tokio::select! {
                    biased;
                    () = &mut stop => break read_rest_shown(master, &mut shown, &mut buffer),
                    () = tap.drained() => {}
                }
            }
            let unsettled = shown.unsettled();
            tokio::select! {
                biased;
                () = &mut stop => break read_rest_shown(master, &mut shown, &mut buffer),
                read = master.read(&mut buffer) => match read {
                    Ok(0) => break Flow::Ended,
                    Ok(count) => {
                        shown.resize(master.size());
                        shown.write(&buffer[..count]);
                        if master.has_paused() {
                            shown.show();
                        }
                    }
                    Err(error) => {
                        tracing::warn!(%error, "stopped reading a job's terminal");
                        break Flow::Abandoned;
                    }
                },
                () = tokio::time::sleep(SILENCE), if unsettled => shown.settle(),
            }
        };
        shown.end(state);
    }

    /// Makes the reading task read once more what is there, and end.
    pub(crate) fn stop_reading(&self) {
        self.0.stop.notify_waiters();
    }

    fn stopped(&self) -> OwnedNotified {
        self.0.stop.clone().notified_owned()
    }

    async fn pump_one(&self, stream: Stream, pipe: &AsyncFd<File>, stop: OwnedNotified) {
        let mut stop = pin!(stop);
        let state = loop {
            if let Some(tap) = self.0.tap.as_ref().filter(|tap| tap.is_full()) {
                // The writer waits at its pipe meanwhile: nothing is lost.
                tokio::select! {
                    biased;
                    () = &mut stop => break self.read_rest(stream, pipe.get_ref()),
                    () = tap.drained() => {}
                }
            }
            let ready = tokio::select! {
                biased;
                () = &mut stop => break self.read_rest(stream, pipe.get_ref()),
                ready = pipe.readable() => ready,
            };
            // The runtime is shutting down: nobody will tell us of more.
            let Ok(mut ready) = ready else { break Flow::Abandoned };
            match self.read_once(stream, pipe.get_ref()) {
                Got::Full => ready.retain_ready(),
                Got::Drained | Got::Nothing => ready.clear_ready(),
                Got::End => break Flow::Ended,
            }
        };
        let mut side = self.side(stream);
        side.state = state;
        side.ring.settle();
    }

    /// Takes what is in the pipe now, and no more than a pipe holds: a writer may never stop.
    fn read_rest(&self, stream: Stream, pipe: &File) -> Flow {
        let start = self.total_bytes(stream);
        while self.total_bytes(stream) - start < READ_SIZE as u64 {
            match self.read_once(stream, pipe) {
                Got::Full | Got::Drained => {}
                Got::Nothing => return Flow::Abandoned,
                Got::End => return Flow::Ended,
            }
        }
        Flow::Abandoned
    }

    fn read_once(&self, stream: Stream, pipe: &File) -> Got {
        let mut side = self.side(stream);
        let (first, second) = side.ring.room();
        let asked = first.len() + second.len();
        let read = read_into(pipe, first, second);
        match read {
            Ok(0) => Got::End,
            Ok(count) => {
                let (first, second) = side.ring.commit(count);
                if let Some(tap) = &self.0.tap {
                    tap.chunk(stream, first);
                    if !second.is_empty() {
                        tap.chunk(stream, second);
                    }
                }
                // A pipe that gives less than asked for is empty; more of it wakes us again.
                if count < asked { Got::Drained } else { Got::Full }
            }
            Err(error) => match error.kind() {
                ErrorKind::WouldBlock => Got::Nothing,
                ErrorKind::Interrupted => Got::Full,
                kind => {
                    tracing::warn!(?stream, ?kind, %error, "stopped reading a job's output");
                    Got::End
                }
            },
        }
    }
}

/// Takes what a terminal holds now, and no more than a pipe would.
fn read_rest_shown(master: &Master, shown: &mut Shown, buffer: &mut [u8]) -> Flow {
    let mut left = READ_SIZE;
    while left > 0 {
        match master.try_read(buffer) {
            Ok(Some(0)) => return Flow::Ended,
            Ok(Some(count)) => {
                shown.write(&buffer[..count]);
                left = left.saturating_sub(count);
            }
            Ok(None) | Err(_) => return Flow::Abandoned,
        }
    }
    Flow::Abandoned
}

fn read_into(mut pipe: &File, first: &mut [u8], second: &mut [u8]) -> io::Result<usize> {
    if second.is_empty() {
        return pipe.read(first);
    }
    pipe.read_vectored(&mut [IoSliceMut::new(first), IoSliceMut::new(second)])
}
