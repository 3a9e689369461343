//! Capture of much output.

use std::process::Stdio;

use serde_json::json;
use tokio::io::AsyncReadExt;

use crate::harness::{Figure, Scale, host, in_turns, runtime};

/// The figures of this room. The memory is that of the whole program up to here, so this room is measured first.
pub fn figures(scale: Scale) -> Vec<Figure> {
    let (rounds, mebibytes) = if scale.quick { (1, 256) } else { (3, 1024) };
    let rate = capture(rounds, mebibytes);
    vec![rate, Figure::alone("most memory used while capturing", "MiB", peak_memory())]
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
    Figure::beside("capture of output", "MiB/s", (rate(ours), rate(plain)), "bare tokio read loop")
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
