//! `shellward jobs`, `logs` and `kill`, beside the process that runs the jobs.

use std::process::Stdio;

use serde_json::{Value, json};
use shellward_tests::{Project, Survivors, until};

use super::cli::{command, run};
use super::crash::Served;

/// What a machine with other work would take for a policy that takes too long.
const PATIENT: &str = "[host]\npolicy_deadline_ms = 20000\n";

fn listed(project: &Project) -> Vec<Value> {
    let (code, stdout, stderr) = run(project, &["jobs", "--json"]);
    assert_eq!(code, 0, "{stderr}");
    serde_json::from_str(&stdout).unwrap()
}

fn first_running(project: &Project) -> String {
    until("a run is running", || listed(project).iter().any(|run| run["status"] == "running"));
    listed(project)[0]["id"].as_str().unwrap().to_owned()
}

#[test]
fn runs_are_listed_followed_and_ended_from_another_process() {
    let project = Project::new();
    project.file(".shellward/config.toml", PATIENT);
    let (code, stdout, _) = run(&project, &["jobs"]);
    assert_eq!((code, stdout.as_str()), (0, "no durable runs\n"));
    assert!(!project.root().join(".shellward/memory").exists(), "looking makes nothing");
    let survivors = Survivors::new();
    let mut host = Served::start(&project);
    let script = format!("echo one; echo two >&2; setsid sleep {} & wait", survivors.mark());
    host.enqueue(1, &json!({"command": script, "durable": true}));
    let id = first_running(&project);
    let (_, table, _) = run(&project, &["jobs"]);
    assert!(table.starts_with("ID ") && table.contains(&id) && table.contains("running"), "{table}");
    let following =
        command(&project, &["logs", "-f", &id]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    survivors.wait_for(1);
    let (code, stdout, stderr) = run(&project, &["kill", &id]);
    assert_eq!((code, stdout.as_str()), (0, format!("{id} has ended: cancelled\n").as_str()), "{stderr}");
    survivors.wait_for(0);
    let followed = following.wait_with_output().unwrap();
    assert_eq!(String::from_utf8(followed.stdout).unwrap(), "one\n");
    let stderr = String::from_utf8(followed.stderr).unwrap();
    assert!(stderr.contains("two\n") && stderr.contains("[status \"cancelled\"]"), "{stderr}");
    let (_, stdout, _) = run(&project, &["logs", "--json", "--stream", "stderr", &id]);
    assert_eq!(serde_json::from_str::<Value>(&stdout).unwrap()["content"]["Stderr"]["text"], "two\n");
    let (_, stdout, _) = run(&project, &["kill", &id]);
    assert_eq!(stdout, format!("{id} has ended already\n"));
    for arguments in [["kill", "r_none"], ["logs", "r_none"]] {
        let (code, _, stderr) = run(&project, &arguments);
        assert_eq!(code, 2);
        assert!(stderr.contains("no durable run 'r_none'") && stderr.contains("shellward jobs"), "{stderr}");
    }
    host.kill();
    project.file(".shellward/config.toml", "[host]\nkept_runs_bytes = 1\n");
    let (_, stdout, stderr) = run(&project, &["jobs", "prune"]);
    assert_eq!(stdout, "1 runs deleted\n", "{stderr}");
}

#[test]
fn a_run_whose_host_was_killed_is_ended_for_good() {
    let project = Project::new();
    project.file(".shellward/config.toml", PATIENT);
    let survivors = Survivors::new();
    let mut host = Served::start(&project);
    let script = format!("setsid sleep {} & exec env -i sleep {}", survivors.mark(), survivors.mark());
    host.enqueue(1, &json!({"command": script, "durable": true}));
    let id = first_running(&project);
    survivors.wait_for(2);
    host.kill();
    assert_eq!(survivors.alive().len(), 2, "nobody was there to end it");
    let (_, table, _) = run(&project, &["jobs"]);
    assert!(table.contains("running (no host)"), "{table}");
    let following =
        command(&project, &["logs", "-f", &id]).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let (code, stdout, stderr) = run(&project, &["kill", &id]);
    assert_eq!(code, 0, "{stderr}");
    assert!(stdout.contains("processes were left of it and are ended"), "{stdout}");
    survivors.wait_for(0);
    let host = Served::start(&project);
    until("the next host has ended it", || listed(&project)[0]["status"] == "cancelled");
    let followed = String::from_utf8(following.wait_with_output().unwrap().stderr).unwrap();
    assert!(followed.contains(&format!("no host has {id} in hand")), "{followed}");
    assert!(followed.contains("[status \"cancelled\"]"), "{followed}");
    assert_eq!(survivors.alive(), Vec::<i32>::new());
    host.kill();
}

#[test]
fn what_survived_its_host_is_ended_before_it_runs_again() {
    let project = Project::new();
    project.file(".shellward/config.toml", PATIENT);
    let survivors = Survivors::new();
    let mut host = Served::start(&project);
    // It gets away from its group, its session and its environment.
    let script = format!("env -i setsid sleep {} & exec sleep {}", survivors.mark(), survivors.mark());
    host.enqueue(1, &json!({"command": script, "durable": true}));
    first_running(&project);
    survivors.wait_for(2);
    let before = survivors.alive();
    host.kill();
    let host = Served::start(&project);
    until("another life has begun", || {
        let now = survivors.alive();
        now.len() == 2 && now.iter().all(|pid| !before.contains(pid))
    });
    let events = listed(&project)[0].clone();
    assert_eq!(events["ending"], Value::Null);
    let (_, _, stderr) = run(&project, &["logs", first_running(&project).as_str()]);
    assert!(stderr.contains("[recovered \"had-survived\"]"), "{stderr}");
    let (code, _, _) = run(&project, &["kill", &first_running(&project)]);
    assert_eq!(code, 0);
    survivors.wait_for(0);
    host.kill();
}
