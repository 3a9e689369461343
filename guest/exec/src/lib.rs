//! The `exec` policy: one command, its output as plain text, to the byte as the specification formats it.
//!
//! There is no filter: whoever wants one puts a guard in front.

mod failure;
mod manifest;
mod output;
mod request;
mod settings;

use serde::{Deserialize, Serialize};
use shellward_kit::contract::{
    Answer, Event, Job, Level, Manifest, Reply, Request as ReviewRequest, SettingsError, Step, ToolCall, Verdict,
};
use shellward_kit::machine::{Advance, End, Memo, Phase, Plan, Reason};
use shellward_kit::{Host, Policy, export_policy, reply, review, shell};

use failure::Failure;
use output::{Header, format_output};
use request::{DEFAULT_MAX_LENGTH, Request};
use settings::Settings;

/// The `exec` policy.
#[derive(Clone, Copy, Debug)]
pub struct Exec;

/// The specification kills at once on a timeout, and asks first when the call is cancelled.
const PLAN: Plan =
    Plan { interrupt: 0, grace_after_timeout: 0, grace_after_cancel: 2000, patience: Plan::PATIENCE, requeue: false };

/// What a job must remember until its answer.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Own {
    timeout_seconds: u32,
    max_length: u32,
}

impl Default for Own {
    fn default() -> Self {
        Self { timeout_seconds: 0, max_length: DEFAULT_MAX_LENGTH }
    }
}

impl Policy for Exec {
    fn describe(settings: &str) -> Result<Manifest, Vec<SettingsError>> {
        Settings::read(settings).map(|settings| manifest::manifest(&settings))
    }

    fn review<H: Host>(_host: &H, request: &ReviewRequest) -> Verdict {
        let settings = Settings::read(&request.settings).ok();
        review::allow(request, settings.map(|settings| shell::language(&settings.shell)))
    }

    fn call<H: Host>(host: &H, call: &ToolCall) -> Answer {
        match start(host, call) {
            Ok(job) => reply::when_ended(job),
            Err(failure) => Answer::Reply(failure.reply()),
        }
    }

    fn advance<H: Host>(host: &H, job: &Job, event: &Event) -> Step {
        Advance::<Own>::new(host, job, event, &PLAN).step()
    }

    fn settle<H: Host>(host: &H, _call: &ToolCall, job: &Job) -> Reply {
        let memo = Memo::<Own>::read(job).unwrap_or_else(|| Memo::guess(job, Own::default()));
        let text = |header| format_output(host, job, &header, memo.own.max_length);
        match (&memo.phase, &job.exit) {
            (Phase::Ended(End::Completed), Some(exit)) => reply::text(text(Header::Exit(exit))),
            (Phase::Ended(End::Stopped { reason: Reason::TimedOut, abandoned }), _) => {
                let seconds = memo.own.timeout_seconds;
                reply::text(text(Header::TimedOut { seconds, abandoned: *abandoned }))
            }
            (Phase::Ended(End::Stopped { reason: Reason::Cancelled, .. }), Some(exit)) => {
                Failure::Cancelled(text(Header::Exit(exit))).reply()
            }
            (Phase::Ended(End::Stopped { reason: Reason::Cancelled, abandoned: true }), None) => {
                Failure::Abandoned.reply()
            }
            (Phase::Ended(End::Stopped { reason: Reason::Cancelled, abandoned: false }), None) => {
                Failure::NotBegun.reply()
            }
            (Phase::Ended(End::NotStarted(error)), _) => Failure::NotStarted(error.clone()).reply(),
            (Phase::Ended(End::Lost), _) => Failure::Lost.reply(),
            (Phase::Ended(End::Completed), None) | (Phase::Starting | Phase::Running | Phase::Stopping { .. }, _) => {
                Failure::Unexpected.reply()
            }
        }
    }
}

/// Starts what the call asks for and gives the job's id.
fn start<H: Host>(host: &H, call: &ToolCall) -> Result<String, Failure> {
    let settings = Settings::read(&host.settings()).map_err(|errors| {
        host.log(Level::Error, &format!("the settings that the host gives are not those it described: {errors:?}"));
        Failure::Unexpected
    })?;
    let launch = Request::read(call, &settings)?.launch(host, call, &settings)?;
    host.start(&launch).map_err(Failure::NotStarted)?;
    Ok(launch.job)
}

export_policy!(crate::Exec);
