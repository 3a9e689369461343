//! Behaviour that changes the whole program, each tested in a program of its own.

use std::process::Command;

use super::{Marked, bash, is_named, members_of, shell, start_as, until};
use crate::process::{Containment, Mechanism, Process, SpawnError, Stream, adopt_orphans, bury_orphans, kill_host};

const VARIABLE: &str = "SHELLWARD_TEST_ALONE";

/// Runs the test of this name in a process of its own, or returns true where this is that process.
fn alone(name: &str) -> bool {
    if std::env::var_os(VARIABLE).is_some() {
        return true;
    }
    let path = path_of(name);
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", &path, "--nocapture", "--test-threads=1"])
        .env(VARIABLE, "1")
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && told.contains("1 passed"), "{told}");
    false
}

/// The name by which the test runner knows a test of this file.
fn path_of(name: &str) -> String {
    format!("{}::{name}", module_path!().split_once("::").unwrap().1)
}

fn zombie_children() -> Vec<i32> {
    let own = std::process::id() as i32;
    let entries = crate::process::tree::survey::numbers().unwrap().filter_map(crate::process::tree::survey::entry);
    entries.filter(|entry| entry.parent == own && entry.dead).map(|entry| entry.pid).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn running_out_of_descriptors_is_an_error() {
    if !alone("running_out_of_descriptors_is_an_error") {
        return;
    }
    use nix::sys::resource::{Resource, getrlimit, setrlimit};
    let (_, hard) = getrlimit(Resource::RLIMIT_NOFILE).unwrap();
    let open = || std::fs::read_dir("/proc/self/fd").unwrap().count() as u64;
    let used = open();
    // Whatever is missing, the first descriptor or the last of the host's own, it is an error and nothing stays.
    let mut started = 0;
    for spare in 0..32 {
        setrlimit(Resource::RLIMIT_NOFILE, used + spare, hard).unwrap();
        let result = Process::start(&shell("sleep 1000"));
        setrlimit(Resource::RLIMIT_NOFILE, hard, hard).unwrap();
        match result {
            Ok(process) => {
                assert!(spare >= 16.min((used + spare) / 4), "{spare}: the host keeps some for itself");
                assert!(process.process.kill_tree().await.complete());
                started += 1;
            }
            Err(SpawnError::Resources { what, .. }) => assert_eq!(what, "file descriptors"),
            Err(other) => panic!("{other} with {spare} to spare"),
        }
        until("no zombie", || zombie_children().is_empty()).await;
        // The readers of a killed one's pipes see their ends by themselves.
        until(&format!("no descriptor left with {spare} to spare"), || open() == used).await;
    }
    assert!(started > 0, "with so many to spare it starts");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_the_host_ignores_its_processes_do_not() {
    if !alone("what_the_host_ignores_its_processes_do_not") {
        return;
    }
    use nix::sys::signal::{SigHandler, Signal, signal};
    for ignored in [Signal::SIGINT, Signal::SIGHUP, Signal::SIGQUIT, Signal::SIGTERM] {
        // SAFETY: nobody else is in this program, and ignoring needs no handler.
        unsafe { signal(ignored, SigHandler::SigIgn) }.unwrap();
    }
    let started = super::start(&super::launch("/bin/grep", &["SigIgn", "/proc/self/status"]));
    started.process.wait().await;
    started.process.finish(super::DRAIN).await;
    let shown = started.output.snapshot(Stream::Stdout, crate::process::Window::All).text;
    let ignored = u64::from_str_radix(shown.trim_start_matches("SigIgn:").trim(), 16).unwrap();
    // The C library keeps signals 32 and 33 for itself, and lets nobody change them.
    assert_eq!(ignored & !(0b11 << 31), 0, "{shown}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn inherited_orphans_are_buried_and_strangers_are_not() {
    if !alone("inherited_orphans_are_buried_and_strangers_are_not") {
        return;
    }
    adopt_orphans().unwrap();
    assert!(Containment::detect().inherits_orphans);
    let mut stranger = Command::new("/bin/true").spawn().unwrap();
    let stranger_pid = stranger.id() as i32;

    let script = "for i in 1 2 3; do (env -i setsid sleep 1000 &); done; sleep 1000";
    let started = start_as(&bash(script), Marked::ByLimit);
    until("four", || members_of(started.process.tree()).len() == 4).await;
    assert!(started.process.kill_tree().await.complete());
    started.process.wait().await;
    until("the stranger alone", || zombie_children() == [stranger_pid]).await;

    // An orphan that ends by itself, long after its job.
    let started = start_as(&bash("(env -i setsid sleep 1.1 &) ; exit 0"), Marked::ByLimit);
    started.process.wait().await;
    until("orphan's end", || members_of(started.process.tree()).is_empty()).await;
    until("its burial", || bury_orphans() == 1).await;
    assert_eq!(zombie_children(), [stranger_pid]);
    assert!(stranger.wait().unwrap().success());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_end_of_the_host_ends_all_its_jobs() {
    if !alone("the_end_of_the_host_ends_all_its_jobs") {
        return;
    }
    let trees: Vec<_> = (0..5)
        .map(|_| {
            let started = start_as(&bash("(env -i setsid sleep 1000 >/dev/null 2>&1 &); sleep 1000"), Marked::Fully);
            let tree = started.process.tree().clone();
            (started, tree)
        })
        .collect();
    for (_, tree) in &trees {
        until("two sleepers each", || members_of(tree).iter().filter(|pid| is_named(**pid, "sleep")).count() == 2)
            .await;
    }
    let killed = tokio::task::spawn_blocking(kill_host).await.unwrap();
    assert!(killed.complete() && killed.killed == 10, "{killed:?}");
    for (started, tree) in &trees {
        assert_eq!(members_of(tree), [0; 0]);
        assert_eq!(started.process.wait().await.signal, Some(9), "the status is still there");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_host_inside_a_job_marks_its_own_jobs_within_it() {
    if std::env::var_os(VARIABLE).is_some() {
        // The inner host, which is a member of the outer one's job.
        assert_eq!(Containment::detect().mechanism, Mechanism::LimitMark);
        let started =
            start_as(&bash("(env -i setsid sleep 1000 >/dev/null 2>&1 &); echo; sleep 1000"), Marked::ByLimit);
        until("two", || members_of(started.process.tree()).len() == 2).await;
        let other = start_as(&bash("(env -i setsid sleep 1000 >/dev/null 2>&1 &); exit 0"), Marked::ByLimit);
        other.process.wait().await;
        assert!(started.process.kill_tree().await.complete());
        assert_eq!(members_of(started.process.tree()), [0; 0]);
        assert_eq!(members_of(other.process.tree()).len(), 1, "the other job is let be");
        other.process.finish(super::DRAIN).await;
        return;
    }
    let path = path_of("a_host_inside_a_job_marks_its_own_jobs_within_it");
    let mut launch = bash(&format!("{} --exact {path} --test-threads=1", std::env::current_exe().unwrap().display()));
    launch.environment.push((VARIABLE.into(), "1".into()));
    let started = start_as(&launch, Marked::ByLimit);
    let exit = started.process.wait().await;
    started.process.finish(super::DRAIN).await;
    let told = started.output.snapshot(Stream::Stdout, crate::process::Window::All).text;
    assert!(exit.success() && told.contains("1 passed"), "{told}");
    let tree = started.process.tree();
    assert_eq!(members_of(tree).len(), 1, "what the inner host left is the outer job's");
    assert!(tree.kill().await.complete());
    assert_eq!(members_of(tree), [0; 0]);
}
