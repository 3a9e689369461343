//! Compares the analysis with real shells: random scripts run with stubs, and every call must have been foreseen.
//!
//! `SHELLWARD_SEED` repeats a run; `cargo run --release -p shellward-syntax --example differential -- --count 200000`
//! makes a long one.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test stops where something unforeseen happens, and prints its seed"
)]

mod campaign;
mod compare;
mod generator;
mod matching;
mod random;
mod seeds;
mod shells;
mod vocabulary;

use shells::Shell;

fn check(shell: Shell, count: usize) {
    let seed = campaign::seed();
    println!("seed {seed}");
    let findings = campaign::run(shell, seed, count, 4, |_| {});
    assert!(findings.missed.is_empty(), "seed {seed}: ran without being foreseen:\n{}", findings.missed.join("\n"));
    assert!(findings.ran > count / 3, "seed {seed}: only {} scripts ran anything", findings.ran);
    let unknown = findings.unknown_percent();
    assert!(unknown < 30.0, "seed {seed}: {unknown:.1} % of what ran could not be known");
}

#[test]
fn bash_runs_nothing_that_was_not_foreseen() {
    check(Shell::Bash, 2_000);
}

#[test]
fn dash_runs_nothing_that_was_not_foreseen() {
    check(Shell::Dash, 1_000);
}

/// Both end by themselves, should the limits fail.
#[test]
fn scripts_cannot_fork_without_end() {
    let laboratory = shells::Laboratory::new(Shell::Dash);
    let chain = laboratory.run("f() { c1 || :; [ ${#x} -gt 2000 ] || { x=${x}a; f; } }; f");
    assert!(chain.len() > 400 && chain.len() <= 501, "{} calls one after the other", chain.len());
    let many = "while [ ${#x} -lt 300 ]; do x=${x}a; { c1; while :; do :; done; } & done; wait";
    let many = laboratory.run(many).len();
    assert!(many > 10 && (many < 64 || !laboratory.is_alone()), "{many} processes at once");
    assert_eq!(laboratory.run("c1 a"), [["c1", "a"]]);
}

#[test]
fn a_miss_would_be_seen() {
    let call = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let bash = |text, words: &[&str]| compare::compare(text, shellward_syntax::Language::Bash, &[call(words)]);
    assert_eq!(bash("c1 a", &["c1", "a"]), matching::Outcome::Foreseen);
    assert_eq!(bash("c1 a", &["c1", "b"]), matching::Outcome::Missed(call(&["c1", "b"])));
    assert_eq!(bash("c1 a", &["c2"]), matching::Outcome::Missed(call(&["c2"])));
    assert_eq!(bash("c1 $x b", &["c1", "a", "a", "b"]), matching::Outcome::Foreseen);
    assert_eq!(bash("c1 \"$x\" b", &["c1", "a", "a", "b"]), matching::Outcome::Missed(call(&["c1", "a", "a", "b"])));
    assert_eq!(bash("$x", &["c1"]), matching::Outcome::Unknown("DynamicProgram".to_owned()));
}
