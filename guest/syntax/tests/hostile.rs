//! Text made to hurt: deep nesting, endless quotes, odd bytes, random bytes. Never a panic, never a deep stack.
#![expect(clippy::unwrap_used, reason = "a test stops where something unforeseen happens")]

use shellward_syntax::{Language, Script, Unknown, What, parse, survey};

const LANGUAGES: [Language; 3] = [Language::Sh, Language::Bash, Language::Zsh];

/// Runs something on a stack of this size, as small as a careful host may give.
fn on_a_stack_of<T: Send + 'static>(kibibytes: usize, work: impl FnOnce() -> T + Send + 'static) -> T {
    std::thread::Builder::new().stack_size(kibibytes * 1024).spawn(work).unwrap().join().unwrap()
}

fn parse_small(text: String, language: Language) -> Result<Script, Unknown> {
    on_a_stack_of(STACK, move || parse(&text, language))
}

/// Unoptimised frames are some four times larger than those of a release.
const STACK: usize = if cfg!(debug_assertions) { 384 } else { 128 };

#[test]
fn deep_nesting_is_refused_on_a_small_stack() {
    let openers = [
        "(",
        "$(",
        "\"$(",
        "{ ",
        "{",
        "`",
        "\"",
        "'",
        "<<A ",
        "<<A\n",
        "((",
        "$((",
        "$((a[",
        "${x:-",
        "\"${x:-",
        "if ",
        "if (",
        "while ",
        "for x in ",
        "case x in a) ",
        "case $(",
        "f() { ",
        "f() ( ",
        "function f { ",
        "[[ ( ",
        "[[ ! ",
        "! ",
        "time ",
        "coproc ",
        "a[",
        "a[$(",
        "a=(",
        "a=($(",
        "<(",
        ">(",
        "x=$(",
        "$'",
        "\\",
        "\\\n",
        "& ",
        "; ",
        "| ",
        "a|",
        "a&&",
        "a;",
        "a&",
        "{a,",
        "{a,b}",
        "[",
        "[a",
        "*",
        "~",
        "a=",
        "a+=",
        "2>",
        ">&",
        "\"\"",
        "''",
        "$",
        "$$",
        "$x",
        "#",
        "\n",
        "\r",
        " ",
        "\u{a0}",
        "(a)|",
        "{ a;}&",
        "{ a|",
        "((1))",
        "$((1))",
        "a() ",
        "esac ",
        "cat <<A;",
        "[[ a =~ (",
        "${a[",
        "${a:",
        "$[",
        "\"`",
        "${x:-`",
        "<<<",
        "declare a=(",
        "((a[b[",
        "i=$((i+1));",
        "x=1 ",
    ];
    for opener in openers {
        for language in LANGUAGES {
            let result = parse_small(opener.repeat(100_000), language);
            drop(result);
        }
    }
}

#[test]
fn the_limit_of_nesting_is_named() {
    for opener in ["(", "$(", "{ ", "\"$(", "if ", "${x:-", "\"${x:-", "f() { ", "<("] {
        let text = format!("{}{}", "echo a; ", opener.repeat(2_000));
        let what = parse_small(text, Language::Bash).unwrap_err().what;
        let found = matches!(what, What::TooDeep | What::Syntax(_) | What::Construct(_));
        assert!(found, "{opener}: {what:?}");
    }
    let nested = |depth: usize| format!("{}c1{}", "$(".repeat(depth), ")".repeat(depth));
    assert_eq!(parse_small(nested(40), Language::Bash).unwrap().commands.len(), 41);
    assert_eq!(parse_small(nested(41), Language::Bash).unwrap_err().what, What::TooDeep);
}

#[test]
fn everything_nested_as_deep_as_allowed_fits_the_stack() {
    let shapes = [
        ("\"$( ", " )\""),
        ("( ", " )"),
        ("{ ", "; }"),
        ("if c1; then ", "; fi"),
        ("case x in a) ", ";; esac"),
        ("\"${x:-$(", ")}\""),
        ("c1 <(", ")"),
        ("while c1; do ", "; done"),
        ("f() { ", "; }"),
        ("x=$(", ")"),
        ("a=($(", "))"),
        ("c1 > $(", ")"),
        ("[[ $(", ") ]]"),
        ("for x in $(", "); do c1; done"),
        ("c1 | { ", "; } | c2"),
        ("coproc { ", "; }"),
        ("declare a=($(", "))"),
        ("! { ", "; }"),
    ];
    for (open, close) in shapes {
        let mut known = 0;
        for depth in 1..=60 {
            let text = format!("{}c9{}", open.repeat(depth), close.repeat(depth));
            if let Ok(script) = parse_small(text, Language::Bash) {
                known = depth;
                let found = |command: &shellward_syntax::Command| {
                    command.words.iter().any(|word| word.literal().as_deref() == Some("c9"))
                };
                assert!(script.commands.iter().any(found), "{open} {depth}");
            }
        }
        assert!((1..=40).contains(&known), "{open}: {known}");
    }
}

