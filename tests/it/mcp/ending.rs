//! Cancelled calls, clients that go, and signals: nothing is left running.

use nix::sys::signal::Signal;
use serde_json::json;
use shellward_tests::{Project, Survivors};

use super::server::Server;

/// Commands that do not end by being asked.
fn stubborn(survivors: &Survivors) -> String {
    format!("trap '' TERM INT HUP; setsid sh -c 'trap \"\" TERM; sleep {0}' & sleep {0}", survivors.mark())
}

fn start(server: &mut Server, survivors: &Survivors) -> u64 {
    let arguments = json!({"command": stubborn(survivors)});
    let id = server.send("tools/call", json!({"name": "exec", "arguments": arguments}));
    survivors.wait_for(2);
    id
}

#[test]
fn a_cancelled_call_ends_its_whole_tree_and_is_not_answered() {
    let (project, survivors) = (Project::new(), Survivors::new());
    let mut server = Server::ready(&project, &["--policy", "exec"]);
    let id = start(&mut server, &survivors);
    server.notify("notifications/cancelled", json!({"requestId": id, "reason": "no longer wanted"}));
    survivors.wait_for(0);
    let answer = server.call("exec", json!({"command": "echo next"}));
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    assert!(server.heard.iter().all(|message| message["id"] != id), "{:?}", server.heard);
}

#[test]
fn a_client_that_closes_its_side_leaves_nothing() {
    let (project, survivors) = (Project::new(), Survivors::new());
    let mut server = Server::ready(&project, &["--policy", "exec"]);
    start(&mut server, &survivors);
    server.close();
    assert_eq!(server.exit(), 0);
    assert!(survivors.alive().is_empty());
}

#[test]
fn signals_end_the_server_in_good_order() {
    for signal in [Signal::SIGTERM, Signal::SIGINT, Signal::SIGHUP] {
        let (project, survivors) = (Project::new(), Survivors::new());
        let mut server = Server::ready(&project, &["--policy", "exec"]);
        start(&mut server, &survivors);
        server.signal(signal);
        assert_eq!(server.exit(), 0, "{signal}");
        assert!(survivors.alive().is_empty(), "{signal}");
    }
}

#[test]
fn background_jobs_and_what_commands_left_behind_end_with_their_client() {
    let (project, job, left) = (Project::new(), Survivors::new(), Survivors::new());
    let mut server = Server::ready(&project, &["--policy", "meerkat", "--set", "enabled=true", "--set", "shell=sh"]);
    let command = format!("sleep {}", job.mark());
    let answer = server.call("shell", json!({"command": command, "background": true}));
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    let command = format!("sleep {} >/dev/null 2>&1 & echo started", left.mark());
    let answer = server.call("shell", json!({"command": command}));
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    job.wait_for(1);
    left.wait_for(1);
    server.close();
    assert_eq!(server.exit(), 0);
    assert!(job.alive().is_empty() && left.alive().is_empty());
}
