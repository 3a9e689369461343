//! An agent's loop around Shellward: offer the tools, make the calls the model asks for, feed the answers back, and
//! tell the model when a background job has ended.
//!
//! The model here is a script, so that the example runs without a network:
//!
//! ```sh
//! cargo run --release --example agent_loop
//! ```

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use shellward::settings::Settings;
use shellward::{Host, Received, Source, Subscription};

/// What a model answers: calls to make, nothing until something happens, or its last word.
enum Turn {
    Call { tool: &'static str, arguments: Value },
    Wait,
    Done(&'static str),
}

/// A model that plays a script. A real one would be sent the messages and the tools here.
struct Model {
    script: std::vec::IntoIter<Turn>,
}

impl Model {
    fn new() -> Self {
        let shell = |arguments: Value| Turn::Call { tool: "shell", arguments };
        let script = vec![
            shell(json!({"command": "echo building; sleep 1; echo built", "background": true})),
            // The build runs; meanwhile the model goes on.
            shell(
                json!({"command": "mkdir -p notes && printf 'buy milk\\n' > notes/todo.txt && wc -l notes/todo.txt"}),
            ),
            // Refused: the answer says which rule and why, and the model does what it may.
            shell(json!({"command": "rm -rf /"})),
            shell(json!({"command": "rm -rf notes"})),
            shell(json!({"command": "sleep 60", "timeout_secs": 1})),
            Turn::Call { tool: "shell_jobs", arguments: json!({}) },
            Turn::Wait,
            Turn::Done("Done: the build has ended, the notes are removed, and the slow command was stopped."),
        ];
        Self { script: script.into_iter() }
    }

    fn next(&mut self, _messages: &[Value]) -> Turn {
        self.script.next().unwrap_or(Turn::Done("Nothing more to do."))
    }
}

/// An event as the model is told it; none for events of other kinds.
fn message(received: Received) -> Option<Value> {
    match received {
        Received::Notice(notice) if &*notice.event_type == "shell_job_completed" => {
            Some(json!({"role": "system", "content": {"type": "background_job_completed", "data": notice.data}}))
        }
        Received::Notice(_) => None,
        // This loop was too slow for the bus: the jobs themselves still say how they ended.
        Received::Missed(count) => Some(json!({
            "role": "system", "content": format!("{count} events were missed; ask for the jobs with shell_jobs."),
        })),
    }
}

/// Takes what has happened since the last turn, without waiting.
fn drain(events: &mut Subscription, messages: &mut Vec<Value>) {
    while let Some(received) = events.try_next() {
        tell(received, messages);
    }
}

fn tell(received: Received, messages: &mut Vec<Value>) {
    if let Some(message) = message(received) {
        println!("\nthe model is told {message}");
        messages.push(message);
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let project = tempfile::tempdir()?;
    let settings = json!({"enabled": true, "shell": "sh"});
    let settings = Settings::default().given("tools.shell", settings.as_object().cloned().unwrap_or_default());
    let host = Host::builder().project(project.path()).policy(Source::parse("meerkat")?).settings(settings).build()?;
    for tool in host.tools() {
        println!("tool {}: {}", tool.name, tool.description);
    }
    let mut events = host.events();
    let mut model = Model::new();
    let mut messages = vec![json!({"role": "user", "content": "Try the shell."})];
    loop {
        drain(&mut events, &mut messages);
        match model.next(&messages) {
            Turn::Done(words) => {
                println!("\nmodel: {words}");
                break;
            }
            Turn::Wait => {
                // A job may have ended while the last calls were made: then the model has been told already.
                if host.running_jobs() > 0 {
                    tell(events.next().await.context("the host has shut down")?, &mut messages);
                }
            }
            Turn::Call { tool, arguments } => {
                println!("\nmodel calls {tool} {arguments}");
                let reply = host.call("conversation-1", tool, arguments).await;
                println!("{}", reply.text);
                // What the model is given back: JSON where the tool answers in JSON, else text.
                messages.push(json!({"role": "tool", "content": reply.answer(), "is_error": reply.is_error}));
            }
        }
    }
    drain(&mut events, &mut messages);
    let told = messages.iter().filter(|message| message["content"]["type"] == "background_job_completed").count();
    ensure!(told == 1, "the model was told {told} times that its one background job had ended");
    // Ends what is still running, by the policy's own rules.
    host.shutdown().await;
    Ok(())
}
