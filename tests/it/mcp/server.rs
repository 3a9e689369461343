//! A server as its own program, spoken to line by line.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};
use shellward_tests::Project;

/// How long a test waits for something that must come.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// The program, which cargo builds beside this test.
pub fn program() -> PathBuf {
    let here = std::env::current_exe().unwrap();
    let path = here.ancestors().nth(2).unwrap().join("shellward");
    assert!(path.is_file(), "{} is not built; run `cargo build` with the profile of this test first", path.display());
    path
}

/// The program with a home of its own, but for the cache, which would be compiled anew for each test.
pub fn command(project: &Project, arguments: &[&str]) -> Command {
    let mut command = Command::new(program());
    command.current_dir(project.root()).env("HOME", project.root()).env_remove("SHELLWARD_LOG");
    command.env("XDG_CACHE_HOME", program().parent().unwrap().join("cli-test-cache")).env_remove("XDG_CONFIG_HOME");
    command.args(arguments);
    command
}

/// A shell that runs something and then becomes the program, as when limits are set.
pub fn shell(project: &Project, before: &str, arguments: &[&str]) -> Command {
    let plain = command(project, arguments);
    let mut shell = Command::new("bash");
    shell.arg("-c").arg(format!("{before} exec \"$0\" \"$@\"")).arg(plain.get_program()).args(plain.get_args());
    for (name, value) in plain.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    shell.current_dir(project.root());
    shell
}

