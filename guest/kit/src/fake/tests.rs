//! The fake under a small policy: that it brings what a host brings, and catches what breaks the contract.

use serde::{Deserialize, Serialize};

use crate::arguments::Arguments;
use crate::contract::{
    Answer, Confinement, Content, Decision, Ending, Event, Exit, Happening, Job, Keep, Language, Launch, Manifest,
    Question, Reply, Request, Retention, RunPlace, SettingsError, Signal, StartError, Stdin, Stdio, Stdstream, Step,
    ToolCall, Unwanted, Verdict, Waiting, Wakes, Watch, Whom, Window,
};
use crate::host::Host;
use crate::machine::{Advance, Memo, Plan, cancel};
use crate::policy::Policy;

use super::{Behaviour, Fake, Human, Native};

/// Runs commands; the tool's name says how it behaves, and misbehaves.
struct Sample;

#[derive(Default, Serialize, Deserialize)]
struct Own {
    tool: String,
}

const PLAN: Plan = Plan::with_grace(2000);

fn reply(text: impl Into<String>) -> Reply {
    Reply { text: text.into(), structured: None, is_error: false, code: None }
}

fn launch(call: &ToolCall, command: &str) -> Launch {
    Launch {
        job: format!("job_{}", call.id),
        session: call.session.clone(),
        command: command.into(),
        language: Language::Sh,
        program: "/bin/sh".into(),
        arguments: vec!["-c".into(), command.into()],
        directory: "/project".into(),
        environment: Vec::new(),
        stdio: Stdio::Pipes(Stdin::Empty),
        place: RunPlace::OwnProcess,
        confinement: Confinement::None,
        keep: Keep { head: 16, tail: 16, stored: None },
        durable: call.tool == "durable",
        lane: (call.tool == "lane").then(|| "lane".into()),
        lane_width: 1,
        at_most: Some(3),
        watches: Vec::new(),
        block: None,
        timeout: Some(10_000),
        report_output: None,
        status: "starting".into(),
        memo: Memo::first(Own { tool: call.tool.clone() }),
    }
}

impl Policy for Sample {
    fn describe(_settings: &str) -> Result<Manifest, Vec<SettingsError>> {
        Ok(Manifest {
            name: "sample".into(),
            version: "0".into(),
            summary: "A test.".into(),
            tools: Vec::new(),
            settings_table: "tools.sample".into(),
            settings_schema: "{}".into(),
            variables: Vec::new(),
            run: None,
            retention: Retention { jobs: 1, millis: 1 },
        })
    }

    fn review<H: Host>(_host: &H, _request: &Request) -> Verdict {
        Verdict { decision: Decision::Allow, findings: Vec::new(), commands: Vec::new(), language: None }
    }

    fn call<H: Host>(host: &H, call: &ToolCall) -> Answer {
        let arguments = match Arguments::parse(&call.arguments) {
            Ok(arguments) => arguments,
            Err(error) => return Answer::Reply(reply(error.to_string())),
        };
        let command = arguments.required_text("command").unwrap_or_default();
        if call.tool == "cancel" {
            return Answer::Reply(reply(format!("{:?}", cancel(host, command))));
        }
        if call.tool == "ask" && call.approved.is_empty() {
            let (id, text) = ("sure".into(), "Sure?".into());
            return Answer::Ask(Question { id, text, findings: Vec::new(), refusal: reply("refused") });
        }
        let mut launch = launch(call, command);
        if call.tool == "typed" {
            (launch.stdio, launch.durable) = (Stdio::Pipes(Stdin::Open), true);
            launch.keep.stored = Some(8);
            launch.watches = vec![Watch {
                pattern: "one".into(),
                event: "seen".into(),
                once: false,
                scope: Some(Stdstream::Stdout),
            }];
        }
        if call.tool == "misnamed" {
            launch.job = "mine".into();
        }
        let started = match call.tool.as_str() {
            "lane" => host.enqueue(&launch),
            "twice" => host.start(&launch).and_then(|()| host.start(&launch)),
            _ => host.start(&launch),
        };
        match started {
            Err(error) => Answer::Reply(reply(format!("{error:?}"))),
            Ok(()) if ["background", "lane", "typed"].contains(&call.tool.as_str()) => Answer::Reply(reply(launch.job)),
            Ok(()) => Answer::Wait(Waiting {
                job: launch.job,
                wakes: Wakes { item: call.tool == "durable", status: false, hit: false },
                since: 0,
                at_most: (call.tool == "patient").then_some(3000),
            }),
        }
    }

