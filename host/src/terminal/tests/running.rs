//! What commands find, print and leave behind.

use std::time::Duration;

use super::{Laboratory, end, laboratories, text, until};
use crate::process::Stream;
use crate::terminal::Dialect;

#[tokio::test]
async fn the_latest_command_of_a_shell_is_known_while_the_shell_lives() {
    let mut lab = Laboratory::new(Dialect::Bash, "/bin/bash", &["--norc"], true);
    let first = lab.begin(":");
    end(&first).await;
    assert!(first.is_latest());
    let second = lab.begin("exit");
    assert!(!first.is_latest());
    assert!(end(&second).await.lost && !second.is_latest());
    lab.name = "other".to_owned();
    let other = lab.begin(":");
    end(&other).await;
    assert!(other.is_latest());
    lab.shells.end_session("test");
    assert!(!other.is_latest());
}

#[tokio::test]
async fn what_a_command_changes_the_next_one_finds() {
    for lab in laboratories() {
        lab.expect("cd /usr && export A='a b' B=2 && f() { echo \"f $1\"; }", "").await;
        lab.expect("pwd; echo \"$A$B\"; sh -c 'echo $A'; f x", "/usr\na b2\na b\nf x\n").await;
        let went = lab.run("cd lib; false").await;
        assert_eq!((went.code, went.directory.as_deref()), (Some(1), Some("/usr/lib")), "{}", lab.what());
        lab.expect("echo $?", "1\n").await;
        lab.expect("set -o noglob; alias greet='echo hello'", "").await;
        lab.expect("greet; echo *", "hello\n*\n").await;
    }
}

#[tokio::test]
async fn commands_of_every_form_are_run_as_they_stand() {
    for lab in laboratories() {
        lab.expect("echo one\necho two\n\necho three", "one\ntwo\nthree\n").await;
        lab.expect("cat <<EOF\nfirst $((1 + 1))\n  second 'x' \"y\"\nEOF", "first 2\n  second 'x' \"y\"\n").await;
        lab.expect("cat <<'EOF'\n$HOME `x` \\ !\nEOF\necho after", "$HOME `x` \\ !\nafter\n").await;
        lab.expect("echo tail # a comment", "tail\n").await;
        lab.expect("# only a comment", "").await;
        lab.expect("", "").await;
        lab.expect("printf 'no newline'", "no newline").await;
        lab.expect("printf '%s\\n' \"it's\" 'a\\b' '!!' \"!\" '$x' 'ä 日'", "it's\na\\b\n!!\n!\n$x\nä 日\n").await;
        lab.expect("for i in 1 2; do\n  if [ $i = 2 ]; then echo two; fi\ndone", "two\n").await;
        lab.expect("(exit 3) || echo \"was $?\"", "was 3\n").await;
        lab.expect("echo a | tr a b; { echo x; echo y; } | wc -l | tr -d ' '", "b\n2\n").await;
    }
}

#[tokio::test]
async fn what_is_no_command_is_answered_and_the_shell_lives() {
    for lab in laboratories() {
        lab.expect("X=kept", "").await;
        for broken in
            ["if true", "echo 'unterminated", "echo \"$(echo", "cat <<EOF\nx", ")", "fi", "a &&", "echo ${x!y}"]
        {
            let went = lab.run(broken).await;
            assert!(!went.lost, "{}: {broken}: {went:?}", lab.what());
            if broken != "cat <<EOF\nx" {
                assert!(went.code != Some(0), "{}: {broken}: {went:?}", lab.what());
                assert!(!(went.out.clone() + &went.err).is_empty(), "{}: {broken}", lab.what());
            }
        }
        let missing = lab.run("no-such-program-at-all").await;
        assert_eq!(missing.code, Some(127), "{}", lab.what());
        lab.run("eval 'echo \"$(echo'; eval 'echo \"'; true").await;
        lab.expect("echo $X", "kept\n").await;
    }
}

