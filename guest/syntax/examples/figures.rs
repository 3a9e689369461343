//! How fast lines are read and analysed: `cargo run --release -p shellward-syntax --example figures`.
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a tool for whoever works on this crate")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use shellward_syntax::{Language, Script, Unknown, analyse, parse};

fn main() {
    let short = "cd /srv/app && git commit -m \"fix: x\" && cargo test -qq 2>&1";
    assert_eq!(short.len(), 60);
    report("60 bytes", short);
    report("60 bytes of expansions", "for f in *.txt; do mv \"$f\" \"${f%.txt}.md\"; done | tee $(date)");
    let mixed =
        "if [ -f \"$x\" ]; then c1 --flag='a b' \"${y:-z}\" $(c2 a | c3) > out 2>&1; else c4 <<'E'\nbody $x\nE\nfi\n";
    let one = grown(mixed, 1024);
    let small = report("1 KiB", &one);
    report("100 KiB", &grown(mixed, 100 * 1024));
    let large = report("256 KiB", &grown(mixed, 256 * 1024));
    // The best times: what else a machine does weighs on long readings more than on short ones.
    println!("256 KiB costs {:.2} x 256 times what 1 KiB costs", large.as_secs_f64() / small.as_secs_f64() / 256.0);
    worst();
}

/// Repeats a piece until a text is so long, whole pieces only.
fn grown(piece: &str, length: usize) -> String {
    piece.repeat(length.div_ceil(piece.len()))
}

/// Prints the median times of a reading and of an analysis, and returns the best reading.
fn report(name: &str, text: &str) -> Duration {
    let (read, analysed) = (times(text, parse), times(text, analyse));
    let median = |times: &[Duration]| times[times.len() / 2];
    println!(
        "{name} ({} bytes): read in {:?} (best {:?}), analysed in {:?} (best {:?})",
        text.len(),
        median(&read),
        read[0],
        median(&analysed),
        analysed[0]
    );
    read[0]
}

/// Times one of the two again and again; the shortest first.
fn times(text: &str, read: fn(&str, Language) -> Result<Script, Unknown>) -> Vec<Duration> {
    let rounds = (20_000_000 / text.len().max(1)).clamp(20, 100_000);
    let mut times: Vec<Duration> = (0..rounds)
        .map(|_| {
            let start = Instant::now();
            let script = read(black_box(text), Language::Bash);
            let time = start.elapsed();
            assert!(script.is_ok(), "{script:?}");
            drop(script);
            time
        })
        .collect();
    times.sort();
    times
}

/// Text made to hurt, at two lengths: the ratio shows what is not linear.
fn worst() {
    let pieces = [
        "(",
        "$(",
        "\"$(",
        "{ ",
        "`",
        "\"",
        "'",
        "<<A ",
        "<<A\n",
        "((",
        "${x:-",
        "if ",
        "a|",
        "a&",
        "a;",
        "(a)|",
        "{ a;}&",
        "a[",
        "[a",
        "[a]",
        "*",
        "~",
        ":~",
        "a=~:",
        "{a,b}",
        "{a,",
        "$x",
        "2>&1 ",
        ";\\\n",
        "\\\n",
        "a=1 ",
        "a=(1) ",
        "((i)) ;",
        "$((i))",
        "[ $x ];",
        "<(a)",
        "f() { a; };",
        "a\n",
        "<<A\nA\n",
        "<<A\n\\\n",
        "$(a)",
        "\"$(a)\"",
        "`a`",
        "${x}",
        "\u{e9}",
        "case x in a) b;; esac;",
        "[[ a =~ (b) ]];",
        "x y ",
        "\t",
    ];
    for piece in pieces {
        for prefix in ["", "[ ", "x=", "echo a", "cat <<A "] {
            let time = |bytes: usize| {
                let text = format!("{prefix}{}", piece.repeat(bytes / piece.len()));
                let best = (0..5).map(|_| {
                    let start = Instant::now();
                    let _ = black_box(parse(black_box(&text), Language::Bash));
                    start.elapsed()
                });
                best.min().unwrap().as_secs_f64()
            };
            let (small, large) = (time(32 * 1024), time(256 * 1024));
            if large > 0.02 || (large > 0.002 && large / small > 12.0) {
                println!("slow: {prefix:?} + {piece:?}: 32 KiB {:.2} ms, 256 KiB {:.2} ms", small * 1e3, large * 1e3);
            }
        }
    }
}