    fn advance<H: Host>(host: &H, job: &Job, event: &Event) -> Step {
        let advance = Advance::<Own>::new(host, job, event, &PLAN);
        let mut step = advance.step();
        match advance.memo.own.tool.as_str() {
            "broken" => step.memo = "{".into(),
            "release" => step.release = true,
            "hang" => step.ended = None,
            _ => {}
        }
        step
    }

    fn settle<H: Host>(host: &H, _call: &ToolCall, job: &Job) -> Reply {
        let text = |stream| host.read(&job.id, stream, Window::All).map(|read| read.text).unwrap_or_default();
        let (stdout, stderr) = (text(Stdstream::Stdout), text(Stdstream::Stderr));
        reply(format!("{} {:?} {stdout}|{stderr}", job.status, job.exit))
    }
}

const SUBJECT: Native<Sample> = Native::new();

fn run(fake: &Fake, tool: &str, command: &str) -> String {
    let arguments = serde_json::json!({ "command": command }).to_string();
    fake.run(&SUBJECT, tool, &arguments).text
}

fn one(behaviour: Behaviour) -> (Fake, String) {
    let fake = Fake::new();
    fake.on("x", behaviour);
    let text = run(&fake, "run", "x");
    (fake, text)
}

/// A component's imports hold a fake, and hosts may move them between threads.
const _: fn(&Fake) = shared::<Fake>;

fn shared<T: Clone + Send + Sync + 'static>(_: &T) {}

#[test]
fn commands_behave_as_scripted() {
    let cases = [
        (Behaviour::exits(0), "completed Some(Exit::Code(0)) |", 0),
        (Behaviour::exits(3).stdout("out").stderr("err"), "completed Some(Exit::Code(3)) out|err", 0),
        (Behaviour::signalled("SIGSEGV").waits(1500), "completed Some(Exit::Signal(\"SIGSEGV\")) |", 1500),
        (Behaviour::exits(0).stdout("a").waits(500).stdout("b"), "completed Some(Exit::Code(0)) ab|", 500),
        (Behaviour::exits(0).stdout("hi").leaks(Stdstream::Stdout), "completed Some(Exit::Code(0)) hi|", 100),
        (Behaviour::hangs().stdout("part"), "timed_out Some(Exit::Signal(\"SIGTERM\")) part|", 10_000),
        (Behaviour::hangs().ends_when_asked(700, 0), "timed_out Some(Exit::Code(0)) |", 10_700),
        (Behaviour::hangs().ignores_terminate(), "timed_out Some(Exit::Signal(\"SIGKILL\")) |", 12_000),
        (Behaviour::hangs().unkillable(), "timed_out None |", 17_000),
        (Behaviour::cannot_start(StartError::Other("no".into())), "StartError::Other(\"no\")", 0),
        (Behaviour::fails_to_start(StartError::Other("no".into())), "failed None |", 0),
    ];
    for (behaviour, expected, elapsed) in cases {
        let name = format!("{behaviour:?}");
        let (fake, text) = one(behaviour);
        assert_eq!((text.as_str(), fake.elapsed()), (expected, elapsed), "{name}");
        fake.finish(&SUBJECT);
        assert!(fake.all_jobs().iter().all(|job| job.timers.is_empty()), "{name}");
    }
}

#[test]
fn signals_are_recorded_with_their_time() {
    let (fake, _) = one(Behaviour::hangs().ignores_terminate());
    let sent: Vec<_> = fake.signals().into_iter().map(|sent| (sent.at, sent.signal, sent.whom)).collect();
    assert_eq!(sent, [(10_000, Signal::Terminate, Whom::Tree), (12_000, Signal::Kill, Whom::Tree)]);
}

