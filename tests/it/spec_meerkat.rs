//! specs/meerkat.md, with real commands: jobs in the background, cancellation, completion events.

use std::time::Duration;

use serde_json::{Value, json};
use shellward::{Host, Received};
use shellward_tests::{Project, Survivors};

fn host(project: &Project, settings: Value) -> Host {
    let mut all = json!({"enabled": true, "shell": "sh"});
    all.as_object_mut().unwrap().extend(settings.as_object().unwrap().clone());
    project.host("meerkat", "tools.shell", &all)
}

async fn call(host: &Host, tool: &str, arguments: Value) -> Value {
    let reply = host.call("one", tool, arguments).await;
    serde_json::from_str(reply.answer()).unwrap()
}

async fn start(host: &Host, command: &str) -> String {
    let answer = call(host, "shell", json!({"command": command, "background": true})).await;
    assert_eq!(answer["status"], "running", "{answer}");
    answer["job_id"].as_str().unwrap().to_owned()
}

/// The next completion event, which must come.
async fn completion(events: &mut shellward::Subscription) -> Value {
    let next = tokio::time::timeout(Duration::from_secs(30), events.next()).await.unwrap().unwrap();
    let Received::Notice(notice) = next else { panic!("events were missed") };
    assert_eq!(&*notice.event_type, "shell_job_completed");
    notice.data
}

#[tokio::test]
async fn tools_are_offered_only_when_enabled() {
    let project = Project::new();
    let off = project.builder("meerkat").build().unwrap();
    assert!(off.tools().is_empty());
    let reply = off.call("one", "shell", json!({"command": "true"})).await;
    assert!(reply.is_error && reply.text.contains("enabled"), "{reply:?}");
    off.shutdown().await;
    let on = host(&project, json!({}));
    let names: Vec<_> = on.tools().into_iter().map(|tool| tool.name).collect();
    assert_eq!(names, ["shell", "shell_job_status", "shell_jobs", "shell_job_cancel"]);
    on.shutdown().await;
}

#[tokio::test]
async fn a_command_is_answered_as_the_spec_has_it() {
    let project = Project::new();
    let host = host(&project, json!({}));
    let answer = call(&host, "shell", json!({"command": "echo out; echo err >&2; exit 3"})).await;
    let seconds = answer["duration_secs"].as_f64().unwrap();
    assert!(seconds > 0.0, "{answer}");
    assert_eq!(
        answer,
        json!({"exit_code": 3, "stdout": "out\n", "stderr": "err\n", "timed_out": false, "duration_secs": seconds})
    );
    let answer = call(&host, "shell", json!({"command": "echo some; sleep 60", "timeout_secs": 1})).await;
    assert_eq!((&answer["timed_out"], &answer["stdout"]), (&json!(true), &json!("some\n")), "{answer}");
    host.shutdown().await;
}

