//! The figures that the documents name, each beside the plain thing in the same run.
//!
//! `cargo bench -p shellward-tests` prints a table and writes `target/bench.json`; `-- --quick` takes fewer rounds, and
//! words after it choose the rooms to measure: `capture`, `syntax`, `calls`, `guards`, `mcp`, `start`, `jobs`,
//! `durable`, `terminals`, `blocks`. SHELLWARD_GUARDS names a directory with guards in other languages: `rust.wasm`,
//! `c.wasm`, `js.wasm`, `python.wasm`; `shellward policy new` makes a project for each.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a benchmark that cannot run is to fail, and it prints"
)]

mod blocks;
mod calls;
mod capture;
mod durable;
mod guards;
mod harness;
mod jobs;
mod mcp;
mod memory;
mod start;
mod syntax;
mod terminals;

use serde_json::json;

use crate::harness::{Figure, Scale};

/// A room's figures.
type Measure = fn(Scale) -> Vec<Figure>;

/// The rooms, in the order in which they are measured.
const ROOMS: &[(&str, Measure)] = &[
    ("capture", capture::figures),
    ("syntax", syntax::figures),
    ("calls", calls::figures),
    ("guards", guards::figures),
    ("mcp", mcp::figures),
    ("start", start::figures),
    ("jobs", jobs::figures),
    ("durable", durable::figures),
    ("terminals", terminals::figures),
    ("blocks", blocks::figures),
];

fn main() {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let said = |word: &str| arguments.iter().any(|argument| argument == word);
    if said("--test") || said("--list") {
        return;
    }
    if said("--entries") {
        return calls::entries();
    }
    if let [word, rest @ ..] = arguments.as_slice()
        && word == memory::WORD
    {
        return memory::measure(rest);
    }
    let scale = Scale { quick: said("--quick") };
    let some = ROOMS.iter().any(|(room, _)| said(room));
    println!("{:<44} {:>14} {:>14} {:>7}", "", "shellward", "plain", "ratio");
    let mut figures = Vec::new();
    for (_, measure) in ROOMS.iter().filter(|(room, _)| !some || said(room)) {
        let measured = measure(scale);
        measured.iter().for_each(print);
        figures.extend(measured);
    }
    write(&figures);
}

fn print(figure: &Figure) {
    let Figure { what, ours, plain, unit } = figure;
    match plain {
        Some((plain, plain_is)) => {
            println!("{what:<44} {ours:>8.1} {unit:<5} {plain:>8.1} {unit:<5} {:>7.2}  {plain_is}", ours / plain);
        }
        None => println!("{what:<44} {ours:>8.1} {unit}"),
    }
}

fn write(figures: &[Figure]) {
    let row = |figure: &Figure| {
        let (plain, against) = figure.plain.unzip();
        json!({"what": figure.what, "unit": figure.unit, "shellward": figure.ours, "plain": plain,
            "against": against, "ratio": figure.ratio()})
    };
    let all = json!({"figures": figures.iter().map(row).collect::<Vec<_>>()});
    let file = start::program().ancestors().nth(2).unwrap().join("bench.json");
    std::fs::write(&file, format!("{all:#}\n")).unwrap();
    println!("written to {}", file.display());
}
