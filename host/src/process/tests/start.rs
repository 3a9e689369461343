//! Starting, ending, and everything that keeps a process from starting.

use std::os::unix::fs::PermissionsExt;

use super::{bash, launch, shell, start};
use crate::process::{Exit, InputRefused, Process, Signal, SpawnError, Stdin, Stdio, Stream, Whom, Window};

#[tokio::test]
async fn exit_codes_and_signals_are_told_apart() {
    let cases = [
        ("exit 0", Exit { code: Some(0), signal: None }),
        ("exit 3", Exit { code: Some(3), signal: None }),
        ("exit 255", Exit { code: Some(255), signal: None }),
        ("kill -9 $$", Exit { code: None, signal: Some(9) }),
        ("kill -TERM $$", Exit { code: None, signal: Some(15) }),
        ("ulimit -c 0; kill -SEGV $$", Exit { code: None, signal: Some(11) }),
        ("kill -40 $$", Exit { code: None, signal: Some(40) }),
    ];
    for (script, expected) in cases {
        let started = start(&shell(script));
        assert_eq!(started.process.wait().await, expected, "{script}");
        assert_eq!(started.process.wait().await, expected, "{script}, asked again");
    }
}

#[tokio::test]
async fn the_launch_is_all_that_the_process_sees() {
    let mut launch = launch("/usr/bin/env", &[]);
    launch.environment = vec![("ONLY".into(), "this".into())];
    let started = start(&launch);
    started.process.wait().await;
    started.process.finish(super::DRAIN).await;
    let text = started.output.snapshot(Stream::Stdout, Window::All).text;
    let mut lines: Vec<_> = text.lines().collect();
    lines.sort_unstable();
    assert_eq!(lines, ["ONLY=this".to_owned(), format!("SHELLWARD_JOB={}", launch.mark)]);
}

#[tokio::test]
async fn a_process_leads_a_group_of_its_own_in_its_directory() {
    let mut launch = bash("read -r -a stat < /proc/self/stat; echo $$ ${stat[4]}; pwd");
    launch.directory = "/usr".into();
    let started = start(&launch);
    started.process.wait().await;
    started.process.finish(super::DRAIN).await;
    let pid = started.process.pid();
    assert_eq!(started.output.snapshot(Stream::Stdout, Window::All).text, format!("{pid} {pid}\n/usr\n"));
}

#[tokio::test]
async fn input_is_empty_or_what_is_written() {
    let started = start(&launch("/bin/cat", &[]));
    assert!(started.process.wait().await.success());

    let mut launch = launch("/bin/cat", &[]);
    launch.stdio = Stdio::Pipes(Stdin::Pipe);
    let started = start(&launch);
    let input = started.process.input().unwrap();
    let line = "x".repeat(1000) + "\n";
    for _ in 0..300 {
        input.write(line.as_bytes()).unwrap();
    }
    input.end().unwrap();
    assert!(started.process.wait().await.success());
    started.process.finish(super::DRAIN).await;
    assert_eq!(started.output.total_bytes(Stream::Stdout), 300 * 1001);
}

#[tokio::test]
async fn writing_to_a_process_that_ended_is_an_error_not_a_signal() {
    let mut launch = shell("exit 0");
    launch.stdio = Stdio::Pipes(Stdin::Pipe);
    let started = start(&launch);
    started.process.wait().await;
    let input = started.process.input().unwrap();
    super::until("a closed input", || input.write(b"hello") == Err(InputRefused::Closed)).await;
}

#[tokio::test]
async fn each_reason_not_to_start_has_its_own_error() {
    let folder = std::env::temp_dir().join(super::unique_mark());
    std::fs::create_dir(&folder).unwrap();
    let file = |name: &str, content: &str, mode: u32| {
        let path = folder.join(name);
        std::fs::write(&path, content).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        path
    };
    let plain = file("plain", "echo hello\n", 0o644);
    let orphan = file("orphan", "#!/no/such/interpreter\n", 0o755);
    let garbage = file("garbage", "\u{1}\u{2}\u{3}", 0o755);
    let in_directory = |directory: &std::path::Path| {
        let mut launch = shell("true");
        launch.directory = directory.to_owned();
        launch
    };
    let program = |path: &std::path::Path| launch(path.to_str().unwrap(), &[]);
    let cases = [
        (launch("/no/such/program", &[]), "there is no program at `/no/such/program`"),
        (launch("sh", &[]), "`sh` is not an absolute path"),
        (program(&plain), "may not execute"),
        (program(&folder), "may not execute"),
        (program(&orphan), "interpreter"),
        (program(&garbage), "is not a program for this system"),
        (in_directory(&folder.join("missing")), "does not exist: create it"),
        (in_directory(&plain), "is not a directory"),
        (launch("/bin/sh", &["-c", "true\0"]), "argument 2 contains a NUL byte"),
        (launch("/bin/sh", &["-c", &"x".repeat(10 << 20)]), "more than this system takes"),
    ];
    for (launch, expected) in &cases {
        let error = Process::start(launch).unwrap_err();
        assert!(error.to_string().contains(expected), "{error} should say: {expected}");
    }
    assert!(matches!(Process::start(&cases[0].0), Err(SpawnError::NotFound { .. })));
    assert!(matches!(Process::start(&cases[9].0), Err(SpawnError::ArgumentsTooLong { bytes }) if bytes > 10 << 20));
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn what_the_system_has_run_out_of_is_said_with_the_limit_to_raise() {
    use nix::errno::Errno;
    // Memory in such shortage would end the test as well, so here is only what the system would say.
    for (errno, what, limit) in [
        (Errno::EAGAIN, "out of processes: end some jobs", "`ulimit -u`"),
        (Errno::ENOMEM, "out of memory: end some jobs", "`ulimit -v`"),
        (Errno::EMFILE, "out of file descriptors: end some jobs", "`ulimit -n`"),
        (Errno::ENFILE, "out of file descriptors: end some jobs", "`ulimit -n`"),
    ] {
        let error = SpawnError::explain(&shell("true"), errno.into());
        assert!(matches!(error, SpawnError::Resources { .. }), "{error:?}");
        assert!(error.to_string().contains(what) && error.to_string().contains(limit), "{error}");
    }
}

#[tokio::test]
async fn signals_reach_the_process_its_group_and_the_stopped() {
    let started = start(&shell("trap 'exit 7' USR1; echo ready; while :; do sleep 0.01; done"));
    super::until("output", || started.output.total_bytes(Stream::Stdout) > 0).await;
    assert_eq!(started.process.signal(Signal::from_name("USR1").unwrap(), Whom::Process).unwrap(), 1);
    assert_eq!(started.process.wait().await.code, Some(7));
    assert_eq!(started.process.signal(Signal::TERM, Whom::Process).unwrap(), 0, "it has ended");

    let started = start(&shell("sleep 1000 & wait"));
    assert!(started.process.signal(Signal::STOP, Whom::Group).unwrap() >= 1);
    assert!(started.process.signal(Signal::TERM, Whom::Group).unwrap() >= 1);
    assert_eq!(started.process.wait().await.signal, Some(15));
}
