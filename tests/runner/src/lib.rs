//! A policy that launches whatever it is told, to test what a host does with durable runs, lanes and watches.
//!
//! Its one tool `run` takes `do`: `start`, `enqueue`, `job`, `list`, `items`, `snippet`, `post`, `analyse` or `wait`; a
//! launch takes the fields of [`launch`], and `analyse` reads a text as policies do, so often that its time can be taken.
//! How a job takes `unwanted` and `recovered` stands in the arguments too, and in the memo what has happened to it.

use std::hint::black_box;

use serde_json::{Value, json};
use shellward_kit::contract::{
    Answer, Confinement, Decision, Ending, Event, Filter, Happening, Job, Keep, Language, Launch, Manifest, Reply,
    Request, Retention, RunPlace, SettingsError, Signal, StartError, Stdin, Stdio, Stdstream, Step, Tool, ToolCall,
    Unwanted, Verdict, Waiting, Wakes, Watch, Whom,
};
use shellward_kit::{Host, Policy, export_policy};
use shellward_syntax::{Language as Shell, Script, analyse};

/// The policy.
#[derive(Clone, Copy, Debug)]
pub struct Runner;

/// Events that a memo remembers; more would make it large.
const REMEMBERED: usize = 200;

fn word<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn number(value: &Value, key: &str) -> Option<u64> {
    value.get(key).and_then(Value::as_u64)
}

fn flag(value: &Value, key: &str) -> bool {
    value.get(key).and_then(Value::as_bool).unwrap_or_default()
}

fn small(value: &Value, key: &str) -> Option<u32> {
    number(value, key).and_then(|number| u32::try_from(number).ok())
}

fn say(value: &Value) -> Reply {
    Reply { text: value.to_string(), structured: Some(value.to_string()), is_error: false, code: None }
}

fn refuse(error: &impl std::fmt::Debug) -> Answer {
    Answer::Reply(Reply { is_error: true, ..say(&json!({"error": format!("{error:?}")})) })
}

fn stream(name: &str) -> Option<Stdstream> {
    match name {
        "stdout" => Some(Stdstream::Stdout),
        "stderr" => Some(Stdstream::Stderr),
        _ => None,
    }
}

fn shown(job: &Job) -> Value {
    let mut value = serde_json::to_value(job).unwrap_or_default();
    value["memo"] = serde_json::from_str(&job.memo).unwrap_or_default();
    value
}

/// Reads a `text`, put down `pieces` times, `times` over, and counts the commands that it found.
fn analysed(arguments: &Value) -> usize {
    let text = word(arguments, "text").repeat(small(arguments, "pieces").unwrap_or(1) as usize);
    let found = |script: Script| script.commands.len();
    let times = small(arguments, "times").unwrap_or(1);
    (0..times).map(|_| analyse(black_box(&text), Shell::Bash).map_or(0, found)).sum()
}

impl Policy for Runner {
    fn describe(_settings: &str) -> Result<Manifest, Vec<SettingsError>> {
        Ok(Manifest {
            name: "runner".into(),
            version: "1".into(),
            summary: "Launches what it is told.".into(),
            tools: vec![Tool {
                name: "run".into(),
                description: "Launches what it is told.".into(),
                input_schema: "{}".into(),
                output_schema: None,
                read_only: false,
                destructive: true,
            }],
            settings_table: "tools.runner".into(),
            settings_schema: "{}".into(),
            variables: Vec::new(),
            run: None,
            retention: Retention { jobs: 100, millis: 3_600_000 },
        })
    }

    fn review<H: Host>(_host: &H, _request: &Request) -> Verdict {
        Verdict { decision: Decision::Allow, findings: Vec::new(), commands: Vec::new(), language: None }
    }

    fn call<H: Host>(host: &H, call: &ToolCall) -> Answer {
        let arguments: Value = serde_json::from_str(&call.arguments).unwrap_or_default();
        let job = word(&arguments, "job");
        match word(&arguments, "do") {
            "job" => Answer::Reply(say(&host.job(job).map(|job| shown(&job)).unwrap_or_default())),
            "list" => {
                let jobs = host.jobs(Filter { active: true, ended: true, limit: 1000 });
                Answer::Reply(say(&jobs.iter().map(shown).collect()))
            }
            "items" => {
                let limit = small(&arguments, "limit").unwrap_or(u32::MAX);
                let since = number(&arguments, "since").unwrap_or(0);
                match host.items(job, since, limit, stream(word(&arguments, "stream"))) {
                    Ok(page) => Answer::Reply(say(&serde_json::to_value(page).unwrap_or_default())),
                    Err(error) => refuse(&error),
                }
            }
            "snippet" => match host.snippet(job, small(&arguments, "max").unwrap_or(1000)) {
                Ok(text) => Answer::Reply(say(&text.into())),
                Err(error) => refuse(&error),
            },
            "post" => match host.post(job, word(&arguments, "name"), "{}") {
                Ok(()) => Answer::Reply(say(&Value::Null)),
                Err(error) => refuse(&error),
            },
            "analyse" => Answer::Reply(say(&analysed(&arguments).into())),
            "wait" => {
                // A policy looks before it waits.
                let _ = host.job(job);
                wait(job, &arguments)
            }
            "start" => launched(call, &arguments, |launch| host.start(launch)),
            _ => launched(call, &arguments, |launch| host.enqueue(launch)),
        }
    }