#[tokio::test]
async fn the_streams_are_kept_apart_or_shown_together() {
    for lab in laboratories() {
        let went = lab.run("echo out; echo err >&2; test -t 1 && echo terminal; stty size 2>/dev/null").await;
        if lab.apart {
            assert_eq!((went.out.as_str(), went.err.as_str()), ("out\n", "err\n"));
            lab.expect("cat; echo end", "end\n").await;
        } else {
            assert_eq!((went.out.as_str(), went.err.as_str()), ("out\nerr\nterminal\n24 80\n", ""));
        }
    }
}

#[tokio::test]
async fn redirections_by_exec_hold_for_their_own_command() {
    for lab in laboratories() {
        let file =
            std::env::temp_dir().join(format!("shellward-exec-{}-{:?}-{}", std::process::id(), lab.dialect, lab.apart));
        lab.expect(&format!("exec >{0} 2>&1 </dev/null; echo hidden", file.display()), "").await;
        lab.expect("echo seen", "seen\n").await;
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "hidden\n");
        std::fs::remove_file(&file).unwrap();
        lab.expect("exec 5>/dev/null; exec 1>&- 2>&-", "").await;
        lab.expect("echo still seen", "still seen\n").await;
    }
}

#[tokio::test]
async fn traps_options_and_prompts_of_the_user_do_no_harm() {
    for lab in laboratories() {
        lab.expect("PS1='prompt> ' PS2='more> ' PROMPT_COMMAND='echo prompted'", "").await;
        lab.expect("echo a\necho b", "a\nb\n").await;
        lab.expect("set -u", "").await;
        lab.expect("echo c", "c\n").await;
        lab.expect("set +u; trap 'echo at exit' EXIT", "").await;
        lab.expect("echo d", "d\n").await;
        lab.run("set -x").await;
        let traced = lab.run("echo traced").await;
        let both = traced.out.clone() + &traced.err;
        let trace = if lab.dialect == Dialect::Zsh { "+(eval):1> echo traced" } else { "+ echo traced" };
        assert!(both.contains(trace) && !both.contains("133") && !both.contains("printf"), "{both:?}");
        lab.run("set +x; set -v").await;
        let went = lab.run("echo verbose").await;
        assert!(
            went.out.ends_with("verbose\n") && !went.out.contains("printf") && !went.err.contains("printf"),
            "{went:?}"
        );
        lab.run("set +v").await;
        if lab.dialect == Dialect::Bash {
            lab.run("trap 'echo \"about to $BASH_COMMAND\"' DEBUG").await;
            let went = lab.run("echo e").await;
            assert!(went.out.ends_with("about to echo e\ne\n") && !went.out.contains("printf"), "{went:?}");
            lab.run("trap - DEBUG").await;
            lab.expect("trap 'echo failed' ERR", "").await;
            let went = lab.run("false").await;
            assert_eq!((went.code, went.out.as_str()), (Some(1), "failed\n"), "{went:?}");
            lab.expect("trap - ERR; PS0='zero'; shopt -s extdebug; shopt -u extdebug", "").await;
            lab.expect("history; fc -l 2>/dev/null; echo none", "none\n").await;
        }
        let last = lab.run("exit 0").await;
        assert!(last.lost && last.out.contains("at exit"), "{last:?}");
    }
}

#[tokio::test]
async fn output_that_imitates_a_mark_is_output_and_no_secret_is_to_be_found() {
    for mut lab in laboratories() {
        lab.raw = true;
        let went = lab.run("printf '\\033]133;D;0;/;x\\033\\\\still here'; env; set; alias; ps axww -o args").await;
        assert!(went.out.contains("\x1b]133;D;0;/;x\x1b\\still here"), "{}", lab.what());
        let command = lab.begin("env; set; printf done");
        let secret = command.secret();
        let went = end(&command).await;
        assert!(went.out.ends_with("done") && !went.out.contains(&secret), "{}", lab.what());
    }
}

