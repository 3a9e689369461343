//! Trees that hide, cling and multiply: none of it is left after a kill.

use super::{Marked, bash, members, start_as, until};
use crate::process::{Process, Signal, Started, Stream, Whom};

/// Trees by name: the script, and how many processes it must have before it is killed.
const TREES: [(&str, usize, &str); 13] = [
    ("alone", 1, "sleep 1000"),
    ("children", 4, "sleep 1000 & sleep 1000 & sleep 1000 & wait"),
    ("orphan", 2, "(sleep 1000 &); sleep 1000"),
    ("own session", 2, "setsid sleep 1000 & sleep 1000"),
    ("double fork", 2, "(setsid sh -c 'sleep 1000 & exit' &); sleep 1000"),
    ("no environment", 2, "(env -i setsid sh -c 'exec /bin/sleep 1000' &); sleep 1000"),
    ("no environment, double fork", 2, "env -i setsid sh -c '(setsid /bin/sleep 1000 &) & exit'; sleep 1000"),
    ("another name", 2, "(exec -a '[kworker/0:1]' env -i setsid /bin/sleep 1000 &) ; exec -a sshd sleep 1000"),
    ("deaf to SIGTERM", 2, "trap '' TERM HUP INT; sleep 1000 & while :; do sleep 1000; done"),
    ("revives its child", 2, "while :; do sh -c 'sleep 1000'; done"),
    ("stopped", 2, "sleep 1000 & kill -STOP $!; kill -STOP $$; sleep 1000"),
    ("leader gone", 1, "env -i setsid /bin/sleep 1000 & exit 0"),
    ("nohup and disown", 2, "nohup sleep 1000 >/dev/null 2>&1 & disown; sleep 1000"),
];

