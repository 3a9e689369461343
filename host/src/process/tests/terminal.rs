//! A process with a terminal of its own.

use super::{bash, until};
use crate::process::{
    InputRefused, Launch, Leaked, Process, Signal, Size, Started, Stdin, Stdio, Stream, Terminal, Whom, Window,
};

const SIZE: Size = Size { rows: 24, columns: 80 };

fn in_terminal(script: &str) -> Launch {
    Launch { stdio: Stdio::Terminal(Terminal { size: SIZE, echo: true, raw: false }), ..bash(script) }
}

fn start(script: &str) -> Started {
    Process::start(&in_terminal(script)).unwrap()
}

fn text(started: &Started) -> String {
    started.output.snapshot(Stream::Stdout, Window::All).text
}

async fn end(started: &Started) -> (Option<i32>, String) {
    let exit = started.process.wait().await;
    assert_eq!(started.process.finish(super::DRAIN).await, Leaked::default());
    (exit.code, text(started))
}

#[tokio::test]
async fn it_controls_its_terminal() {
    let started = start(
        "tty <&1 >/dev/null && test -t 0 && test -t 1 && test -t 2 && stty size && echo to /dev/tty >/dev/tty; ps -o tpgid=,pgid= $$ | awk '{print $1 == $2}'",
    );
    assert_eq!(end(&started).await, (Some(0), "24 80\nto /dev/tty\n1\n".to_owned()));
}

#[tokio::test]
async fn no_byte_is_lost_at_its_end() {
    for _ in 0..20 {
        let (code, text) = end(&start("seq 1 20000; printf last")).await;
        let expected: String = (1..=20_000).map(|number| format!("{number}\n")).collect();
        assert_eq!(code, Some(0));
        assert!(text.ends_with("20000\nlast"), "{:?}", &text[text.len() - 40..]);
        assert!(text.starts_with(&expected[..1000]));
    }
}

#[tokio::test]
async fn every_byte_of_much_output_is_counted() {
    let started = start("seq 1 300000");
    started.process.wait().await;
    started.process.finish(super::DRAIN).await;
    let expected: u64 = (1..=300_000u32).map(|number| u64::from(number.ilog10()) + 2).sum();
    assert_eq!(started.output.total_bytes(Stream::Stdout), expected);
}

#[tokio::test]
async fn typed_lines_reach_it_and_are_echoed() {
    let started = start("read -r a; read -r b; echo \"got $a and $b\"");
    let input = started.process.input().unwrap();
    input.write(b"one\ntwo\n").unwrap();
    assert_eq!(end(&started).await, (Some(0), "one\ntwo\ngot one and two\n".to_owned()));
    assert_eq!(started.process.input().unwrap().write(b"late\n"), Err(InputRefused::Closed));
}

#[tokio::test]
async fn the_end_of_input_ends_a_reader_in_the_middle_of_a_line_too() {
    for typed in ["line\n", "half a line", ""] {
        let started = start("stty -echo; echo ready; cat; echo over");
        until("the reader", || text(&started).contains("ready")).await;
        let input = started.process.input().unwrap();
        input.write(typed.as_bytes()).unwrap();
        input.end().unwrap();
        let (code, shown) = end(&started).await;
        assert_eq!((code, shown.as_str()), (Some(0), format!("ready\n{typed}over\n").as_str()), "{typed:?}");
    }
}

#[tokio::test]
async fn a_new_size_reaches_the_program() {
    let started = start("trap 'stty size; exit 7' WINCH; echo ready; while :; do sleep 0.05; done");
    until("the program", || text(&started).contains("ready")).await;
    started.process.terminal().unwrap().resize(Size { rows: 50, columns: 132 }).unwrap();
    assert_eq!(end(&started).await, (Some(7), "ready\n50 132\n".to_owned()));
}

#[tokio::test]
async fn a_typed_interrupt_and_a_sent_one_reach_the_foreground() {
    let started = start("set -m; (trap 'echo first' INT; echo ready; sleep 100; exit 0); sleep 100; echo second: $?");
    until("the first", || text(&started).contains("ready") && sleeps(&started)).await;
    // The trap runs once sleep has been interrupted as well.
    started.process.input().unwrap().write(b"\x03").unwrap();
    until("its trap", || text(&started).contains("first")).await;
    until("the second", || foreground_is_sleep(&started)).await;
    assert_eq!(started.process.signal(Signal::TERM, Whom::Group).unwrap(), 1);
    let (code, shown) = end(&started).await;
    assert_eq!(code, Some(0));
    assert!(shown.contains("second: 143"), "{shown}");
}

/// Whether a process of its tree has become a `sleep`: one that only was forked may not hear what is meant for it.
fn sleeps(started: &Started) -> bool {
    super::members(started).into_iter().any(|pid| super::is_named(pid, "sleep"))
}

fn foreground_is_sleep(started: &Started) -> bool {
    let group = started.process.terminal().unwrap().foreground();
    group.is_some_and(|group| super::is_named(group, "sleep"))
}

#[tokio::test]
async fn what_a_program_shows_while_it_runs_can_be_read() {
    let started = start("stty -echo; printf 'Password: '; read -r answer; echo; echo \"$answer\"");
    until("the prompt", || text(&started) == "Password: ").await;
    started.process.input().unwrap().write(b"secret\n").unwrap();
    assert_eq!(end(&started).await, (Some(0), "Password: \nsecret\n".to_owned()));
}

#[tokio::test]
async fn a_full_screen_program_is_seen_and_then_gone() {
    let started =
        start("echo before; printf '\\e[?1049h\\e[H'; echo inside; read -r _; printf '\\e[?1049l'; echo after");
    until("the alternate screen", || text(&started).contains("inside")).await;
    started.process.input().unwrap().write(b"\n").unwrap();
    assert_eq!(end(&started).await, (Some(0), "before\nafter\n".to_owned()));
}

#[tokio::test]
async fn raw_output_is_kept_as_it_comes() {
    let mut launch = in_terminal("printf '\\e[31mred\\e[0m\\rx\\n'");
    launch.stdio = Stdio::Terminal(Terminal { size: SIZE, echo: true, raw: true });
    let started = Process::start(&launch).unwrap();
    assert_eq!(end(&started).await, (Some(0), "\x1b[31mred\x1b[0m\rx\r\n".to_owned()));
}

#[tokio::test]
async fn killing_its_tree_ends_what_runs_in_other_groups_of_the_terminal() {
    let started = start("set -m; sleep 1000 & (setsid sleep 1000 &); sleep 1000; :");
    until("three sleepers", || super::members(&started).len() == 4).await;
    assert!(started.process.kill_tree().await.complete());
    started.process.wait().await;
    assert_eq!(super::members(&started), Vec::<i32>::new());
}

#[tokio::test]
async fn input_that_nobody_reads_is_bounded() {
    let mut launch = super::shell("sleep 1000");
    launch.stdio = Stdio::Pipes(Stdin::Pipe);
    let started = Process::start(&launch).unwrap();
    let input = started.process.input().unwrap();
    let mut taken = 0;
    let refused = loop {
        match input.write(&[b'x'; 100_000]) {
            Ok(()) => taken += 1,
            Err(refused) => break refused,
        }
        assert!(taken < 100);
    };
    assert_eq!(refused, InputRefused::Full);
    assert!(taken > 30);
    started.process.kill_tree().await;
}
