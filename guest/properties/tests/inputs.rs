//! Inputs from a seed: the hand-written ones, and mutations of them. Shared with the end-to-end tests.

use std::fs;
use std::path::Path;

use super::random::Random;

/// Pieces that mutations put in: what means something to shells, to JSON or to whoever chooses by bytes.
const PIECES: &[&str] = &[
    "\0",
    "\x01",
    "\x7f",
    "\n",
    "'",
    "\"",
    "\\",
    "$",
    "`",
    "$(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "|",
    "||",
    "&",
    "&&",
    ";",
    ";;",
    "<",
    ">",
    "<<",
    ">&",
    "=",
    "~",
    "*",
    "!",
    "#",
    " ",
    "cd ",
    "sudo ",
    "rm -rf /",
    "bash -c ",
    "case x in ",
    "esac",
    "do ",
    "done",
    "null",
    "true",
    "-1",
    "1e9",
    "18446744073709551616",
    "{}",
    "[]",
    ",",
    ":",
    "\\u0000",
    "\\ud800",
    "$JOB",
    "ä",
    "\u{202e}",
    "\x1b[2J",
];

/// The longest input, in bytes; as in `guest/fuzz/run`.
const LONGEST: usize = 4096;

/// The seed in `SHELLWARD_SEED`, or one from the clock.
pub fn seed() -> u64 {
    let given = std::env::var("SHELLWARD_SEED").ok();
    given.map_or_else(
        || std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_nanos() as u64,
        |seed| seed.parse().unwrap(),
    )
}

/// How many mutations the variable of this name asks for, or so many.
pub fn count(variable: &str, otherwise: usize) -> usize {
    std::env::var(variable).map_or(otherwise, |count| count.parse().unwrap())
}

/// The seeds of a property, in the order of their names.
pub fn seeds(property: &str) -> Vec<Vec<u8>> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().map(|above| above.join("guest/fuzz/seeds"));
    let directory = directory.into_iter().find(|directory| directory.is_dir()).unwrap().join(property);
    let mut files: Vec<_> = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let seeds: Vec<_> = files.iter().map(|file| fs::read(file).unwrap()).collect();
    assert!(!seeds.is_empty(), "there are no seeds of {property}");
    seeds
}

/// A mutation of one of some seeds.
pub fn mutated(seeds: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut bytes = seeds[random.below(seeds.len())].clone();
    for _ in 0..=random.below(6) {
        let at = random.below(bytes.len() + 1);
        let end = (at + 1 + random.below(8)).min(bytes.len());
        match random.below(7) {
            0 => drop(bytes.drain(at..end)),
            1 => insert(&mut bytes, at, random.pick(PIECES).as_bytes()),
            2 => insert(&mut bytes, at, &[random.next() as u8]),
            3 => bytes[at..end].iter_mut().take(1).for_each(|byte| *byte = random.next() as u8),
            4 => bytes[at..end].iter_mut().take(1).for_each(|byte| *byte ^= 1 << random.below(8)),
            // A part of this or another seed once more.
            5 => {
                let other = &seeds[random.below(seeds.len())];
                let from = random.below(other.len() + 1);
                let part = other[from..(from + 1 + random.below(40)).min(other.len())].to_vec();
                insert(&mut bytes, at, &part);
            }
            _ => {
                let part = bytes[at..end].repeat(1 + random.below(20));
                insert(&mut bytes, at, &part);
            }
        }
    }
    if random.chance(5) {
        bytes.truncate(random.below(bytes.len()));
    }
    bytes.truncate(LONGEST);
    bytes
}

fn insert(bytes: &mut Vec<u8>, at: usize, part: &[u8]) {
    drop(bytes.splice(at..at, part.iter().copied()));
}
