//! The program itself: what it prints and how it exits.

use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;
use shellward_tests::{HOSTILE, Project, Survivors};

/// The program, which cargo builds beside this test.
pub(super) fn program() -> PathBuf {
    let here = std::env::current_exe().unwrap();
    let path = here.ancestors().nth(2).unwrap().join("shellward");
    assert!(path.is_file(), "{} is not built; run `cargo build` with the profile of this test first", path.display());
    path
}

pub(super) fn command(project: &Project, arguments: &[&str]) -> Command {
    let mut command = Command::new(program());
    at_home(&mut command, project).args(arguments).stdin(Stdio::null());
    command
}

/// Gives a command a home of its own, but for the cache, which would be compiled anew for each test.
pub(super) fn at_home<'a>(command: &'a mut Command, project: &Project) -> &'a mut Command {
    command.current_dir(project.root()).env("HOME", project.root()).env_remove("SHELLWARD_LOG");
    command.env("XDG_CACHE_HOME", program().parent().unwrap().join("cli-test-cache")).env_remove("XDG_CONFIG_HOME")
}

pub(super) fn run(project: &Project, arguments: &[&str]) -> (i32, String, String) {
    let Output { status, stdout, stderr } = command(project, arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code().unwrap_or_else(|| 1000 + status.signal().unwrap()), text(stdout), text(stderr))
}

#[test]
fn run_prints_the_answer_and_exits_as_the_command_did() {
    let project = Project::new();
    let (code, stdout, stderr) = run(&project, &["run", "--", "echo hello"]);
    assert_eq!((code, stderr.as_str()), (0, ""));
    assert!(stdout.starts_with("Command succeeded: echo hello\n(Exit code 0. Took "), "{stdout}");
    for (arguments, expected) in [
        (&["run", "--policy", "exec", "--", "exit 7"][..], 7),
        (&["run", "--policy", "exec", "--", "kill -TERM $$"], 128 + 15),
        (&["run", "--timeout", "0.3", "--", "sleep 60"], 124),
        (&["run", "--policy", "exec", "--timeout", "1", "--", "sleep 60"], 124),
        (&["run", "--", "sudo ls"], 1),
        (&["run", "--timeout", "-1", "--", "true"], 2),
        (&["run"], 2),
        (&["run", "--policy", "no-such", "--", "true"], 2),
        (&["run", "--project", "/no/such", "--", "true"], 2),
        (&["run", "--policy", HOSTILE, "--", "true"], 2),
        (&["frobnicate"], 2),
    ] {
        let (code, stdout, stderr) = run(&project, arguments);
        assert_eq!(code, expected, "{arguments:?}\n{stdout}\n{stderr}");
        assert!(code != 2 || !stderr.is_empty(), "{arguments:?} says nothing");
    }
}

#[test]
fn several_words_are_one_command_line() {
    let project = Project::new();
    let (code, stdout, _) = run(&project, &["run", "--policy", "exec", "--", "printf", "%s|", "a b", "it's"]);
    assert_eq!((code, stdout.as_str()), (0, "[Exit Code: 0]\n\na b|it's|\n"));
}

#[test]
fn run_as_json_tells_how_it_ended_and_who_decided() {
    let project = Project::new();
    let (code, stdout, _) = run(&project, &["run", "--json", "--policy", "exec", "--", "exit 3"]);
    let reply: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((code, &reply["job"]["exit"]["Code"]), (3, &Value::from(3)), "{reply}");
    assert!(reply["policy"].as_str().unwrap().starts_with("exec@"), "{reply}");
}

