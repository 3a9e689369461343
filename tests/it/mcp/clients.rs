//! Held to clients that nobody here has written: the official ones for Python and TypeScript, and the MCP Inspector.
//!
//! `.ci/run` installs them; without them these tests say so and pass, except in CI.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::{Value, json};
use shellward::{Cache, Source, built_in, inspect};
use shellward_tests::Project;

use super::server::{Listening, program};

/// The revisions: with a handshake, and without.
const MODES: [&str; 2] = ["legacy", "2026-07-28"];

/// Where the clients are installed.
fn clients() -> Option<PathBuf> {
    let beside = || program().ancestors().nth(2).unwrap().join("mcp-clients");
    let directory = std::env::var_os("SHELLWARD_MCP_CLIENTS").map_or_else(beside, PathBuf::from);
    if directory.join("python").is_dir() && directory.join("node").is_dir() {
        return Some(directory);
    }
    assert!(std::env::var_os("CI").is_none(), "no MCP clients in {}; .ci/run installs them", directory.display());
    // Where standard error is gone there is nobody to read it.
    let _ = writeln!(
        std::io::stderr(),
        "skipped: no MCP clients in {}; .ci/run shows how to install them",
        directory.display()
    );
    None
}

/// What of a policy the clients need to know.
struct Kind {
    name: &'static str,
    settings: &'static [&'static str],
    background: Value,
    /// Whether two commands of one session run at once.
    parallel: bool,
    asks: bool,
}

/// Every built-in policy, and what makes its tools usable here.
fn kinds() -> Vec<Kind> {
    let plain = |name| Kind { name, settings: &[], background: Value::Null, parallel: true, asks: false };
    let kind = |name| match name {
        "bash" => Kind { settings: &["--set", "on_unknown=ask"], asks: true, ..plain(name) },
        "meerkat" => Kind {
            settings: &["--set", "enabled=true", "--set", "shell=sh"],
            background: json!({"command": "echo from the background", "background": true}),
            ..plain(name)
        },
        // Its commands run in one lasting shell.
        "pattern" => Kind { parallel: false, ..plain(name) },
        name => plain(name),
    };
    built_in().map(kind).collect()
}

/// The server's own arguments for a policy.
fn arguments(kind: &Kind) -> Vec<&'static str> {
    [&["--policy", kind.name], kind.settings].concat()
}

/// What the clients' programs are told.
fn description(kind: &Kind, project: &Project, mode: &str) -> Value {
    let cache = Cache::open(&program().parent().unwrap().join("shellward-test-cache")).unwrap();
    let found = inspect(Source::parse(kind.name).unwrap(), Some(cache)).unwrap();
    let run = found.component.manifest().run.clone().unwrap_or_else(|| panic!("{} takes no command line", kind.name));
    json!({
        "mode": mode,
        "policy": kind.name,
        "tool": run.tool,
        "argument": run.command,
        "constant": serde_json::from_str::<Value>(&run.constant).unwrap(),
        "background": kind.background,
        "parallel": kind.parallel,
        "asks": kind.asks,
        "directory": project.root(),
        "modules": clients(),
        "command": null,
        "url": null,
        "token": null,
    })
}

/// Runs a client's program, which must say that all has passed.
fn run(program: &mut Command, project: &Project, description: &Value) {
    let program = program.arg(description.to_string()).current_dir(project.root()).env("HOME", project.root());
    let Output { status, stdout, stderr } = program.output().unwrap();
    let (said, errors) = (String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
    assert!(status.success() && said.ends_with("all passed\n"), "{description:#}\n{said}\n{errors}");
}

fn scripts() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("mcp")
}

fn python(clients: &std::path::Path) -> Command {
    let mut command = Command::new(clients.join("python/bin/python"));
    command.arg(scripts().join("client.py"));
    command
}

fn node(_clients: &std::path::Path) -> Command {
    let mut command = Command::new("node");
    command.arg(scripts().join("client.mjs"));
    command
}

fn cache() -> PathBuf {
    program().parent().unwrap().join("cli-test-cache")
}

