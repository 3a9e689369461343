//! A job as the contract shows it.

use std::time::Duration;

use super::job::{Job, elapsed};
use crate::policy::contract::types::{self, Exit, Stdstream, StreamState};
use crate::process::{self, Flow, Stream};

impl Job {
    /// The job as the contract shows it, as of now.
    pub(crate) fn record(&self) -> types::Job {
        let state = self.state();
        let exited = state.exited.as_ref().map(|(exited, _)| exited);
        let leaked = |stream| exited.is_some_and(|exited| exited.leaked.contains(&stream));
        types::Job {
            id: self.birth.id.clone(),
            session: self.birth.label.clone(),
            call: self.birth.call.clone(),
            tool: self.birth.tool.clone(),
            command: self.birth.command.clone(),
            directory: self.birth.directory.clone(),
            status: state.status.clone(),
            memo: state.memo.clone(),
            created_at: self.created_at,
            started_at: state.started.map(|start| start.at),
            ended_at: state.ended.as_ref().map(|ended| ended.at),
            duration: micros(elapsed(&state)),
            pid: state.started.and_then(|start| u32::try_from(start.pid).ok()),
            exit: exited.map(|exited| exited.exit.clone()),
            ending: state.ended.as_ref().map(|ended| ended.ending),
            timeout: self.birth.timeout.map(millis),
            stdout: self.stream(Stream::Stdout, leaked(Stdstream::Stdout)),
            stderr: self.stream(Stream::Stderr, leaked(Stdstream::Stderr)),
            timers: state.timers.names(),
            last_seq: self.recorder().map_or(0, |recorder| recorder.last_seq()),
            durable: self.birth.launch.durable,
            block: self.birth.launch.block.clone(),
            policy: state.policy.to_string(),
        }
    }

    fn stream(&self, stream: Stream, leaked: bool) -> StreamState {
        match self.output() {
            None => StreamState { total: 0, dropped: 0, leaked, closed: false },
            Some(output) => StreamState {
                total: output.total_bytes(stream),
                dropped: output.dropped_bytes(stream),
                leaked,
                closed: output.flow(stream) == Flow::Ended,
            },
        }
    }
}

/// An exit in the contract's words. An exit that somebody else took away is told as what it most likely was not: a
/// success would be a lie, so it is a code that no process returns.
pub(super) fn exit(exit: &process::Exit) -> Exit {
    match (exit.signal_name(), exit.code) {
        (Some(name), _) => Exit::Signal(name),
        (None, Some(code)) => Exit::Code(code),
        (None, None) => Exit::Code(-1),
    }
}

pub(super) fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
