//! The figures that the documents name, each beside the plain thing in the same run.
//!
//! `cargo bench -p shellward-tests` prints a table and writes `target/bench.json`; `-- --quick` takes fewer rounds.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark that cannot run is to fail, and it prints")]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use shellward::{Host, Source};
use shellward_bash::Bash;
use shellward_kit::contract::ToolCall;
use shellward_kit::fake::{Fake, Native, Subject};
use shellward_tests::Project;
use tokio::io::AsyncReadExt;

/// One line of the table.
struct Figure {
    what: &'static str,
    ours: f64,
    plain: f64,
    unit: &'static str,
    plain_is: &'static str,
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    times[times.len() / 2].as_secs_f64() * 1e6
}

/// Times two things in turns, so that drift of the machine hits both alike.
fn in_turns(rounds: usize, mut ours: impl FnMut(), mut plain: impl FnMut()) -> (f64, f64) {
    let time = |work: &mut dyn FnMut()| {
        let begun = Instant::now();
        work();
        begun.elapsed()
    };
    ours();
    plain();
    let (mut one, mut other) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        one.push(time(&mut ours));
        other.push(time(&mut plain));
    }
    (median(one), median(other))
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap()
}

fn host(policy: &str) -> (Project, Host) {
    let project = Project::new();
    let host = project.builder(policy).build().unwrap();
    (project, host)
}

/// `sh -c true` as a call, against tokio spawning the same.
fn one_command(rounds: usize) -> Figure {
    let runtime = runtime();
    let (_project, host) = host("exec");
    let arguments = json!({"command": "true"});
    let (ours, plain) = in_turns(
        rounds,
        || {
            let reply = runtime.block_on(host.call("bench", "exec", arguments.clone()));
            assert!(!reply.is_error);
        },
        || {
            let output =
                runtime.block_on(async { tokio::process::Command::new("/bin/sh").args(["-c", "true"]).output().await });
            assert!(output.unwrap().status.success());
        },
    );
    Figure { what: "one `sh -c true` call", ours, plain, unit: "µs", plain_is: "tokio" }
}

/// A call that the bash policy refuses.
fn refused() -> ToolCall {
    ToolCall {
        id: "01hx7z8k9m2n3p4q5r6s7t8u9v".into(),
        session: "bench".into(),
        tool: "Bash".into(),
        arguments: r#"{"command":"sudo ls"}"#.into(),
        now: 0,
        approved: Vec::new(),
    }
}

/// A call that is refused, through a fresh instance, against the same policy natively.
fn refusal(rounds: usize) -> Figure {
    let runtime = runtime();
    let (_project, host) = host("bash");
    let arguments = json!({"command": "sudo ls"});
    let fake = Fake::new();
    let native = Native::<Bash>::new();
    let call = refused();
    let (ours, plain) = in_turns(
        rounds * 10,
        || assert!(runtime.block_on(host.call("bench", "Bash", arguments.clone())).is_error),
        || drop(native.call(&fake, &call)),
    );
    Figure { what: "a call that is refused, whole", ours, plain, unit: "µs", plain_is: "native policy" }
}

/// A verdict through a fresh instance: the entry alone, without a runtime's hops.
fn entry(rounds: usize) -> Figure {
    let (_project, host) = host("bash");
    let fake = Fake::new();
    let native = Native::<Bash>::new();
    let call = refused();
    let (ours, plain) = in_turns(
        rounds * 10,
        || assert!(!host.check("sudo ls").unwrap().verdict.findings.is_empty()),
        || drop(native.call(&fake, &call)),
    );
    Figure { what: "one entry that refuses", ours, plain, unit: "µs", plain_is: "native policy" }
}

fn program() -> PathBuf {
    std::env::current_exe().unwrap().ancestors().nth(2).unwrap().join("shellward")
}

fn shellward(home: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(program());
    command.args(arguments).env("XDG_CACHE_HOME", home).env("HOME", home).current_dir(home);
    command.stdin(Stdio::null()).stdout(Stdio::null());
    command
}

