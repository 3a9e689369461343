//! Descriptors run out.

use std::fs;
use std::io::Write;

use shellward_tests::{Project, Survivors, until};

use super::{exec, refused, works};
use crate::mcp::server::Server;

/// What is said of it: what has run out, and what to do.
const SAID: [&str; 2] = ["out of file descriptors: end some jobs", "ulimit -n"];

fn open_descriptors(server: &Server) -> usize {
    fs::read_dir(format!("/proc/{}/fd", server.pid())).unwrap().count()
}

#[test]
fn calls_that_do_not_fit_are_refused_at_once_and_those_that_run_can_be_ended() {
    let (project, survivors) = (Project::new(), Survivors::new());
    let mut server = Server::after(&project, "ulimit -n 64;", &["--policy", "exec"]);
    server.hello("2025-11-25", serde_json::json!({}));
    works(&mut server);
    let before = open_descriptors(&server);
    // To find and end what runs the host needs descriptors of its own: these take all that jobs get.
    let stubborn = format!("trap '' TERM; setsid sleep {0} & sleep {0}", survivors.mark());
    let calls: Vec<_> = (0..40).map(|_| exec(&mut server, &stubborn, 5)).collect();
    let errors = refused(&mut server, &calls, &SAID);
    assert!(errors >= 20 && errors < calls.len(), "{errors} of {} were refused", calls.len());
    assert!(survivors.alive().is_empty(), "when the answers are there, all have ended");
    works(&mut server);
    until("all descriptors are given back", || open_descriptors(&server) <= before);
    server.close();
    assert_eq!(server.exit(), 0);
}

#[test]
fn a_thousand_are_enough_for_the_jobs_that_a_host_runs_at_once() {
    let project = Project::new();
    let gate = project.root().join("gate");
    nix::unistd::mkfifo(&gate, nix::sys::stat::Mode::S_IRWXU).unwrap();
    let mut gate_keeper = fs::File::options().read(true).write(true).open(&gate).unwrap();
    let mut server = Server::after(&project, "ulimit -n 1024;", &["--policy", "exec"]);
    server.hello("2025-11-25", serde_json::json!({}));
    works(&mut server);
    // A job more than the host allows, and all of them at once: each waits for a line of its own.
    let command = format!("read line < '{}'", gate.display());
    let calls: Vec<_> = (0..257).map(|_| exec(&mut server, &command, 60)).collect();
    let first = loop {
        let message = server.message();
        if message["result"]["isError"] == true {
            break message;
        }
    };
    let (_, text) = super::said(&first);
    assert!(text.contains("256"), "{text}");
    gate_keeper.write_all(&[b'\n'; 257]).unwrap();
    let others: Vec<_> = calls.into_iter().filter(|call| first["id"] != *call).collect();
    assert_eq!(refused(&mut server, &others, &[]), 0);
    works(&mut server);
}
