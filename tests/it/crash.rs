//! Hosts that are killed: what was kept is there once, nothing runs twice, and all goes on with the next host.

#![expect(clippy::print_stdout, reason = "it says with which seed it tries, and how much it has tried")]

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ExitStatus, Stdio};
use std::time::{Duration, Instant, SystemTime};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::json;
use shellward::contract::output::{Content, Item};
use shellward::{Phase, Run, Runs};
use shellward_tests::{Project, RUNNER, Survivors, until, wait_for};

use super::cli::command;

/// Runs in all, and in one life of a host.
const RUNS: usize = 200;
const AT_ONCE: usize = 25;

/// Lines that each run prints.
const LINES: usize = 400;

/// A host in a process of its own, that takes calls over MCP.
pub(super) struct Served {
    child: Child,
    stdin: ChildStdin,
}

impl Served {
    pub(super) fn start(project: &Project) -> Self {
        Self::with(project, &["--policy", RUNNER])
    }

    pub(super) fn with(project: &Project, arguments: &[&str]) -> Self {
        let mut child = command(project, &[&["mcp"], arguments].concat())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut served = Self { stdin: child.stdin.take().unwrap(), child };
        let client = json!({"name": "test", "version": "1"});
        let parameters = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client});
        served.send(&json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": parameters}));
        let mut answers = BufReader::new(served.child.stdout.take().unwrap());
        let mut line = String::new();
        answers.read_line(&mut line).unwrap();
        assert!(line.contains("serverInfo"), "{line}");
        served.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        // Whoever answers must be read, or it waits.
        std::thread::spawn(move || std::io::copy(&mut answers, &mut std::io::sink()));
        served
    }

    fn send(&mut self, message: &serde_json::Value) {
        writeln!(self.stdin, "{message}").unwrap();
        self.stdin.flush().unwrap();
    }

    pub(super) fn enqueue(&mut self, number: usize, arguments: &serde_json::Value) {
        self.call(number, "run", arguments);
    }

    pub(super) fn call(&mut self, number: usize, tool: &str, arguments: &serde_json::Value) {
        let parameters = json!({"name": tool, "arguments": arguments});
        self.send(&json!({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": parameters}));
    }

    /// Sends it a signal, and waits for its end.
    pub(super) fn end_by(mut self, signal: Signal) -> ExitStatus {
        kill(Pid::from_raw(i32::try_from(self.child.id()).unwrap()), signal).unwrap();
        wait_for("the end of the server", || self.child.try_wait().unwrap())
    }

    /// Goes, as a client that has ended, and waits for its end.
    pub(super) fn close(self) -> ExitStatus {
        let Self { stdin, mut child } = self;
        drop(stdin);
        wait_for("the end of the server", || child.try_wait().unwrap())
    }

    /// As the system does when memory is short.
    pub(super) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

/// Numbers without a pattern.
struct Chance(u64);

impl Chance {
    fn new() -> Self {
        let seed = std::env::var("SHELLWARD_SEED").ok().and_then(|seed| seed.parse().ok());
        let seed = seed
            .unwrap_or_else(|| SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_micros() as u64);
        println!("SHELLWARD_SEED={seed}");
        Self(seed | 1)
    }

    fn below(&mut self, most: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % most
    }
}

/// All that is on record, each run with its items.
fn record(root: &Path) -> BTreeMap<String, (Run, Vec<Item>)> {
    let Some(runs) = Runs::open(&root.join(".shellward")).unwrap() else { return BTreeMap::new() };
    let mut all = BTreeMap::new();
    for run in runs.list(10 * RUNS).unwrap() {
        let (mut items, mut since) = (Vec::new(), 0);
        loop {
            let page = runs.items(&run.id, since, None).unwrap();
            let Some(last) = page.last() else { break };
            since = last.seq;
            items.extend(page);
        }
        all.insert(run.id.clone(), (run, items));
    }
    all
}

/// What each life of a run has printed.
fn lives(items: &[Item]) -> Vec<String> {
    let mut lives = vec![String::new()];
    for item in items {
        match &item.content {
            Content::Stdout(chunk) => lives.last_mut().unwrap().push_str(&chunk.text),
            Content::Stderr(_) => {}
            Content::Event(event) if event.name == "recovered" => lives.push(String::new()),
            Content::Event(_) => {}
        }
    }
    lives
}

fn assert_sound(all: &BTreeMap<String, (Run, Vec<Item>)>) {
    let expected: String = (0..LINES).map(|line| format!("line {line}\n")).collect();
    for (id, (run, items)) in all {
        let seqs: Vec<u64> = items.iter().map(|item| item.seq).collect();
        assert_eq!(seqs, (1..=seqs.len() as u64).collect::<Vec<_>>(), "{id}");
        let lives = lives(items);
        for life in &lives {
            assert!(expected.starts_with(life), "{id}: a life printed {life:?}");
        }
        let ended = run.standing.phase == Phase::Ended;
        assert_eq!(ended, run.standing.ended_at.is_some() && run.standing.ending.is_some(), "{run:?}");
        if ended {
            assert_eq!(run.standing.status, "exited", "{run:?}");
            assert_eq!(lives.last().unwrap(), &expected, "{id}: the last life is whole");
        }
    }
}

/// What was on record before is there still, at the same place.
fn assert_kept(before: &BTreeMap<String, (Run, Vec<Item>)>, after: &BTreeMap<String, (Run, Vec<Item>)>) {
    for (id, (run, items)) in before {
        let (now, found) = &after[id];
        assert_eq!(found.get(..items.len()), Some(items.as_slice()), "{id}");
        if run.standing.phase == Phase::Ended {
            assert_eq!((now, found), (run, items), "what has ended stays as it was");
        }
    }
}

#[test]
fn a_host_killed_at_any_moment_loses_nothing_that_was_kept_and_runs_nothing_twice() {
    let project = Project::new();
    let root = project.root();
    // A machine that has other work too must not be taken for a policy that takes too long.
    project.file(".shellward/config.toml", "[host]\npolicy_deadline_ms = 20000\n");
    let survivors = Survivors::new();
    let mut chance = Chance::new();
    let (mut before, mut enqueued, mut lane) = (BTreeMap::new(), 0, 0);
    while enqueued < RUNS {
        let mut served = Served::start(&project);
        for _ in 0..AT_ONCE {
            lane += 1;
            let pid = root.join(format!("pid.{lane}"));
            // A life that finds an earlier one alive says so: one whose number is of a shell with this very script. Its
            // sleeper tries to get away.
            let script = format!(
                "p=$(cat {pid} 2>/dev/null); if [ -n \"$p\" ] && [ $p != $$ ] && grep -aq '{pid};' /proc/$p/cmdline 2>/dev/null; \
                 then echo {lane} >> {root}/overlap; fi; echo $$ > {pid}; \
                 setsid sleep {mark} >/dev/null 2>&1 & s=$!; i=0; \
                 while [ $i -lt {LINES} ]; do echo line $i; i=$((i+1)); done; sleep 0.05; kill -9 $s",
                pid = pid.display(),
                root = root.display(),
                mark = survivors.mark(),
            );
            let lane = format!("lane {}", lane % 5);
            served.enqueue(enqueued + 1, &json!({"command": script, "durable": true, "lane": lane}));
            enqueued += 1;
        }
        let known = before.len();
        until("the host has begun its work", || record(&root).len() > known);
        std::thread::sleep(Duration::from_millis(chance.below(600)));
        served.kill();
        let after = record(&root);
        assert_sound(&after);
        assert_kept(&before, &after);
        before = after;
    }
    let last = Served::start(&project);
    let begun = Instant::now();
    loop {
        let all = record(&root);
        if all.values().all(|(run, _)| run.standing.phase == Phase::Ended) {
            assert_sound(&all);
            assert_kept(&before, &all);
            assert!(all.len() > RUNS / 4, "{} of {RUNS} calls were taken", all.len());
            let recovered = all.values().filter(|(_, items)| lives(items).len() > 1).count();
            assert!(recovered > 0, "no run was interrupted: nothing was tried");
            println!("{} runs, {recovered} of them interrupted, in {:?}", all.len(), begun.elapsed());
            break;
        }
        assert!(begun.elapsed() < Duration::from_secs(120), "the runs do not end");
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(!root.join("overlap").exists(), "two lives of a run were alive at once");
    survivors.wait_for(0);
    last.kill();
}
