//! Many lines, compared one after the other.

use std::collections::BTreeMap;
use std::path::Path;

use super::compare::compare;
use super::generator::Generator;
use super::laboratory::Laboratory;
use super::matching::Outcome;

/// What a campaign found.
#[derive(Debug, Default)]
pub struct Findings {
    pub lines: usize,
    /// Lines in which at least one program was called.
    pub ran: usize,
    /// Of those, lines of which the analysis said that it cannot know; first those of the grammar, then mutations.
    pub unknown: [usize; 2],
    /// Of those that ran, how many came from the grammar and from mutations.
    pub ran_by_origin: [usize; 2],
    /// Why it was not known, and how often.
    pub reasons: BTreeMap<String, usize>,
    /// An example of each reason.
    pub examples: BTreeMap<String, String>,
    /// Lines with a call that was not foreseen.
    pub missed: Vec<String>,
}

impl Findings {
    fn add(&mut self, other: Self) {
        self.lines += other.lines;
        self.ran += other.ran;
        for index in 0..2 {
            self.unknown[index] += other.unknown[index];
            self.ran_by_origin[index] += other.ran_by_origin[index];
        }
        for (reason, count) in other.reasons {
            *self.reasons.entry(reason).or_default() += count;
        }
        self.examples.extend(other.examples);
        self.missed.extend(other.missed);
    }
}

/// Runs as many lines as asked, from a seed.
pub fn run(nu: &Path, seed: u64, count: usize, threads: usize) -> Findings {
    let mut total = Findings::default();
    std::thread::scope(|scope| {
        let worker = |number: usize| {
            let share = count / threads + usize::from(number < count % threads);
            scope.spawn(move || work(nu, seed.wrapping_add(number as u64 * 7919), share))
        };
        let workers: Vec<_> = (0..threads).map(worker).collect();
        for worker in workers {
            total.add(worker.join().unwrap());
        }
    });
    total
}

fn work(nu: &Path, seed: u64, count: usize) -> Findings {
    let laboratory = Laboratory::new(nu);
    let mut generator = Generator::new(seed);
    let mut findings = Findings { lines: count, ..Findings::default() };
    let mut lines = Vec::new();
    for _ in 0..count {
        while lines.is_empty() {
            lines = batch(&laboratory, &mut generator);
        }
        let Some((line, mutation)) = lines.pop() else { break };
        let calls = laboratory.run(&line);
        if calls.is_empty() {
            continue;
        }
        let kind = usize::from(mutation);
        findings.ran += 1;
        findings.ran_by_origin[kind] += 1;
        match compare(&line, &calls) {
            Outcome::Foreseen => {}
            Outcome::Unknown(reason) => {
                findings.unknown[kind] += 1;
                findings.examples.insert(reason.clone(), line);
                *findings.reasons.entry(reason).or_default() += 1;
            }
            Outcome::Missed(call) => findings.missed.push(format!("{line:?}\n    ran {call:?}")),
        }
    }
    findings
}

/// Makes lines that nu can parse; the others run nothing.
fn batch(laboratory: &Laboratory, generator: &mut Generator) -> Vec<(String, bool)> {
    let made: Vec<(String, bool)> = (0..200).map(|_| generator.line()).collect();
    let texts: Vec<String> = made.iter().map(|(line, _)| line.clone()).collect();
    let valid = laboratory.valid(&texts);
    made.into_iter().zip(valid).filter(|(_, valid)| *valid).map(|(line, _)| line).collect()
}
