//! What a process writes arrives whole, bounded and exact.

use std::sync::{Arc, Mutex};

use super::{bash, shell, start};
use crate::process::{CaptureLimits, Flow, Leaked, Signal, Stream, Tap, Whom, Window};

#[tokio::test]
async fn streams_are_kept_apart_and_whole_without_a_last_newline() {
    let started = start(&shell("printf out; printf err >&2"));
    started.process.wait().await;
    assert_eq!(started.process.finish(super::DRAIN).await, Leaked::default());
    let out = started.output.snapshot(Stream::Stdout, Window::All);
    let err = started.output.snapshot(Stream::Stderr, Window::All);
    assert_eq!((out.text.as_str(), err.text.as_str()), ("out", "err"));
    assert_eq!((out.total_bytes, out.dropped_bytes, out.invalid), (3, 0, false));
    assert_eq!(started.output.flow(Stream::Stdout), Flow::Ended);
}

#[tokio::test]
async fn a_character_written_in_pieces_is_shown_once_it_is_whole() {
    let mut launch = bash(r"printf 'a\xf0\x9f'; read -r; printf '\xa6\x80b\xe6'");
    launch.stdio = crate::process::Stdio::Pipes(crate::process::Stdin::Pipe);
    let started = start(&launch);
    super::until("output", || started.output.total_bytes(Stream::Stdout) == 3).await;
    let running = started.output.snapshot(Stream::Stdout, Window::All);
    assert_eq!((running.text.as_str(), running.pending_bytes, running.invalid), ("a", 2, false));
    started.process.input().unwrap().write(b"\n").unwrap();
    started.process.wait().await;
    started.process.finish(super::DRAIN).await;
    let ended = started.output.snapshot(Stream::Stdout, Window::All);
    assert_eq!((ended.text.as_str(), ended.invalid), ("a🦀b\u{FFFD}", true));
}

#[tokio::test]
async fn binary_output_is_marked_and_counted() {
    let started = start(&bash(r"printf '\x00\xff\xfe\x00ok'"));
    started.process.wait().await;
    started.process.finish(super::DRAIN).await;
    let text = started.output.snapshot(Stream::Stdout, Window::All);
    assert_eq!(text.text, "\0\u{FFFD}\u{FFFD}\0ok");
    assert!(text.invalid && text.total_bytes == 6 && text.dropped_bytes == 0);
}

#[tokio::test]
async fn large_output_keeps_its_ends_and_counts_the_gap() {
    let mut launch = shell("seq 1 400000");
    launch.capture = CaptureLimits { head: 1000, tail: 2000 };
    let started = start(&launch);
    started.process.wait().await;
    started.process.finish(super::DRAIN).await;
    let all: String = (1..=400_000).map(|number| format!("{number}\n")).collect();
    let text = started.output.snapshot(Stream::Stdout, Window::All);
    assert_eq!(text.total_bytes, all.len() as u64);
    assert_eq!(text.head(), &all[..1000]);
    assert_eq!(text.tail(), &all[all.len() - 2000..]);
    assert_eq!(text.dropped_bytes, all.len() as u64 - 3000);
}

#[tokio::test]
async fn two_flooding_streams_do_not_block_each_other() {
    let started = start(&shell("seq 1 200000 & seq 1 200000 >&2; wait"));
    assert!(started.process.wait().await.success());
    started.process.finish(super::DRAIN).await;
    let expected: u64 = (1..=200_000u32).map(|number| number.to_string().len() as u64 + 1).sum();
    assert_eq!(started.output.total_bytes(Stream::Stdout), expected);
    assert_eq!(started.output.total_bytes(Stream::Stderr), expected);
}

#[derive(Default)]
struct Recorder(Mutex<(Vec<u8>, Vec<u8>)>);

impl Tap for Recorder {
    fn chunk(&self, stream: Stream, bytes: &[u8]) {
        let mut seen = self.0.lock().unwrap();
        match stream {
            Stream::Stdout => seen.0.extend_from_slice(bytes),
            Stream::Stderr => seen.1.extend_from_slice(bytes),
        }
    }
}

#[tokio::test]
async fn a_tap_sees_every_byte_in_order() {
    let recorder = Arc::new(Recorder::default());
    let mut launch = shell("seq 1 100000; echo oops >&2");
    launch.capture = CaptureLimits { head: 10, tail: 10 };
    launch.tap = Some(recorder.clone());
    let started = start(&launch);
    started.process.wait().await;
    started.process.finish(super::DRAIN).await;
    let seen = recorder.0.lock().unwrap();
    let all: String = (1..=100_000).map(|number| format!("{number}\n")).collect();
    assert!(seen.0 == all.as_bytes());
    assert_eq!(seen.1, b"oops\n");
}

#[tokio::test]
async fn a_job_ends_with_its_process_though_a_child_holds_the_pipe() {
    // Until the child is a sleeper it holds the other pipe as well.
    let script = "echo before; sleep 1000 2>/dev/null & until grep -q sleep /proc/$!/comm; do :; done";
    let started = start(&shell(script));
    assert!(started.process.wait().await.success());
    let leaked = started.process.finish(super::DRAIN).await;
    assert_eq!(leaked, Leaked { stdout: true, stderr: false });
    assert_eq!(started.output.snapshot(Stream::Stdout, Window::All).text, "before\n");
    assert_eq!(started.output.flow(Stream::Stdout), Flow::Abandoned);
    started.process.signal(Signal::KILL, Whom::Tree).unwrap();
}

#[tokio::test]
async fn a_grandchild_that_writes_without_end_does_not_prolong_the_job() {
    let writes = "grep -q 'wchar: [1-9]' /proc/$!/io";
    let started = start(&bash(&format!("echo first; yes flood & disown; until {writes}; do :; done; exit 5")));
    assert_eq!(started.process.wait().await.code, Some(5));
    let leaked = started.process.finish(super::DRAIN).await;
    assert_eq!(leaked, Leaked { stdout: true, stderr: true });
    let text = started.output.snapshot(Stream::Stdout, Window::All);
    assert!(text.text.starts_with("first\n"), "what came before is kept");
    assert!(text.head().contains("flood\nflood\n"), "what came during the drain is kept");
    started.process.signal(Signal::KILL, Whom::Tree).unwrap();
}