fn over_stdio(client: fn(&std::path::Path) -> Command) {
    let Some(clients) = clients() else { return };
    for kind in kinds() {
        for mode in MODES {
            let project = Project::new();
            let mut description = description(&kind, &project, mode);
            let server: Vec<_> =
                [program().to_str().unwrap(), "mcp"].into_iter().chain(arguments(&kind)).map(str::to_owned).collect();
            description["command"] = json!(server);
            description["modules"] = json!(clients.join("node"));
            run(client(&clients).env("XDG_CACHE_HOME", cache()), &project, &description);
        }
    }
}

fn over_http(client: fn(&std::path::Path) -> Command) {
    let Some(clients) = clients() else { return };
    for kind in kinds() {
        for mode in MODES {
            let project = Project::new();
            let server = Listening::start(&project, &arguments(&kind));
            let mut description = description(&kind, &project, mode);
            description["url"] = json!(server.url);
            description["token"] = json!(server.token);
            description["modules"] = json!(clients.join("node"));
            run(&mut client(&clients), &project, &description);
            assert_eq!(server.end(), 0);
        }
    }
}

#[test]
fn the_python_client_over_stdio() {
    over_stdio(python);
}

#[test]
fn the_python_client_over_http() {
    over_http(python);
}

#[test]
fn the_typescript_client_over_stdio() {
    over_stdio(node);
}

#[test]
fn the_typescript_client_over_http() {
    over_http(node);
}

/// One method of the Inspector's command line, and what it prints.
fn inspector(clients: &std::path::Path, project: &Project, arguments: &[&str]) -> Value {
    let mut command = Command::new("node");
    command.arg(clients.join("node/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js"));
    command.args(["--cli", "--config", "servers.json", "--server", "shellward", "--format", "json", "--quiet"]);
    command.current_dir(project.root()).env("HOME", project.root()).env("XDG_CACHE_HOME", cache()).args(arguments);
    let Output { status, stdout, stderr } = command.output().unwrap();
    let errors = String::from_utf8_lossy(&stderr);
    assert!(status.success(), "{arguments:?}\n{}\n{errors}", String::from_utf8_lossy(&stdout));
    serde_json::from_slice(&stdout).unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&stdout)))
}

fn inspect_with(clients: &std::path::Path, project: &Project, kind: &Kind, server: &Value) {
    project.file("servers.json", &json!({"mcpServers": {"shellward": server}}).to_string());
    for era in ["legacy", "modern"] {
        let description = description(kind, project, era);
        let era = ["--protocol-era", era];
        // `--strict` fails on schemas that some clients cannot use.
        let tools = inspector(clients, project, &[&era[..], &["--method", "tools/list", "--strict"]].concat());
        let tool = description["tool"].as_str().unwrap();
        assert!(tools.to_string().contains(&format!(r#""name":"{tool}""#)), "{tools}");
        let mut arguments = description["constant"].clone();
        arguments[description["argument"].as_str().unwrap()] = json!("echo inspected");
        let arguments = arguments.to_string();
        let call = ["--method", "tools/call", "--tool-name", tool, "--tool-args-json", &arguments];
        let answer = inspector(clients, project, &[&era[..], &call].concat());
        assert!(answer.to_string().contains("inspected"), "{answer}");
        let templates = inspector(clients, project, &[&era[..], &["--method", "resources/templates/list"]].concat());
        assert!(templates.to_string().contains("shellward://jobs/{id}/stderr"), "{templates}");
    }
}

#[test]
fn the_inspector_over_stdio() {
    let Some(clients) = clients() else { return };
    for kind in kinds() {
        let project = Project::new();
        let arguments: Vec<_> = ["mcp"].into_iter().chain(arguments(&kind)).collect();
        let server = json!({"type": "stdio", "command": program(), "args": arguments});
        inspect_with(&clients, &project, &kind, &server);
    }
}

#[test]
fn the_inspector_over_http() {
    let Some(clients) = clients() else { return };
    for kind in kinds() {
        let project = Project::new();
        let listening = Listening::start(&project, &arguments(&kind));
        let headers = json!({"authorization": format!("Bearer {}", listening.token)});
        let server = json!({"type": "streamable-http", "url": listening.url, "headers": headers});
        inspect_with(&clients, &project, &kind, &server);
        assert_eq!(listening.end(), 0);
    }
}
