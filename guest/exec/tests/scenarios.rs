//! What the `exec` policy does, seen from outside. The same scenarios run against the native policy and, from the
//! crate of end-to-end tests, against its component.

#![expect(clippy::unwrap_used, reason = "these functions are tests, called by one")]

#[path = "scenarios/arguments.rs"]
mod arguments;
#[path = "scenarios/ends.rs"]
mod ends;
#[path = "scenarios/manifest.rs"]
mod manifest;
#[path = "scenarios/output.rs"]
mod output;
#[path = "scenarios/places.rs"]
mod places;

use serde_json::{Value, json};
use shellward_kit::contract::Reply;
use shellward_kit::fake::{Behaviour, Fake, Subject};

/// A scenario: a name, and what it does with a policy.
pub type Scenario = (&'static str, fn(&dyn Subject));

/// Every scenario.
pub const ALL: &[Scenario] = &[
    ("examples of the specification", output::examples),
    ("format", output::format),
    ("timeouts in the format", output::timeout_format),
    ("timeout values", arguments::timeout_values),
    ("max_length values", arguments::length_values),
    ("max_length counts characters", output::length_counts),
    ("notes can be turned off", output::notes_off),
    ("output beyond what is kept", output::dropped),
    ("output that is no text", output::binary),
    ("the launch", arguments::launch),
    ("commands are trimmed", arguments::trimmed),
    ("wrong arguments", arguments::wrong_arguments),
    ("too much of a command", arguments::too_long),
    ("directories", places::directories),
    ("wrong directories", places::wrong_directories),
    ("directories of the project only", places::restricted),
    ("shells", places::shells),
    ("start errors", ends::start_errors),
    ("a timeout kills at once", ends::kills_at_once),
    ("a process that does not end", ends::unkillable),
    ("late and repeated events", ends::late_events),
    ("streams held open", output::leaks),
    ("cancellation", ends::cancellation),
    ("a restart of the host", ends::restart),
    ("a memo that is not ours", ends::foreign_memo),
    ("review", manifest::review),
    ("description", manifest::description),
    ("settings", manifest::settings),
];

const DENIED: &str = "permission_error";
const INVALID: &str = "validation_error";
const FAILED: &str = "execution_error";

fn call(fake: &Fake, subject: &dyn Subject, arguments: &Value) -> Reply {
    fake.run(subject, "exec", &arguments.to_string())
}

/// Runs one command that behaves so, and gives the text of the answer, which must be a success.
fn text(subject: &dyn Subject, behaviour: Behaviour, more: &Value) -> String {
    let fake = Fake::new();
    fake.otherwise(behaviour);
    succeed(&fake, subject, more)
}

fn succeed(fake: &Fake, subject: &dyn Subject, more: &Value) -> String {
    let mut arguments = json!({ "command": "x" });
    arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let reply = call(fake, subject, &arguments);
    assert!(!reply.is_error && reply.code.is_none() && reply.structured.is_none(), "{reply:?}");
    fake.finish(subject);
    reply.text
}

/// Demands that an answer is an error of this code, worded so.
fn assert_error(reply: &Reply, code: &str, message: &str) {
    assert_eq!(reply.text, format!("{code}: {message}"));
    assert_eq!((reply.is_error, reply.code.as_deref(), &reply.structured), (true, Some(code), &None));
}