async fn grown(script: &str, count: usize, how: Marked) -> Started {
    let launch = bash(script);
    let started = start_as(&launch, how);
    until(script, || members(&started).len() >= count).await;
    started
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_kind_of_tree_dies_by_its_marks() {
    for how in [Marked::Fully, Marked::ByLimit] {
        for (name, count, script) in TREES {
            let started = grown(script, count, how).await;
            let killed = started.process.kill_tree().await;
            assert!(killed.complete(), "{name} {how:?}: {killed:?}");
            // Some die by the death of others before they are met, as stopped orphans do.
            assert!(killed.killed >= 1, "{name} {how:?}: {killed:?}");
            assert_eq!(members(&started), [0; 0], "{name} {how:?}");
            started.process.wait().await;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_a_limit_mark_all_die_that_keep_their_environment_or_kin() {
    for (name, count, script) in TREES.iter().filter(|(_, _, script)| !script.contains("env -i")) {
        let started = grown(script, *count, Marked::ByEnvironment).await;
        let killed = started.process.kill_tree().await;
        assert!(killed.complete(), "{name}: {killed:?}");
        assert_eq!(members(&started), [0; 0], "{name}");
        started.process.wait().await;
    }
}

/// Each generation starts the next in a session of its own, with no environment, and ends.
const FLEEING: &str = "env -i setsid /bin/bash -c \"$CHASE\" \"$CHASE\" & sleep 1000";
const CHASE: &str = "setsid bash -c \"$0\" \"$0\" & exit";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_chain_of_forks_is_caught() {
    let mut launch = bash(FLEEING);
    launch.environment.push(("CHASE".into(), CHASE.into()));
    for how in [Marked::Fully, Marked::ByLimit, Marked::ByLimit, Marked::ByLimit] {
        let started = start_as(&launch, how);
        until("a grown tree", || members(&started).len() >= 2).await;
        let killed = started.process.kill_tree().await;
        assert!(killed.complete(), "{killed:?}");
        assert_eq!(members(&started), [0; 0]);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crowd_that_forks_faster_than_it_dies_is_caught() {
    // Doubles with each generation, and each ends after two children: bounded by the depth.
    let script =
        "grow() { [ $1 -le 0 ] && exec sleep 1000; (grow $(($1-1))) & (grow $(($1-1))) & }; grow 7; sleep 1000";
    for how in [Marked::Fully, Marked::ByLimit, Marked::ByEnvironment] {
        let started = grown(script, 40, how).await;
        let killed = started.process.kill_tree().await;
        assert!(killed.complete(), "{killed:?}");
        assert_eq!(members(&started), [0; 0]);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_storm_of_hostile_trees_leaves_none() {
    let scripts = TREES.map(|(_, count, script)| (count, script));
    let mut storm = Vec::new();
    for index in 0..50 {
        let (count, script) = scripts[index % scripts.len()];
        let how = if index % 3 == 0 { Marked::Fully } else { Marked::ByLimit };
        storm.push((count, start_as(&bash(script), how)));
    }
    for (count, started) in &storm {
        until("a storm of trees", || members(started).len() >= *count).await;
    }
    let kills: Vec<_> = storm
        .into_iter()
        .map(|(_, started)| {
            tokio::spawn(async move {
                let killed = started.process.kill_tree().await;
                started.process.wait().await;
                (killed, started)
            })
        })
        .collect();
    for kill in kills {
        let (killed, started) = kill.await.unwrap();
        assert!(killed.complete(), "{killed:?}");
        assert_eq!(members(&started), [0; 0]);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn dropping_a_process_that_runs_kills_its_tree() {
    for (name, count, script) in TREES {
        let started = grown(script, count, Marked::Fully).await;
        let tree = started.process.tree().clone();
        drop(started);
        assert_eq!(super::members_of(&tree), [0; 0], "{name}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_panic_leaves_nothing_behind() {
    let started = grown("env -i setsid sleep 1000 & sleep 1000", 2, Marked::ByLimit).await;
    let tree = started.process.tree().clone();
    let task = tokio::spawn(async move {
        let _held: Process = started.process;
        panic!("on purpose");
    });
    assert!(task.await.unwrap_err().is_panic());
    assert_eq!(super::members_of(&tree), [0; 0]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_finished_command_left_running_goes_on_until_its_tree_is_killed() {
    let started = grown("env -i setsid sleep 1000 >/dev/null 2>&1 & exit 0", 1, Marked::ByLimit).await;
    assert!(started.process.wait().await.success());
    until("a grown tree", || members(&started).len() == 1).await;
    let leaked = started.process.finish(super::DRAIN).await;
    assert!(!leaked.stdout && !leaked.stderr);
    let tree = started.process.tree().clone();
    drop(started);
    assert_eq!(super::members_of(&tree).len(), 1);
    assert_eq!(tree.kill().await.killed, 1);
    assert_eq!(super::members_of(&tree), [0; 0]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_to_end_reaches_the_whole_tree_once() {
    let script = "trap 'echo leader; exit 1' TERM; setsid bash -c 'trap \"echo session; exit\" TERM; echo up; \
                  while :; do sleep 0.01; done' & echo up; while :; do sleep 0.01; done";
    let started = grown(script, 4, Marked::ByLimit).await;
    until("a grown tree", || started.output.total_bytes(Stream::Stdout) == 6).await;
    assert!(started.process.signal(Signal::TERM, Whom::Tree).unwrap() >= 2);
    assert_eq!(started.process.wait().await.code, Some(1));
    until("a grown tree", || members(&started).is_empty()).await;
    started.process.finish(super::DRAIN).await;
    let text = started.output.snapshot(Stream::Stdout, crate::process::Window::All).text;
    let mut lines: Vec<_> = text.lines().collect();
    lines.sort_unstable();
    assert_eq!(lines, ["leader", "session", "up", "up"]);
}

const FIRST_THREAD_ENDS: &str = "
import ctypes, threading, time
threading.Thread(target=time.sleep, args=(1000,)).start()
ctypes.CDLL(None).pthread_exit(None)";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_whose_first_thread_ended_looks_dead_and_is_killed() {
    if !std::path::Path::new("/usr/bin/python3").exists() {
        return; // Nothing else at hand ends its first thread alone.
    }
    for how in [Marked::Fully, Marked::ByLimit, Marked::ByEnvironment] {
        let started = start_as(&super::launch("/usr/bin/python3", &["-c", FIRST_THREAD_ENDS]), how);
        let stat = format!("/proc/{}/stat", started.process.pid());
        until("a first thread's end", || std::fs::read_to_string(&stat).unwrap().contains(") Z ")).await;
        assert_eq!(members(&started), [started.process.pid()]);
        assert!(started.process.try_wait().is_none());
        let killed = started.process.kill_tree().await;
        assert!(killed.complete() && killed.killed == 1, "{killed:?}");
        assert_eq!(started.process.wait().await.signal, Some(9));
    }
}
