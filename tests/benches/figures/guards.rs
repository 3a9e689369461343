//! What guards and swaps cost.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use shellward::contract::commands::Language;
use shellward::{Cache, Component, GuardSpec, Host, Source, inspect};
use shellward_tests::{GUARD, Project};

use crate::harness::{Figure, Scale, host, in_turns, median};
use crate::memory::{apart, resident};

/// What is judged: a command that is allowed.
const COMMAND: &str = "cargo test --workspace";

/// The figures of this room.
pub fn figures(scale: Scale) -> Vec<Figure> {
    let mut figures = vec![chain(scale.rounds()), pause()];
    // Guards in other languages, `js.wasm` and so on, are not built here.
    let directory = std::env::var_os("SHELLWARD_GUARDS").map(PathBuf::from);
    for (language, names) in LANGUAGES {
        let path = directory.as_ref().map(|directory| directory.join(language).with_extension("wasm"));
        figures.extend(path.filter(|path| path.is_file()).iter().flat_map(|path| load(path, names)));
    }
    figures
}

/// The figures of a guard in each language: compiling, loading again, its memory, a verdict.
const LANGUAGES: [(&str, [&str; 4]); 4] = [
    ("rust", ["a guard in Rust, compiled", "… loaded again", "… its memory", "… one verdict"]),
    ("c", ["a guard in C, compiled", "… loaded again", "… its memory", "… one verdict"]),
    ("js", ["a guard in JavaScript, compiled", "… loaded again", "… its memory", "… one verdict"]),
    ("python", ["a guard in Python, compiled", "… loaded again", "… its memory", "… one verdict"]),
];

/// Five guards that allow, against none.
fn chain(rounds: usize) -> Figure {
    let project = Project::new();
    let chain = (0..5).fold(project.builder("bash"), |builder, _| builder.guard(GuardSpec::file(GUARD)));
    let (chain, plain) = (chain.build().unwrap(), project.builder("bash").build().unwrap());
    let judge = |host: &Host| drop(host.check(COMMAND).unwrap());
    let times = in_turns(rounds * 10, || judge(&chain), || judge(&plain));
    Figure::beside("a verdict with a chain of 5 guards", "µs", times, "without")
}

/// A late verdict while the policy is swapped all the time, against one while it stays.
fn pause() -> Figure {
    let (_project, host) = host("bash");
    let plain = late(&host);
    let (swapper, over) = (host.swapper(), Arc::new(AtomicBool::new(false)));
    let stop = Arc::clone(&over);
    let swapping = std::thread::spawn(move || {
        while !stop.load(Ordering::Relaxed) {
            swapper.swap_now(&Source::parse("bash").unwrap()).unwrap();
        }
    });
    let ours = late(&host);
    over.store(true, Ordering::Relaxed);
    swapping.join().unwrap();
    Figure::beside("1 verdict in 1,000 while swapping", "µs", (ours, plain), "not swapping")
}

/// The time of the slowest in a thousand, in microseconds. The slowest of all is the machine's.
fn late(host: &Host) -> f64 {
    let mut times: Vec<Duration> = (0..5000).map(|_| timed(|| host.check("sudo ls").unwrap()).0).collect();
    times.sort_unstable();
    times[times.len() - 5].as_secs_f64() * 1e6
}

fn load(path: &Path, [compiled, again, memory, verdict]: [&'static str; 4]) -> Vec<Figure> {
    let directory = tempfile::tempdir().unwrap();
    let cache = Cache::open(&directory.path().join("cache")).unwrap();
    let load = || timed(|| inspect(Source::File(path.to_owned()), Some(cache.clone())).unwrap());
    let first = load().0;
    let (second, found) = load();
    let [grown] = apart("guard", &[directory.path().join("cache").as_os_str(), path.as_os_str()]);
    let Component::Guard(guard) = found.component else { return Vec::new() };
    let verdicts = (0..200).map(|_| timed(|| guard.judge(COMMAND, Language::Bash).unwrap()).0).collect();
    let millis = |time: Duration| time.as_secs_f64() * 1e3;
    vec![
        Figure::alone(compiled, "ms", millis(first)),
        Figure::alone(again, "ms", millis(second)),
        Figure::alone(memory, "KiB", grown),
        Figure::alone(verdict, "µs", median(verdicts)),
    ]
}

/// How many KiB a guard takes that is compiled already, loaded and used, beside another one.
pub fn memory(cache: &Path, guard: &Path) -> f64 {
    let load = |path: &Path| {
        let found = inspect(Source::File(path.to_owned()), Some(Cache::open(cache).unwrap())).unwrap();
        let Component::Guard(guard) = found.component else { panic!("{} is no guard", path.display()) };
        guard.judge(COMMAND, Language::Bash).unwrap();
        guard
    };
    // What the first one brings along is not the second one's: the engine's own memory.
    let _first = load(Path::new(GUARD));
    let before = resident();
    let _second = load(guard);
    resident() - before
}

fn timed<R>(work: impl FnOnce() -> R) -> (Duration, R) {
    let begun = Instant::now();
    let result = work();
    (begun.elapsed(), result)
}
