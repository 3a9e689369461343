//! A policy that misbehaves as it is told, to test what a host does about it.
//!
//! Its one tool `hostile` takes `do`: a word of [`deed`]; the settings take `do` for what `describe` does.

mod strangers;
mod terminals;

use std::hint::black_box;

use serde_json::Value;
use shellward_kit::contract::{
    Answer, Confinement, Decision, Ending, Event, Filter, Happening, InputError, Job, Keep, Language, Launch, Level,
    Manifest, Notice, Question, Reply, Request, Retention, ReviewSubject, RunPlace, SettingsError, Signal, StartError,
    Stdin, Stdio, Step, Tool, ToolCall, Verdict, Waiting, Wakes, Whom,
};
use shellward_kit::{Host, Policy, export_policy};

/// The version, which tests change in the component's bytes to have another policy that does the same.
pub const VERSION: &str = "hostile-version-0001";

/// The policy.
#[derive(Clone, Copy, Debug)]
pub struct Hostile;

fn word<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// Does what takes an entry down.
fn deed(what: &str) {
    match what {
        "panic" => misbehave(),
        "loop" => loop {
            black_box(0);
        },
        "recurse" => {
            black_box(deeper(0));
        }
        "allocate" => {
            let mut hoard = Vec::new();
            loop {
                hoard.push(black_box(vec![1_u8; 16 << 20]));
            }
        }
        _ => {}
    }
}

#[expect(clippy::panic, reason = "to panic is what it was told")]
fn misbehave() {
    panic!("told to panic");
}

fn deeper(depth: u64) -> u64 {
    let room = black_box([depth; 64]);
    if black_box(true) { deeper(depth + 1) + room[1] } else { depth }
}

fn say(text: impl Into<String>) -> Reply {
    Reply { text: text.into(), structured: None, is_error: false, code: None }
}

impl Policy for Hostile {
    fn describe(settings: &str) -> Result<Manifest, Vec<SettingsError>> {
        let settings: Value = serde_json::from_str(settings).unwrap_or_default();
        deed(word(&settings, "do"));
        if word(&settings, "do") == "refuse" {
            let message = "is not to my liking".to_owned();
            return Err(vec![SettingsError { key: vec!["do".to_owned()], message }]);
        }
        let schema = if word(&settings, "do") == "nonsense" { "{" } else { "{}" };
        Ok(Manifest {
            name: "hostile".into(),
            version: VERSION.into(),
            summary: "Misbehaves.".into(),
            tools: vec![Tool {
                name: "hostile".into(),
                description: "Misbehaves.".into(),
                input_schema: schema.into(),
                output_schema: None,
                read_only: false,
                destructive: true,
            }],
            settings_table: "tools.hostile".into(),
            settings_schema: "{}".into(),
            variables: Vec::new(),
            run: None,
            retention: Retention { jobs: 10, millis: 60_000 },
        })
    }

    fn review<H: Host>(_host: &H, request: &Request) -> Verdict {
        if let ReviewSubject::CommandLine(what) = &request.subject {
            deed(what);
        }
        Verdict { decision: Decision::Allow, findings: Vec::new(), commands: Vec::new(), language: None }
    }

