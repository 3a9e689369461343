//! Lasting shells, against every shell that is here, with a terminal and with the streams apart.

mod ending;
mod running;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::{Command, Dialect, Refused, Shells, Wanted};
use crate::process::{CaptureLimits, Exit, Front, Launch, Size, Stdio, Stream, Terminal, Window};

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

async fn until_shows(command: &Command, what: &str) {
    until(what, || text(command, Stream::Stdout).contains(what)).await;
}
