//! A long differential run: `cargo run --release -p shellward-syntax --example differential -- --count 200000`.
//!
//! `--shell dash` compares `sh`, `--threads 16` is for a busy machine. `SHELLWARD_SEED` repeats a run, with as many
//! threads.
#![expect(clippy::print_stdout, clippy::unwrap_used, clippy::panic, reason = "a tool for whoever works on this crate")]

#[path = "../tests/differential/campaign.rs"]
mod campaign;
#[path = "../tests/differential/compare.rs"]
mod compare;
#[path = "../tests/differential/generator.rs"]
mod generator;
#[path = "../tests/differential/matching.rs"]
mod matching;
#[path = "../tests/differential/random.rs"]
mod random;
#[path = "../tests/differential/seeds.rs"]
mod seeds;
#[path = "../tests/differential/shells.rs"]
mod shells;
#[path = "../tests/differential/vocabulary.rs"]
mod vocabulary;

use campaign::Findings;
use shells::Shell;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let value = |option: &str| arguments.windows(2).find(|pair| pair[0] == option).map(|pair| pair[1].clone());
    let count = value("--count").map_or(10_000, |count| count.parse().unwrap());
    let threads = value("--threads").map_or(2, |threads| threads.parse().unwrap());
    let shell = match value("--shell").as_deref() {
        None | Some("bash") => Shell::Bash,
        Some("dash") => Shell::Dash,
        Some(other) => panic!("no shell {other}; bash and dash are there"),
    };
    let seed = campaign::seed();
    println!("seed {seed}");
    let findings = campaign::run(shell, seed, count, threads, report);
    let mut reasons: Vec<_> = findings.reasons.iter().collect();
    reasons.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    for (reason, count) in reasons {
        println!("{count:7} {reason}");
    }
    report(&findings);
    std::process::exit(i32::from(!findings.missed.is_empty()));
}

fn report(findings: &Findings) {
    for missed in &findings.missed {
        println!("MISSED {missed}");
    }
    println!(
        "{} scripts, {} ran something (grammar {}, mutations {}); missed {}; cannot know {:.1} % (grammar {}, mutations {})",
        findings.scripts,
        findings.ran,
        findings.ran_by_origin[0],
        findings.ran_by_origin[1],
        findings.missed.len(),
        findings.unknown_percent(),
        findings.unknown[0],
        findings.unknown[1],
    );
}
