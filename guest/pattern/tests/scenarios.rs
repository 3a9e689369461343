//! What the policy does, scripted against the fake host: run natively here and against the component by the
//! end-to-end tests.

#![expect(clippy::expect_used, clippy::panic, reason = "a test fails where something is not as it should be")]

#[path = "scenarios/paths.rs"]
mod paths;
#[path = "scenarios/session.rs"]
mod session;
#[path = "scenarios/tasks.rs"]
mod tasks;
#[path = "scenarios/tiers.rs"]
mod tiers;

use serde_json::{Value, json};
use shellward_kit::fake::{Fake, Subject, body};

/// A scenario, run against any subject.
pub type Scenario = fn(&dyn Subject);

pub const ALL: &[(&str, Scenario)] = &[
    ("a command is answered as the specification has it", session::answer),
    ("the terminal is said", session::terminal),
    ("the session goes where commands go", session::directory),
    ("the session is found behind any number of tasks", session::behind_tasks),
    ("a directory outside is noticed and put back", session::escape),
    ("a lost session is said", session::lost),
    ("a timeout interrupts, terminates and kills", session::timeout),
    ("a command that waits for input is ended", session::waiting),
    ("one command at a time", session::busy),
    ("a host without shells", session::unsupported),
    ("wrong arguments", session::wrong_arguments),
    ("a task has a document", tasks::document),
    ("output is told, and the end", tasks::notices),
    ("a document is unpinned after a while", tasks::unpin),
    ("a document is pinned by hand", tasks::pin),
    ("a task is killed", tasks::kill),
    ("tasks of others are unknown", tasks::unknown),
    ("output is read from offsets", tasks::output),
    ("only reading is read-only", tiers::read_only),
    ("rules grant and take", tiers::rules),
    ("the denylist", tiers::denylist),
    ("words that change words", tiers::hazards),
    ("what cannot be known", tiers::unknown),
    ("a refusal says all", tiers::refusal),
    ("paths outside", paths::outside),
    ("paths inside", paths::inside),
    ("a `cd` out is refused", paths::cd),
    ("computed paths", paths::computed),
    ("several allowed paths", paths::allowed),
    ("an allowed path that is missing", paths::no_start),
];

fn call(subject: &dyn Subject, host: &Fake, arguments: &Value) -> Value {
    body(&host.run(subject, "shell", &arguments.to_string()))
}

fn execute(subject: &dyn Subject, host: &Fake, command: &str) -> Value {
    call(subject, host, &json!({"op": "execute", "command": command}))
}

/// The error of a command, and its words; none where it ran.
fn refused(subject: &dyn Subject, host: &Fake, command: &str) -> Option<(String, String)> {
    let body = execute(subject, host, command);
    let error = body.get("error")?.as_str().expect("a word").to_owned();
    Some((error, body["message"].as_str().expect("a text").to_owned()))
}

fn spawn(subject: &dyn Subject, host: &Fake, command: &str) -> String {
    let body = call(subject, host, &json!({"op": "spawn", "command": command}));
    let id = body["task_id"].as_str().expect("an id").to_owned();
    assert_eq!(body, json!({"task_id": id, "block_label": format!("process:{id}")}));
    id
}
