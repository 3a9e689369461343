//! Commands in containers, with a real engine: fenced in as asked, ended as any, and none left behind by anybody.
//!
//! `tests/containers/engine` starts an engine for these tests; `DOCKER_HOST` says where it is.

use std::ffi::OsString;
use std::fs;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use nix::sys::signal::Signal::SIGKILL;
use nix::sys::signal::kill;
use nix::unistd::Pid;
use serde_json::{Value, json};
use shellward::Host;
use shellward::settings::Settings;
use shellward_tests::{Project, Survivors, until, wait_for};

use super::cli::command;

/// The image that the tests' own engine has.
const IMAGE: &str = "shellward-test:1";

/// Asks the engine, and gives what it prints.
fn docker(arguments: &[&str]) -> Option<String> {
    let output = Command::new("docker").args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8(output.stdout).unwrap())
}

/// Whether an engine answers that has the image; in CI one must.
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn engine() -> bool {
    let found = docker(&["image", "inspect", IMAGE]).is_some();
    if !found {
        assert!(std::env::var_os("CI").is_none(), "CI must have an engine with {IMAGE}; `.ci/run` starts one");
        eprintln!("skipped: no container engine with {IMAGE} (see tests/containers/engine)");
    }
    found
}

/// The containers, running or not, that open this project.
fn containers(project: &Project) -> String {
    docker(&["ps", "--all", "--quiet", "--filter", &format!("volume={}", project.root().display())]).unwrap()
}

fn settings(more: &Value) -> Settings {
    let mut all = json!({"backend": "container", "container": "test", "on_unknown": "allow", "default": "admin"});
    all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    Settings::default().given("tools.pattern", all.as_object().unwrap().clone())
}

fn host(project: &Project, more: &Value) -> Host {
    project.builder("pattern").settings(settings(more)).container("test", IMAGE).build().unwrap()
}

async fn call(host: &Host, arguments: Value) -> Value {
    let answer = tokio::time::timeout(Duration::from_secs(60), host.call("one", "shell", arguments)).await.unwrap();
    serde_json::from_str(answer.answer()).unwrap()
}

async fn execute(host: &Host, command: &str) -> Value {
    call(host, json!({"op": "execute", "command": command})).await
}

