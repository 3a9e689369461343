//! What a call costs more over MCP than from the library: a client's pipes, JSON both ways, the protocol's library.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};
use shellward_tests::Project;

use crate::harness::{Figure, Scale, host, in_turns, runtime};
use crate::start::program;

/// The figures of this room.
pub fn figures(scale: Scale) -> Vec<Figure> {
    let rounds = scale.rounds();
    vec![refusal(rounds), command(rounds)]
}

/// The plainest client there is: writes a line, reads a line.
struct Client {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    line: String,
}

impl Client {
    fn start(home: &Path, policy: &str) -> Self {
        let mut command = Command::new(program());
        command.args(["mcp", "--policy", policy]).current_dir(home).env("HOME", home).env("XDG_CACHE_HOME", home);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (input, output) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        let mut client = Self { child, input, output, line: String::new() };
        let about = json!({"name": "bench", "version": "1"});
        client.ask("initialize", &json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": about}));
        client.say(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        client
    }

    fn say(&mut self, message: &Value) {
        writeln!(self.input, "{message}").unwrap();
    }

    /// Asks, and gives the answer; what else comes is passed over.
    fn ask(&mut self, method: &str, params: &Value) -> &str {
        self.say(&json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}));
        loop {
            self.line.clear();
            assert!(self.output.read_line(&mut self.line).unwrap() > 0);
            if self.line.contains(r#""id":1,"#) {
                return &self.line;
            }
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The same call by both ways.
fn both(what: &'static str, rounds: usize, policy: &str, tool: &str, command: &str, expected: &str) -> Figure {
    let (home, runtime) = (Project::new(), runtime());
    let mut client = Client::start(&home.root(), policy);
    let (_project, host) = host(policy);
    let arguments = json!({"command": command});
    let params = json!({"name": tool, "arguments": arguments});
    let times = in_turns(
        rounds,
        || assert!(client.ask("tools/call", &params).contains(expected)),
        || drop(runtime.block_on(host.call("bench", tool, arguments.clone()))),
    );
    Figure::beside(what, "µs", times, "the library")
}

fn refusal(rounds: usize) -> Figure {
    both("a call over MCP that is refused", rounds * 10, "bash", "Bash", "sudo ls", r#""isError":true"#)
}

fn command(rounds: usize) -> Figure {
    both("one `sh -c true` call over MCP", rounds, "exec", "exec", "true", r#""isError":false"#)
}