    fn advance<H: Host>(host: &H, job: &Job, event: &Event) -> Step {
        let mut memo: Value = serde_json::from_str(&job.memo).unwrap_or_default();
        let how = memo["arguments"].clone();
        let mut step = Step {
            status: job.status.clone(),
            memo: String::new(),
            notices: Vec::new(),
            ended: None,
            release: false,
            requeue: false,
        };
        let mut end = |status: &str, ending| {
            step.status = status.to_owned();
            step.ended = Some(ending);
        };
        match &event.what {
            Happening::Started(_) => step.status = "running".into(),
            Happening::StartFailed(_) => end("failed", Ending::Failed),
            Happening::Exited(_) => end("exited", Ending::Completed),
            Happening::Posted(_) => end("cancelled", Ending::Cancelled),
            Happening::Unwanted(Unwanted::Shutdown) if word(&how, "on_shutdown") == "leave" => step.requeue = true,
            Happening::Unwanted(_) => {
                let _ = host.send(&job.id, Signal::Kill, Whom::Tree);
                end("cancelled", Ending::Cancelled);
            }
            Happening::Recovered(_) if word(&how, "on_recovered") == "lost" => end("lost", Ending::Lost),
            Happening::Recovered(_) => {
                step.status = "queued".into();
                step.requeue = true;
            }
            Happening::Timer(_) => end("timed out", Ending::TimedOut),
            Happening::Matched(_) | Happening::Printed(_) | Happening::AwaitsInput => {}
        }
        if let Some(events) = memo["events"].as_array_mut().filter(|events| events.len() < REMEMBERED) {
            events.push(serde_json::to_value(&event.what).unwrap_or_default());
        }
        step.memo = memo.to_string();
        step
    }

    fn settle<H: Host>(_host: &H, _call: &ToolCall, job: &Job) -> Reply {
        say(&shown(job))
    }
}

fn wait(job: &str, arguments: &Value) -> Answer {
    let wakes = Wakes { item: flag(arguments, "item"), status: flag(arguments, "status"), hit: flag(arguments, "hit") };
    let since = number(arguments, "since").unwrap_or(0);
    Answer::Wait(Waiting { job: job.to_owned(), wakes, since, at_most: number(arguments, "at_most_ms") })
}

/// Launches; waits only if told to.
fn launched(call: &ToolCall, arguments: &Value, begin: impl FnOnce(&Launch) -> Result<(), StartError>) -> Answer {
    let launch = launch(call, arguments);
    match begin(&launch) {
        Err(error) => refuse(&error),
        Ok(()) if flag(arguments, "wait") => wait(&launch.job, arguments),
        Ok(()) => Answer::Reply(say(&launch.job.into())),
    }
}

fn launch(call: &ToolCall, arguments: &Value) -> Launch {
    let command = word(arguments, "command").to_owned();
    let watches = arguments["watches"].as_array().into_iter().flatten().map(|watch| Watch {
        pattern: word(watch, "pattern").to_owned(),
        event: word(watch, "event").to_owned(),
        once: flag(watch, "once"),
        scope: stream(word(watch, "scope")),
    });
    Launch {
        job: format!("r_{}", call.id),
        session: call.session.clone(),
        command: command.clone(),
        language: Language::Sh,
        program: "/bin/sh".into(),
        arguments: vec!["-c".into(), command],
        directory: "/".into(),
        environment: Vec::new(),
        stdio: Stdio::Pipes(Stdin::Empty),
        place: RunPlace::OwnProcess,
        confinement: Confinement::None,
        keep: Keep { head: 1000, tail: 1000, stored: number(arguments, "stored") },
        durable: flag(arguments, "durable"),
        lane: arguments["lane"].as_str().map(str::to_owned),
        lane_width: small(arguments, "width").unwrap_or(1),
        at_most: small(arguments, "at_most"),
        watches: watches.collect(),
        block: None,
        timeout: number(arguments, "timeout_ms"),
        report_output: number(arguments, "report_ms"),
        status: "queued".into(),
        memo: json!({"arguments": arguments, "events": []}).to_string(),
    }
}

export_policy!(crate::Runner);
