//! specs/pattern.md, with real processes: tasks with live documents, notifications, sandboxes.

use std::time::Duration;

use serde_json::{Value, json};
use shellward::process::Stream;
use shellward::{Host, Received, Subscription};
use shellward_tests::{Project, Survivors, until};

fn host(project: &Project, settings: Value) -> Host {
    project.host("pattern", "tools.pattern", &settings)
}

async fn call(host: &Host, arguments: Value) -> Value {
    let reply = host.call("one", "shell", arguments).await;
    serde_json::from_str(reply.answer()).unwrap()
}

async fn spawn(host: &Host, command: &str) -> String {
    let answer = call(host, json!({"op": "spawn", "command": command})).await;
    answer["task_id"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
}

fn label(task: &str) -> String {
    format!("process:{task}")
}

/// The notices up to the end of a task.
async fn until_exit(events: &mut Subscription) -> Vec<Value> {
    let mut notices = Vec::new();
    loop {
        let next = tokio::time::timeout(Duration::from_secs(30), events.next()).await.unwrap().unwrap();
        let Received::Notice(notice) = next else { panic!("events were missed") };
        notices.push(notice.data.clone());
        if &*notice.event_type == "process_exited" {
            return notices;
        }
    }
}

#[tokio::test]
async fn a_task_fills_its_document_and_is_told() {
    let project = Project::new();
    let host = host(&project, json!({"unpin_after": 1}));
    let mut events = host.events();
    let task = spawn(&host, "echo out; echo err >&2; printf 'žluť'; exit 3").await;
    let block = host.block("one", &label(&task)).unwrap();
    assert!(block.is_pinned() && host.block("two", &label(&task)).is_none());
    let notices = until_exit(&mut events).await;
    let last = notices.last().unwrap();
    assert_eq!((&last["exit_code"], &last["blocks"]), (&json!(3), &json!([label(&task)])));
    assert_eq!(last["message"], format!("process {task} exited with code 3"));
    let bytes = |name: &str| notices.iter().filter_map(|notice| notice[name].as_u64()).sum::<u64>();
    assert_eq!((bytes("stdout_bytes"), bytes("stderr_bytes")), (10, 4), "{notices:?}");
    assert_eq!((block.text(Stream::Stdout), block.text(Stream::Stderr)), ("out\nžluť".into(), "err\n".into()));
    let info = block.info();
    assert_eq!(
        (info.directory, info.exit),
        (project.root().display().to_string(), Some(shellward::contract::types::Exit::Code(3)))
    );
    let output = call(&host, json!({"op": "output", "task_id": task, "offset": 4})).await;
    assert_eq!((&output["stdout"], &output["running"]), (&json!("žluť"), &json!(false)), "{output}");
    // Its place is free, though its job lasts until the document is unpinned.
    until("the document is unpinned", || !block.is_pinned());
    host.idle().await;
    assert_eq!(host.blocks("one").len(), 1, "it stays readable");
    host.shutdown().await;
}

#[tokio::test]
async fn what_has_exited_takes_no_place() {
    let project = Project::new();
    let host = host(&project, json!({"max_tasks": 2}));
    let mut events = host.events();
    for _ in 0..6 {
        spawn(&host, "true").await;
        until_exit(&mut events).await;
    }
    let status = call(&host, json!({"op": "status"})).await;
    assert_eq!(status, json!({"processes": []}));
    host.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_tree_is_gone_when_the_answer_is_there() {
    let project = Project::new();
    let host = host(&project, json!({"kill_grace_ms": 500}));
    let survivors = Survivors::new();
    let task = spawn(&host, &format!("trap '' TERM; setsid sleep {m} & sleep {m} & wait", m = survivors.mark())).await;
    survivors.wait_for(2);
    let answer = call(&host, json!({"op": "kill", "task_id": task})).await;
    assert_eq!((&answer["task_id"], &answer["status"]), (&json!(task), &json!("killed")), "{answer}");
    assert_eq!(survivors.alive(), Vec::<i32>::new());
    host.shutdown().await;
}

#[tokio::test]
async fn what_is_refused_says_which_tier_and_which_path() {
    let project = Project::new();
    std::os::unix::fs::symlink("/etc", project.root().join("out")).unwrap();
    let host = host(&project, json!({"default": "read_only"}));
    let refused = call(&host, json!({"op": "spawn", "command": "ls && rm x"})).await;
    let message = refused["message"].as_str().unwrap();
    assert!(message.starts_with("permission denied: requires ReadWrite, have ReadOnly"), "{message}");
    let refused = call(&host, json!({"op": "spawn", "command": "cat out/passwd"})).await;
    let message = refused["message"].as_str().unwrap();
    assert!(message.starts_with("path outside sandbox: `out/passwd` is /etc/passwd"), "{message}");
    host.shutdown().await;
}

async fn execute(host: &Host, command: &str) -> Value {
    call(host, json!({"op": "execute", "command": command})).await
}

/// The settings of both kinds of session.
fn sessions() -> [Value; 2] {
    [json!({}), json!({"session": "terminal"})]
}

#[tokio::test]
async fn what_one_command_changes_the_next_one_finds() {
    for settings in sessions() {
        let project = Project::new();
        project.file("src/a", "");
        let host = host(&project, settings.clone());
        let answer = execute(&host, "cd src && export NAME=value && f() { echo \"f $NAME\"; }").await;
        let inside = project.root().join("src").display().to_string();
        assert_eq!((&answer["exit_code"], &answer["directory"]), (&json!(0), &json!(inside)), "{settings} {answer}");
        let answer = execute(&host, "f; ls; (exit 3)").await;
        assert_eq!(
            (&answer["stdout"], &answer["exit_code"]),
            (&json!("f value\na\n"), &json!(3)),
            "{settings} {answer}"
        );
        assert!(answer["duration_ms"].is_u64() && answer.get("notes").is_none(), "{answer}");
        let other = host.call("two", "shell", json!({"op": "execute", "command": "echo $NAME; pwd"})).await;
        assert!(!other.answer().contains("value") && !other.answer().contains("src"), "{other:?}");
        host.shutdown().await;
    }
}

#[tokio::test]
async fn however_much_others_run_a_session_stays_where_it_is() {
    let project = Project::new();
    project.file("sub/x", "");
    let host = host(&project, json!({}));
    let one = execute(&host, "cd sub; V=1").await;
    // More than records are kept of.
    for _ in 0..505 {
        host.call("two", "shell", json!({"op": "execute", "command": ":"})).await;
    }
    let answer = execute(&host, "pwd; echo $V").await;
    assert_eq!(answer["stdout"], format!("{}\n1\n", one["directory"].as_str().unwrap()), "{answer}");
    assert!(answer["directory"].as_str().unwrap().ends_with("/sub"), "{answer}");
    host.shutdown().await;
}

#[tokio::test]
async fn streams_come_apart_or_as_a_terminal_shows_them() {
    let project = Project::new();
    let apart = host(&project, json!({}));
    let answer = execute(&apart, "echo out; echo err >&2; test -t 1 || echo pipe").await;
    let found = (&answer["stdout"], &answer["stderr"], &answer["session"]);
    assert_eq!(found, (&json!("out\npipe\n"), &json!("err\n"), &json!("apart")), "{answer}");
    apart.shutdown().await;
    let terminal = host(&project, json!({"session": "terminal"}));
    let answer = execute(&terminal, "echo out; echo err >&2; test -t 1 && echo terminal").await;
    let found = (&answer["stdout"], &answer["stderr"], &answer["session"]);
    assert_eq!(found, (&json!("out\nerr\nterminal\n"), &json!(""), &json!("terminal")), "{answer}");
    terminal.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_timeout_leaves_the_session_usable_and_nothing_running() {
    let fenced = [json!({"backend": "sandbox"}), json!({"backend": "sandbox", "session": "terminal"})];
    for settings in sessions().into_iter().chain(fenced.into_iter().filter(|_| sandboxed())) {
        let project = Project::new();
        let mut all = json!({"interrupt_grace_ms": 200, "kill_grace_ms": 200});
        all.as_object_mut().unwrap().extend(settings.as_object().unwrap().clone());
        let host = host(&project, all);
        execute(&host, "NAME=kept").await;
        let survivors = Survivors::new();
        let command = format!(
            "echo part; bash -c 'trap \"\" INT TERM; sleep {m} & sleep {m} & wait; wait'",
            m = survivors.mark()
        );
        let answer = call(&host, json!({"op": "execute", "command": command, "timeout": 1})).await;
        // What the shell itself says of a command that was killed may follow.
        let partial = answer["stdout"].as_str().unwrap().starts_with("part\n");
        assert!(partial && answer["timed_out"] == true, "{settings} {answer}");
        assert_eq!(survivors.alive(), Vec::<i32>::new(), "{settings}");
        let answer = execute(&host, "echo $NAME").await;
        assert_eq!(answer["stdout"], "kept\n", "{settings} {answer}");
        host.shutdown().await;
    }
}

#[tokio::test]
async fn a_shell_that_ends_is_said_and_replaced() {
    for settings in sessions() {
        let project = Project::new();
        let host = host(&project, settings.clone());
        execute(&host, "NAME=gone").await;
        let answer = execute(&host, "exit 4").await;
        assert_eq!((&answer["exit_code"], &answer["session_lost"]), (&json!(4), &json!(true)), "{settings} {answer}");
        let answer = execute(&host, "echo \"[$NAME]\"").await;
        assert_eq!((&answer["stdout"], answer.get("session_lost")), (&json!("[]\n"), None), "{settings} {answer}");
        host.shutdown().await;
    }
}

#[tokio::test]
async fn a_session_that_got_out_is_put_back() {
    for settings in sessions() {
        let project = Project::new();
        // No rule sees what a sourced file does.
        project.file("go.sh", "cd /usr");
        let host = host(&project, settings.clone());
        let answer = execute(&host, ". ./go.sh").await;
        let root = project.root().display().to_string();
        assert_eq!(answer["directory"], root, "{settings} {answer}");
        assert!(answer["notes"][0].as_str().unwrap().contains("/usr"), "{answer}");
        let answer = execute(&host, "pwd").await;
        assert_eq!(answer["stdout"], format!("{root}\n"), "{settings} {answer}");
        let refused = execute(&host, "cd /usr").await;
        assert_eq!(refused["error"], "path_outside_sandbox", "{refused}");
        host.shutdown().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_command_runs_at_a_time() {
    let project = Project::new();
    let host = host(&project, json!({}));
    let caller = host.caller();
    let command = "until [ -e go ]; do sleep 0.05; done";
    let slow =
        tokio::spawn(async move { caller.call("one", "shell", json!({"op": "execute", "command": command})).await });
    until("the first command runs", || host.running_jobs() == 1);
    assert_eq!(execute(&host, "true").await["error"], "session_busy");
    project.file("go", "");
    assert!(!slow.await.unwrap().is_error);
    assert_eq!(execute(&host, "true").await["exit_code"], 0);
    host.shutdown().await;
}

#[tokio::test]
async fn a_command_that_asks_for_input_is_ended_and_says_so() {
    let project = Project::new();
    let host = host(&project, json!({"session": "terminal", "input_wait_ms": 300}));
    let answer = execute(&host, "printf 'Name? '; read -r name").await;
    assert_eq!(answer["waiting_for_input"], true, "{answer}");
    assert!(answer["stdout"].as_str().unwrap().starts_with("Name?"), "{answer}");
    assert_eq!(execute(&host, "echo on").await["stdout"], "on\n");
    host.shutdown().await;
}

/// Whether bubblewrap can be used; in CI it must be there.
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn sandboxed() -> bool {
    let found = std::env::split_paths(&std::env::var_os("PATH").unwrap()).any(|entry| entry.join("bwrap").is_file());
    if !found {
        assert!(std::env::var_os("CI").is_none(), "CI must have `bwrap` in PATH; `.ci/run` installs it");
        eprintln!("skipped: `bwrap` is not in PATH (apt-get install bubblewrap)");
    }
    found
}

/// Runs a task to its end in a sandbox, and gives its exit code and what it printed.
async fn in_sandbox(project: &Project, command: &str, settings: Value) -> (i64, String) {
    let mut all = json!({"backend": "sandbox", "on_unknown": "allow", "default": "admin"});
    all.as_object_mut().unwrap().extend(settings.as_object().unwrap().clone());
    let host = host(project, all);
    let mut events = host.events();
    let task = spawn(&host, command).await;
    let notices = until_exit(&mut events).await;
    let block = host.block("one", &label(&task)).unwrap();
    let printed = block.text(Stream::Stdout) + &block.text(Stream::Stderr);
    host.shutdown().await;
    (notices.last().unwrap()["exit_code"].as_i64().unwrap(), printed)
}

#[tokio::test]
async fn a_sandbox_lets_nothing_outside_be_written() {
    if !sandboxed() {
        return;
    }
    let project = Project::new();
    let elsewhere = Project::new();
    elsewhere.file("kept", "as it was");
    // A script, whose paths no rule sees.
    let target = elsewhere.root().join("kept");
    let script =
        format!("echo inside > new; echo x > {t}; rm -f {t}; echo x > /etc/shellward-test", t = target.display());
    project.file("try.sh", &script);
    let (code, printed) = in_sandbox(&project, "sh try.sh; cat new", json!({})).await;
    assert_eq!(code, 0, "{printed}");
    assert!(printed.contains("inside") && printed.contains("Read-only file system"), "{printed}");
    assert_eq!(std::fs::read_to_string(project.root().join("new")).unwrap(), "inside\n");
    assert_eq!(std::fs::read_to_string(target).unwrap(), "as it was");
    assert!(!std::path::Path::new("/etc/shellward-test").exists());
}

#[tokio::test]
async fn a_sandbox_has_no_network_unless_it_is_given() {
    if !sandboxed() {
        return;
    }
    let project = Project::new();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    project.file("try.sh", &format!("exec 3<>/dev/tcp/127.0.0.1/{port} && echo reached"));
    let command = "bash try.sh";
    let (_, printed) = in_sandbox(&project, command, json!({})).await;
    assert!(!printed.contains("reached"), "{printed}");
    let (code, printed) = in_sandbox(&project, command, json!({"network": true})).await;
    assert!(code == 0 && printed.contains("reached"), "{printed}");
}

#[tokio::test]
async fn a_sandbox_has_no_rights_to_open_itself() {
    if !sandboxed() {
        return;
    }
    let project = Project::new();
    project.file(
        "try.sh",
        "grep CapEff /proc/self/status; mount -o remount,rw / && echo remounted; \
         unshare -rm mount -o remount,rw / && echo remounted; unshare -rm mount -o remount,bind,rw / && echo remounted",
    );
    let (_, printed) = in_sandbox(&project, "sh try.sh", json!({})).await;
    assert!(!printed.contains("remounted"), "{printed}");
    assert!(printed.contains("CapEff:\t0000000000000000"), "{printed}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_runs_in_a_sandbox_is_found_and_killed() {
    if !sandboxed() {
        return;
    }
    let project = Project::new();
    let host = host(&project, json!({"backend": "sandbox", "kill_grace_ms": 300}));
    let survivors = Survivors::new();
    let task =
        spawn(&host, &format!("trap '' TERM; setsid sleep {m} & env -i setsid sleep {m} & wait", m = survivors.mark()))
            .await;
    survivors.wait_for(2);
    let answer = call(&host, json!({"op": "kill", "task_id": task})).await;
    assert_eq!(answer["status"], "killed", "{answer}");
    assert_eq!(survivors.alive(), Vec::<i32>::new());
    host.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_runs_in_a_sandbox_is_asked_to_end_before_it_is_killed() {
    if !sandboxed() {
        return;
    }
    let project = Project::new();
    let host = host(&project, json!({"backend": "sandbox", "kill_grace_ms": 10_000}));
    project.file("polite.sh", "trap 'echo asked >> asked; exit' TERM; echo up >> up; while :; do sleep 0.05; done");
    let task = spawn(&host, "sh polite.sh & sh polite.sh & trap 'wait; exit 5' TERM; wait").await;
    let lines = |name: &str| std::fs::read_to_string(project.root().join(name)).unwrap_or_default().lines().count();
    until("both run", || lines("up") == 2);
    let answer = call(&host, json!({"op": "kill", "task_id": task})).await;
    assert_eq!((&answer["status"], lines("asked")), (&json!("killed"), 2), "{answer}");
    host.shutdown().await;
}

#[tokio::test]
async fn without_bubblewrap_it_is_said_how_to_get_it() {
    let project = Project::new();
    let settings = json!({"backend": "sandbox"}).as_object().unwrap().clone();
    let environment = vec![("PATH".into(), project.root().into())];
    for shell in ["bash", "sh"] {
        std::os::unix::fs::symlink("/bin/sh", project.root().join(shell)).unwrap();
    }
    let settings = shellward::settings::Settings::default().given("tools.pattern", settings);
    let host = project.builder("pattern").settings(settings).environment(environment).build().unwrap();
    let answer = call(&host, json!({"op": "spawn", "command": "echo"})).await;
    assert_eq!(answer["error"], "spawn_failed", "{answer}");
    assert!(answer["message"].as_str().unwrap().contains("apt-get install bubblewrap"), "{answer}");
    host.shutdown().await;
}

#[tokio::test]
async fn a_session_can_be_fenced_in_too() {
    if !sandboxed() {
        return;
    }
    let project = Project::new();
    let elsewhere = Project::new();
    project.file("try.sh", &format!("echo x > {}/new", elsewhere.root().display()));
    for settings in sessions() {
        let mut all = json!({"backend": "sandbox"});
        all.as_object_mut().unwrap().extend(settings.as_object().unwrap().clone());
        let host = host(&project, all);
        let answer = execute(&host, "NAME=kept; echo inside > new; sh try.sh").await;
        assert_ne!(answer["exit_code"], 0, "{settings} {answer}");
        assert!(!elsewhere.root().join("new").exists());
        let answer = execute(&host, "echo $NAME; cat new").await;
        assert_eq!(answer["stdout"], "kept\ninside\n", "{settings} {answer}");
        host.shutdown().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interrupt_reaches_programs_of_a_session_that_is_fenced_in() {
    if !sandboxed() {
        return;
    }
    let command = "sh -c 'trap \"touch interrupted; exit 3\" INT; touch ready; while :; do sleep 0.05; done'";
    for settings in sessions() {
        let project = Project::new();
        let mut all = json!({"backend": "sandbox"});
        all.as_object_mut().unwrap().extend(settings.as_object().unwrap().clone());
        let host = host(&project, all);
        let ready = async {
            while !project.root().join("ready").exists() {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        // Whoever drops a call has its command interrupted, and only then asked to end.
        tokio::select! {
            answer = execute(&host, command) => panic!("{settings}: {answer}"),
            () = ready => {}
        }
        until("the program is interrupted", || project.root().join("interrupted").exists());
        host.shutdown().await;
    }
}
