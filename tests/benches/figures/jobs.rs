//! Background jobs: many at once, their memory, their end, and how soon it is told.

use std::process::Stdio;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};
use shellward::settings::Settings;
use shellward::{Host, HostLimits, Received, Subscription};
use shellward_tests::{Project, Survivors};
use tokio::io::AsyncReadExt;

use crate::harness::{Figure, Scale, in_turns, median, runtime};
use crate::memory::{apart, resident};

/// How many jobs run at once.
const MANY: usize = 1000;

/// The figures of this room.
pub fn figures(scale: Scale) -> Vec<Figure> {
    let rounds = if scale.quick { 3 } else { 10 };
    let [memory] = apart("jobs", &[]);
    let memory = Figure::alone("memory of a running job in the host", "KiB", memory);
    let mut figures = vec![many(rounds, Told::Nobody), many(rounds, Told::Subscriber), memory, latency(scale.rounds())];
    figures.extend(ends(rounds));
    figures
}

/// A host that takes as many jobs as are asked of it.
fn host(grace: u64) -> (Project, Host) {
    let project = Project::new();
    let settings = json!({
        "enabled": true, "shell": "sh", "max_concurrent_processes": 2 * MANY, "cancel_grace_secs": grace,
        "on_unknown": "allow",
    });
    let settings = Settings::default().given("tools.shell", settings.as_object().unwrap().clone());
    let limits = HostLimits { running_jobs: 2 * MANY as u32, ..HostLimits::default() };
    let host = project.builder("meerkat").settings(settings).limits(limits).build().unwrap();
    (project, host)
}

async fn start(host: &Host, command: &str) -> String {
    let reply = host.call("bench", "shell", json!({"command": command, "background": true})).await;
    let answer: Value = serde_json::from_str(reply.answer()).unwrap();
    answer["job_id"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
}

async fn told(events: &mut Subscription) {
    match events.next().await {
        Some(Received::Notice(_)) => {}
        other => panic!("{other:?} instead of the end of a job"),
    }
}

/// Whom the end of a thousand jobs is told.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Told {
    Nobody,
    Subscriber,
}

/// A thousand jobs started and reaped, against tokio doing the same with the children alone, telling nobody.
fn many(rounds: usize, whom: Told) -> Figure {
    let runtime = runtime();
    let (_project, host) = host(5);
    let (ours, plain) = in_turns(
        rounds,
        || runtime.block_on(jobs(&host, whom)),
        || {
            runtime.block_on(async {
                let children: Vec<_> = (0..MANY).map(|_| tokio::spawn(child())).collect();
                for child in children {
                    child.await.unwrap();
                }
            });
        },
    );
    let what = match whom {
        Told::Nobody => "1,000 background jobs, started and reaped",
        Told::Subscriber => "the same, each end told to a subscriber",
    };
    Figure::beside(what, "ms", (ours / 1e3, plain / 1e3), "tokio")
}

async fn jobs(host: &Host, whom: Told) {
    let mut events = (whom == Told::Subscriber).then(|| host.events());
    // As the plain thing does: each from a task of its own.
    let calls: Vec<_> = (0..MANY)
        .map(|_| {
            let caller = host.caller();
            let arguments = json!({"command": "true", "background": true});
            tokio::spawn(async move { caller.call("bench", "shell", arguments).await.is_error })
        })
        .collect();
    if let Some(events) = &mut events {
        for _ in 0..MANY {
            told(events).await;
        }
    }
    for call in calls {
        assert!(!call.await.unwrap());
    }
    host.idle().await;
}

async fn child() {
    let mut command = tokio::process::Command::new("/bin/sh");
    command.args(["-c", "true"]).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let (mut stdout, mut stderr) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
    let (mut one, mut other) = (Vec::new(), Vec::new());
    let (read, also) = tokio::join!(stdout.read_to_end(&mut one), stderr.read_to_end(&mut other));
    read.and(also).unwrap();
    child.wait().await.unwrap();
}

/// What a running job costs the host, in KiB.
pub fn memory() -> f64 {
    let runtime = runtime();
    let (_project, host) = host(0);
    // What the first calls bring for good is not the jobs'.
    runtime.block_on(async {
        for _ in 0..32 {
            start(&host, "exec sleep 1000").await;
        }
    });
    let before = resident();
    runtime.block_on(async {
        for _ in 0..MANY {
            start(&host, "exec sleep 1000").await;
        }
    });
    let grown = resident() - before;
    runtime.block_on(host.shutdown());
    grown / MANY as f64
}

/// From a process's end to the subscriber, against tokio's own `wait`.
fn latency(rounds: usize) -> Figure {
    let runtime = runtime();
    let (_project, host) = host(5);
    let mut events = host.events();
    let times = (0..rounds).map(|_| runtime.block_on(end_to_event(&host, &mut events)));
    let (ours, plain): (Vec<_>, Vec<_>) = times.unzip();
    Figure::beside("end of a process to its event", "µs", (median(ours), median(plain)), "tokio's wait")
}

async fn end_to_event(host: &Host, events: &mut Subscription) -> (Duration, Duration) {
    let survivors = Survivors::new();
    start(host, &format!("exec sleep {}", survivors.mark())).await;
    survivors.wait_for(1);
    let pid = Pid::from_raw(survivors.alive()[0]);
    let begun = Instant::now();
    kill(pid, Signal::SIGKILL).unwrap();
    told(events).await;
    let ours = begun.elapsed();
    let mut child = tokio::process::Command::new("sleep").arg("1000").spawn().unwrap();
    let begun = Instant::now();
    child.start_kill().unwrap();
    child.wait().await.unwrap();
    (ours, begun.elapsed())
}

/// From a cancellation to the last descendant's end, for a tree that goes when asked and one that does not.
fn ends(rounds: usize) -> Vec<Figure> {
    let willing = |mark: &str| format!("sleep {mark} & sleep {mark} & sleep {mark} & wait");
    let hostile = |mark: &str| {
        format!(
            "trap '' TERM; (trap '' TERM; setsid sleep {mark} & env -i setsid -f sleep {mark} & sleep {mark}) & wait"
        )
    };
    vec![
        Figure::alone("cancel to the last descendant gone, willing", "ms", cancel(rounds, 5, willing)),
        Figure::alone("the same, hostile, no grace", "ms", cancel(rounds, 0, hostile)),
        Figure::alone("the same, hostile, 1 s of grace", "ms", cancel(rounds.min(3), 1, hostile)),
    ]
}

fn cancel(rounds: usize, grace: u64, script: impl Fn(&str) -> String) -> f64 {
    let runtime = runtime();
    let (_project, host) = host(grace);
    let once = || {
        let survivors = Survivors::new();
        let id = runtime.block_on(start(&host, &script(survivors.mark())));
        survivors.wait_for(3);
        let begun = Instant::now();
        let reply = runtime.block_on(host.call("bench", "shell_job_cancel", json!({"job_id": id})));
        let taken = begun.elapsed();
        // The answer comes after the last one's end, or it is a lie.
        assert!(!reply.is_error && survivors.alive().is_empty(), "{reply:?}");
        taken
    };
    median((0..rounds).map(|_| once()).collect()) / 1e3
}
