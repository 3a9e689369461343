//! `spawn`: a run is put in line, and answered at once or when it has ended.

use serde::Serialize;
use shellward_kit::Host;
use shellward_kit::contract::{Answer, EnvironmentChange, Keep, Launch, Reply, Stdin, Stdio, ToolCall};
use shellward_kit::machine::Memo;
use shellward_kit::reply::{structured, when_ended};

use crate::commands::{Stopped, allow, launch};
use crate::failure::Failure;
use crate::request::{Input, Spawn};
use crate::run::{Own, PREFIX, Status};
use crate::settings::Settings;

/// How much of a stream stays readable beside what is stored.
const TAIL: u64 = 64 << 10;

/// Answers `spawn`.
///
/// # Errors
/// The command is not let through, or cannot be put in line.
pub fn call<H: Host>(host: &H, settings: &Settings, call: &ToolCall, spawn: &Spawn) -> Result<Answer, Stopped> {
    let shell = allow(host, settings, call, &spawn.command)?;
    let base = launch(host, settings, PREFIX, call, shell, &spawn.command)?;
    let launch = durable(settings, call, spawn, base);
    host.enqueue(&launch).map_err(|error| Stopped::not_started(call, &error, Failure::to_start(&error)))?;
    Ok(match spawn.background {
        true => Answer::Reply(started(&launch)),
        false => when_ended(launch.job),
    })
}

/// Makes a durable run of a launch, in the lane of its session.
fn durable(settings: &Settings, call: &ToolCall, spawn: &Spawn, base: Launch) -> Launch {
    let session = spawn.session_id.clone().unwrap_or_else(|| call.session.clone());
    let own = Own { input: spawn.input, stored: spawn.max_output_bytes, ..Own::default() };
    let mut environment = base.environment;
    if spawn.input == Input::Terminal {
        environment.push(EnvironmentChange { name: "TERM".into(), value: Some("xterm-256color".into()) });
    }
    Launch {
        session: session.clone(),
        environment,
        stdio: match (spawn.size, spawn.input) {
            (Some(size), _) => Stdio::Terminal(size),
            (None, Input::Stdin) => Stdio::Pipes(Stdin::Open),
            (None, Input::Nothing | Input::Terminal) => Stdio::Pipes(Stdin::Empty),
        },
        keep: Keep { head: 0, tail: TAIL, stored: Some(spawn.max_output_bytes) },
        durable: true,
        lane: Some(session),
        lane_width: settings.runs_per_session,
        watches: spawn.watches.clone(),
        timeout: spawn.timeout_secs.map(|secs| secs * 1000),
        status: Status::Queued.word().into(),
        memo: Memo::first(own),
        ..base
    }
}

#[derive(Serialize)]
struct Started<'a> {
    run_id: &'a str,
    session_id: &'a str,
    status: &'a str,
    next_seq: u64,
    message: &'a str,
}

fn started(launch: &Launch) -> Reply {
    let message = "Poll it with since_seq 0 and wait_ms to wait for its first output; go on with the next_seq of each \
                   answer.";
    let body = Started {
        run_id: &launch.job,
        session_id: &launch.session,
        status: Status::Queued.word(),
        next_seq: 0,
        message,
    };
    structured(format!("{} is queued: {}", launch.job, launch.command), &body)
}
