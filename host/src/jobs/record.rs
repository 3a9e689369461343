//! A job as the contract shows it.

use std::time::Duration;

use super::job::{Birth, Job, KeptLaunch, elapsed};
use crate::policy::contract::processes::Launch;
use crate::policy::contract::types::{self, Exit, Stdstream, StreamState};
use crate::process::{self, Flow, Stream};
use crate::store::{Run, Standing, Stored};

impl Job {
    /// The job as the contract shows it, as of now.
    pub(crate) fn record(&self) -> types::Job {
        let state = self.state();
        let exited = state.exited.as_ref().map(|(exited, _)| exited);
        let leaked = |stream| exited.is_some_and(|exited| exited.leaked.contains(&stream));
        let earlier = state.earlier.as_deref();
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
            started_at: state.started.map(|start| start.at).or_else(|| earlier?.started_at),
            ended_at: state.ended.as_ref().map(|ended| ended.at),
            duration: micros(elapsed(&state)),
            pid: state.started.and_then(|start| u32::try_from(start.pid).ok()).or_else(|| earlier?.pid),
            exit: exited.map(|exited| exited.exit.clone()).or_else(|| earlier?.exit.clone()),
            ending: state.ended.as_ref().map(|ended| ended.ending),
            timeout: self.birth.timeout.map(millis),
            stdout: earlier.map_or_else(
                || self.stream(Stream::Stdout, leaked(Stdstream::Stdout)),
                |earlier| at_least(earlier.stdout, self.stored().stdout),
            ),
            stderr: earlier.map_or_else(
                || self.stream(Stream::Stderr, leaked(Stdstream::Stderr)),
                |earlier| at_least(earlier.stderr, self.stored().stderr),
            ),
            timers: state.timers.names(),
            last_seq: self.last_seq(),
            durable: self.birth.launch.durable,
            block: self.block().cloned(),
            policy: state.policy.to_string(),
        }
    }

    /// How it stands, as it is kept.
    pub(crate) fn standing(&self) -> Standing {
        let record = self.record();
        let error = self.ended().and_then(|ended| ended.fault).map(|fault| fault.to_string());
        Standing {
            phase: self.phase(),
            status: record.status,
            memo: record.memo,
            stamp: record.policy,
            started_at: record.started_at,
            ended_at: record.ended_at,
            duration_us: record.duration,
            pid: record.pid,
            exit: record.exit,
            ending: record.ending,
            error,
            store_error: self.store_error(),
            snippet: None,
            releases: self.state().releases,
            stdout: record.stdout,
            stderr: record.stderr,
            traces: self.traces(),
        }
    }

    /// A durable job as it is first kept.
    pub(crate) fn run(&self, policy: &str) -> Result<Run, serde_json::Error> {
        let Birth { id, session, label, call, tool, command, directory, timeout, launch, consented, .. } = &self.birth;
        let launch = KeptLaunch { launch: Launch::clone(launch), consented: consented.clone() };
        Ok(Run {
            id: id.clone(),
            session: session.clone(),
            label: label.clone(),
            call: call.clone(),
            tool: tool.clone(),
            policy: policy.to_owned(),
            command: command.clone(),
            directory: directory.clone(),
            timeout_ms: timeout.map(millis),
            created_at: self.created_at,
            standing: self.standing(),
            last_seq: 0,
            stored: Stored::default(),
            launch: serde_json::to_string(&launch)?,
        })
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

/// A stream as it was last noted, which has brought at least what is stored of it.
fn at_least(stream: StreamState, stored: u64) -> StreamState {
    StreamState { total: stream.total.max(stored), ..stream }
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