#[test]
fn control_characters_are_refused_and_odd_blanks_are_not_blanks() {
    for byte in ['\0', '\u{1}', '\u{7f}'] {
        for text in [format!("echo a{byte}b"), format!("{byte}"), format!("echo '{byte}'")] {
            for language in LANGUAGES {
                assert!(parse(&text, language).is_err(), "{text:?}");
            }
        }
    }
    for blank in ["\u{a0}", "\u{3000}", "\u{b}", "\u{c}", "\r", "\u{85}", "\u{2028}"] {
        let script = parse(&format!("c1{blank}a b"), Language::Bash).unwrap();
        let words: Vec<_> = script.commands[0].words.iter().map(|word| word.literal().unwrap().into_owned()).collect();
        assert_eq!(words, [format!("c1{blank}a"), "b".to_owned()], "{blank:?}");
    }
    let crlf = parse("c1 a\r\nc2\r\n", Language::Bash).unwrap();
    let names: Vec<_> = crlf.commands.iter().map(|command| command.words[0].literal().unwrap().into_owned()).collect();
    assert_eq!(names, ["c1", "c2\r"]);
}

#[test]
fn long_lines_are_read_whole() {
    let words = "word ".repeat(52_000);
    let script = parse(&format!("c1 {words}"), Language::Bash).unwrap();
    assert_eq!(script.commands[0].words.len(), 52_001);
    let commands = "c1 a;".repeat(52_000);
    assert_eq!(parse(&commands, Language::Sh).unwrap().commands.len(), 52_000);
    let quoted = format!("c1 '{}'", "x".repeat(256 * 1024));
    assert_eq!(parse(&quoted, Language::Zsh).unwrap().commands[0].words.len(), 2);
}

/// A generator of numbers from a seed (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound as u64).unwrap()
    }
}

#[test]
fn random_text_never_panics() {
    let seed =
        std::env::var("SHELLWARD_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(0x5eed_1234_5678_9abc_u64);
    println!("seed {seed}");
    on_a_stack_of(STACK, move || {
        let mut random = Random(seed | 1);
        let signs: Vec<char> =
            " \t\n;&|<>()$`'\"\\{}[]*?~#!=+-,.:/%^@0123abcxyAEF\u{e9}\u{a0}\u{1f600}\0\u{1}\r".chars().collect();
        let words = [
            "if ",
            "then ",
            "fi",
            "for x in ",
            "do ",
            "done",
            "case x in ",
            "esac",
            "[[ ",
            " ]]",
            "<<A",
            "\nA\n",
            "$((",
            "))",
            "${x:-",
            "$(",
            "function ",
        ];
        for round in 0..60_000 {
            let mut text = String::new();
            for _ in 0..random.below(if round % 100 == 0 { 400 } else { 40 }) {
                match random.below(8) {
                    0 => text.push_str(words[random.below(words.len())]),
                    1 if round % 3 == 0 => {
                        text.push(char::from_u32(u32::try_from(random.below(0x11_0000)).unwrap()).unwrap_or('c'))
                    }
                    _ => text.push(signs[random.below(signs.len())]),
                }
            }
            for language in LANGUAGES {
                match parse(&text, language) {
                    Ok(script) => check_spans(&text, &script),
                    Err(unknown) => {
                        assert!(text.get(unknown.span.start..unknown.span.end).is_some(), "{text:?} {unknown:?}")
                    }
                }
            }
        }
    });
}

/// Every span is a piece of the text, and every index points at something.
fn check_spans(text: &str, script: &Script) {
    for command in &script.commands {
        assert!(text.get(command.span.start..command.span.end).is_some(), "{text:?} {command:?}");
        assert!(command.scope < script.scopes.len(), "{text:?} {command:?}");
        for word in &command.words {
            assert!(text.get(word.span.start..word.span.end).is_some(), "{text:?} {word:?}");
        }
        for redirection in &command.redirections {
            assert!(text.get(redirection.span.start..redirection.span.end).is_some(), "{text:?} {redirection:?}");
        }
    }
    for (index, scope) in script.scopes.iter().enumerate() {
        assert!(
            scope.parent.is_none_or(|parent| parent < script.scopes.len() && parent != index),
            "{text:?} {:?}",
            script.scopes
        );
    }
}

/// Each shell reads the input that it inherits, and runs the others in it, which read it again.
#[test]
fn shells_that_inherit_their_own_script_are_not_followed_for_ever() {
    for line in ["sh\n", "sudo sh -\n", "sh -s\n", "xargs sh -c\n"] {
        for count in [6, 1000, 10_000] {
            let text = format!("sh <<A\n{}A\n", line.repeat(count));
            let found = survey(&text, Language::Bash).unwrap();
            assert!(!found.unknown.is_empty() || count == 6, "{line:?} {count}");
            assert!(found.script.commands.len() < 30 * (count + 1000), "{line:?} {count}");
        }
    }
}

/// Were each given a copy, this would move twenty gigabytes.
#[test]
fn many_readers_of_one_input_are_not_each_given_a_copy() {
    for (line, known) in [("xargs -I{} sh -c {}\n", false), ("xargs c1 '{}'\n", true)] {
        let text = format!("sh <<A\n{}A\n", line.repeat(30_000));
        let found = survey(&text, Language::Bash).unwrap();
        assert_eq!(found.unknown.is_empty(), known, "{line:?}");
        assert!(found.script.commands.len() > 60_000, "{line:?}");
    }
}
