//! The policy: which part of it answers what.

use shellward_kit::contract::{
    Answer, Event, Job, Manifest, Reply, Request as Review, ReviewSubject, SettingsError, Step, ToolCall, Verdict,
};
use shellward_kit::{Host, Policy};

use crate::commands::{self, Stopped, judge};
use crate::failure::Failure;
use crate::manifest::{TOOL, manifest};
use crate::request::Request;
use crate::settings::Settings;
use crate::{advance, kill, log, oneshot, poll, spawn, typing};

/// The `actions` policy.
#[derive(Clone, Copy, Debug)]
pub struct Actions;

impl Policy for Actions {
    fn describe(settings: &str) -> Result<Manifest, Vec<SettingsError>> {
        Settings::read(settings).map(|settings| manifest(&settings))
    }

    fn review<H: Host>(host: &H, request: &Review) -> Verdict {
        let settings = Settings::accepted(&request.settings);
        let language = commands::language(host, &settings);
        match &request.subject {
            ReviewSubject::CommandLine(text) => {
                judge(&settings).judge_in(text, Some(language), "sh", &request.directory).verdict_in(Some(language))
            }
            ReviewSubject::Typed(typed) => typing::review(&settings, &typed.text, &typed.reader, language),
        }
    }

    fn call<H: Host>(host: &H, call: &ToolCall) -> Answer {
        if call.tool != TOOL {
            return Failure::UnknownTool(call.tool.chars().take(100).collect()).into();
        }
        let settings = Settings::accepted(&host.settings());
        let asked = match Request::read(&call.arguments, &settings) {
            Ok(asked) => asked,
            Err(failure) => return failure.into(),
        };
        let question = if matches!(asked, Request::SendKeys(_)) { "Type this?" } else { "Run this command?" };
        decide(host, &settings, call, &asked).unwrap_or_else(|stopped| stopped.answer(question, Failure::reply))
    }

    fn advance<H: Host>(host: &H, job: &Job, event: &Event) -> Step {
        advance::advance(host, &Settings::accepted(&host.settings()), job, event)
    }

    fn settle<H: Host>(host: &H, call: &ToolCall, job: &Job) -> Reply {
        let settings = Settings::accepted(&host.settings());
        let settled = match Request::read(&call.arguments, &settings) {
            Ok(Request::OneShot(_)) => Ok(oneshot::settle(host, job)),
            Ok(Request::Spawn(_)) => poll::settle(host, &settings, job, 0),
            Ok(Request::Poll(asked)) => poll::settle(host, &settings, job, asked.since_seq),
            Ok(Request::Kill(_)) => Ok(kill::settle(host, job)),
            Ok(Request::SendKeys(_)) => typing::settle(call, job),
            Ok(Request::Log(_)) => Err(Failure::Io("a log waits for nothing".into())),
            // The settings have changed since the call was read.
            Err(failure) => Err(failure),
        };
        settled.unwrap_or_else(|failure| failure.reply())
    }
}

fn decide<H: Host>(host: &H, settings: &Settings, call: &ToolCall, asked: &Request) -> Result<Answer, Stopped> {
    Ok(match asked {
        Request::OneShot(asked) => oneshot::call(host, settings, call, asked)?,
        Request::Spawn(asked) => spawn::call(host, settings, call, asked)?,
        Request::Poll(asked) => poll::call(host, settings, asked)?,
        Request::Log(asked) => Answer::Reply(log::call(host, settings, asked)?),
        Request::Kill(asked) => kill::call(host, asked)?,
        Request::SendKeys(asked) => typing::call(host, settings, call, asked)?,
    })
}
