//! `execute`: a command in the session's shell, and what its caller is told.

use serde::Serialize;
use shellward_kit::Host;
use shellward_kit::contract::{Answer, Ending, Job, Reply, Stdstream, ToolCall};
use shellward_kit::exit::shell_code;
use shellward_kit::machine::{End, Memo, Phase};
use shellward_kit::output::{below, stream};
use shellward_kit::reply::{json, when_ended};

use crate::failure::Failure;
use crate::launch;
use crate::own::Own;
use crate::paths::Allowed;
use crate::policy::{Stopped, allow, not_started};
use crate::session;
use crate::settings::Settings;

/// Starts a command.
pub(crate) fn start<H: Host>(
    host: &H,
    settings: &Settings,
    call: &ToolCall,
    command: &str,
    timeout: u64,
) -> Result<Answer, Stopped> {
    let allowed = Allowed::new(host, settings);
    let session = session::find(host, &allowed);
    let mut notes = session.notes;
    notes.extend(allow(host, settings, &allowed, call, (command, &session.directory))?);
    let place = (session.directory, session.moved);
    let launch = launch::in_session(host, settings, &allowed, call, (command, timeout), place, notes)?;
    host.start(&launch).map_err(|error| not_started(call, &error, true))?;
    Ok(when_ended(launch.job))
}

/// The answer to a command that ran.
#[derive(Serialize)]
struct Ran<'a> {
    stdout: &'a str,
    stderr: &'a str,
    exit_code: Option<i32>,
    duration_ms: u64,
    /// `apart`, or `terminal`: then all output is in `stdout`.
    session: &'static str,
    directory: Option<&'a str>,
    #[serde(skip_serializing_if = "is_false")]
    timed_out: bool,
    #[serde(skip_serializing_if = "is_false")]
    waiting_for_input: bool,
    #[serde(skip_serializing_if = "is_false")]
    session_lost: bool,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    notes: &'a [String],
}

fn is_false(value: &bool) -> bool {
    !value
}

/// Words the answer to a command that has ended.
#[must_use]
pub fn settle<H: Host>(host: &H, settings: &Settings, job: &Job) -> Reply {
    let memo = Memo::<Own>::read(job);
    let own = memo.as_ref().map(|memo| memo.own.clone()).unwrap_or_default();
    if let Some(Phase::Ended(End::NotStarted(error))) = memo.map(|memo| memo.phase) {
        return Failure::to_start(&error, true).reply();
    }
    match job.ending {
        Some(Ending::Completed | Ending::TimedOut) => ran(host, settings, job, &own),
        Some(Ending::Cancelled) if own.waiting => ran(host, settings, job, &own),
        Some(Ending::Cancelled) => Failure::Cancelled.reply(),
        Some(Ending::Failed) => Failure::Pty("the host could not go on with the command".into()).reply(),
        Some(Ending::Lost) => Failure::Pty("the host was restarted while the command ran".into()).reply(),
        None => Failure::Pty("the answer was asked for before the command had ended".into()).reply(),
    }
}

fn ran<H: Host>(host: &H, settings: &Settings, job: &Job, own: &Own) -> Reply {
    let (stdout, stderr) = (stream(host, job, Stdstream::Stdout), stream(host, job, Stdstream::Stderr));
    let timed_out = job.ending == Some(Ending::TimedOut);
    let exit_code = job.exit.as_ref().map(shell_code);
    let mut notes = own.notes.clone();
    if own.waiting {
        let after = settings.input_wait_ms;
        notes.push(format!(
            "the command waited for input, which nobody can give; it was interrupted after {after} ms. Give the input in the \
             command, as in `program <<'EOF'`, or options that ask nothing"
        ));
    }
    if timed_out {
        let secs = job.timeout.unwrap_or_default() / 1000;
        notes.push(format!("timed out after {secs} s and was ended; `timeout` allows more, op 'spawn' does not wait"));
    }
    if let Some(escaped) = &own.escaped {
        let back = own.directory.as_deref().unwrap_or(&job.directory);
        notes.push(format!(
            "the command went to {escaped}, outside of what is allowed; the session was put back into {back}"
        ));
    }
    if own.lost {
        notes.push(
            "the session's shell has ended; the next command finds a new one, without this one's directory, variables, \
             functions and options"
                .into(),
        );
    }
    for (name, held) in [("stdout", job.stdout.leaked), ("stderr", job.stderr.leaked)] {
        if held {
            notes.push(format!("a process that was left running still holds {name}"));
        }
    }
    let body = Ran {
        stdout: &stdout,
        stderr: &stderr,
        exit_code,
        duration_ms: job.duration / 1000,
        session: if settings.apart { "apart" } else { "terminal" },
        directory: own.directory.as_deref(),
        timed_out,
        waiting_for_input: own.waiting,
        session_lost: own.lost,
        notes: &notes,
    };
    let structured = json(&body);
    let code =
        exit_code.filter(|code| *code != 0 && !timed_out && !own.waiting).map(|code| format!("[exit code {code}]"));
    let told: Vec<String> = code.into_iter().chain(notes.iter().map(|note| format!("[{note}]"))).collect();
    let text = below([stdout.as_str(), stderr.as_str()].into_iter().chain(told.iter().map(String::as_str)));
    let text = if text.is_empty() { "(no output)".into() } else { text };
    Reply { text, structured: Some(structured), is_error: false, code: None }
}
