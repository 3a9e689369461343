//! The policy: what it makes of calls, events and reviews.

use crate::directory::{self, Directory};
use crate::envelope::{self, Context, Data, Stats};
use crate::errors::Failure;
use crate::judge::{Judgement, failure, judge};
use crate::launch::{self, Own};
use crate::manifest::{TOOL, manifest};
use crate::outcome;
use crate::params::Params;
use crate::rules::{Objection, Rule};
use crate::settings::Settings;
use shellward_judge::{Against, contract_language, limits};
use shellward_kit::contract::{
    Answer, Decision, Event, Finding, Job, Manifest, Question, Refusal, Reply, Request, ReviewSubject, SettingsError,
    StartError, Step, ToolCall, Verdict, Waiting, Wakes,
};
use shellward_kit::machine::{Advance, Plan};
use shellward_kit::{Host, Policy};

/// The `bash` policy: shell commands within the project root, answered with the standard envelope.
#[derive(Clone, Copy, Debug)]
pub struct Bash;

impl Policy for Bash {
    fn describe(settings: &str) -> Result<Manifest, Vec<SettingsError>> {
        Settings::read(settings).map(|settings| manifest(&settings))
    }

    fn review<H: Host>(host: &H, request: &Request) -> Verdict {
        let settings = Settings::accepted(&request.settings);
        match &request.subject {
            ReviewSubject::CommandLine(text) => {
                let language = contract_language(launch::shell(host, &settings).language);
                weigh(host, &settings, text, &request.directory).verdict_in(Some(language))
            }
            ReviewSubject::Typed(_) => typed().verdict(),
        }
    }

    fn call<H: Host>(host: &H, call: &ToolCall) -> Answer {
        decide(host, call).unwrap_or_else(|stopped| stopped.answer(call))
    }

    fn advance<H: Host>(host: &H, job: &Job, event: &Event) -> Step {
        let settings = Settings::accepted(&host.settings());
        Advance::<Own>::new(host, job, event, &Plan::with_grace(settings.kill_grace_ms)).step()
    }

    fn settle<H: Host>(host: &H, call: &ToolCall, job: &Job) -> Reply {
        outcome::settle(host, &Settings::accepted(&host.settings()), call, job)
    }
}

/// Judges a command line as the shell would read it that runs it.
fn weigh<H: Host>(host: &H, settings: &Settings, text: &str, directory: &str) -> Judgement {
    if text.len() > limits::LONGEST {
        let message = format!("the command is longer than the {} bytes that a shell takes", limits::LONGEST);
        let hint = limits::INSTEAD;
        let objection = Objection::denied(Rule::Unknown, message, hint, shellward_syntax::Span::default());
        return Judgement::of(objection);
    }
    judge(host, settings, launch::shell(host, settings).language, text, directory)
}

/// Commands of this policy have nothing on their standard input, and no terminal.
fn typed() -> Judgement {
    let message = "commands of this tool read no input".to_owned();
    let hint = "Give the input in the command, as in `program <<'EOF'`.";
    let objection = Objection::denied(Rule::Typed, message, hint, shellward_syntax::Span::default());
    Judgement::of(objection)
}

fn decide<H: Host>(host: &H, call: &ToolCall) -> Result<Answer, Box<Stopped>> {
    if call.tool != TOOL {
        let message = format!("Unknown tool '{}'. This policy offers '{TOOL}'.", call.tool);
        return Err(Failure::Argument(message).into());
    }
    let settings = Settings::accepted(&host.settings());
    let params = Params::read(&call.arguments, &settings)?;
    let directory = directory::resolve(host, &params.directory)?;
    let in_place = |failure| Box::new(Stopped { failure, directory: Some(directory.clone()), question: None });
    let judgement = weigh(host, &settings, &params.command, &directory.absolute);
    match judgement.decision() {
        Decision::Allow => {}
        Decision::Ask if is_approved(call, UNKNOWN) => {}
        Decision::Ask => {
            let findings = judgement.against().map(Against::finding).collect();
            return Err(in_place(failure(&judgement)).unless_approved(UNKNOWN, findings));
        }
        Decision::Deny => return Err(in_place(failure(&judgement))),
    }
    let shell = launch::shell(host, &settings);
    let launch = launch::launch(call, &params, &directory, &shell, &settings).map_err(in_place)?;
    match host.start(&launch) {
        Ok(()) => Ok(Answer::Wait(Waiting {
            job: launch.job,
            wakes: Wakes { item: false, status: false, hit: false },
            since: 0,
            at_most: None,
        })),
        Err(error) => Err(not_started(call, error, in_place)),
    }
}

/// The question about what cannot be known.
const UNKNOWN: &str = "bash-unknown";

fn is_approved(call: &ToolCall, question: &str) -> bool {
    call.approved.iter().any(|id| id == question)
}

/// A guard may leave it to a human; everything else is a failure.
fn not_started(call: &ToolCall, error: StartError, in_place: impl Fn(Failure) -> Box<Stopped>) -> Box<Stopped> {
    if let StartError::Refused(Refusal { by, decision: Decision::Ask, findings }) = &error {
        let (question, findings) = (["guard-", by].concat(), findings.clone());
        if !is_approved(call, &question) {
            return in_place(launch::refused(error)).unless_approved(&question, findings);
        }
    }
    in_place(launch::refused(error))
}

/// Why a call starts nothing.
struct Stopped {
    failure: Failure,
    directory: Option<Directory>,
    question: Option<(String, Vec<Finding>)>,
}

impl From<Failure> for Box<Stopped> {
    fn from(failure: Failure) -> Self {
        Box::new(Stopped { failure, directory: None, question: None })
    }
}

impl Stopped {
    /// Leaves it to a human.
    fn unless_approved(mut self: Box<Self>, question: &str, findings: Vec<Finding>) -> Box<Self> {
        self.question = Some((question.to_owned(), findings));
        self
    }

    fn answer(self, call: &ToolCall) -> Answer {
        let directory = self.directory.as_ref().map(|directory| directory.relative.as_str());
        let context = Context::new(&call.arguments, directory);
        let refusal = envelope::failed(&self.failure, Data::Nothing {}, Stats::default(), context);
        let Some((id, findings)) = self.question else { return Answer::Reply(refusal) };
        let reasons: Vec<&str> = findings.iter().map(|finding| finding.message.as_str()).collect();
        let text = format!("Run this command? {}", reasons.join(" "));
        Answer::Ask(Question { id, text, findings, refusal })
    }
}
