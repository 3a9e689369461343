//! One container, which runs for a client of ours.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use super::docker::Docker;
use crate::process::{Answer, Elsewhere, Exit, Reach, Signal};

/// Signals that may wait; the engine takes about a tenth of a second for each.
const WAITING: usize = 16;
/// For how long a container that is not there yet is tried.
const APPEARS: Duration = Duration::from_secs(3);
/// The pause between two looks.
const PAUSE: Duration = Duration::from_millis(25);
/// The code with which the client ends when the engine failed it, and it cannot know what runs.
const ENGINE_FAILED: i32 = 125;

/// Signals processes from inside, where alone they can be told apart: all, the first (which the engine's own first
/// process has started), or the others. Prints whom it has reached; those that wait to be buried do not count.
const SIGNAL: &str = r#"read -r first rest </proc/1/task/1/children
for entry in /proc/[0-9]*; do
    pid=${entry#/proc/}
    case $pid in 1|$$) continue ;; esac
    case $2 in first) [ "$pid" = "$first" ] || continue ;; others) [ "$pid" = "$first" ] && continue ;; esac
    read -r line 2>/dev/null <"$entry/stat" || continue
    case ${line##*) } in Z*|X*) continue ;; esac
    kill -"$1" "$pid" 2>/dev/null && echo "$pid"
done
:"#;

/// A container that a client of ours has asked for.
#[derive(Debug)]
pub(super) struct Running {
    engine: Arc<Engine>,
    signals: OnceLock<SyncSender<(Signal, Reach)>>,
}

#[derive(Debug)]
struct Engine {
    docker: Docker,
    /// The container's name.
    name: String,
}

impl Running {
    pub(super) fn new(docker: Docker, name: String) -> Self {
        Self { engine: Arc::new(Engine { docker, name }), signals: OnceLock::new() }
    }

    /// Starts the thread that sends signals in order. It ends with this.
    fn sender(&self) -> SyncSender<(Signal, Reach)> {
        let (sender, receiver) = sync_channel(WAITING);
        let engine = Arc::clone(&self.engine);
        let started = std::thread::Builder::new().name("container".into()).spawn(move || engine.serve(&receiver));
        if let Err(error) = started {
            tracing::warn!(%error, "no thread to signal a container");
        }
        sender
    }
}

impl Elsewhere for Running {
    fn signal(&self, signal: Signal, reach: Reach) {
        let sender = self.signals.get_or_init(|| self.sender());
        if sender.try_send((signal, reach)).is_err() {
            tracing::warn!(container = self.engine.name, %signal, "a signal was dropped: too many wait already");
        }
    }

    fn kill_others(&self, patience: Duration) -> bool {
        let deadline = Instant::now() + patience;
        loop {
            let reached = self.engine.signal(Signal::KILL, Reach::Others);
            if reached.is_some_and(|reached| reached == 0) {
                return true;
            }
            if Instant::now() >= deadline {
                return false;
            }
        }
    }

    fn is_over_at(&self, exit: Exit) -> bool {
        exit.code.is_some_and(|code| code != ENGINE_FAILED)
    }

    fn end(&self, client_is_gone: &dyn Fn() -> bool, patience: Duration) -> Result<(), String> {
        let Engine { docker, name } = &*self.engine;
        let deadline = Instant::now() + patience;
        loop {
            // Asked first: what a client that lives may yet begin is met by the next round.
            let gone = client_is_gone();
            // That there is none is no failure; whether there is one is asked below.
            let removed = docker.ask(&["rm", "--force", name]);
            let absent = removed.and_then(|_| docker.is_absent(name));
            if gone && matches!(absent, Ok(true)) {
                return Ok(());
            }
            if Instant::now() >= deadline {
                let why = absent.err().map_or_else(String::new, |error| format!(": {error}"));
                return Err(format!("the container {name} may be left{why}"));
            }
            std::thread::sleep(PAUSE);
        }
    }
}

impl Engine {
    fn serve(&self, signals: &Receiver<(Signal, Reach)>) {
        while let Ok((signal, reach)) = signals.recv() {
            let deadline = Instant::now() + APPEARS;
            while self.signal(signal, reach).is_none() && Instant::now() < deadline {
                std::thread::sleep(PAUSE);
            }
        }
    }

    /// Sends a signal, and returns how many it has reached; `None` where there is no container (yet, or any more).
    fn signal(&self, signal: Signal, reach: Reach) -> Option<usize> {
        let number = signal.number().to_string();
        if signal == Signal::KILL && reach != Reach::Others {
            // Its first process takes all the others with it.
            return self.asked(&["kill", "--signal", "KILL", &self.name]).map(|_| 1);
        }
        let whom = match reach {
            Reach::First => "first",
            Reach::Others => "others",
            Reach::All => "all",
        };
        let answer = self.asked(&["exec", &self.name, "sh", "-c", SIGNAL, "sh", &number, whom])?;
        match answer.code {
            Some(0) => Some(answer.stdout.lines().count()),
            // An image without a shell: its first process hands on what it gets to the program.
            _ if reach != Reach::Others => self.asked(&["kill", "--signal", &number, &self.name]).map(|_| 1),
            _ => Some(0),
        }
    }

    /// The engine's answer, unless it is that there is no such container.
    fn asked(&self, arguments: &[&str]) -> Option<Answer> {
        let answer = self.docker.ask(arguments).inspect_err(|error| tracing::warn!(%error, "no signal was sent"));
        let answer = answer.ok()?;
        let missing = ["no such container", "is not running"];
        let words = answer.stderr.to_lowercase();
        (answer.is_success() || !missing.iter().any(|missing| words.contains(missing))).then_some(answer)
    }
}