    fn call<H: Host>(host: &H, call: &ToolCall) -> Answer {
        let arguments: Value = serde_json::from_str(&call.arguments).unwrap_or_default();
        let what = word(&arguments, "do");
        deed(what);
        match what {
            "type" => Answer::Reply(typed(host.write(word(&arguments, "job"), word(&arguments, "text").as_bytes()))),
            "version" => Answer::Reply(say(VERSION)),
            "nonsense" => Answer::Reply(Reply { structured: Some("{".into()), ..say("nonsense") }),
            "huge" => Answer::Reply(say("x".repeat(8 << 20))),
            "hugest" => Answer::Reply(say("x".repeat(40 << 20))),
            "wait" => wait(word(&arguments, "job")),
            "post" => Answer::Reply(say(format!("{:?}", host.post(word(&arguments, "job"), "cancel", "{}")))),
            "reach" => Answer::Reply(say(strangers::reach(host, word(&arguments, "job")))),
            "look" => look(host, word(&arguments, "job")),
            "log" => {
                (0..100_000).for_each(|_| host.log(Level::Error, &"x".repeat(10_000)));
                Answer::Reply(say("logged"))
            }
            "ask" if call.approved.is_empty() => Answer::Ask(Question {
                id: "sure".into(),
                text: "Sure?".into(),
                findings: Vec::new(),
                refusal: Reply { is_error: true, ..say("nobody said yes") },
            }),
            "ask" => Answer::Reply(say("somebody said yes")),
            "wrong-id" => started(host.start(&launch(call, "job_of_mine", &arguments))),
            "twice" | "same" => {
                let id = format!("h_{}", call.id);
                let other = if what == "same" { id.clone() } else { format!("i_{}", call.id) };
                let first = host.start(&launch(call, &id, &arguments));
                let second = host.start(&launch(call, &other, &arguments));
                match (first, second) {
                    (Ok(()), Err(error)) => Answer::Reply(say(format!("second: {error:?}"))),
                    other => Answer::Reply(say(format!("{other:?}"))),
                }
            }
            _ => run(host, call, &arguments),
        }
    }

    fn advance<H: Host>(host: &H, job: &Job, event: &Event) -> Step {
        let how: Value = serde_json::from_str(&job.memo).unwrap_or_default();
        let (when, deed_) = (word(&how, "when"), word(&how, "advance"));
        if deed_ == "version" {
            return versioned(job, event);
        }
        if deed_ == "terminal" {
            return terminals::advance(host, job, event);
        }
        let name = match &event.what {
            Happening::Started(_) => "started",
            Happening::Exited(_) => "exited",
            Happening::Timer(_) => "timer",
            _ => "other",
        };
        let now = name == when;
        if now {
            deed(deed_);
            timers(host, &job.id, deed_);
        }
        let ended = match (&event.what, deed_) {
            (Happening::Exited(_), "never-end") => None,
            (Happening::Exited(_), _) => Some(Ending::Completed),
            (Happening::Unwanted(_), "ignore") => None,
            (Happening::Unwanted(_), _) => Some(Ending::Cancelled),
            _ => None,
        };
        let memo = if deed_ == "nonsense" && now { "{".to_owned() } else { job.memo.clone() };
        let status = match (deed_, name) {
            ("backwards", "started") => "exited".to_owned(),
            ("backwards", "exited") => "new".to_owned(),
            ("one-timer-too-many", "started") => strangers::arm_until_refused(host, &job.id),
            ("one-timer-too-many", _) => job.status.clone(),
            _ => name.to_owned(),
        };
        let notices = if deed_ == "notices" && now { vec![notice(); NOTICES] } else { Vec::new() };
        Step { status, memo, notices, ended, release: false, requeue: deed_ == "requeue" && now }
    }

    fn settle<H: Host>(host: &H, call: &ToolCall, job: &Job) -> Reply {
        let arguments: Value = serde_json::from_str(&call.arguments).unwrap_or_default();
        deed(word(&arguments, "settle"));
        if word(&arguments, "settle") == "version" {
            return say(format!("{}; settled by {VERSION}", job.status));
        }
        if word(&arguments, "settle") == "status" {
            return say(&job.status);
        }
        if word(&arguments, "advance") == "terminal" {
            return terminals::settle(host, job);
        }
        say("settled")
    }
}

/// How many notices it sends at once.
const NOTICES: usize = 100_000;

