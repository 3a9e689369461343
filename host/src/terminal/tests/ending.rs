//! How commands are interrupted, killed and given up, and what becomes of their shell.

use std::time::Duration;

use super::{end, laboratories, until, until_shows};
use crate::process::{Signal, Whom};
use crate::terminal::Refused;

#[tokio::test]
async fn a_shell_that_ends_is_reported_and_a_new_one_starts() {
    for lab in laboratories() {
        for (dying, code) in
            [("X=1; exit 7", Some(7)), ("exec sh -c 'echo replaced; exit 3'", Some(3)), ("kill -9 $$", None)]
        {
            lab.expect("X=old", "").await;
            let went = lab.run(dying).await;
            assert_eq!((went.code, went.lost), (code, true), "{}: {dying}: {went:?}", lab.what());
            assert_eq!(went.out.contains("replaced"), dying.contains("replaced"), "{}", lab.what());
            lab.expect("echo \"new ${X-nothing}\"", "new nothing\n").await;
        }
        let went = lab.run("set -e; echo before; false; echo not reached").await;
        assert_eq!((went.code, went.lost), (Some(1), true), "{}: {went:?}", lab.what());
        assert!(went.out.starts_with("before\n") && !went.out.contains("not reached"), "{went:?}");
        lab.expect("set -e; true", "").await;
        lab.expect("if false; then :; fi; echo alive", "alive\n").await;
    }
}

#[tokio::test]
async fn an_interrupt_leaves_the_shell_usable() {
    let endless = [
        "sleep 1000; echo not reached",
        "while :; do :; done",
        "while :; do sleep 0.05; done",
        "for i in 1 2 3; do sleep 1000; done",
        "(trap '' TERM; sleep 1000)",
        "cat /dev/zero | cat >/dev/null",
    ];
    for lab in laboratories() {
        lab.expect("X=kept", "").await;
        for script in endless {
            let command = lab.begin(&format!("echo begun; {script}"));
            until_shows(&command, "begun\n").await;
            let mut went = None;
            // What was begun may not have got to where it hears of it.
            for _ in 0..100 {
                command.signal(Signal::INT, Whom::Group).unwrap();
                if tokio::time::timeout(Duration::from_millis(300), command.wait()).await.is_ok() {
                    went = Some(end(&command).await);
                    break;
                }
            }
            let went = went.unwrap_or_else(|| panic!("{}: {script} goes on", lab.what()));
            assert!(!went.lost && !went.out.contains("not reached"), "{}: {script}: {went:?}", lab.what());
            assert!(!went.out.contains("prompt> ") && !went.err.contains("$ "), "{}: {script}: {went:?}", lab.what());
            // Of a pipeline the last may see the end of its input before it hears of the interrupt.
            assert!(went.code != Some(0) || script.contains('|'), "{}: {script}", lab.what());
            lab.expect("echo $X", "kept\n").await;
        }
    }
}

#[tokio::test]
async fn killing_a_command_ends_all_it_started_and_not_the_shell() {
    let stubborn = [
        "sleep 1000 & sleep 1000",
        "while :; do sleep 0.01; done",
        "trap '' INT; (trap '' INT TERM HUP; sleep 1000); trap - INT",
        "setsid sleep 1000 & sleep 1000",
        "(setsid sh -c 'sleep 1000 & sleep 1000' &); while :; do :; done",
    ];
    for lab in laboratories() {
        lab.expect("X=kept", "").await;
        let server = lab.begin("sleep 999 >/dev/null 2>&1 & echo $!");
        let server: i32 = end(&server).await.out.lines().last().unwrap().trim().parse().unwrap();
        // The table counts time in hundredths of a second: what began earlier must be seen to.
        tokio::time::sleep(Duration::from_millis(30)).await;
        for script in stubborn {
            let command = lab.begin(&format!("echo begun; {script}"));
            until_shows(&command, "begun\n").await;
            command.kill().await;
            let went = end(&command).await;
            assert!(!went.lost, "{}: {script}: {went:?}", lab.what());
            lab.expect("echo $X", "kept\n").await;
            let session = command.session_tree();
            let alive: Vec<i32> = session.living().unwrap();
            assert_eq!(alive.len(), 2, "{}: {script}: the shell, and what runs since before: {alive:?}", lab.what());
            assert!(alive.contains(&server));
        }
    }
}

#[tokio::test]
async fn what_an_ended_command_left_is_killed_with_all_that_it_started_since() {
    for lab in laboratories() {
        // Ends at once, and leaves what forks on: orphans, each in nobody's hand, all younger than the command's end.
        let command = lab.begin("(setsid sh -c 'for i in 1 2 3 4 5; do sleep 0.03; (sleep 1000 &); done' &)");
        end(&command).await;
        let session = command.session_tree();
        until("the orphans are there", || session.living().unwrap().len() == 6).await;
        command.kill().await;
        assert_eq!(session.living().unwrap(), [command.pid()], "{}", lab.what());
        lab.run("sleep 1000 >/dev/null 2>&1 &").await;
        command.kill().await;
        assert_eq!(session.living().unwrap().len(), 2, "{}: what came after it is not its own", lab.what());
    }
}

#[tokio::test]
async fn a_shell_that_does_not_come_back_is_killed_and_reported() {
    for lab in laboratories() {
        let command = lab.begin("trap '' INT; echo begun; while :; do :; done");
        until_shows(&command, "begun\n").await;
        command.kill().await;
        assert!(end(&command).await.lost, "{}", lab.what());
        lab.expect("echo new", "new\n").await;
    }
}

#[tokio::test]
async fn a_command_that_interrupts_its_own_shell_ends() {
    for lab in laboratories() {
        let went = lab.run("echo before; kill -INT $$; sleep 1; echo after").await;
        assert!(!went.lost && went.out.starts_with("before\n"), "{}: {went:?}", lab.what());
        lab.expect("echo alive", "alive\n").await;
    }
}

#[tokio::test]
async fn dropping_a_command_ends_it_and_frees_the_shell() {
    for lab in laboratories() {
        lab.expect("X=kept", "").await;
        let command = lab.begin("echo begun; sleep 1000");
        until_shows(&command, "begun\n").await;
        assert!(matches!(lab.begin_in("echo too early", None), Err(Refused::Busy)));
        drop(command);
        let mut next = Err(Refused::Busy);
        for _ in 0..2000 {
            next = lab.begin_in("echo $X", None);
            if !matches!(next, Err(Refused::Busy)) {
                break;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        assert_eq!(end(&next.unwrap()).await.out, "kept\n", "{}", lab.what());
    }
}
