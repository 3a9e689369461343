//! What the `actions` policy does, whatever runs it: natively in this crate, as a component in the tests crate.

#![expect(clippy::expect_used, reason = "these functions are tests, called by one")]

#[path = "scenarios/lanes.rs"]
mod lanes;
#[path = "scenarios/manifest.rs"]
mod manifest;
#[path = "scenarios/oneshot.rs"]
mod oneshot;
#[path = "scenarios/orders.rs"]
mod orders;
#[path = "scenarios/parameters.rs"]
mod parameters;
#[path = "scenarios/reading.rs"]
mod reading;
#[path = "scenarios/recovery.rs"]
mod recovery;
#[path = "scenarios/runs.rs"]
mod runs;
#[path = "scenarios/typing.rs"]
mod typing;
#[path = "scenarios/watching.rs"]
mod watching;

pub use orders::every_order;
use serde_json::{Value, json};
use shellward_kit::fake::{Fake, Subject, body, with};

/// A scenario: what it shows, and the function that shows it.
pub type Scenario = (&'static str, fn(&dyn Subject));

/// Every scenario.
pub const ALL: &[Scenario] = &[
    ("a command without an action", oneshot::answers),
    ("a command without an action that fails", oneshot::fails),
    ("the caps of a command without an action", oneshot::caps),
    ("parameters belong to actions", parameters::belong),
    ("missing and wrong parameters", parameters::wrong),
    ("wrong watches and keys", parameters::lists),
    ("runs of other sessions", parameters::others),
    ("a run from spawn to its end", runs::life),
    ("a spawn that waits", runs::foreground),
    ("the launch of a run", runs::launch),
    ("the ends of runs", runs::ends),
    ("runs that do not start", runs::not_started),
    ("killing", runs::kill),
    ("killing what is stubborn", runs::kill_stubborn),
    ("commands that are not let through", runs::blocked),
    ("a human decides", runs::asked),
    ("polling by cursor", reading::cursor),
    ("polling with a wait", reading::waits),
    ("a program in a terminal that waits for input", reading::prompts),
    ("a page is bounded", reading::pages),
    ("only one stream", reading::streams),
    ("output beyond what is stored", reading::truncated),
    ("a store that fails", reading::unstored),
    ("the snippet", reading::snippet),
    ("watches", watching::hits),
    ("a flood of hits", watching::flood),
    ("a change of status is told", watching::statuses),
    ("lanes", lanes::lanes),
    ("a killed run in line never starts", lanes::kill_queued),
    ("more runs of a session at once", lanes::wide),
    ("the ceiling", lanes::ceiling),
    ("a restart runs again what ran", recovery::requeue),
    ("a restart loses what ran", recovery::lost),
    ("a shutdown leaves runs to the next host", recovery::shutdown),
    ("a restart while a run is being killed", recovery::stopping),
    ("typing into a pipe", typing::pipe),
    ("typing into a terminal", typing::terminal),
    ("typing where nothing is read", typing::unavailable),
    ("typed command lines are judged", typing::judged),
    ("typing in pieces", typing::pieces),
    ("keys that hide the line", typing::hidden),
    ("a line handed on in pieces", typing::handed_on),
    ("commands out of programs", typing::escapes),
    ("a human decides about typed lines", typing::asked),
    ("reviews of typed text", typing::review),
    ("the tool", manifest::tool),
    ("the manifest", manifest::rest),
    ("every short order of events", orders::short),
];

/// Calls the tool and gives its JSON, having checked what is true of every answer.
fn call(subject: &dyn Subject, host: &Fake, arguments: &Value) -> Value {
    body(&host.run(subject, "shell", &arguments.to_string()))
}

/// Spawns a run and gives its id.
fn spawn(subject: &dyn Subject, host: &Fake, command: &str, more: &Value) -> String {
    let body = call(subject, host, &with(&json!({"action": "spawn", "command": command}), more));
    assert_eq!((&body["status"], &body["next_seq"]), (&json!("queued"), &json!(0)), "{body}");
    let id = body["run_id"].as_str().expect("an id").to_owned();
    assert!(id.strip_prefix("run_").is_some_and(|ulid| ulid.len() >= 25), "{id}");
    id
}

fn act(subject: &dyn Subject, host: &Fake, action: &str, id: &str, more: &Value) -> Value {
    call(subject, host, &with(&json!({"action": action, "run_id": id}), more))
}

fn poll(subject: &dyn Subject, host: &Fake, id: &str) -> Value {
    act(subject, host, "poll", id, &json!({}))
}

/// Gives the output among the items, event items as their name in brackets.
fn shown(body: &Value) -> Vec<String> {
    let items = body["items"].as_array().expect("items").iter();
    items
        .map(|item| match item["type"].as_str() {
            Some("event") => format!("[{}]", item["event"].as_str().expect("a name")),
            _ => item["text"].as_str().expect("a text").to_owned(),
        })
        .collect()
}

/// Gives the notices of a kind published so far.
fn notices(host: &Fake, kind: &str) -> Vec<Value> {
    let all = host.notices().into_iter().filter(|notice| notice.event_type == kind);
    all.map(|notice| serde_json::from_str(&notice.data).expect("JSON")).collect()
}