/// Hands on the lines of a stream as they come.
fn read_lines(output: ChildStdout) -> Receiver<String> {
    let (sender, lines) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(output).lines() {
            let Ok(line) = line else { return };
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    lines
}

fn greeting(version: &str, capabilities: Value) -> Value {
    let client = json!({"name": "test", "version": "1"});
    json!({"protocolVersion": version, "capabilities": capabilities, "clientInfo": client})
}

/// A server with its only client.
pub struct Server {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    /// What a late client does not read yet.
    unread: Option<ChildStdout>,
    next: u64,
    /// What came while an answer was awaited.
    pub heard: Vec<Value>,
}

impl Server {
    pub fn start(project: &Project, arguments: &[&str]) -> Self {
        let mut command = command(project, &[&["mcp"], arguments].concat());
        Self::of(command.stderr(Stdio::null()))
    }

    /// A server that a shell becomes after it has run something: `exec "$0" "$@"` is added.
    pub fn after(project: &Project, before: &str, arguments: &[&str]) -> Self {
        Self::of(shell(project, before, &[&["mcp"], arguments].concat()).stderr(Stdio::null()))
    }

    pub fn of(command: &mut Command) -> Self {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let lines = read_lines(child.stdout.take().unwrap());
        let input = child.stdin.take();
        Self { child, input, lines, unread: None, next: 0, heard: Vec::new() }
    }

    /// A server whose client says hello, and then reads nothing until it is told to.
    pub fn late(project: &Project, arguments: &[&str]) -> Self {
        let mut command = command(project, &[&["mcp"], arguments].concat());
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let mut child = child.unwrap();
        let (unread, input) = (child.stdout.take(), child.stdin.take());
        let mut server = Self { child, input, lines: channel().1, unread, next: 0, heard: Vec::new() };
        server.send("initialize", greeting("2025-11-25", json!({})));
        server.notify("notifications/initialized", json!({}));
        server
    }

    /// Begins to read what a late client has not read.
    pub fn read_now(&mut self) {
        self.lines = read_lines(self.unread.take().unwrap());
    }

    /// Everything that still comes, to the end of the stream.
    pub fn rest(&mut self) -> Vec<Value> {
        let messages = self.lines.iter().map(|line| serde_json::from_str(&line).unwrap());
        self.heard.drain(..).chain(messages).collect()
    }

    /// A server whose client has said hello in the revision before the newest.
    pub fn ready(project: &Project, arguments: &[&str]) -> Self {
        let mut server = Self::start(project, arguments);
        server.hello("2025-11-25", json!({}));
        server
    }

    pub fn hello(&mut self, version: &str, capabilities: Value) -> Value {
        let answer = self.request("initialize", greeting(version, capabilities));
        self.notify("notifications/initialized", json!({}));
        answer
    }

    pub fn line(&mut self, line: &str) {
        self.write(&format!("{line}\n"));
    }

    pub fn write(&mut self, text: &str) {
        let input = self.input.as_mut().unwrap();
        input.write_all(text.as_bytes()).and_then(|()| input.flush()).unwrap();
    }

    pub fn notify(&mut self, method: &str, params: Value) {
        self.line(&json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string());
    }

    /// Sends a request, and gives its id.
    pub fn send(&mut self, method: &str, params: Value) -> u64 {
        self.next += 1;
        self.line(&json!({"jsonrpc": "2.0", "id": self.next, "method": method, "params": params}).to_string());
        self.next
    }

    /// Sends a request, and waits for its answer.
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        self.answer(id)
    }

    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.request("tools/call", json!({"name": tool, "arguments": arguments}))
    }

    /// The answer to a request, come already or still to come; what else comes is kept.
    pub fn answer(&mut self, id: u64) -> Value {
        let is_it = |message: &Value| message["id"] == id && message["method"].is_null();
        loop {
            if let Some(at) = self.heard.iter().position(is_it) {
                return self.heard.remove(at);
            }
            let message = self.message();
            self.heard.push(message);
        }
    }

    /// The next notification of a kind, heard already or still to come.
    pub fn notification(&mut self, method: &str) -> Value {
        loop {
            if let Some(at) = self.heard.iter().position(|message| message["method"] == method) {
                return self.heard.remove(at)["params"].take();
            }
            let message = self.message();
            self.heard.push(message);
        }
    }

    /// The next line, which must be the protocol's.
    pub fn message(&mut self) -> Value {
        let line = self.lines.recv_timeout(PATIENCE).unwrap();
        let message: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
        assert_eq!(message["jsonrpc"], "2.0", "{line}");
        message
    }

    pub fn close(&mut self) {
        self.input = None;
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// What it has said on standard error, which must be a pipe.
    pub fn errors(&mut self) -> ChildStderr {
        self.child.stderr.take().unwrap()
    }

    pub fn signal(&self, signal: Signal) {
        kill(Pid::from_raw(self.child.id().try_into().unwrap()), signal).unwrap();
    }

    /// Waits for the program's end, and gives its exit code.
    pub fn exit(&mut self) -> i32 {
        let mut status = None;
        shellward_tests::until("the server ends", || {
            status = self.child.try_wait().unwrap();
            status.is_some()
        });
        status.unwrap().code().unwrap_or(-1)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.close();
        // One that has ended cannot be killed, which is as well.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A server that listens on a port of its own.
pub struct Listening {
    child: Child,
    pub url: String,
    pub token: &'static str,
}

impl Listening {
    pub fn start(project: &Project, arguments: &[&str]) -> Self {
        Self::after(project, "", arguments)
    }

    /// One that a shell becomes after it has run something.
    pub fn after(project: &Project, before: &str, arguments: &[&str]) -> Self {
        Self::at(project, "127.0.0.1:0", before, arguments)
    }

    pub fn at(project: &Project, address: &str, before: &str, arguments: &[&str]) -> Self {
        let token = "a-token-only-for-tests";
        let mut command = shell(project, before, &[&["mcp", "--http", address], arguments].concat());
        command.env("SHELLWARD_MCP_TOKEN", token).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut errors = BufReader::new(child.stderr.take().unwrap());
        let mut said = String::new();
        let url = loop {
            let read = errors.read_line(&mut said).unwrap();
            if let Some((_, url)) = said.split_once("listening on ") {
                break url.trim().to_owned();
            }
            assert!(read > 0, "the server does not listen: {said}");
        };
        // Read on, so that the server never waits for somebody to read.
        std::thread::spawn(move || errors.read_to_end(&mut Vec::new()));
        Self { child, url, token }
    }

    pub fn address(&self) -> &str {
        self.url.trim_start_matches("http://").trim_end_matches("/mcp")
    }

    /// Asks it to end, and gives its exit code.
    pub fn end(mut self) -> i32 {
        kill(Pid::from_raw(self.child.id().try_into().unwrap()), Signal::SIGTERM).unwrap();
        self.child.wait().unwrap().code().unwrap_or(-1)
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
