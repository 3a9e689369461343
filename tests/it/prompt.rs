//! A policy's question to the person at the terminal.

use std::io::{Read, Write};
use std::process::{Command, Stdio};

use shellward_tests::Project;

use super::cli::{at_home, program, run};

/// What cannot be known, and so is asked about.
const COMMAND: &str = "${UNKNOWN_PROGRAM:-touch} made";

/// Runs the program on a terminal of its own, types an answer once it asks, and gives its exit code and what was shown.
fn on_a_terminal(project: &Project, answer: &str) -> (i32, String) {
    // `timeout`, so that a question that never comes fails the test instead of holding it up.
    let mut terminal = Command::new("timeout");
    let line = r#"exec "$PROGRAM" run --set on_unknown=ask -- "$COMMAND""#;
    at_home(&mut terminal, project).args(["60", "script", "-qefc", line, "/dev/null"]);
    terminal.env("PROGRAM", program()).env("COMMAND", COMMAND).env("SHELL", "/bin/sh");
    let mut child = terminal.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut input, mut output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let (mut shown, mut some, mut answered) = (String::new(), [0; 4096], false);
    loop {
        match output.read(&mut some).unwrap() {
            0 => break,
            read => shown.push_str(&String::from_utf8_lossy(&some[..read])),
        }
        if !answered && shown.contains("Run it? [y/N] ") {
            input.write_all(answer.as_bytes()).unwrap();
            answered = true;
        }
    }
    let code = child.wait().unwrap().code().unwrap();
    assert!(answered, "nobody was asked ({code}): {shown}");
    (code, shown)
}

#[test]
fn a_yes_at_the_terminal_runs_the_command_and_anything_else_does_not() {
    for (answer, runs) in [("y\n", true), ("Yes\n", true), ("n\n", false), ("\n", false), ("yesterday\n", false)] {
        let project = Project::new();
        let (code, shown) = on_a_terminal(&project, answer);
        assert!(shown.contains("Run this command?") && shown.contains(&format!("command: {COMMAND}")), "{shown}");
        assert_eq!((code, project.root().join("made").exists()), (i32::from(!runs), runs), "{answer:?}: {shown}");
    }
}

#[test]
fn where_there_is_no_terminal_the_answer_is_no() {
    let project = Project::new();
    let (code, stdout, _) = run(&project, &["run", "--set", "on_unknown=ask", "--", COMMAND]);
    assert!(code == 1 && stdout.contains("UNKNOWN_PROGRAM"), "{stdout}");
    assert!(!project.root().join("made").exists());
}
