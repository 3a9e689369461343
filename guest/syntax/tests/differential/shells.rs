//! Running a script in a real shell, with stubs that record what they were called with.

use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// A program and its arguments, as a stub saw them.
pub type Call = Vec<String>;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Shell {
    Bash,
    Dash,
}

/// A directory where scripts run, with nothing in `PATH` but stubs.
pub struct Laboratory {
    root: PathBuf,
    shell: Shell,
    /// The user that scripts run as, who has nothing else; none where the tests may not change it.
    ///
    /// A random script may fork itself without end, and only a limit of the user's processes ends that.
    user: Option<u32>,
    /// The process group that runs, and when it is killed.
    running: Arc<Mutex<Option<(u32, Instant)>>>,
}

/// Tells the directories of one process apart.
static COUNT: AtomicU32 = AtomicU32::new(0);

/// The most that is read from one script's stubs.
const MOST: u64 = 1 << 20;

/// How long a script may run.
const PATIENCE: Duration = Duration::from_secs(5);

/// How many processes a laboratory's own user may have.
const PROCESSES: u32 = 64;

/// How many processes there may be when scripts run as the user of the tests, who has others.
const SHARED_PROCESSES: u32 = 4_096;

/// Sourced by bash before each script: records go to descriptor 9, which is this process's pipe.
///
/// The stubs are functions, which cost no process; what is no stub comes to the handler. Bash writes at each newline,
/// so a newline is recorded as another sign: records must reach the pipe in one piece.
const BASH_SETUP: &str = r#"
exec 9>&1 >/dev/null 2>&1
FUNCNEST=20
ulimit -t 1 -f 64 -u "$PROCESSES"
unset BASH_ENV
command_not_found_handle() { builtin printf '%s\0' "$#" "${@//$'\n'/$'\2\3'}" >&9; builtin return $((RANDOM % 2)); }
c1() { command_not_found_handle c1 "$@"; }
c2() { command_not_found_handle c2 "$@"; }
c3() { command_not_found_handle c3 "$@"; }
c4() { command_not_found_handle c4 "$@"; }
c5() { command_not_found_handle c5 "$@"; }
c6() { command_not_found_handle c6 "$@"; }
c7() { command_not_found_handle c7 "$@"; }
c8() { command_not_found_handle c8 "$@"; }
c9() { command_not_found_handle c9 "$@"; }
"#;

/// Read by dash before each script; `eval` reads a text as `-c` does.
///
/// A script may define a function by any name, `printf` and `record` included: the count comes first and is handed on
/// to every process that is forked, so that no chain of calls goes on for ever.
const DASH_SETUP: &str = r#"
exec 9>&1 >/dev/null 2>&1
ulimit -t 1
ulimit -f 64
ulimit -p "$PROCESSES"
calls=0
record() {
    calls=$((calls + 1))
    if [ "$calls" -gt 500 ]; then exit 1; fi
    command printf '%s\0' "$#" "$@" >&9
    return $((calls / 2 % 2))
}
c1() { record c1 "$@"; }
c2() { record c2 "$@"; }
c3() { record c3 "$@"; }
c4() { record c4 "$@"; }
c5() { record c5 "$@"; }
c6() { record c6 "$@"; }
c7() { record c7 "$@"; }
c8() { record c8 "$@"; }
c9() { record c9 "$@"; }
eval "$SCRIPT"
"#;

impl Laboratory {
    pub fn new(shell: Shell) -> Self {
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let root = std::env::temp_dir().join(format!("shellward-syntax-{}-{number}", std::process::id()));
        // Deep, so that a stray `..` stays inside.
        let home = root.join("a/b/c/d");
        std::fs::create_dir_all(&home).unwrap();
        std::fs::create_dir_all(root.join("bin")).unwrap();
        // Other tests that run at the same time get other users, nearly always.
        let user = 20_000 + (std::process::id() * 16 + number) % 40_000;
        let user = std::os::unix::fs::chown(&home, Some(user), Some(user)).is_ok().then_some(user);
        std::fs::write(root.join("setup"), if shell == Shell::Bash { BASH_SETUP } else { DASH_SETUP }).unwrap();
        let running = Arc::new(Mutex::new(None));
        let watched = Arc::downgrade(&running);
        std::thread::spawn(move || {
            while let Some(running) = watched.upgrade() {
                let overdue = running.lock().unwrap().filter(|(_, deadline)| Instant::now() > *deadline);
                if let Some((group, _)) = overdue {
                    kill(group);
                }
                drop(running);
                std::thread::sleep(Duration::from_millis(100));
            }
        });
        Self { root, shell, user, running }
    }

    /// Tells whether scripts run as a user who has nothing else.
    #[cfg_attr(not(test), expect(dead_code, reason = "only the tests ask"))]
    pub fn is_alone(&self) -> bool {
        self.user.is_some()
    }

    /// Runs a script and returns every call of a stub.
    pub fn run(&self, script: &str) -> Vec<Call> {
        let home = self.root.join("a/b/c/d");
        let mut command = match self.shell {
            Shell::Bash => {
                let mut command = Command::new("/bin/bash");
                command.arg("-c").arg(script).env("BASH_ENV", self.root.join("setup"));
                command
            }
            Shell::Dash => {
                let mut command = Command::new("/bin/dash");
                command.args(["-c", ". \"$SETUP\""]).env("SETUP", self.root.join("setup")).env("SCRIPT", script);
                command
            }
        };
        command.env_remove("ENV").env("PATH", self.root.join("bin")).env("HOME", &home).env("LC_ALL", "C.UTF-8");
        let processes = if self.user.is_some() { PROCESSES } else { SHARED_PROCESSES };
        command.env("PROCESSES", processes.to_string());
        if let Some(user) = self.user {
            command.gid(user).uid(user);
        }
        command.current_dir(&home).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).process_group(0);
        let mut child = command.spawn().unwrap();
        let deadline = Instant::now() + PATIENCE;
        *self.running.lock().unwrap() = Some((child.id(), deadline));
        let mut bytes = Vec::new();
        // The pipe ends when the last process of the script has ended, background ones included.
        let mut output = child.stdout.take().unwrap();
        output.by_ref().take(MOST).read_to_end(&mut bytes).unwrap();
        kill_if(bytes.len() as u64 >= MOST, child.id());
        child.wait().unwrap();
        *self.running.lock().unwrap() = None;
        clear(&home);
        calls(&bytes)
    }
}

impl Drop for Laboratory {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.root);
    }
}

fn kill_if(condition: bool, group: u32) {
    if condition {
        kill(group);
    }
}

fn kill(group: u32) {
    let _ = Command::new("/bin/bash").args(["-c", &format!("kill -9 -- -{group}")]).stderr(Stdio::null()).status();
}

fn clear(directory: &Path) {
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        if entry.path().is_dir() {
            let _ = std::fs::remove_dir_all(entry.path());
        } else {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// Splits what the stubs wrote: a count and as many words, each ended by NUL.
fn calls(bytes: &[u8]) -> Vec<Call> {
    let mut fields =
        bytes.split(|byte| *byte == 0).map(|field| String::from_utf8_lossy(field).replace("\u{2}\u{3}", "\n"));
    let mut calls = Vec::new();
    while let Some(count) = fields.next().and_then(|count| count.parse::<usize>().ok()) {
        let call: Call = fields.by_ref().take(count).collect();
        if call.len() == count {
            calls.push(call);
        }
    }
    calls
}
