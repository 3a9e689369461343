//! Readers that do not read, and output that cannot be written.

use std::fs::File;
use std::process::Stdio;

use nix::sys::signal::Signal;
use shellward_tests::{Project, Survivors};

use super::{exec, memory, refused, works};
use crate::cli::command;
use crate::mcp::server::Server;

/// More than the pipe between server and client holds.
const LONG: &str = "head -c 90000 /dev/zero | tr '\\0' x";

#[test]
fn who_reads_late_gets_every_answer() {
    let project = Project::new();
    let mut server = Server::late(&project, &["--policy", "exec"]);
    let before = memory(&server, "VmRSS:");
    let calls: Vec<_> = (0..100).map(|_| exec(&mut server, LONG, 60)).collect();
    let marked = Survivors::new();
    let last = exec(&mut server, &format!("sleep {} >/dev/null 2>&1 & echo last", marked.mark()), 60);
    // All have run, though nobody has read a single answer.
    marked.wait_for(1);
    let grown = memory(&server, "VmRSS:").saturating_sub(before);
    assert!(grown < 200 << 10, "{grown} KiB for 9 MB of answers");
    server.read_now();
    assert_eq!(refused(&mut server, &calls, &[]), 0);
    assert!(server.answer(last).to_string().contains("last"));
    works(&mut server);
    server.close();
    assert_eq!(server.exit(), 0);
    assert!(marked.alive().is_empty());
}

#[test]
fn who_never_reads_delays_no_end() {
    for signal in [Some(Signal::SIGTERM), None] {
        let (project, survivors) = (Project::new(), Survivors::new());
        let mut server = Server::late(&project, &["--policy", "exec"]);
        for _ in 0..20 {
            exec(&mut server, LONG, 60);
        }
        exec(&mut server, &format!("trap '' TERM; setsid sleep {0} & sleep {0}", survivors.mark()), 600);
        survivors.wait_for(2);
        match signal {
            Some(signal) => server.signal(signal),
            None => server.close(),
        }
        assert_eq!(server.exit(), 0, "{signal:?}");
        assert!(survivors.alive().is_empty(), "{signal:?}");
    }
}

#[test]
fn a_log_that_nobody_reads_holds_nobody_up() {
    let project = Project::new();
    let mut command = command(&project, &["mcp", "--policy", "exec", "--log", "trace"]);
    let mut server = Server::of(command.stderr(Stdio::piped()));
    let unread = server.errors();
    server.hello("2025-11-25", serde_json::json!({}));
    let calls: Vec<_> = (0..50).map(|_| exec(&mut server, "true", 60)).collect();
    assert_eq!(refused(&mut server, &calls, &[]), 0);
    works(&mut server);
    server.close();
    assert_eq!(server.exit(), 0);
    drop(unread);
}

#[test]
fn a_full_disk_below_the_log_changes_no_answer_and_one_below_the_answer_is_said() {
    let project = Project::new();
    let full = || Stdio::from(File::options().write(true).open("/dev/full").unwrap());
    let arguments = ["--log", "trace", "run", "--policy", "exec", "--", "echo hello"];
    let output = command(&project, &arguments).stderr(full()).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "[Exit Code: 0]\n\nhello\n");
    let output = command(&project, &arguments[2..]).stdout(full()).stderr(Stdio::piped()).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("cannot write the answer: No space left on device"), "{said}");
}
