//! The tool `shell`: whether a command runs, how, and what its caller is told.

use serde::Serialize;
use shellward_kit::Host;
use shellward_kit::contract::{Answer, EnvironmentChange, Exit, Job, Keep, Language, Launch, Reply, ToolCall};
use shellward_kit::exit;
use shellward_kit::machine::Memo;
use shellward_kit::reply::{json, when_ended};
use shellward_kit::shell::{self, Shell};

use crate::directory;
use crate::failure::Failure;
use crate::judge::{failure, judge};
use crate::output::{Output, leaks, seconds};
use crate::request::Request;
use crate::settings::Settings;
use crate::shells::{self, Chosen};
use crate::status::{Own, PREFIX, Standing};

/// Why a call starts nothing.
type Stopped = shellward_judge::Stopped<Failure>;

/// Answers `shell`.
#[must_use]
pub fn call<H: Host>(host: &H, settings: &Settings, call: &ToolCall) -> Answer {
    run(host, settings, call).unwrap_or_else(|stopped| stopped.answer("Run this command?", Failure::reply))
}

fn run<H: Host>(host: &H, settings: &Settings, call: &ToolCall) -> Result<Answer, Stopped> {
    let request = Request::read(&call.arguments, settings)?;
    let shell = shells::choose(host, settings);
    let program = shell.installed()?.to_owned();
    let directory = directory::resolve(host, settings, request.working_dir.as_deref())?;
    allow(settings, &shell, call, &request.command, &directory)?;
    let launch = launch(settings, call, &request, (program, &shell), directory);
    shell.log(host);
    host.start(&launch).map_err(|error| {
        let failure = Failure::to_start(&error, request.background);
        Stopped::not_started(call, &error, failure)
    })?;
    Ok(match request.background {
        true => Answer::Reply(started(&launch)),
        false => when_ended(launch.job),
    })
}

/// The question about what cannot be known.
const UNKNOWN: &str = "shell-unknown";

/// Lets the command through, or leaves it to a human, or refuses it.
fn allow(settings: &Settings, shell: &Chosen, call: &ToolCall, command: &str, directory: &str) -> Result<(), Stopped> {
    let judgement = judge(settings, shell, command, directory);
    let Some(failure) = failure(&judgement) else { return Ok(()) };
    Stopped::unless_allowed(&judgement, call, UNKNOWN, || failure)
}

/// Makes the launch: the whole environment of the host, and `PWD` set to the directory.
fn launch(
    settings: &Settings,
    call: &ToolCall,
    request: &Request,
    (program, shell): (String, &Chosen),
    directory: String,
) -> Launch {
    let shell = Shell { program, language: shell.reads.unwrap_or(Language::Sh) };
    let head = settings.keep_output_bytes / 2;
    Launch {
        environment: vec![EnvironmentChange { name: "PWD".into(), value: Some(directory.clone()) }],
        keep: Keep { head, tail: settings.keep_output_bytes - head, stored: None },
        at_most: Some(settings.max_concurrent_processes),
        timeout: Some(request.timeout_secs * 1000),
        status: Standing::Running.word().into(),
        memo: Memo::first(Own { background: request.background }),
        ..shell::launch(PREFIX, call, shell, &request.command, directory)
    }
}

#[derive(Serialize)]
struct Started<'a> {
    job_id: &'a str,
    status: &'a str,
    message: &'a str,
}

fn started(launch: &Launch) -> Reply {
    let message = format!("Command '{}' started in background", launch.command);
    let body = Started { job_id: &launch.job, status: &launch.status, message: &message };
    let text = format!("{message} as {}", launch.job);
    Reply { text, structured: Some(json(&body)), is_error: false, code: None }
}

/// The answer to a call that has waited for its command.
#[derive(Serialize)]
struct Ran {
    exit_code: Option<i32>,
    #[serde(flatten)]
    output: Output,
    timed_out: bool,
    duration_secs: f64,
}

/// Words the answer to a call whose command has ended.
#[must_use]
pub fn settle<H: Host>(host: &H, job: &Job) -> Reply {
    let standing = Standing::of(job);
    let timed_out = standing == Standing::TimedOut;
    match standing {
        Standing::Completed | Standing::TimedOut => {
            let output = Output::read(host, job);
            let text = told(&output, job, timed_out);
            // A process that was made to end has no exit code of its own.
            let exit_code = exit::code(job).filter(|_| !timed_out);
            let body = Ran { exit_code, output, timed_out, duration_secs: seconds(job.duration) };
            Reply { text, structured: Some(json(&body)), is_error: false, code: None }
        }
        Standing::Failed(failure) => failure.reply(),
        Standing::Cancelled => {
            let mut reply = Failure::Cancelled.reply();
            reply.text = Output::read(host, job).with_notes(&[reply.text]);
            reply
        }
        Standing::Running => Failure::Io("the answer was asked for before the command had ended".into()).reply(),
    }
}

fn told(output: &Output, job: &Job, timed_out: bool) -> String {
    let mut notes: Vec<String> = leaks(job).collect();
    match &job.exit {
        _ if timed_out => {
            let after = job.timeout.unwrap_or_default() / 1000;
            notes.push(format!("[timed out after {after} s; timeout_secs allows more, background does not wait]"));
        }
        Some(Exit::Code(0)) => {}
        Some(Exit::Code(code)) => notes.push(format!("[exit code {code}]")),
        Some(Exit::Signal(name)) => notes.push(format!("[ended by {name}]")),
        None => {}
    }
    let text = output.with_notes(&notes);
    if text.is_empty() { "(no output)".into() } else { text }
}