#[test]
fn call_answers_as_an_agent_gets_it() {
    let project = Project::new();
    let (code, stdout, _) = run(&project, &["call", "Bash", r#"{"command":"echo hi"}"#]);
    let envelope: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((code, &envelope["data"]["stdout"]), (0, &Value::from("hi\n")));
    let (code, stdout, _) = run(&project, &["call", "Bash", r#"{"command":"sudo ls"}"#]);
    let envelope: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((code, &envelope["error"]["code"]), (1, &Value::from("INVALID_PARAM")));
    let (code, _, stderr) = run(&project, &["call", "Bash", "{command: ls}"]);
    assert_eq!(code, 2);
    assert!(stderr.contains("not JSON"), "{stderr}");
    let (code, stdout, _) = run(&project, &["call", "--policy", HOSTILE, "hostile", r#"{"do":"panic"}"#]);
    assert_eq!(code, 3);
    assert!(stdout.contains("policy_fault") && stdout.contains("told to panic"), "{stdout}");
}

#[test]
fn call_reads_its_arguments_from_standard_input() {
    let project = Project::new();
    let mut child =
        command(&project, &["call", "Bash", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(br#"{"command":"echo piped"}"#).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(String::from_utf8(output.stdout).unwrap().contains("piped\\n"));
}

#[test]
fn check_tells_the_verdict_and_points_at_the_words() {
    let project = Project::new();
    let (code, stdout, _) = run(&project, &["check", "--", "echo hello"]);
    assert_eq!(code, 0);
    assert!(stdout.starts_with("allow: echo hello\n"), "{stdout}");
    let (code, stdout, _) = run(&project, &["check", "--", "true && sudo rm x"]);
    assert_eq!(code, 1);
    let lines: Vec<_> = stdout.lines().collect();
    let at = lines.iter().position(|line| line.contains("true && sudo") && line.starts_with("  ")).unwrap();
    assert!(lines[at + 1].find('^') >= lines[at].find("sudo"), "{stdout}");
    let (code, stdout, _) = run(&project, &["check", "--json", "--", "sudo ls"]);
    let verdict: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((code, &verdict["verdict"]), (1, &Value::from("deny")));
    assert!(verdict["code"].is_string() && verdict["reason"].is_string() && verdict["commands"].is_array());
    let ask = ["check", "--set", "on_unknown=ask", "--", "$COMPUTED now"];
    assert_eq!(run(&project, &ask).0, 4);
}

#[test]
fn a_policy_that_offers_no_tools_says_what_enables_them() {
    let project = Project::new();
    let (code, stdout, stderr) = run(&project, &["--policy", "meerkat", "tools", "--format", "openai"]);
    assert_eq!((code, stdout.trim()), (0, "[]"));
    assert!(stderr.contains("meerkat offers no tools") && stderr.contains("`enabled = true`"), "{stderr}");
}

#[test]
fn tools_are_printed_in_each_format() {
    let project = Project::new();
    for (format, pointer) in [("mcp", "/tools/0/name"), ("openai", "/0/function/name"), ("anthropic", "/0/name")] {
        let (code, stdout, _) = run(&project, &["tools", "--format", format]);
        let shown: Value = serde_json::from_str(&stdout).unwrap();
        assert_eq!((code, shown.pointer(pointer)), (0, Some(&Value::from("Bash"))), "{shown}");
    }
}

#[test]
fn policies_are_listed_and_inspected() {
    let project = Project::new();
    let (code, stdout, _) = run(&project, &["policy", "list"]);
    assert_eq!(code, 0);
    assert!(stdout.lines().any(|line| line.starts_with("bash ")) && stdout.contains("\nexec "), "{stdout}");
    let (code, stdout, _) = run(&project, &["policy", "inspect", "bash"]);
    assert_eq!(code, 0);
    for part in ["sha256", "[tools.Bash]", "BASH_ALLOW_NETWORK", "shellward:policy/processes@0.1.0"] {
        assert!(stdout.contains(part), "{part} is not in {stdout}");
    }
    let (code, _, stderr) = run(&project, &["policy", "inspect", "/etc/passwd"]);
    assert_eq!(code, 2);
    assert!(stderr.contains("is not WebAssembly"), "{stderr}");
}

#[test]
fn what_is_wrong_is_called_by_its_name() {
    let project = Project::new();
    project.file("exec", "a file that has a built-in policy's name");
    for (arguments, expected) in [
        (&["policy", "swap", "exec", "--project", "/no/such"][..], "/no/such is no directory"),
        (&["policy", "swap", "exec"], "no server runs in the project"),
        (&["policy", "verify", "exec", "--sha256", "abc"], "64 hexadecimal digits, not 'abc'"),
        (&["check", "--guard", "no-such.wasm", "--", "true"], "cannot read no-such.wasm"),
        (&["mcp", "--policy", "exec", "--watch"], "exec is built in; name a file with --policy, such as ./exec"),
    ] {
        let (code, _, stderr) = run(&project, arguments);
        assert!(code == 2 && stderr.contains(expected), "{arguments:?}: {code} {stderr}");
    }
}

#[test]
fn wrong_settings_are_named_with_file_line_and_key() {
    let project = Project::new();
    project.file(".shellward/config.toml", "[tools.Bash]\nnonsense = 1\n");
    let (code, _, stderr) = run(&project, &["run", "--", "true"]);
    assert_eq!(code, 2);
    assert!(stderr.contains("config.toml:2: `tools.Bash.nonsense`"), "{stderr}");
    let (code, _, stderr) = run(&project, &["run", "--policy", "exec", "--set", "nonsense=1", "--", "true"]);
    assert_eq!(code, 2);
    assert!(stderr.contains("given settings: `tools.exec.nonsense`"), "{stderr}");
}

#[test]
fn a_reader_that_goes_away_is_no_reason_to_complain() {
    let project = Project::new();
    let mut child = command(&project, &["run", "--policy", "exec", "--", "seq 1 10000"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}

fn in_the_middle_of(project: &Project, survivors: &Survivors) -> Child {
    let line = format!("setsid sleep {} & sleep {} & wait", survivors.mark(), survivors.mark());
    let child = command(project, &["run", "--policy", "exec", "--", &line]).stderr(Stdio::null()).spawn().unwrap();
    survivors.wait_for(2);
    child
}

#[test]
fn signals_end_the_commands_tree_and_then_the_program() {
    for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP] {
        let (project, survivors) = (Project::new(), Survivors::new());
        let mut child = in_the_middle_of(&project, &survivors);
        kill(Pid::from_raw(i32::try_from(child.id()).unwrap()), signal).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(130), "{signal}");
        assert_eq!(survivors.alive(), Vec::<i32>::new(), "{signal}");
    }
}
