//! Many scripts, compared one after the other.

use std::collections::BTreeMap;

use shellward_syntax::Language;

use super::compare::compare;
use super::generator::{Generator, Origin};
use super::matching::Outcome;
use super::random::Random;
use super::shells::{Laboratory, Shell};

/// What a campaign found.
#[derive(Debug, Default)]
pub struct Findings {
    pub scripts: usize,
    /// Scripts in which at least one stub was called.
    pub ran: usize,
    /// Of those, scripts of which the analysis said that it cannot know; first those of the grammar, then mutations.
    pub unknown: [usize; 2],
    /// Of those that ran, how many came from the grammar and from mutations.
    pub ran_by_origin: [usize; 2],
    /// Why it was not known, and how often.
    pub reasons: BTreeMap<String, usize>,
    /// Scripts with a call that was not foreseen.
    pub missed: Vec<String>,
}

impl Findings {
    pub fn add(&mut self, other: Self) {
        self.scripts += other.scripts;
        self.ran += other.ran;
        for index in 0..2 {
            self.unknown[index] += other.unknown[index];
            self.ran_by_origin[index] += other.ran_by_origin[index];
        }
        for (reason, count) in other.reasons {
            *self.reasons.entry(reason).or_default() += count;
        }
        self.missed.extend(other.missed);
    }

    /// The share, in percent, of scripts that ran something and could not be known.
    pub fn unknown_percent(&self) -> f64 {
        100.0 * (self.unknown[0] + self.unknown[1]) as f64 / self.ran.max(1) as f64
    }
}

/// The seed given in the environment, or one from the clock.
pub fn seed() -> u64 {
    let given = std::env::var("SHELLWARD_SEED").ok().and_then(|seed| seed.parse().ok());
    given.unwrap_or_else(|| {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
        now.as_secs() ^ u64::from(now.subsec_nanos())
    })
}

/// Runs as many scripts as asked, from a seed, on so many threads.
pub fn run(shell: Shell, seed: u64, count: usize, threads: usize, report: fn(&Findings)) -> Findings {
    let mut seeds = Random::new(seed);
    let mut total = Findings::default();
    while total.scripts < count {
        let share = (count - total.scripts).min(4_000).div_ceil(threads);
        let workers: Vec<_> = (0..threads)
            .map(|_| {
                let seed = seeds.next();
                std::thread::spawn(move || work(shell, seed, share))
            })
            .collect();
        for worker in workers {
            total.add(worker.join().unwrap());
        }
        report(&total);
    }
    total
}

fn work(shell: Shell, seed: u64, count: usize) -> Findings {
    let language = if shell == Shell::Bash { Language::Bash } else { Language::Sh };
    let laboratory = Laboratory::new(shell);
    let mut generator = Generator::new(seed, shell == Shell::Dash);
    let mut findings = Findings { scripts: count, ..Findings::default() };
    for _ in 0..count {
        let (script, origin) = generator.script();
        // A NUL cannot be handed to a shell.
        if script.contains('\0') {
            continue;
        }
        let calls = laboratory.run(&script);
        if calls.is_empty() {
            continue;
        }
        let kind = usize::from(origin == Origin::Mutation);
        findings.ran += 1;
        findings.ran_by_origin[kind] += 1;
        match compare(&script, language, &calls) {
            Outcome::Foreseen => {}
            Outcome::Unknown(reason) => {
                findings.unknown[kind] += 1;
                *findings.reasons.entry(reason).or_default() += 1;
            }
            Outcome::Missed(call) => findings.missed.push(format!("{script:?}\n    ran {call:?}")),
        }
    }
    findings
}
