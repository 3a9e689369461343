//! Signals to a host that has much to do.

use std::time::Instant;

use nix::sys::signal::Signal;
use shellward_tests::{Project, Survivors};

use super::exec;
use crate::mcp::server::Server;

/// Trees of several kinds, each of which shows that it is there by a sleeper; one floods.
fn load(server: &mut Server, survivors: &Survivors) {
    let kinds = [
        "yes & sleep MARK",
        "trap '' TERM INT HUP; setsid sleep MARK",
        "env -i setsid sleep MARK & wait",
        "(setsid -f sleep MARK >/dev/null 2>&1); exec sleep 1000",
    ];
    for kind in kinds.iter().cycle().take(16) {
        exec(server, &kind.replace("MARK", survivors.mark()), 600);
    }
    survivors.wait_for(16);
}

#[test]
fn each_that_asks_it_to_end_ends_all_it_runs_first() {
    for signal in [Signal::SIGTERM, Signal::SIGINT, Signal::SIGHUP] {
        let (project, survivors) = (Project::new(), Survivors::new());
        let mut server = Server::ready(&project, &["--policy", "exec"]);
        load(&mut server, &survivors);
        let begun = Instant::now();
        server.signal(signal);
        assert_eq!(server.exit(), 0, "{signal}");
        assert!(survivors.alive().is_empty(), "{signal}: {:?} are left", survivors.alive());
        assert!(begun.elapsed().as_secs() < 20, "{signal}");
        // Nobody is told that a command has ended well.
        assert!(server.rest().iter().all(|message| message["result"]["isError"] != false), "{signal}");
    }
}

#[test]
fn one_that_kills_it_is_seen_by_its_client_at_once() {
    let (project, survivors) = (Project::new(), Survivors::new());
    let mut server = Server::ready(&project, &["--policy", "exec"]);
    load(&mut server, &survivors);
    server.signal(Signal::SIGKILL);
    assert_eq!(server.exit(), -1);
    // Its streams end, though its jobs live on: nobody is there to end them, and none of them holds those streams.
    // Durable runs are ended by the next host (`jobs.rs`).
    assert!(server.rest().iter().all(|message| message["result"].is_null() && message["error"].is_null()));
}
