//! A long comparison with a real `nu`: `cargo run --release -p shellward-syntax --example nu -- --count 10000`.
//!
//! `SHELLWARD_NU` names the `nu`, `--seed 1` repeats a run with as many `--threads`. `--time` tells how fast lines are
//! read and runs nothing.
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a tool for whoever works on this crate")]

#[path = "../tests/nu/campaign.rs"]
mod campaign;
#[path = "../tests/nu/compare.rs"]
mod compare;
#[path = "../tests/nu/generator.rs"]
mod generator;
#[path = "../tests/nu/laboratory.rs"]
mod laboratory;
#[path = "../tests/nu/lines.rs"]
mod lines;
#[path = "../tests/differential/matching.rs"]
mod matching;
#[path = "../tests/differential/random.rs"]
mod random;

use std::hint::black_box;
use std::time::Instant;

use shellward_syntax::{Language, analyse};

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if arguments.iter().any(|argument| argument == "--time") {
        return time();
    }
    let value = |option: &str| arguments.windows(2).find(|pair| pair[0] == option).map(|pair| pair[1].clone());
    let count = value("--count").map_or(2_000, |count| count.parse().unwrap());
    let threads = value("--threads").map_or(2, |threads| threads.parse().unwrap());
    let clock = || std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
    let seed = value("--seed").map_or_else(clock, |seed| seed.parse().unwrap());
    let Some(nu) = laboratory::find() else {
        println!("no nu here: set SHELLWARD_NU, or npm install nushell@0.115.1");
        std::process::exit(2);
    };
    println!("seed {seed}, {threads} threads");
    let found = campaign::run(&nu, seed, count, threads);
    let mut reasons: Vec<_> = found.reasons.iter().collect();
    reasons.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    for (reason, count) in reasons {
        println!("{count:6} {reason}, such as {:?}", found.examples[reason]);
    }
    println!(
        "{} lines, {} ran something (grammar {}, mutations {}), unknown of those: {} and {}, missed {}",
        found.lines,
        found.ran,
        found.ran_by_origin[0],
        found.ran_by_origin[1],
        found.unknown[0],
        found.unknown[1],
        found.missed.len()
    );
    for missed in &found.missed {
        println!("{missed}");
    }
    std::process::exit(i32::from(!found.missed.is_empty()));
}

/// Prints what reading costs.
fn time() {
    let short = "ls | where size > 1kb | each {|f| ^git add $f.name } | lines";
    let long = |length: usize| format!("{short}\n").repeat(length / short.len());
    for text in [short.to_owned(), long(1024), long(100 * 1024), long(256 * 1024)] {
        let rounds = (20_000_000 / text.len()).clamp(20, 100_000);
        let mut times: Vec<_> = (0..rounds)
            .map(|_| {
                let start = Instant::now();
                let script = analyse(black_box(&text), Language::Nu);
                let time = start.elapsed();
                assert!(script.is_ok());
                time
            })
            .collect();
        times.sort();
        println!("{} bytes: median {:?}, best {:?}", text.len(), times[times.len() / 2], times[0]);
    }
}