#[tokio::test]
async fn a_background_job_runs_ends_and_is_told_once() {
    let project = Project::new();
    let host = host(&project, json!({}));
    let mut events = host.events();
    let id = start(&host, "echo done; exit 2").await;
    assert!(id.starts_with("job_") && id.len() == 30 && id == id.to_lowercase(), "{id}");
    let event = completion(&mut events).await;
    assert_eq!((&event["job_id"], &event["result"]["status"]), (&json!(id), &json!("completed")), "{event}");
    assert_eq!((&event["result"]["exit_code"], &event["result"]["stdout"]), (&json!(2), &json!("done\n")));
    let status = call(&host, "shell_job_status", json!({"job_id": id})).await;
    assert_eq!((&status["id"], &status["status"]["status"]), (&json!(id), &json!("completed")), "{status}");
    let jobs = call(&host, "shell_jobs", json!({})).await;
    assert_eq!((&jobs[0]["id"], &jobs[0]["status"]), (&json!(id), &json!("completed")), "{jobs}");
    let other = host.call("two", "shell_job_status", json!({"job_id": id})).await;
    assert_eq!(other.code.as_deref(), Some("job_not_found"), "{other:?}");
    host.shutdown().await;
    assert_eq!(events.try_next(), None, "one event and no more");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_tree_is_gone_when_the_answer_is_there() {
    let project = Project::new();
    let host = host(&project, json!({"cancel_grace_secs": 1}));
    let mut events = host.events();
    let survivors = Survivors::new();
    let id = start(&host, &format!("setsid sleep {m} & sleep {m} & wait", m = survivors.mark())).await;
    survivors.wait_for(2);
    let answer = call(&host, "shell_job_cancel", json!({"job_id": id})).await;
    assert_eq!(answer, json!({"job_id": id, "status": "cancelled"}));
    assert_eq!(survivors.alive(), Vec::<i32>::new());
    assert_eq!(completion(&mut events).await["result"]["status"], "cancelled");
    let again = host.call("one", "shell_job_cancel", json!({"job_id": id})).await;
    assert_eq!(again.code.as_deref(), Some("job_not_running"), "{again:?}");
    host.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stopped_job_that_ignores_sigterm_dies_too() {
    let project = Project::new();
    let host = host(&project, json!({"cancel_grace_secs": 1, "on_unknown": "allow"}));
    let survivors = Survivors::new();
    let id = start(&host, &format!("trap '' TERM; sleep {m} & kill -STOP $$; wait", m = survivors.mark())).await;
    survivors.wait_for(1);
    let answer = call(&host, "shell_job_cancel", json!({"job_id": id})).await;
    assert_eq!(answer["status"], "cancelled", "{answer}");
    assert_eq!(survivors.alive(), Vec::<i32>::new());
    host.shutdown().await;
}

#[tokio::test]
async fn fifty_cancels_at_once_end_fifty_jobs_once_each() {
    let project = Project::new();
    let host = host(&project, json!({"max_concurrent_processes": 100}));
    let mut events = host.events();
    let mut ids = Vec::new();
    for _ in 0..50 {
        ids.push(start(&host, "sleep 1000").await);
    }
    let calls: Vec<_> = ids
        .iter()
        .flat_map(|id| [id.clone(), id.clone()])
        .map(|id| {
            let caller = host.caller();
            tokio::spawn(async move { caller.call("one", "shell_job_cancel", json!({"job_id": id})).await })
        })
        .collect();
    for call in calls {
        let reply = call.await.unwrap();
        // The second of two may come when the first has ended the job already.
        assert!(!reply.is_error || reply.code.as_deref() == Some("job_not_running"), "{reply:?}");
    }
    let mut told: Vec<_> = Vec::new();
    for _ in 0..50 {
        let event = completion(&mut events).await;
        assert_eq!(event["result"]["status"], "cancelled");
        told.push(event["job_id"].as_str().unwrap().to_owned());
    }
    told.sort();
    ids.sort();
    assert_eq!(told, ids);
    host.shutdown().await;
    assert_eq!(events.try_next(), None);
}

#[tokio::test]
async fn what_would_destroy_is_refused_and_what_only_says_so_runs() {
    let project = Project::new();
    let host = host(&project, json!({}));
    for command in
        ["rm -rf /", "rm -fr -- /", "rm --recursive --force /", "rm -rf ~", "echo x > /dev/sda", "dd if=x of=/dev/sda"]
    {
        let reply = host.call("one", "shell", json!({"command": command})).await;
        assert_eq!(reply.code.as_deref(), Some("blocked_command"), "{command}: {reply:?}");
    }
    for command in ["echo 'rm -rf /'", "rm -rf build", "git commit -m 'dd if='"] {
        assert!(host.check(command).unwrap().verdict.findings.is_empty(), "{command}");
    }
    host.shutdown().await;
}

#[tokio::test]
async fn foreground_calls_push_no_background_job_out_of_memory() {
    let project = Project::new();
    let host = host(&project, json!({"max_completed_jobs": 2}));
    let mut events = host.events();
    let mut ids = Vec::new();
    for _ in 0..3 {
        ids.push(start(&host, "true").await);
        completion(&mut events).await;
        // Its end is told a moment before it is remembered as an ended one.
        host.idle().await;
    }
    for _ in 0..5 {
        assert_eq!(call(&host, "shell", json!({"command": "true"})).await["exit_code"], 0);
    }
    let jobs = call(&host, "shell_jobs", json!({})).await;
    let listed: Vec<_> = jobs.as_array().unwrap().iter().map(|job| job["id"].as_str().unwrap()).collect();
    assert_eq!(listed, ids[1..], "the newest two are remembered, whatever ran in the foreground since");
    let forgotten = host.call("one", "shell_job_status", json!({"job_id": ids[0]})).await;
    assert_eq!(forgotten.code.as_deref(), Some("job_not_found"), "{forgotten:?}");
    host.shutdown().await;
}

#[tokio::test]
async fn an_ended_job_is_remembered_for_so_many_seconds_and_a_running_one_always() {
    let project = Project::new();
    let host = host(&project, json!({"completed_job_ttl_secs": 1}));
    let mut events = host.events();
    let running = start(&host, "sleep 1000").await;
    let id = start(&host, "true").await;
    completion(&mut events).await;
    // Nothing but this asks, and no other job ends meanwhile.
    let forgotten = async {
        while host.call("one", "shell_job_status", json!({"job_id": id})).await.code.as_deref() != Some("job_not_found")
        {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), forgotten).await.expect("it is remembered for longer");
    let jobs = call(&host, "shell_jobs", json!({})).await;
    assert_eq!((&jobs[0]["id"], jobs.as_array().unwrap().len()), (&json!(running), 1), "{jobs}");
    host.shutdown().await;
}

/// The worst that an answer can be: each byte of both streams becomes six in JSON.
#[tokio::test]
async fn the_worst_output_is_answered_within_a_policys_time_and_memory() {
    let project = Project::new();
    let host = host(&project, json!({}));
    let command = "head -c 3000000 /dev/zero; head -c 3000000 /dev/zero >&2";
    let answer = call(&host, "shell", json!({"command": command, "timeout_secs": 60})).await;
    for stream in ["stdout", "stderr"] {
        let text = answer[stream].as_str().unwrap();
        let kept = text.bytes().filter(|byte| *byte == 0).count();
        assert!(kept == 512 << 10 && text.contains(&(3_000_000 - kept).to_string()), "{stream}: {kept} kept");
    }
    host.shutdown().await;
}

#[tokio::test]
async fn nushell_runs_where_it_is_installed() {
    let project = Project::new();
    let host = project.host("meerkat", "tools.shell", &json!({"enabled": true}));
    let found = std::env::split_paths(&std::env::var_os("PATH").unwrap()).any(|entry| entry.join("nu").is_file());
    if !found {
        assert!(std::env::var_os("CI").is_none(), "CI must have `nu` in PATH; `.ci/run` installs it");
        eprintln!("skipped: `nu` is not in PATH");
        return host.shutdown().await;
    }
    let answer = call(&host, "shell", json!({"command": "[[a b]; [1 2]] | to json --raw"})).await;
    assert_eq!((&answer["stdout"], &answer["exit_code"]), (&json!("[{\"a\":1,\"b\":2}]\n"), &json!(0)), "{answer}");
    let answer = call(&host, "shell", json!({"command": "$env.PWD"})).await;
    assert_eq!(answer["stdout"], format!("{}\n", project.root().display()), "{answer}");
    let reply = host.call("one", "shell", json!({"command": "^rm -rf /"})).await;
    assert_eq!(reply.code.as_deref(), Some("blocked_command"), "{reply:?}");
    host.shutdown().await;
}
