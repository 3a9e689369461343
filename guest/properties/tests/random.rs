//! Every property with the seeds of `guest/fuzz/seeds` and with random mutations of them, on any compiler.
//!
//! Nothing measures what is covered here; `guest/fuzz/run` does. `SHELLWARD_MUTATIONS` says how many mutations each
//! property gets, and `SHELLWARD_SEED` from where: `SHELLWARD_MUTATIONS=1000000 cargo test --release -p
//! shellward-properties` is a long run.

#![expect(clippy::unwrap_used, clippy::print_stderr, reason = "a test that cannot be set up is to fail and say why")]

#[path = "inputs.rs"]
mod inputs;
#[path = "../../syntax/tests/differential/random.rs"]
mod random;

use random::Random;
use shellward_properties::{ALL, check};

/// Tells which input it was, when a property panics with it.
struct Telling<'a>(&'a str, &'a [u8]);

impl Drop for Telling<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("\n{} does not hold of b\"{}\"", self.0, self.1.escape_ascii());
        }
    }
}

fn told(property: &str, bytes: &[u8]) {
    let _telling = Telling(property, bytes);
    check(property, bytes);
}

fn holds(property: &str) {
    assert!(ALL.iter().any(|(name, _)| *name == property));
    let (seed, seeds) = (inputs::seed(), inputs::seeds(property));
    eprintln!("{property}: seed {seed}");
    seeds.iter().for_each(|input| told(property, input));
    let mut random = Random::new(seed);
    for _ in 0..inputs::count("SHELLWARD_MUTATIONS", 3000) {
        told(property, &inputs::mutated(&seeds, &mut random));
    }
}

#[test]
fn syntax() {
    holds("syntax");
}

#[test]
fn describe() {
    holds("describe");
}

#[test]
fn review() {
    holds("review");
}

#[test]
fn call() {
    holds("call");
}

#[test]
fn advance() {
    holds("advance");
}

#[test]
fn settle() {
    holds("settle");
}

#[test]
fn every_property_has_a_test_here() {
    assert_eq!(ALL.len(), 6);
}