/// The program's start, against `sh`.
fn start(rounds: usize) -> Figure {
    let home = tempfile::tempdir().unwrap();
    let (ours, plain) = in_turns(
        rounds,
        || assert!(shellward(home.path(), &["run", "--", "true"]).status().unwrap().success()),
        || assert!(Command::new("/bin/sh").args(["-c", "true"]).status().unwrap().success()),
    );
    Figure {
        what: "`shellward run -- true`, warm cache",
        ours: ours / 1e3,
        plain: plain / 1e3,
        unit: "ms",
        plain_is: "sh -c true",
    }
}

/// The first start on a machine: the policy is compiled.
fn cold_start(rounds: usize) -> Figure {
    let home = tempfile::tempdir().unwrap();
    let (ours, plain) = in_turns(
        rounds.min(5),
        || assert!(shellward(home.path(), &["run", "--no-cache", "--", "true"]).status().unwrap().success()),
        || assert!(Command::new("/bin/sh").args(["-c", "true"]).status().unwrap().success()),
    );
    Figure {
        what: "`shellward run -- true`, cold cache",
        ours: ours / 1e3,
        plain: plain / 1e3,
        unit: "ms",
        plain_is: "sh -c true",
    }
}

/// Capture of much output, against a loop that reads and forgets.
fn capture(rounds: usize, mebibytes: usize) -> Figure {
    let runtime = runtime();
    let (_project, host) = host("exec");
    let script = format!("head -c {} /dev/zero", mebibytes << 20);
    let arguments = json!({"command": script, "timeout_seconds": 120});
    let (ours, plain) = in_turns(
        rounds,
        || {
            let reply = runtime.block_on(host.call("bench", "exec", arguments.clone()));
            assert!(reply.text.starts_with("[Exit Code: 0]"));
        },
        || assert_eq!(runtime.block_on(drain(&script)), mebibytes << 20),
    );
    let rate = |micros: f64| mebibytes as f64 / (micros / 1e6);
    Figure {
        what: "capture of output",
        ours: rate(ours),
        plain: rate(plain),
        unit: "MiB/s",
        plain_is: "bare tokio read loop",
    }
}

async fn drain(script: &str) -> usize {
    let mut command = tokio::process::Command::new("/bin/sh");
    let mut child = command.args(["-c", script]).stdout(Stdio::piped()).stdin(Stdio::null()).spawn().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let (mut buffer, mut total) = (vec![0; 64 << 10], 0);
    loop {
        match stdout.read(&mut buffer).await.unwrap() {
            0 => break,
            count => total += count,
        }
    }
    child.wait().await.unwrap();
    total
}

/// The most memory this program has used, in MiB.
fn peak_memory() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<f64>().unwrap() / 1024.0
}

fn main() {
    let arguments: Vec<_> = std::env::args().collect();
    if arguments.iter().any(|argument| argument == "--test" || argument == "--list") {
        return;
    }
    if arguments.iter().any(|argument| argument == "--entries") {
        // For a profiler: nothing but entries.
        let (_project, host) = host("bash");
        (0..20_000).for_each(|_| drop(host.check("sudo ls")));
        return;
    }
    let quick = arguments.iter().any(|argument| argument == "--quick");
    let rounds = if quick { 100 } else { 500 };
    Source::parse("bash").unwrap();
    let captured = capture(if quick { 1 } else { 3 }, if quick { 256 } else { 1024 });
    let memory = peak_memory();
    let figures =
        [one_command(rounds), entry(rounds), refusal(rounds), start(rounds / 5), cold_start(rounds), captured];
    println!("{:<38} {:>12} {:>12} {:>8}", "", "shellward", "plain", "ratio");
    for figure in &figures {
        let Figure { what, ours, plain, unit, plain_is } = figure;
        println!("{what:<38} {ours:>8.1} {unit:<4} {plain:>8.1} {unit:<4} {:>6.2}  against {plain_is}", ours / plain);
    }
    println!("{:<38} {memory:>8.1} MiB", "most memory used while capturing");
    let rows = figures.iter().map(|figure| {
        json!({"what": figure.what, "shellward": figure.ours, "plain": figure.plain, "unit": figure.unit,
            "against": figure.plain_is, "ratio": figure.ours / figure.plain})
    });
    let all = json!({"figures": rows.collect::<Vec<_>>(), "capture_peak_memory_mib": memory});
    write(&all);
}

fn write(figures: &Value) {
    let file = program().ancestors().nth(2).unwrap().join("bench.json");
    std::fs::write(&file, format!("{figures:#}\n")).unwrap();
    println!("written to {}", file.display());
}
