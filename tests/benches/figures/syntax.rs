//! What it costs to find out what a command line would run.

use std::hint::black_box;

use serde_json::json;
use shellward_kit::contract::ToolCall;
use shellward_kit::fake::{Fake, Native, Subject};
use shellward_runner::Runner;
use shellward_syntax::{Language, analyse};
use shellward_tests::{Project, RUNNER};

use crate::harness::{Figure, Scale, in_turns, runtime};

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
    let line_inside = inside(scale.rounds(), LINE, 1, 2_000);
    let (long_inside, long_outside) = inside(scale.rounds() / 5, PIECE, (100 << 10) / PIECE.len() + 1, 4);
    vec![
        Figure::beside("analysis of a line of 60 bytes", "µs", (line, words), "splitting it at blanks"),
        Figure::beside("the same within a component", "µs", line_inside, "the same policy natively"),
        Figure::beside("analysis of a script of 100 KiB", "ms", (long / 1e3, split / 1e3), "splitting it at blanks"),
        Figure::beside(
            "the same within a component",
            "ms",
            (long_inside / 1e3, long_outside / 1e3),
            "the same policy natively",
        ),
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

/// Microseconds for one analysis by a policy that reads a text of so many pieces over and over in one entry, as a
/// component and natively: what the entry costs is lost among the readings.
fn inside(rounds: usize, piece: &str, pieces: usize, times: usize) -> (f64, f64) {
    let project = Project::new();
    let host = project.builder(RUNNER).build().unwrap();
    let (runtime, fake, native) = (runtime(), Fake::new(), Native::<Runner>::new());
    let arguments = json!({"do": "analyse", "text": piece, "pieces": pieces, "times": times});
    let call = ToolCall {
        id: "01hx7z8k9m2n3p4q5r6s7t8u9v".into(),
        session: "bench".into(),
        tool: "run".into(),
        arguments: arguments.to_string(),
        now: 0,
        approved: Vec::new(),
    };
    let (component, natively) = in_turns(
        rounds,
        || assert_ne!(runtime.block_on(host.call("bench", "run", arguments.clone())).answer(), "0"),
        || drop(black_box(native.call(&fake, &call))),
    );
    (component / times as f64, natively / times as f64)
}
