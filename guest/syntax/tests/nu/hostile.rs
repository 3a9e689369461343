//! Text made to hurt: never a panic, never a deep stack, never long.

use shellward_syntax::{Language, Script, Unknown, What, parse};

use super::random::Random;

/// Unoptimised frames are several times larger than those of a release.
const STACK: usize = if cfg!(debug_assertions) { 384 } else { 128 };

fn parse_small(text: String) -> Result<Script, Unknown> {
    let work = move || parse(&text, Language::Nu);
    std::thread::Builder::new().stack_size(STACK * 1024).spawn(work).unwrap().join().unwrap()
}

const OPENERS: &[&str] = &[
    "(",
    "c1 (",
    "$\"(",
    "$'(",
    "[",
    "{",
    "{|x| ",
    "{a: ",
    "{a: {",
    "if (",
    "if true {",
    "let x = ",
    "$x = ",
    "match 1 {",
    "match 1 { 1 => {",
    "def f [] {",
    "do {",
    "...",
    "...[",
    "...(",
    "\"",
    "'",
    "`",
    "r#'",
    "r##",
    "#",
    "|",
    "||",
    ";",
    "\n",
    "c1 a(",
    "c1 --x=(",
    "c1 --x={",
    "A=",
    "A=(",
    "1..(",
    "c1 o> ",
    "c1 {",
    "^c1 {",
    "^",
    "c1 e>| ",
    "try { } catch {",
    "if true { } else ",
    "export def f [",
    "job spawn {",
    "not ",
    "$a.",
    "f { };",
    "[a ",
    "*",
    "a[",
    "@",
    "\\",
    "\t#",
];

#[test]
fn deep_nesting_is_refused_on_a_small_stack() {
    for opener in OPENERS {
        let text = opener.repeat(100_000);
        let _ = parse_small(text);
    }
    let nested = |depth: usize| format!("{}c1{}", "(".repeat(depth), ")".repeat(depth));
    assert_eq!(parse_small(nested(40)).unwrap().commands.len(), 1);
    assert_eq!(parse_small(nested(41)).unwrap_err().what, What::TooDeep);
}

#[test]
fn any_text_has_an_answer() {
    let mut random = Random::new(7);
    let bytes = b"(){}[]|;\"'`$#^~.=,:<>&\\ \n\tr#ocxe1-*?@%!if";
    for _ in 0..20_000 {
        let length = random.below(40);
        let text: String = (0..length).map(|_| char::from(bytes[random.below(bytes.len())])).collect();
        if let Ok(script) = parse(&text, Language::Nu) {
            for command in &script.commands {
                assert!(text.get(command.span.start..command.span.end).is_some(), "{text:?}");
                assert!(command.scope == 0, "{text:?}");
            }
        }
    }
}

#[test]
fn long_lines_are_read_to_their_end() {
    let count = |text: String| parse(&text, Language::Nu).unwrap().commands.len();
    assert_eq!(count("c1 a; ".repeat(40_000)), 40_000);
    assert_eq!(count("c1 | ".repeat(40_000) + "c2"), 40_001);
    assert_eq!(count(format!("c1 {}", "a ".repeat(100_000))), 1);
    assert_eq!(count((0..20_000).map(|n| format!("p{n} {{}};")).collect()), 20_000);
    assert!(parse(&"def f [] {};".repeat(1_000), Language::Nu).is_err());
}
