//! The policy: which part of it answers what.

use shellward_judge::{Against, syntax_language};
use shellward_kit::contract::{
    Answer, Decision, Event, Finding, Job, Manifest, Question, Refusal, Reply, Request as Review, ReviewSubject,
    SettingsError, StartError, Step, ToolCall, Verdict,
};
use shellward_kit::{Host, Policy};

use crate::failure::Failure;
use crate::judge::{self, Judgement, failure, judge};
use crate::manifest::{TOOL, manifest};
use crate::paths::Allowed;
use crate::request::Request;
use crate::settings::Settings;
use crate::{advance, execute, launch, tasks};

/// The `pattern` policy.
#[derive(Clone, Copy, Debug)]
pub struct Pattern;

impl Policy for Pattern {
    fn describe(settings: &str) -> Result<Manifest, Vec<SettingsError>> {
        Settings::read(settings).map(|settings| manifest(&settings))
    }

    fn review<H: Host>(host: &H, request: &Review) -> Verdict {
        let settings = Settings::accepted(&request.settings);
        match &request.subject {
            ReviewSubject::CommandLine(text) => {
                let allowed = Allowed::new(host, &settings);
                let judgement = weigh(host, &settings, &allowed, text, &request.directory);
                judgement.verdict_in(Some(launch::language(host, &settings)))
            }
            ReviewSubject::Typed(_) => judge::typed().verdict(),
        }
    }

    fn call<H: Host>(host: &H, call: &ToolCall) -> Answer {
        if call.tool != TOOL {
            return Failure::UnknownTool(call.tool.chars().take(100).collect()).into();
        }
        let settings = Settings::accepted(&host.settings());
        answer(host, &settings, call).unwrap_or_else(|stopped| stopped.answer())
    }

    fn advance<H: Host>(host: &H, job: &Job, event: &Event) -> Step {
        advance::advance(host, &Settings::accepted(&host.settings()), job, event)
    }

    fn settle<H: Host>(host: &H, call: &ToolCall, job: &Job) -> Reply {
        let settings = Settings::accepted(&host.settings());
        match Request::read(&call.arguments, &settings) {
            Ok(Request::Kill(_)) => tasks::killed(host, job),
            _ => execute::settle(host, &settings, job),
        }
    }
}

fn answer<H: Host>(host: &H, settings: &Settings, call: &ToolCall) -> Result<Answer, Stopped> {
    match Request::read(&call.arguments, settings)? {
        Request::Execute { command, timeout } => execute::start(host, settings, call, &command, timeout),
        Request::Spawn { command } => tasks::spawn(host, settings, call, &command),
        Request::Kill(task) => Ok(tasks::kill(host, &task)?),
        Request::Status => Ok(Answer::Reply(tasks::status(host))),
        Request::Output { task, offset, stderr_offset, max } => {
            Ok(Answer::Reply(tasks::output(host, &task, [offset, stderr_offset], max)?))
        }
        Request::Pin { task, pinned } => Ok(Answer::Reply(tasks::pin(host, &task, pinned)?)),
    }
}

/// Judges a command line as the shell would read it that runs it.
fn weigh<H: Host>(host: &H, settings: &Settings, allowed: &Allowed, text: &str, directory: &str) -> Judgement {
    let language = syntax_language(launch::language(host, settings));
    judge(host, settings, allowed, language, text, directory)
}

/// The question about what cannot be known.
const UNKNOWN: &str = "shell-unknown";

/// Lets a command through, with what is to be said of it, or leaves it to a human, or refuses it.
pub(crate) fn allow<H: Host>(
    host: &H,
    settings: &Settings,
    allowed: &Allowed,
    call: &ToolCall,
    (command, directory): (&str, &str),
) -> Result<Vec<String>, Stopped> {
    if directory == allowed.start() {
        allowed.has_start(host)?;
    }
    let judgement = weigh(host, settings, allowed, command, directory);
    let first = judgement.against().next();
    match (judgement.decision(), first) {
        (Decision::Deny, Some(first)) => Err(failure(first).into()),
        (Decision::Ask, Some(first)) if !is_approved(call, UNKNOWN) => {
            let findings = judgement.against().map(|objection| objection.finding()).collect();
            Err(Stopped::Ask { id: UNKNOWN.into(), findings, failure: failure(first) })
        }
        (Decision::Allow | Decision::Ask | Decision::Deny, _) => Ok(reported(&judgement)),
    }
}

/// What is let through and has to be said.
fn reported(judgement: &Judgement) -> Vec<String> {
    const NAMED: usize = 3;
    let passed: Vec<&str> = judgement
        .objections
        .iter()
        .filter(|objection| objection.ground.decision == Decision::Allow)
        .map(|objection| objection.message.as_str())
        .collect();
    let more =
        passed.len().checked_sub(NAMED).filter(|more| *more > 0).map(|more| format!("and {more} more of that kind"));
    passed.into_iter().take(NAMED).map(|message| format!("not judged: {message}")).chain(more).collect()
}

fn is_approved(call: &ToolCall, question: &str) -> bool {
    call.approved.iter().any(|id| id == question)
}

/// A guard may leave it to a human; everything else is a failure.
pub(crate) fn not_started(call: &ToolCall, error: &StartError, in_session: bool) -> Stopped {
    let failure = Failure::to_start(error, in_session);
    if let StartError::Refused(Refusal { by, decision: Decision::Ask, findings }) = error {
        let id = format!("guard-{by}");
        if !is_approved(call, &id) {
            return Stopped::Ask { id, findings: findings.clone(), failure };
        }
    }
    failure.into()
}

/// Why a call starts nothing.
pub(crate) enum Stopped {
    Failed(Failure),
    Ask { id: String, findings: Vec<Finding>, failure: Failure },
}

impl From<Failure> for Stopped {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl Stopped {
    fn answer(self) -> Answer {
        match self {
            Self::Failed(failure) => failure.into(),
            Self::Ask { id, findings, failure } => {
                let reasons: Vec<&str> = findings.iter().map(|finding| finding.message.as_str()).collect();
                let text = format!("Run this command? {}", reasons.join(" "));
                Answer::Ask(Question { id, text, findings, refusal: failure.reply() })
            }
        }
    }
}
