//! A place to run lines in a real `nu`, with programs that only record how they were called.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// A program's name and arguments.
pub type Call = Vec<String>;

/// The programs there are.
pub const PROGRAMS: &[&str] = &["c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8", "c9"];

/// Finds `nu`: by `SHELLWARD_NU`, or on the search path.
pub fn find() -> Option<PathBuf> {
    if let Some(given) = std::env::var_os("SHELLWARD_NU") {
        return Some(PathBuf::from(given));
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|directory| directory.join("nu")).find(|nu| nu.is_file())
}

/// Numbers directories and logs.
static NUMBER: AtomicUsize = AtomicUsize::new(0);

pub struct Laboratory {
    nu: PathBuf,
    root: PathBuf,
    /// Files that lines may name; written anew when a line has changed them.
    files: &'static [&'static str],
}

impl Laboratory {
    pub fn new(nu: &Path) -> Self {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let root = std::env::temp_dir().join(format!("shellward-nu-{}-{number}", std::process::id()));
        fs::create_dir_all(root.join("bin")).unwrap();
        fs::create_dir_all(root.join("home")).unwrap();
        for program in PROGRAMS {
            // One write, so that programs that run at once do not mix their words.
            let script = format!(
                "#!/bin/sh\nprintf '%s\\037' {program} \"$@\" '\u{1e}' >> \"$SHELLWARD_LOG\"\nprintf 'f1\\n'\n"
            );
            let file = root.join("bin").join(program);
            fs::write(&file, script).unwrap();
            fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
        }
        Self { nu: nu.to_owned(), root, files: &["f1", "f2", "d1.txt"] }
    }

    /// Tells which lines nu can parse, asking one process about all of them; all, when it does not say.
    pub fn valid(&self, lines: &[String]) -> Vec<bool> {
        let quoted: Vec<String> = lines.iter().map(|line| json(line)).collect();
        let file = self.root.join("lines.json");
        fs::write(&file, format!("[{}]", quoted.join(","))).unwrap();
        let ask = format!("open '{}' | each {{|line| $line | nu-check }} | to json --raw", file.display());
        let output = self.command(&ask).stdout(Stdio::piped()).output().unwrap();
        let answers = String::from_utf8_lossy(&output.stdout).into_owned();
        let answers: Vec<bool> = answers.trim().trim_matches(['[', ']']).split(',').map(|one| one == "true").collect();
        if answers.len() == lines.len() { answers } else { vec![true; lines.len()] }
    }

    /// Runs a line and gives what it prints.
    #[cfg_attr(not(test), expect(dead_code, reason = "only the tests ask"))]
    pub fn print(&self, line: &str) -> String {
        let output = self.command(line).stdout(Stdio::piped()).output().unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn command(&self, line: &str) -> Command {
        let mut path = OsString::from(self.root.join("bin"));
        path.push(":/nowhere");
        let mut command = Command::new(&self.nu);
        command
            .args(["--no-config-file", "-c", line])
            .env_clear()
            .env("PATH", path)
            .env("HOME", self.root.join("home"))
            .env("XDG_CONFIG_HOME", self.root.join("home"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command
    }

    /// Runs a line and gives the programs that it called, in any order.
    pub fn run(&self, line: &str) -> Vec<Call> {
        let work = self.root.join("work");
        let _ = fs::remove_dir_all(&work);
        fs::create_dir_all(&work).unwrap();
        for file in self.files {
            fs::write(work.join(file), "f1\n").unwrap();
        }
        // A log of its own: what an earlier line left running must not speak for this one.
        let log = self.root.join(format!("log{}", NUMBER.fetch_add(1, Ordering::Relaxed)));
        let mut child = self.command(line).env("SHELLWARD_LOG", &log).current_dir(&work).spawn().unwrap();
        let since = Instant::now();
        while child.try_wait().unwrap().is_none() {
            if since.elapsed() > Duration::from_secs(10) {
                child.kill().unwrap();
                child.wait().unwrap();
                break;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        let written = String::from_utf8_lossy(&fs::read(&log).unwrap_or_default()).into_owned();
        let _ = fs::remove_file(&log);
        let words = |record: &str| record.split_terminator('\u{1f}').map(str::to_owned).collect();
        written.split_terminator("\u{1e}\u{1f}").map(words).collect()
    }
}

impl Drop for Laboratory {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

/// Writes a text as JSON.
fn json(text: &str) -> String {
    let mut out = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => out.extend(['\\', letter]),
            letter if letter < ' ' || letter == '\u{7f}' => out.push_str(&format!("\\u{:04x}", u32::from(letter))),
            letter => out.push(letter),
        }
    }
    out.push('"');
    out
}