fn notice() -> Notice {
    Notice { event_type: "hostile".into(), data: r#"{"said":"again"}"#.into(), text: None }
}

/// Ends the job on its timeout, or when it is posted to or unwanted, and says which version did.
fn versioned(job: &Job, event: &Event) -> Step {
    let (what, ended) = match &event.what {
        Happening::Timer(_) => ("timed out", Some(Ending::TimedOut)),
        Happening::Posted(_) | Happening::Unwanted(_) => ("cancelled", Some(Ending::Cancelled)),
        Happening::Exited(_) => ("exited", Some(Ending::Completed)),
        _ => ("started", None),
    };
    let status = format!("{what} by {VERSION}");
    Step { status, memo: job.memo.clone(), notices: Vec::new(), ended, release: false, requeue: false }
}

/// Arms timers and sends signals without end.
fn timers<H: Host>(host: &H, job: &str, deed: &str) {
    match deed {
        "timers" => {
            (0..1_000_000).for_each(|number| {
                let _ = host.arm(job, &number.to_string(), 3_600_000);
            });
        }
        "signals" => {
            (0..1_000_000).for_each(|_| {
                let _ = host.send(job, Signal::Resume, Whom::Group);
            });
        }
        _ => {}
    }
}

fn look<H: Host>(host: &H, job: &str) -> Answer {
    let seen = host.job(job).is_some();
    let listed = host.jobs(Filter { active: true, ended: true, limit: 100 }).len();
    let sent = host.send(job, Signal::Kill, Whom::Tree).is_ok();
    Answer::Reply(say(format!("seen: {seen}, listed: {listed}, sent: {sent}")))
}

fn typed(result: Result<(), InputError>) -> Reply {
    match result {
        Ok(()) => say("typed"),
        Err(error) => Reply { is_error: true, ..say(format!("{error:?}")) },
    }
}

fn wait(job: &str) -> Answer {
    let wakes = Wakes { item: false, status: false, hit: false };
    Answer::Wait(Waiting { job: job.to_owned(), wakes, since: 0, at_most: None })
}

fn started(result: Result<(), StartError>) -> Answer {
    Answer::Reply(say(format!("{result:?}")))
}

/// Starts the command of the arguments; then does `then`; waits unless told to stay in the background.
fn run<H: Host>(host: &H, call: &ToolCall, arguments: &Value) -> Answer {
    let id = format!("h_{}", call.id);
    if let Err(error) = host.start(&launch(call, &id, arguments)) {
        return Answer::Reply(Reply { is_error: true, ..say(format!("{error:?}")) });
    }
    deed(word(arguments, "then"));
    if word(arguments, "do") == "background" { Answer::Reply(say(id)) } else { wait(&id) }
}

fn kept(arguments: &Value) -> u64 {
    arguments.get("keep").and_then(Value::as_u64).unwrap_or(1000)
}

fn launch(call: &ToolCall, id: &str, arguments: &Value) -> Launch {
    let command = word(arguments, "command").to_owned();
    let launch = Launch {
        job: id.to_owned(),
        session: call.session.clone(),
        command: command.clone(),
        language: Language::Sh,
        program: "/bin/sh".into(),
        arguments: vec!["-c".into(), command],
        directory: "/".into(),
        environment: Vec::new(),
        stdio: Stdio::Pipes(if word(arguments, "stdin") == "open" { Stdin::Open } else { Stdin::Empty }),
        place: RunPlace::OwnProcess,
        confinement: Confinement::None,
        keep: Keep { head: kept(arguments), tail: 1000, stored: None },
        durable: false,
        lane: None,
        lane_width: 1,
        at_most: arguments.get("at_most").and_then(Value::as_u64).and_then(|most| u32::try_from(most).ok()),
        watches: Vec::new(),
        block: arguments.get("block").and_then(Value::as_str).map(str::to_owned),
        timeout: arguments.get("timeout").and_then(Value::as_u64),
        report_output: None,
        status: "new".into(),
        memo: arguments.to_string(),
    };
    terminals::placed(launch, arguments)
}

export_policy!(crate::Hostile);