#[test]
fn leaks_and_dropped_bytes_are_in_the_job() {
    let (fake, text) = one(Behaviour::exits(0).stdout("0123456789abcdef--0123456789abcdef").leaks(Stdstream::Stdout));
    assert!(text.contains("0123456789abcdef0123456789abcdef|"), "{text}");
    let job = fake.all_jobs().remove(0);
    assert_eq!((job.stdout.leaked, job.stdout.closed, job.stderr.closed), (true, false, true));
    assert_eq!((job.stdout.total, job.stdout.dropped), (34, 2));
    assert_eq!((job.ending, job.exit), (Some(Ending::Completed), Some(Exit::Code(0))));
}

#[test]
fn cancellations_come_from_agents_tests_and_hosts() {
    let fake = Fake::new();
    fake.on("x", Behaviour::hangs()).cancelled_at(1500);
    assert_eq!(run(&fake, "run", "x"), "cancelled Some(Exit::Signal(\"SIGTERM\")) |");
    assert_eq!(fake.elapsed(), 1500);
    fake.unwanted_at(10, Unwanted::Shutdown);
    assert_eq!(run(&fake, "run", "x"), "cancelled Some(Exit::Signal(\"SIGTERM\")) |");
    let job = run(&fake, "background", "x");
    fake.pass(&SUBJECT, 100);
    assert_eq!(run(&fake, "cancel", &job), "Ok(())");
    fake.finish(&SUBJECT);
    assert_eq!(run(&fake, "cancel", &job), "Err(PostError::Ended)");
    assert_eq!(fake.all_jobs()[2].ending, Some(Ending::Cancelled));
}

#[test]
fn jobs_of_other_sessions_are_not_found() {
    let fake = Fake::new();
    fake.on("x", Behaviour::hangs());
    let job = run(&fake, "background", "x");
    let arguments = serde_json::json!({ "command": job }).to_string();
    assert_eq!(fake.run_in("other", &SUBJECT, "cancel", &arguments).text, "Err(PostError::NotFound)");
    assert!(fake.job(&job).is_some());
    fake.finish(&SUBJECT);
}

#[test]
fn lanes_run_one_after_the_other_and_cancel_while_they_wait() {
    let fake = Fake::new();
    fake.on("x", Behaviour::exits(0).waits(1000));
    let jobs: Vec<String> = (0..3).map(|_| run(&fake, "lane", "x")).collect();
    assert_eq!(run(&fake, "cancel", &jobs[1]), "Ok(())");
    fake.finish(&SUBJECT);
    let ended: Vec<_> = fake.all_jobs().into_iter().map(|job| (job.ending, job.started_at.is_some())).collect();
    let completed = (Some(Ending::Completed), true);
    assert_eq!(ended, [completed, (Some(Ending::Cancelled), false), completed]);
    assert_eq!(fake.elapsed(), 2000);
}

#[test]
fn waits_end_early_when_asked_to() {
    let fake = Fake::new();
    fake.on("x", Behaviour::exits(0).waits(5000).stdout("late"));
    assert_eq!(run(&fake, "patient", "x"), "running None |");
    assert_eq!(fake.elapsed(), 3000);
    fake.finish(&SUBJECT);
    assert_eq!(run(&fake, "release", "x"), "running None |");
    fake.finish(&SUBJECT);
    assert!(run(&fake, "durable", "x").starts_with("running None"));
    fake.finish(&SUBJECT);
}

#[test]
fn humans_decide() {
    let fake = Fake::new();
    fake.on("x", Behaviour::exits(0));
    for (human, expected) in
        [(Human::Absent, "refused"), (Human::Refuses, "refused"), (Human::Approves, "completed Some(Exit::Code(0)) |")]
    {
        fake.human(human);
        assert_eq!(run(&fake, "ask", "x"), expected);
    }
}

