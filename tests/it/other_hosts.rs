//! The very bytes of our policies under hosts in JavaScript and Python: the same transcript, the same answers.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use regex::Regex;
use serde_json::{Map, Value};
use shellward::settings::Settings;
use shellward_tests::{Project, component_of, wait_for};

const POLICIES: [(&str, &str); 3] = [("exec", "tools.exec"), ("bash", "tools.Bash"), ("meerkat", "tools.shell")];

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples").canonicalize().unwrap()
}

/// The path of a tool, which CI installs; elsewhere the test is left out where it is not named.
#[expect(clippy::print_stderr, reason = "a test that is left out says so")]
fn tool(variable: &str) -> Option<String> {
    let found = std::env::var(variable).ok();
    assert!(found.is_some() || std::env::var_os("CI").is_none(), "CI must set {variable}");
    if found.is_none() {
        eprintln!("skipped: {variable} does not say where the tool is; .ci/run shows how to install it");
    }
    found
}

fn project() -> Project {
    let project = Project::new();
    project.file("src/file", "one\n");
    std::os::unix::fs::symlink("/", project.root().join("link")).unwrap();
    project
}

fn transcript(policy: &str) -> String {
    fs::read_to_string(examples().join(format!("transcripts/{policy}.json"))).unwrap()
}

/// What differs from run to run: ids, times, and the project's own directory.
fn plain(answer: &str, project: &Project) -> String {
    let root = project.root().to_str().unwrap().to_owned();
    let mut text = answer.replace(&root, "ROOT");
    for (pattern, with) in [
        (r"[0-7][0-9a-hjkmnp-tv-z]{25}", "ID"),
        (r#"("(?:time_ms|duration_secs|started_at_unix|completed_at_unix)":)[0-9.e-]+"#, "${1}TIME"),
        (r"(Took )[0-9.]+ ?m?s", "${1}TIME"),
    ] {
        text = Regex::new(pattern).unwrap().replace_all(&text, with).into_owned();
    }
    text
}

/// Our own answers, as `(answer, is_error)`.
fn ours(policy: &str, table: &str) -> Vec<(String, bool)> {
    let project = project();
    let transcript: Value = serde_json::from_str(&transcript(policy)).unwrap();
    let settings: Map<_, _> = transcript["settings"].as_object().unwrap().clone();
    let host = project.builder(policy).settings(Settings::default().given(table, settings)).build().unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let (mut job, mut answers) = (String::new(), Vec::new());
    let named = Regex::new(r#""job_id":"([^"]+)""#).unwrap();
    for call in transcript["calls"].as_array().unwrap() {
        let arguments: Value = serde_json::from_str(&call["arguments"].to_string().replace("$job", &job)).unwrap();
        let reply = wait_for("an answer says what it must", || {
            let tool = call["tool"].as_str().unwrap();
            let reply = runtime.block_on(host.call("transcript", tool, arguments.clone()));
            call["until"].as_str().is_none_or(|until| reply.answer().contains(until)).then_some(reply)
        });
        if let Some(found) = named.captures(reply.answer()) {
            job = found[1].to_owned();
        }
        answers.push((plain(reply.answer(), &project), reply.is_error));
    }
    runtime.block_on(host.shutdown());
    answers
}

/// What another host answers.
fn theirs(policy: &str, program: &mut Command) -> Vec<(String, bool)> {
    let project = project();
    let input = project.root().join("transcript.json");
    fs::write(&input, transcript(policy)).unwrap();
    let output = program.arg(project.root()).stdin(fs::File::open(&input).unwrap()).stderr(Stdio::inherit()).output();
    let output = output.unwrap();
    assert!(output.status.success(), "{policy}: {program:?} exits with {}", output.status);
    let answers: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    let read = |said: &Value| (plain(said["answer"].as_str().unwrap(), &project), said["error"].as_bool().unwrap());
    answers.iter().map(read).collect()
}

fn compare(policy: &str, table: &str, program: &mut Command) {
    let (ours, theirs) = (ours(policy, table), theirs(policy, program));
    assert_eq!(ours.len(), theirs.len());
    for (number, (our, their)) in ours.iter().zip(&theirs).enumerate() {
        assert_eq!(our, their, "{policy}, call {number}");
    }
}

#[test]
fn node_answers_as_we_do() {
    let Some(jco) = tool("SHELLWARD_JCO") else { return };
    let host = examples().join("node-host/transcript.mjs");
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("package.json"), "{\"type\": \"module\"}").unwrap();
    for (policy, table) in POLICIES {
        let (component, out) = (directory.path().join(format!("{policy}.wasm")), directory.path().join(policy));
        fs::write(&component, component_of(policy)).unwrap();
        let transpiled = Command::new(&jco)
            .arg("transpile")
            .arg(&component)
            .arg("-o")
            .arg(&out)
            .args(["--instantiation", "sync", "--no-typescript", "--quiet"])
            .status();
        assert!(transpiled.unwrap().success());
        compare(policy, table, Command::new("node").arg(&host).arg(&out));
    }
}

#[test]
fn python_answers_as_we_do() {
    let Some(python) = tool("SHELLWARD_PYTHON") else { return };
    let host = examples().join("python-host/transcript.py");
    let directory = tempfile::tempdir().unwrap();
    for (policy, table) in POLICIES {
        let component = directory.path().join(format!("{policy}.wasm"));
        fs::write(&component, component_of(policy)).unwrap();
        compare(policy, table, Command::new(&python).arg("-B").arg(&host).arg(&component));
    }
}
