//! What it costs to find out what a command line would run.

use std::hint::black_box;

use shellward_syntax::{Language, analyse};

use crate::harness::{Figure, Scale, in_turns};

/// A line as agents write them, of 60 bytes.
const LINE: &str = "cd /srv/app && git commit -m \"fix: x\" && cargo test -qq 2>&1";

/// A piece of a long script.
const PIECE: &str =
    "if [ -f \"$x\" ]; then c1 --flag='a b' \"${y:-z}\" $(c2 a | c3) > out 2>&1; else c4 <<'E'\nbody $x\nE\nfi\n";

/// How often a short line is read while the time is taken once: the clock is too coarse for one.
const TIMES: usize = 100;

/// The figures of this room.
pub fn figures(scale: Scale) -> Vec<Figure> {
    let script = PIECE.repeat((100 << 10) / PIECE.len() + 1);
    let (line, words) = beside(scale.rounds() * 10, TIMES, LINE);
    let (long, split) = beside(scale.rounds() / 5, 1, &script);
    vec![
        Figure::beside("analysis of a line of 60 bytes", "µs", (line, words), "splitting it at blanks"),
        Figure::beside("analysis of a script of 100 KiB", "ms", (long / 1e3, split / 1e3), "splitting it at blanks"),
    ]
}

/// Microseconds for one analysis, and for taking the text apart at its blanks.
fn beside(rounds: usize, times: usize, text: &str) -> (f64, f64) {
    let split = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let (ours, plain) = in_turns(
        rounds,
        || (0..times).for_each(|_| assert!(black_box(analyse(black_box(text), Language::Bash)).is_ok())),
        || (0..times).for_each(|_| drop(black_box(split(black_box(text))))),
    );
    (ours / times as f64, plain / times as f64)
}
