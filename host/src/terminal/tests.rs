//! Lasting shells, against every shell that is here, with a terminal and with the streams apart.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::{Command, Dialect, Refused, Shells, Wanted};
use crate::process::{CaptureLimits, Exit, Front, Launch, Signal, Size, Stdio, Stream, Terminal, Whom, Window};

const SIZE: Size = Size { rows: 24, columns: 80 };

/// The shells that are here, each in both modes; in CI all of them must be.
fn laboratories() -> Vec<Laboratory> {
    let shells = [
        (Dialect::Bash, "/bin/bash", &["--norc"][..]),
        (Dialect::Sh, "/bin/sh", &[]),
        (Dialect::Zsh, "/bin/zsh", &["-f"]),
    ];
    let mut found = Vec::new();
    for (dialect, program, arguments) in shells {
        if !Path::new(program).exists() {
            assert!(dialect == Dialect::Zsh, "{program} must be there");
            assert!(std::env::var_os("CI").is_none(), "CI must have {program}; `.ci/run` installs it");
            eprintln!("skipped: {program} is not there (apt-get install zsh)");
            continue;
        }
        for apart in [false, true] {
            found.push(Laboratory::new(dialect, program, arguments, apart));
        }
    }
    found
}

struct Laboratory {
    shells: Shells,
    dialect: Dialect,
    program: &'static str,
    arguments: &'static [&'static str],
    apart: bool,
    environment: Vec<(OsString, OsString)>,
    directory: PathBuf,
    name: String,
    raw: bool,
}

/// How a command went.
#[derive(Debug)]
struct Went {
    code: Option<i32>,
    out: String,
    err: String,
    directory: Option<String>,
    lost: bool,
}

impl Laboratory {
    fn new(dialect: Dialect, program: &'static str, arguments: &'static [&'static str], apart: bool) -> Self {
        Self {
            shells: Shells::default(),
            dialect,
            program,
            arguments,
            apart,
            environment: vec![("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into()), ("TERM".into(), "xterm".into())],
            directory: "/".into(),
            name: "main".to_owned(),
            raw: false,
        }
    }

    fn bash() -> Self {
        Self::new(Dialect::Bash, "/bin/bash", &["--norc"], false)
    }

    fn what(&self) -> String {
        format!("{:?}, {}", self.dialect, if self.apart { "apart" } else { "terminal" })
    }

    fn begin_in(&self, command: &str, moved: Option<&str>) -> Result<Command, Refused> {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let terminal = (!self.apart).then_some(Terminal { size: SIZE, echo: false, raw: false });
        let capture = CaptureLimits { head: 64 << 20, tail: 1000 };
        let launch = Launch {
            program: self.program.into(),
            arguments: self.arguments.iter().map(OsString::from).collect(),
            directory: self.directory.clone(),
            environment: self.environment.clone(),
            mark: format!("shell-test-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed)),
            stdio: Stdio::Shell(terminal),
            capture,
            tap: None,
            front: Front::None,
        };
        self.shells.run(Wanted {
            session: "test",
            name: &self.name,
            command,
            dialect: self.dialect,
            launch,
            likeness: format!("{:?}", self.apart),
            directory: moved,
            size: (!self.apart).then_some(SIZE),
            raw: self.raw,
            capture,
            tap: None,
        })
    }

    fn begin(&self, command: &str) -> Command {
        self.begin_in(command, None).unwrap()
    }

    async fn run(&self, command: &str) -> Went {
        end(&self.begin(command)).await
    }

    /// Runs a command that must end well and print this.
    async fn expect(&self, command: &str, out: &str) {
        let went = self.run(command).await;
        let both = if self.apart { went.out.clone() + &went.err } else { went.out.clone() };
        assert_eq!(
            (went.code, both.as_str(), went.lost),
            (Some(0), out, false),
            "{}: {command}: {went:?}",
            self.what()
        );
    }
}

impl Drop for Laboratory {
    fn drop(&mut self) {
        assert_eq!(self.shells.kill(), Vec::<i32>::new());
    }
}

async fn end(command: &Command) -> Went {
    let exit = tokio::time::timeout(Duration::from_secs(60), command.wait()).await;
    let Ok(Exit { code, .. }) = exit else {
        panic!("{} did not end; it printed {:?}", command.line(), text(command, Stream::Stdout));
    };
    command.stop_input();
    let ended = command.ended().unwrap();
    Went {
        code,
        out: text(command, Stream::Stdout),
        err: text(command, Stream::Stderr),
        directory: ended.directory,
        lost: ended.lost,
    }
}

fn text(command: &Command, stream: Stream) -> String {
    command.output().snapshot(stream, Window::All).text
}

async fn until(what: &str, condition: impl Fn() -> bool) {
    for _ in 0..6000 {
        if condition() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("waited 30 seconds for: {what}");
}

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

async fn until_shows(command: &Command, what: &str) {
    until(what, || text(command, Stream::Stdout).contains(what)).await;
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