#[tokio::test]
async fn a_prompt_is_noticed_and_can_be_answered() {
    for lab in laboratories().into_iter().filter(|lab| !lab.apart) {
        let command = lab.begin(
            "printf 'Name: '; read -r name; printf 'Sure? '; sh -c 'read -r sure; echo \"$sure\"'; echo \"$name\"",
        );
        for (prompt, answer) in [("Name: ", "Ada\n"), ("Sure? ", "yes\n")] {
            tokio::time::timeout(Duration::from_secs(30), command.awaits_input()).await.unwrap();
            let shown = text(&command, Stream::Stdout);
            assert!(shown.ends_with(prompt), "{}: {shown:?}", lab.what());
            command.write(answer.as_bytes()).unwrap();
        }
        assert_eq!(end(&command).await.out, "Name: Sure? yes\nAda\n", "{}: nothing is echoed", lab.what());
        let sleeping = lab.begin("sleep 1000");
        let waits = tokio::time::timeout(Duration::from_millis(450), sleeping.awaits_input()).await;
        assert!(waits.is_err(), "one that sleeps waits for nobody");
        sleeping.kill().await;
        end(&sleeping).await;
        let reader = lab.begin("cat; echo over");
        reader.write(b"typed\nhalf").unwrap();
        reader.end_input().unwrap();
        assert_eq!(end(&reader).await.out, "typed\nhalfover\n");
        let unread = lab.begin("sleep 0.1");
        unread.write(b"echo from nowhere\n").unwrap();
        end(&unread).await;
        let went = lab.run("read -r line </dev/null; echo \"[$line]\"").await;
        assert_eq!(went.out, "[]\n");
    }
}

#[tokio::test]
async fn full_screens_raw_modes_and_odd_bytes_leave_text() {
    for lab in laboratories().into_iter().filter(|lab| !lab.apart) {
        lab.expect("echo a; printf '\\033[?1049h\\033[2Jscreen'; printf '\\033[?1049l'; echo b", "a\nb\n").await;
        lab.expect("printf '\\033[31m10%% \\033[0m\\r100%%\\n'", "100%\n").await;
        lab.expect("stty raw echo; printf 'x\\r\\n'", "x\n").await;
        lab.expect("stty -a | grep -q ' -echo ' && stty -a | grep -q ' icanon' && echo back", "back\n").await;
        let went = lab.run("printf 'a\\377\\376b\\n'").await;
        assert_eq!(went.out, "a\u{FFFD}\u{FFFD}b\n");
        lab.expect("head -c 300000 /dev/zero | tr '\\0' x | wc -c | tr -d ' '", "300000\n").await;
    }
}

#[tokio::test]
async fn every_byte_of_much_output_arrives() {
    for lab in laboratories() {
        let went = lab.run("seq 1 1000000").await;
        let expected: String = (1..=1_000_000).map(|number| format!("{number}\n")).collect();
        assert!(went.out == expected, "{}: {} bytes of {}", lab.what(), went.out.len(), expected.len());
        let went = lab.run("head -c 10485760 /dev/zero | tr '\\0' x").await;
        assert_eq!(went.out.len(), 10 << 20, "{}", lab.what());
        lab.expect("echo after", "after\n").await;
    }
}

#[tokio::test]
async fn the_shell_is_moved_where_it_is_told() {
    for lab in laboratories() {
        lab.expect("cd /tmp", "").await;
        let went = end(&lab.begin_in("pwd", Some("/usr/lib")).unwrap()).await;
        assert_eq!((went.out.as_str(), went.directory.as_deref()), ("/usr/lib\n", Some("/usr/lib")), "{}", lab.what());
        let went = end(&lab.begin_in("echo not here", Some("/no/such/place")).unwrap()).await;
        assert_eq!((went.code, went.lost), (Some(1), false), "{}: {went:?}", lab.what());
        assert!(!went.out.contains("not here"));
    }
}

