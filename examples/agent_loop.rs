//! An agent's loop around Shellward: offer the tools, make the calls the model asks for, feed the answers back.
//!
//! The model here is a script, so that the example runs without a network:
//!
//! ```sh
//! cargo run --release --example agent_loop
//! ```

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use anyhow::Result;
use serde_json::{Value, json};
use shellward::{Host, Source};

/// What a model answers: calls to make, or its last word.
enum Turn {
    Call { tool: &'static str, arguments: Value },
    Done(&'static str),
}

/// A model that plays a script. A real one would be sent `messages` and `tools` here.
struct Model {
    script: std::vec::IntoIter<Turn>,
}

impl Model {
    fn new() -> Self {
        let bash = |command: &str| Turn::Call { tool: "Bash", arguments: json!({"command": command}) };
        let script = vec![
            bash("mkdir -p notes && printf 'buy milk\\n' > notes/todo.txt && wc -l notes/todo.txt"),
            // Refused: the answer says which rule and what to do instead, and the model does that.
            bash("sudo rm -rf /"),
            bash("rm -rf notes"),
            Turn::Call { tool: "Bash", arguments: json!({"command": "sleep 60", "timeout_ms": 200}) },
            Turn::Done("Done: the notes are written and removed, and the slow command was stopped."),
        ];
        Self { script: script.into_iter() }
    }

    fn next(&mut self, _messages: &[Value]) -> Turn {
        self.script.next().unwrap_or(Turn::Done("Nothing more to do."))
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let project = tempfile::tempdir()?;
    let host = Host::builder().project(project.path()).policy(Source::parse("bash")?).build()?;
    for tool in host.tools() {
        println!("tool {}: {}", tool.name, tool.description);
    }
    let mut model = Model::new();
    let mut messages = vec![json!({"role": "user", "content": "Try the shell."})];
    loop {
        match model.next(&messages) {
            Turn::Done(words) => {
                println!("\nmodel: {words}");
                break;
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
    // Ends what is still running, by the policy's own rules.
    host.shutdown().await;
    Ok(())
}
