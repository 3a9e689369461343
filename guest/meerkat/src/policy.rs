//! The policy: which part of it answers what.

use crate::advance;
use crate::failure::Failure;
use crate::jobs;
use crate::judge::judge;
use crate::manifest::{Tool, manifest};
use crate::settings::Settings;
use crate::shells;
use crate::start;
use shellward_judge::basic::Judgement;
use shellward_kit::contract::{
    Answer, Event, Job, Manifest, Reply, Request, ReviewSubject, SettingsError, Step, ToolCall, Verdict,
};
use shellward_kit::{Host, Policy};

/// The `meerkat` policy.
#[derive(Clone, Copy, Debug)]
pub struct Meerkat;

impl Policy for Meerkat {
    fn describe(settings: &str) -> Result<Manifest, Vec<SettingsError>> {
        Settings::read(settings).map(|settings| manifest(&settings))
    }

    /// Judges what the command would do, and says so where no call would get that far.
    fn review<H: Host>(host: &H, request: &Request) -> Verdict {
        let settings = Settings::accepted(&request.settings);
        match &request.subject {
            ReviewSubject::CommandLine(text) => {
                let shell = shells::choose(host, &settings);
                let verdict = judge(&settings, &shell, text, &request.directory).verdict_in(shell.reads);
                if settings.enabled { verdict } else { Failure::Disabled.against(verdict) }
            }
            ReviewSubject::Typed(_) => Judgement::typed().verdict(),
        }
    }

    fn call<H: Host>(host: &H, call: &ToolCall) -> Answer {
        let Some(tool) = Tool::of(&call.tool) else {
            return Failure::UnknownTool(call.tool.chars().take(100).collect()).into();
        };
        let settings = Settings::accepted(&host.settings());
        if !settings.enabled {
            return Failure::Disabled.into();
        }
        let answer = match tool {
            Tool::Shell => return start::call(host, &settings, call),
            Tool::Status => jobs::status(host, call).map(Answer::Reply),
            Tool::Jobs => jobs::list(host, call).map(Answer::Reply),
            Tool::Cancel => jobs::cancel(host, call),
        };
        answer.unwrap_or_else(Into::into)
    }

    fn advance<H: Host>(host: &H, job: &Job, event: &Event) -> Step {
        advance::advance(host, &Settings::accepted(&host.settings()), job, event)
    }

    fn settle<H: Host>(host: &H, call: &ToolCall, job: &Job) -> Reply {
        match Tool::of(&call.tool) {
            Some(Tool::Cancel) => jobs::cancelled(job),
            Some(Tool::Shell | Tool::Status | Tool::Jobs) | None => start::settle(host, job),
        }
    }
}