#[tokio::test]
async fn jobs_in_the_background_go_on_between_commands() {
    for lab in laboratories() {
        let went = lab.run("sleep 1000 & echo pid $!").await;
        let line = went.out.lines().find(|line| line.starts_with("pid ")).unwrap().to_owned();
        let pid: i32 = line[4..].trim().parse().unwrap();
        lab.expect(&format!("kill -0 {pid} && echo lives"), "lives\n").await;
        // Until it is the sleeper it is still the shell, which does not hear SIGTERM.
        let name = || std::fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
        until("the sleeper is one", || name() == "sleep\n").await;
        let went = lab.run("kill %1 && wait %1; echo ended").await;
        assert!(went.out.ends_with("ended\n"), "{}: {went:?}", lab.what());
    }
}

#[tokio::test]
async fn an_rc_file_is_read_and_its_prompts_are_not_seen() {
    let home = tempfile::tempdir().unwrap();
    std::fs::write(
        home.path().join("rc"),
        "echo welcome; PS1='\\u@\\h$ '; PROMPT_COMMAND='printf prompt'; alias ll='echo listed'; set -o history; trap 'echo bye' EXIT\n",
    )
    .unwrap();
    let mut lab = Laboratory::bash();
    let rc = home.path().join("rc").display().to_string();
    lab.arguments = Box::leak(Box::new(["--rcfile", Box::leak(rc.into_boxed_str())]));
    lab.expect("ll; history", "listed\n").await;
    lab.expect("echo two", "two\n").await;
}

#[tokio::test]
async fn many_commands_leave_nothing_behind_in_host_or_shell() {
    let many: usize = 10_000;
    let lab = Laboratory::bash();
    let measure = || {
        let descriptors = std::fs::read_dir("/proc/self/fd").unwrap().count();
        let threads = std::fs::read_dir("/proc/self/task").unwrap().count();
        (descriptors, threads)
    };
    lab.expect("X=0", "").await;
    let pid = lab.begin("true");
    let shell = pid.pid();
    end(&pid).await;
    let memory = || -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{shell}/status")).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    };
    for _ in 0..200 {
        lab.expect("X=$((X + 1))", "").await;
    }
    let (before, shell_before) = (measure(), memory());
    for _ in 0..many - 200 {
        lab.expect("X=$((X + 1))", "").await;
    }
    lab.expect("echo $X", &format!("{many}\n")).await;
    let (after, shell_after) = (measure(), memory());
    // Other tests of this program have descriptors of their own while they run: a leak would have thousands.
    assert!(after.0 < before.0 + 500 && after.1 < before.1 + 100, "{before:?} {after:?}");
    assert!(shell_after < shell_before + 2048, "the shell grew from {shell_before} to {shell_after} KiB");
    assert_eq!(lab.shells.count(), 1);
    // The end of a command is told before the shell has put back its own descriptors.
    let held = || std::fs::read_dir(format!("/proc/{shell}/fd")).unwrap().count();
    until("the shell holds no more than its own descriptors", || held() <= 6).await;
}

#[tokio::test]
async fn fifty_shells_at_once_do_not_disturb_each_other() {
    let mut lab = Laboratory::bash();
    let mut commands = Vec::new();
    for number in 0..50 {
        lab.name = format!("shell {number}");
        commands.push(lab.begin(&format!("X={number}; sleep 0.2; echo $X")));
    }
    for (number, command) in commands.iter().enumerate() {
        assert_eq!(end(command).await.out, format!("{number}\n"));
    }
    assert_eq!(lab.shells.count(), 50);
    for number in 0..50 {
        lab.name = format!("shell {number}");
        lab.expect("echo $X", &format!("{number}\n")).await;
    }
    assert_eq!(lab.shells.end_session("nobody"), Vec::<i32>::new());
    assert_eq!(lab.shells.count(), 50);
    lab.shells.end_session("test");
    assert_eq!(lab.shells.count(), 0);
}
