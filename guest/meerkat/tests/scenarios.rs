//! What the `meerkat` policy does, whatever runs it: natively in this crate, as a component in the tests crate.

#![expect(clippy::expect_used, reason = "these functions are tests, called by one")]

#[path = "scenarios/answers.rs"]
mod answers;
#[path = "scenarios/cancelling.rs"]
mod cancelling;
#[path = "scenarios/jobs.rs"]
mod jobs;
#[path = "scenarios/manifest.rs"]
mod manifest;
#[path = "scenarios/orders.rs"]
mod orders;
#[path = "scenarios/places.rs"]
mod places;
#[path = "scenarios/rules.rs"]
mod rules;
#[path = "scenarios/starting.rs"]
mod starting;

pub use orders::every_order;
use serde_json::{Value, json};
use shellward_kit::contract::{Signal, Whom};
use shellward_kit::fake::{Behaviour, Fake, Subject, body, keys, with};

/// A scenario: what it shows, and the function that shows it.
pub type Scenario = (&'static str, fn(&dyn Subject));

/// Every scenario.
pub const ALL: &[Scenario] = &[
    ("synchronous command execution", answers::synchronous),
    ("exit codes and signals", answers::ends),
    ("timeout handling", answers::timeouts),
    ("output beyond what is kept", answers::dropped),
    ("the worst output fits", answers::worst_case),
    ("a command that its caller gave up", answers::cancelled),
    ("a restart of the host", answers::restart),
    ("background job spawn and completion", jobs::background),
    ("job status transitions", jobs::transitions),
    ("the list of jobs", jobs::list),
    ("jobs of other sessions and of callers that wait", jobs::invisible),
    ("background jobs that fail to start", jobs::fails_to_start),
    ("one notice for every ending", jobs::notices),
    ("multiple concurrent background jobs", jobs::concurrent),
    ("a job that the host gave up", jobs::given_up),
    ("job cancellation", cancelling::cancels),
    ("cancelling what is stubborn", cancelling::stubborn),
    ("cancelling what does not run", cancelling::ended),
    ("cancelling while the shell is being started", cancelling::while_starting),
    ("a cancellation races with the exit", cancelling::races_with_exit),
    ("a cancellation races with the timeout", cancelling::races_with_timeout),
    ("a second cancellation", cancelling::second),
    ("the grace is a setting", cancelling::grace),
    ("every short order of events", orders::short),
    ("working directory validation", places::directories),
    ("a project root of the settings", places::project_root),
    ("directories outside where they are allowed", places::unrestricted),
    ("the launch", starting::launch),
    ("the whole environment is inherited", starting::environment),
    ("shells", starting::shells),
    ("a stand-in is said once", starting::fallback_is_said),
    ("errors of the start", starting::errors),
    ("the ceiling", starting::ceiling),
    ("wrong arguments", starting::wrong_arguments),
    ("a guard that asks", starting::guard),
    ("disabled by default", manifest::disabled),
    ("the tools are those of the specification", manifest::tools),
    ("the manifest", manifest::rest),
    ("blocked commands in sh", rules::blocked),
    ("blocked commands in Nushell", rules::blocked_in_nushell),
    ("a refusal quotes words", rules::quoted_words),
    ("disabled tools are said by `check`", rules::disabled),
    ("what is only text runs", rules::text),
    ("what cannot be known", rules::unknown),
    ("a shell that cannot be read", rules::unread),
    ("a refusal says what, why and what instead", rules::refusal),
    ("a review names every command", rules::review),
    ("typed text is not taken", rules::typed),
];

/// A host with these settings beside `enabled`, on which every command behaves so; commands are read as sh.
fn host(settings: &Value, behaviour: Behaviour) -> Fake {
    let host = Fake::new();
    enable(&host, settings);
    host.otherwise(behaviour);
    host
}

fn enable(host: &Fake, settings: &Value) {
    host.settings_json(&with(&json!({ "enabled": true }), settings).to_string());
}

/// Calls a tool and gives its JSON, having checked what is true of every answer.
fn call(subject: &dyn Subject, host: &Fake, tool: &str, arguments: &Value) -> Value {
    body(&host.run(subject, tool, &arguments.to_string()))
}

/// Starts a background job and gives its id.
fn spawn(subject: &dyn Subject, host: &Fake, command: &str, more: &Value) -> String {
    let body = call(subject, host, "shell", &with(&json!({ "command": command, "background": true }), more));
    let id = body["job_id"].as_str().expect("an id").to_owned();
    let message = format!("Command '{command}' started in background");
    assert_eq!(body, json!({ "job_id": id, "status": "running", "message": message }));
    assert!(id.strip_prefix("job_").is_some_and(|ulid| ulid.len() >= 25), "{id}");
    id
}

fn status(subject: &dyn Subject, host: &Fake, id: &str) -> Value {
    call(subject, host, "shell_job_status", &json!({ "job_id": id }))
}

fn cancel(subject: &dyn Subject, host: &Fake, id: &str) -> Value {
    call(subject, host, "shell_job_cancel", &json!({ "job_id": id }))
}

fn error(code: &str, message: &str) -> Value {
    json!({ "error": code, "message": message })
}

/// Gives the signals sent so far, all of them to whole trees.
fn signals(host: &Fake) -> Vec<(u64, Signal)> {
    let sent = host.signals();
    assert!(sent.iter().all(|sent| sent.whom == Whom::Tree), "{sent:?}");
    sent.into_iter().map(|sent| (sent.at, sent.signal)).collect()
}

/// Gives the notices published so far as JSON, all of them about the end of a job.
fn notices(host: &Fake) -> Vec<Value> {
    let read = |notice: shellward_kit::contract::Notice| {
        assert_eq!(notice.event_type, "shell_job_completed");
        let data: Value = serde_json::from_str(&notice.data).expect("JSON");
        assert_eq!(keys(&data), ["job_id", "command", "result"]);
        data
    };
    host.notices().into_iter().map(read).collect()
}
