//! Processes and threads run out, and what cannot be started for other reasons.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;

use serde_json::json;
use shellward_tests::{Project, Survivors};

use super::{exec, refused, said, there_is, works};
use crate::mcp::server::{Server, program, shell};

/// A user who has nothing else to do on this machine: limits of processes count all that a user has.
fn somebody() -> u32 {
    54_321 + std::process::id() % 1000
}

/// A server as another user, who may have so many processes and threads.
fn server_of_another(project: &Project, most: usize) -> std::process::Command {
    let (root, user) = (project.root(), somebody());
    let mine = root.join("shellward");
    fs::copy(program(), &mine).unwrap();
    fs::set_permissions(&mine, fs::Permissions::from_mode(0o755)).unwrap();
    chown(&root, Some(user), Some(user)).unwrap();
    let before = format!(
        "ulimit -u {most}; export XDG_CACHE_HOME=$PWD/cache; shift; \
         exec setpriv --reuid {user} --regid {user} --clear-groups ./shellward mcp \"$@\";"
    );
    shell(project, &before, &["mcp", "--policy", "exec"])
}

/// What a server needs of them for itself.
fn own() -> usize {
    2 * std::thread::available_parallelism().unwrap().get() + 9
}

fn is_root() -> bool {
    there_is("root, who alone can be another user", nix::unistd::geteuid().is_root())
}

#[test]
fn calls_for_which_there_is_no_process_are_refused_and_those_that_run_can_be_ended() {
    if !is_root() {
        return;
    }
    let (project, survivors) = (Project::new(), Survivors::new());
    let mut server = Server::of(server_of_another(&project, own() + 10).stderr(std::process::Stdio::null()));
    server.hello("2025-11-25", json!({}));
    works(&mut server);
    // While these run there is no thread to be had either, by which they are found and ended.
    let command = format!("exec sleep {}", survivors.mark());
    let calls: Vec<_> = (0..40).map(|_| exec(&mut server, &command, 5)).collect();
    let errors = refused(&mut server, &calls, &["out of processes: end some jobs", "ulimit -u"]);
    assert!(errors >= 20 && errors < calls.len(), "{errors} of {} were refused", calls.len());
    assert!(survivors.alive().is_empty(), "when the answers are there, all have ended");
    works(&mut server);
    server.close();
    assert_eq!(server.exit(), 0);
}

#[test]
fn a_host_that_gets_no_thread_for_its_end_ends_all_the_same() {
    if !is_root() {
        return;
    }
    let (project, survivors) = (Project::new(), Survivors::new());
    let most = own() + 10;
    let mut server = Server::of(server_of_another(&project, most).stderr(std::process::Stdio::null()));
    server.hello("2025-11-25", json!({}));
    works(&mut server);
    // The same user takes all that is left, and more.
    let sleeper = || std::process::Command::new("sleep").arg(survivors.mark()).uid(somebody()).spawn().unwrap();
    let mut others: Vec<_> = (0..most).map(|_| sleeper()).collect();
    survivors.wait_for(most);
    server.close();
    assert_eq!(server.exit(), 0);
    for other in &mut others {
        other.kill().unwrap();
        other.wait().unwrap();
    }
}

#[test]
fn a_host_that_gets_no_threads_says_so_and_ends() {
    if !is_root() {
        return;
    }
    let project = Project::new();
    let output = server_of_another(&project, 4).stdin(std::process::Stdio::null()).output().unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert!(errors.contains("cannot start the host's threads") && errors.contains("ulimit -u"), "{errors}");
}

#[tokio::test]
async fn a_command_that_is_longer_than_the_system_takes_is_refused_with_what_to_do() {
    let project = Project::new();
    let host = project.builder("exec").build().unwrap();
    let reply = host.call("one", "exec", json!({"command": format!("echo {}", "x".repeat(200_000))})).await;
    assert!(reply.is_error && reply.text.contains("more than this system takes"), "{}", reply.text);
    assert!(reply.text.contains("put the data in a file"), "{}", reply.text);
    let reply = host.call("one", "exec", json!({"command": "echo short"})).await;
    assert!(reply.text.contains("short"), "{}", reply.text);
    host.shutdown().await;
}

#[test]
fn a_shell_that_is_not_there_is_named() {
    let project = Project::new();
    let mut server = Server::ready(&project, &["--policy", "meerkat", "--set", "enabled=true", "--set", "shell=fish9"]);
    let answer = server.call("shell", json!({"command": "echo hi"}));
    let (is_error, text) = said(&answer);
    assert!(is_error && text.contains("fish9"), "{answer}");
}