async fn spawn(host: &Host, command: &str) -> String {
    let answer = call(host, json!({"op": "spawn", "command": command})).await;
    answer["task_id"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
}

/// Runs a task to its end, and gives its code and its output.
async fn run(host: &Host, command: &str) -> Value {
    let task = spawn(host, command).await;
    ended(host, &task).await
}

/// Waits for a task's end, and gives its code and its output.
async fn ended(host: &Host, task: &str) -> Value {
    let looking = async {
        loop {
            let output = call(host, json!({"op": "output", "task_id": task})).await;
            if output["running"] == false {
                return output;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), looking).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_has_the_allowed_paths_and_nothing_else_of_the_host() {
    if !engine() {
        return;
    }
    let (project, elsewhere) = (Project::new(), Project::new());
    elsewhere.file("secret", "x");
    project.file("given, \"so\"", "inside\n");
    let host = host(&project, &json!({}));
    let secret = elsewhere.root().join("secret");
    let script = format!(
        "cat given*; echo new > made; pwd; id -u; id -g; echo $CARGO-$SHELLWARD_JOB; echo err >&2; \
         test -e {secret} || echo hidden; ls /sys/class/net; grep CapEff /proc/self/status; exit 3",
        secret = secret.display()
    );
    project.file("try.sh", &script);
    let output = run(&host, "sh try.sh").await;
    let root = project.root().display().to_string();
    let (user, group) = (nix::unistd::geteuid(), nix::unistd::getegid());
    let printed = format!("inside\n{root}\n{user}\n{group}\n-\nhidden\nlo\nCapEff:\t0000000000000000\n");
    assert_eq!(output["stdout"], printed, "{output}");
    assert_eq!((&output["stderr"], &output["exit_code"]), (&json!("err\n"), &json!(3)), "{output}");
    assert_eq!(fs::read_to_string(project.root().join("made")).unwrap(), "new\n");
    host.shutdown().await;
    assert_eq!(containers(&project), "");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kill_asks_first_and_then_leaves_nothing() {
    if !engine() {
        return;
    }
    let project = Project::new();
    let host = host(&project, &json!({"kill_grace_ms": 3000}));
    // SIGTERM reaches the program and what it has started, and there is time to tidy up.
    project.file("polite.sh", "trap 'echo asked >> asked; exit' TERM; echo up >> up; while :; do sleep 0.05; done");
    let task = spawn(&host, "sh polite.sh & sh polite.sh & trap 'wait; exit 5' TERM; wait").await;
    let lines = |name: &str| fs::read_to_string(project.root().join(name)).unwrap_or_default().lines().count();
    until("both run", || lines("up") == 2);
    let answer = call(&host, json!({"op": "kill", "task_id": task})).await;
    assert_eq!(answer["status"], "killed", "{answer}");
    assert_eq!(lines("asked"), 2, "{answer}");
    assert_eq!(containers(&project), "");
    // What does not listen is killed.
    let survivors = Survivors::new();
    let deaf = format!("trap '' TERM; setsid sleep {m} & env -i setsid sleep {m} & wait", m = survivors.mark());
    let task = spawn(&host, &deaf).await;
    survivors.wait_for(2);
    let answer = call(&host, json!({"op": "kill", "task_id": task})).await;
    assert_eq!(answer["status"], "killed", "{answer}");
    assert_eq!((survivors.alive(), containers(&project)), (Vec::<i32>::new(), String::new()));
    host.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_that_is_killed_at_once_leaves_nothing() {
    if !engine() {
        return;
    }
    let project = Project::new();
    let host = host(&project, &json!({"kill_grace_ms": 0}));
    let survivors = Survivors::new();
    for _ in 0..3 {
        let task = spawn(&host, &format!("sleep {}", survivors.mark())).await;
        let answer = call(&host, json!({"op": "kill", "task_id": task})).await;
        assert_eq!(answer["status"], "killed", "{answer}");
        assert_eq!((survivors.alive(), containers(&project)), (Vec::<i32>::new(), String::new()));
    }
    host.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_lasts_in_its_container() {
    if !engine() {
        return;
    }
    for shell in ["auto", "sh", "bash"] {
        let project = Project::new();
        project.file("src/a", "");
        let host = host(&project, &json!({"shell": shell}));
        let answer = execute(&host, "cd src && NAME=value; f() { echo \"f $NAME\"; }; echo err >&2").await;
        let inside = project.root().join("src").display().to_string();
        assert_eq!((&answer["exit_code"], &answer["directory"]), (&json!(0), &json!(inside)), "{shell} {answer}");
        assert_eq!((&answer["stdout"], &answer["stderr"]), (&json!(""), &json!("err\n")), "{shell} {answer}");
        let answer = execute(&host, "f; ls; cat <<end; (exit 3)\nhere\nend\n(exit 3)").await;
        let found = (&answer["stdout"], &answer["exit_code"]);
        assert_eq!(found, (&json!("f value\na\nhere\n"), &json!(3)), "{shell} {answer}");
        // An unterminated quote is answered, and the shell lives.
        let answer = execute(&host, "echo 'open").await;
        assert_ne!(answer["exit_code"], 0, "{shell} {answer}");
        assert_eq!(execute(&host, "echo \"$NAME\"").await["stdout"], "value\n", "{shell}");
        let answer = execute(&host, "exit 4").await;
        assert_eq!((&answer["exit_code"], &answer["session_lost"]), (&json!(4), &json!(true)), "{shell} {answer}");
        assert_eq!(execute(&host, "echo \"[$NAME]\"").await["stdout"], "[]\n", "{shell}");
        host.shutdown().await;
        assert_eq!(containers(&project), "", "{shell}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_timeout_ends_the_command_and_not_the_session() {
    if !engine() {
        return;
    }
    for shell in ["sh", "bash"] {
        let project = Project::new();
        let graces = json!({"interrupt_grace_ms": 500, "kill_grace_ms": 500, "shell": shell});
        let host = host(&project, &graces);
        execute(&host, "NAME=kept").await;
        let survivors = Survivors::new();
        // One that ends by SIGINT, with what comes after it, and one that only SIGKILL ends.
        for (trap, more) in [("", "; echo more"), ("trap \"\" INT TERM;", "")] {
            let m = survivors.mark();
            let command = format!("echo part; sh -c '{trap} sleep {m} & sleep {m} & wait; wait'{more}");
            let answer = call(&host, json!({"op": "execute", "command": command, "timeout": 1})).await;
            assert!(answer["timed_out"] == true, "{shell} {answer}");
            assert_eq!(answer["stdout"], "part\n", "{shell} {answer}");
            assert_eq!(survivors.alive(), Vec::<i32>::new(), "{shell} {trap}");
            let answer = execute(&host, "echo $NAME").await;
            assert_eq!(answer["stdout"], "kept\n", "{shell} {trap} {answer}");
        }
        host.shutdown().await;
        assert_eq!(containers(&project), "", "{shell}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_outlives_a_host_that_is_dropped_or_a_client_that_is_killed() {
    if !engine() {
        return;
    }
    let project = Project::new();
    let survivors = Survivors::new();
    let host_of_both = host(&project, &json!({}));
    spawn(&host_of_both, &format!("sleep {}", survivors.mark())).await;
    execute(&host_of_both, &format!("sleep {} &", survivors.mark())).await;
    survivors.wait_for(2);
    drop(host_of_both);
    assert_eq!((survivors.alive(), containers(&project)), (Vec::<i32>::new(), String::new()));
    let host = host(&project, &json!({}));
    let task = spawn(&host, &format!("sleep {}", survivors.mark())).await;
    survivors.wait_for(1);
    let root = format!("source={}", project.root().display());
    let client = process("the client is there", |_, line| line.contains("--entrypoint") && line.contains(&root));
    kill(client, SIGKILL).unwrap();
    until("the container is gone", || survivors.alive().is_empty() && containers(&project).is_empty());
    ended(&host, &task).await;
    host.shutdown().await;
}

/// A host of its own process that runs a command in a container, and waits for it.
fn other_host(project: &Project, session_command: &str) -> Child {
    project.file(".shellward/config.toml", &format!("[host.containers]\ntest = \"{IMAGE}\"\n"));
    let arguments = json!({"op": "execute", "command": session_command}).to_string();
    let set = |setting| ["--set", setting];
    let mut all = vec!["call", "--policy", "pattern"];
    all.extend(["backend=container", "container=test", "on_unknown=allow"].into_iter().flat_map(set));
    all.extend(["shell", &arguments]);
    command(project, &all).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// Waits for a process that is this, by its parent and its command line.
fn process(what: &str, is: impl Fn(u32, &str) -> bool) -> Pid {
    let is = |pid: &i32| {
        let line = fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let parent = stat.rsplit(") ").next().and_then(|rest| rest.split(' ').nth(1)?.parse().ok());
        is(parent.unwrap_or_default(), &line)
    };
    let found = wait_for(what, || {
        let mut pids =
            fs::read_dir("/proc").unwrap().filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
        pids.find(is)
    });
    Pid::from_raw(found)
}

/// The keeper that a host has started.
fn keeper_of(host: &Child) -> Pid {
    process("the keeper is there", |parent, line| parent == host.id() && line.contains("shellward-keeper"))
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_outlives_a_host_that_is_killed() {
    if !engine() {
        return;
    }
    let project = Project::new();
    let survivors = Survivors::new();
    let command = format!("setsid sleep {m} & sleep {m}", m = survivors.mark());
    let mut host = other_host(&project, &command);
    survivors.wait_for(2);
    host.kill().unwrap();
    host.wait().unwrap();
    until("the keeper has ended the container", || survivors.alive().is_empty() && containers(&project).is_empty());
    // Killed while the container is being made.
    let mut host = other_host(&project, &command);
    keeper_of(&host);
    host.kill().unwrap();
    host.wait().unwrap();
    until("nothing is left", || survivors.alive().is_empty() && containers(&project).is_empty());
    // Where the keeper is killed as well, the next host that has to do with containers removes them. Another project:
    // what was being made may come late, and is its own keeper's.
    let (left, sleepers) = (Project::new(), Survivors::new());
    let mut killed = other_host(&left, &format!("setsid sleep {m} & sleep {m}", m = sleepers.mark()));
    sleepers.wait_for(2);
    kill(keeper_of(&killed), SIGKILL).unwrap();
    killed.kill().unwrap();
    killed.wait().unwrap();
    assert_ne!(containers(&left), "");
    let other = Project::new();
    let next = self::host(&other, &json!({}));
    let answer = execute(&next, "echo on").await;
    assert_eq!(answer["stdout"], "on\n", "{answer}");
    until("the next host has swept", || sleepers.alive().is_empty() && containers(&left).is_empty());
    until("nothing came late and stayed", || survivors.alive().is_empty() && containers(&project).is_empty());
    next.shutdown().await;
}

/// What is answered where the environment, or the image, is this.
async fn refusal(environment: Vec<(OsString, OsString)>, named: &str, image: &str, arguments: Value) -> String {
    let project = Project::new();
    let builder = project.builder("pattern").settings(settings(&json!({}))).environment(environment);
    let host = builder.container(named, image).build().unwrap();
    let answer = call(&host, arguments).await;
    host.shutdown().await;
    format!("{}: {}", answer["error"].as_str().unwrap(), answer["message"].as_str().unwrap())
}

#[tokio::test]
async fn what_is_missing_is_said_with_how_to_get_it() {
    let path = || (OsString::from("PATH"), std::env::var_os("PATH").unwrap());
    let nowhere = ("DOCKER_HOST".into(), "unix:///nowhere/docker.sock".into());
    let spawn = json!({"op": "spawn", "command": "true"});
    let said = refusal(vec![("PATH".into(), "/nowhere".into())], "test", IMAGE, spawn.clone()).await;
    assert!(said.starts_with("spawn_failed") && said.contains("`apt-get install docker.io`"), "{said}");
    let said = refusal(vec![path()], "other", IMAGE, spawn.clone()).await;
    assert!(said.contains("add `test = \"IMAGE\"` to [host.containers]; they have 'other'"), "{said}");
    if !engine() {
        return;
    }
    let said = refusal(vec![path(), nowhere], "test", IMAGE, spawn.clone()).await;
    assert!(said.contains("no container engine answers") && said.contains("/nowhere/docker.sock"), "{said}");
    let engine = |name: &str| Some((OsString::from(name), std::env::var_os(name)?));
    let environment = || [Some(path()), engine("DOCKER_HOST"), engine("HOME")].into_iter().flatten().collect();
    let said = refusal(environment(), "test", "no-such-image:1", spawn).await;
    assert!(said.contains("`docker pull no-such-image:1`"), "{said}");
    let execute = json!({"op": "execute", "command": "true"});
    let said = refusal(environment(), "test", "no-such-image:1", execute).await;
    assert!(said.starts_with("pty_error") && said.contains("`docker pull no-such-image:1`"), "{said}");
}
