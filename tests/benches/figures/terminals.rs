//! Terminals and lasting shells.

use std::fs::File;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use shellward::Host;
use shellward_tests::HOSTILE;

use crate::harness::{Figure, Scale, host, in_turns, runtime};
use crate::memory::{apart, resident};

/// The figures of this room.
pub fn figures(scale: Scale) -> Vec<Figure> {
    let rounds = scale.rounds();
    let mut figures = vec![
        round_trip("`true` in a lasting shell", "shell", "bash", rounds),
        round_trip("`true` in a shell, streams apart", "apart", "bash", rounds),
        round_trip("`true` in a lasting sh", "shell", "sh", rounds),
    ];
    figures.extend(sessions(if scale.quick { 10 } else { 50 }));
    figures.push(rate(if scale.quick { 1 } else { 5 }, if scale.quick { 2_000_000 } else { 10_000_000 }));
    figures
}

fn call(runtime: &tokio::runtime::Runtime, host: &Host, session: &str, arguments: Value) -> Value {
    let reply = runtime.block_on(host.call(session, "hostile", arguments));
    assert!(!reply.is_error, "{}", reply.text);
    serde_json::from_str(reply.answer()).unwrap()
}

fn in_shell(command: &str, place: &str, shell: &str) -> Value {
    json!({"command": command, "place": place, "shell": shell, "advance": "terminal"})
}

/// A command in a shell that lasts, call to answer, against a shell of its own.
fn round_trip(what: &'static str, place: &str, shell: &str, rounds: usize) -> Figure {
    let runtime = runtime();
    let (_project, host) = host(HOSTILE);
    let both = in_turns(
        rounds,
        || drop(call(&runtime, &host, "bench", in_shell("true", place, shell))),
        || assert!(Command::new("/bin/bash").args(["--norc", "-c", "true"]).status().unwrap().success()),
    );
    Figure::beside(what, "µs", both, "bash -c true")
}

/// How long a shell takes to its first answer.
fn sessions(count: usize) -> Vec<Figure> {
    let runtime = runtime();
    let (_project, host) = host(HOSTILE);
    call(&runtime, &host, "first", in_shell("true", "shell", "bash"));
    let mut number = 0;
    let both = in_turns(
        count,
        || {
            number += 1;
            call(&runtime, &host, &number.to_string(), in_shell("true", "shell", "bash"));
        },
        || {
            // Without a terminal it complains.
            let mut shell = Command::new("/bin/bash");
            let status = shell.args(["--norc", "-i", "-c", "true"]).stderr(Stdio::null()).status();
            assert!(status.unwrap().success());
        },
    );
    let [memory] = apart("shells", &[]);
    vec![
        Figure::beside("start of a shell to its first answer", "µs", both, "bash -i -c true"),
        Figure::alone("memory of the host for an idle shell", "KiB", memory),
    ]
}

/// What an idle shell costs the host, in KiB.
pub fn memory() -> f64 {
    const SHELLS: usize = 100;
    let runtime = runtime();
    let (_project, host) = host(HOSTILE);
    let start = |number: usize| call(&runtime, &host, &number.to_string(), in_shell("true", "shell", "bash"));
    // What the first ones bring along is not the others'.
    (0..10).for_each(|number| drop(start(number)));
    let before = resident();
    (10..10 + SHELLS).for_each(|number| drop(start(number)));
    let grown = resident() - before;
    runtime.block_on(host.shutdown());
    grown / SHELLS as f64
}

/// Output through a lasting shell's terminal, against a loop that reads a terminal and forgets.
fn rate(rounds: usize, lines: usize) -> Figure {
    let runtime = runtime();
    let (_project, host) = host(HOSTILE);
    let script = format!("seq 1 {lines}");
    let bytes: usize = (1..=lines).map(|number| number.ilog10() as usize + 2).sum();
    let mut arguments = in_shell(&script, "shell", "bash");
    arguments["keep"] = json!(1000);
    let (ours, plain) = in_turns(
        rounds,
        || assert!(call(&runtime, &host, "bench", arguments.clone())["stdout"].as_str().unwrap().starts_with("1\n2\n")),
        // Each line end is two bytes in a terminal.
        || assert_eq!(drain(&script), bytes + lines),
    );
    let rate = |micros: f64| bytes as f64 / micros;
    Figure::beside("output through a terminal", "MB/s", (rate(ours), rate(plain)), "bare read loop of a terminal")
}

fn drain(script: &str) -> usize {
    let pair = nix::pty::openpty(None, None).unwrap();
    let end = |slave: &OwnedFd| Stdio::from(slave.try_clone().unwrap());
    let mut command = Command::new("/bin/bash");
    command.args(["--norc", "-c", script]).stdin(end(&pair.slave)).stdout(end(&pair.slave)).stderr(end(&pair.slave));
    let mut child = command.spawn().unwrap();
    // The command holds copies of the slave as well.
    drop((command, pair.slave));
    let (mut master, mut buffer, mut total) = (File::from(pair.master), vec![0; 64 << 10], 0);
    // The end of a terminal is an error.
    while let Ok(count @ 1..) = master.read(&mut buffer) {
        total += count;
    }
    child.wait().unwrap();
    total
}