#[test]
fn what_is_typed_is_read_stored_and_watched() {
    let fake = Fake::new();
    fake.on("x", Behaviour::reads());
    let job = run(&fake, "typed", "x");
    assert_eq!(fake.write(&job, b"early"), Err(crate::contract::InputError::NotRunning));
    fake.pass(&SUBJECT, 10);
    for text in ["o", "ne\ntwo\n", "ones\n"] {
        fake.write(&job, text.as_bytes()).expect("taken");
        fake.pass(&SUBJECT, 10);
    }
    fake.close(&job).expect("closed");
    assert!(fake.input_closed(&job) && fake.write(&job, b"late").is_err());
    fake.finish(&SUBJECT);
    let items = fake.items(&job, 0, 100, None).expect("items").items;
    let shown: Vec<String> = items
        .iter()
        .map(|item| match &item.content {
            Content::Stdout(chunk) | Content::Stderr(chunk) => chunk.text.clone(),
            Content::Event(event) => format!("{} {}", event.name, event.data),
        })
        .collect();
    let expected = ["status \"running\"", "o", "ne\ntwo\n", "seen \"one\"", "seen \"ones\"", "status \"completed\""];
    assert_eq!(shown, expected, "eight bytes are stored, and all are watched");
    assert_eq!((fake.written(&job).len(), fake.all_jobs()[0].exit.clone()), (13, Some(Exit::Code(0))));
}

#[test]
fn restarts_end_what_ran() {
    let fake = Fake::new();
    fake.on("x", Behaviour::hangs());
    run(&fake, "background", "x");
    fake.pass(&SUBJECT, 100);
    fake.restart();
    fake.finish(&SUBJECT);
    assert_eq!(fake.all_jobs()[0].ending, Some(Ending::Lost));
}

#[test]
fn the_ceiling_holds() {
    let fake = Fake::new();
    fake.on("x", Behaviour::hangs());
    for _ in 0..3 {
        run(&fake, "background", "x");
    }
    assert_eq!(run(&fake, "background", "x"), "StartError::TooMany(3)");
    fake.finish(&SUBJECT);
    let job = fake.all_jobs().remove(0);
    assert_eq!(fake.arm(&job.id, "late", 1), Err(crate::contract::TimerError::Ended));
}

#[test]
fn timers_that_cannot_be_armed_count_as_fired() {
    let fake = Fake::new();
    fake.on("x", Behaviour::hangs().unkillable()).at(5, Happening::Timer("timeout".into()));
    let job = run(&fake, "background", "x");
    fake.pass(&SUBJECT, 1);
    for number in 1..16 {
        assert_eq!(fake.arm(&job, &format!("other {number}"), 60_000), Ok(()));
    }
    fake.finish(&SUBJECT);
    let sent: Vec<_> = fake.signals().into_iter().map(|sent| (sent.at, sent.signal)).collect();
    assert_eq!(sent, [(5, Signal::Terminate), (5, Signal::Kill)]);
    assert_eq!((fake.elapsed(), fake.all_jobs()[0].ending), (5, Some(Ending::TimedOut)));
}

fn complaint(tool: &str, behaviour: Behaviour) -> String {
    let tool = tool.to_owned();
    let caught = std::panic::catch_unwind(move || {
        let fake = Fake::new();
        fake.on("x", behaviour).at(50, Happening::AwaitsInput);
        run(&fake, &tool, "x");
    });
    let panic = caught.expect_err("the fake let it pass");
    panic.downcast_ref::<String>().cloned().unwrap_or_default()
}

#[test]
fn policies_that_break_the_contract_fail_the_test() {
    let cases = [
        ("broken", "the memo is not valid JSON"),
        ("twice", "one call launches two jobs"),
        ("misnamed", "the job id \"mine\" is not a prefix and the call's id"),
        ("hang", "status \"completed\", no timer armed, nothing more to come"),
    ];
    for (tool, expected) in cases {
        let text = complaint(tool, Behaviour::exits(0).waits(100));
        assert!(text.contains(expected), "{tool}: {text}");
    }
    let unscripted = std::panic::catch_unwind(|| run(&Fake::new(), "run", "y")).expect_err("ran");
    let text = unscripted.downcast_ref::<String>().cloned().unwrap_or_default();
    assert!(text.contains("has not scripted the command \"y\""), "{text}");
}
