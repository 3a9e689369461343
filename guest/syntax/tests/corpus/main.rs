//! Written lines: what each of them runs, checked against bash itself.
#![expect(clippy::unwrap_used, reason = "a test stops where something unforeseen happens")]

#[path = "../differential/shells.rs"]
#[expect(dead_code, reason = "the random comparison runs dash too; these lines are held to bash")]
mod shells;

mod lines;
mod structure;

use lines::{DOUBTFUL, INVALID, KNOWN, Line};
use shells::{Laboratory, Shell};
use shellward_syntax::{Language, Script, parse};

/// The commands of a script, written as in the table.
fn written(script: &Script) -> Vec<String> {
    let commands = script.commands.iter().filter(|command| !command.words.is_empty());
    commands
        .map(|command| {
            let words = command.words.iter().map(|word| word.literal().map_or("·".to_owned(), |text| sign(&text)));
            words.collect::<Vec<_>>().join(" ")
        })
        .collect()
}

fn sign(text: &str) -> String {
    if text.is_empty() { "∅".to_owned() } else { text.replace(' ', "␣").replace('\n', "⏎") }
}

#[test]
fn every_known_line_gives_its_commands() {
    for Line { text, commands } in KNOWN {
        match parse(text, Language::Bash) {
            Ok(script) => assert_eq!(written(&script), *commands, "{text:?}"),
            Err(unknown) => panic!("{text:?}: {unknown:?}"),
        }
    }
}

/// Every call that bash makes stands in the table, so that the table is not what its author believed.
#[test]
fn bash_runs_what_the_table_says() {
    let laboratory = Laboratory::new(Shell::Bash);
    for Line { text, commands } in KNOWN {
        for call in laboratory.run(text) {
            let called: Vec<String> = call.iter().map(|word| sign(word)).collect();
            assert!(commands.iter().any(|command| fits(command, &called)), "{text:?} ran {called:?}");
        }
    }
}

/// Whether a written command may have become these words; `·` may have become any number of them.
fn fits(command: &str, called: &[String]) -> bool {
    fn words_fit(words: &[&str], called: &[String]) -> bool {
        match words.split_first() {
            None => called.is_empty(),
            Some((&"·", words)) => (0..=called.len()).any(|taken| words_fit(words, &called[taken..])),
            Some((word, words)) => called.first().is_some_and(|first| first == word) && words_fit(words, &called[1..]),
        }
    }
    words_fit(&command.split(' ').collect::<Vec<_>>(), called)
}

#[test]
fn what_bash_refuses_is_unknown() {
    for text in INVALID {
        assert!(parse(text, Language::Bash).is_err(), "{text:?}");
    }
}

#[test]
fn bash_refuses_what_the_table_says() {
    for text in INVALID {
        let status =
            std::process::Command::new("/bin/bash").args(["-c", text]).env("PATH", "/nonexistent").output().unwrap();
        let message = String::from_utf8_lossy(&status.stderr).into_owned();
        let refused = message.contains("syntax error")
            || message.contains("unexpected")
            || message.contains("not a valid identifier");
        // Bash 5.2 says nothing at all of `[[ a && ]]`, and runs nothing.
        assert!(refused || text.starts_with("[["), "{text:?}: {message}");
    }
}

#[test]
fn what_is_doubtful_is_unknown() {
    for text in DOUBTFUL {
        let result = parse(text, Language::Bash);
        assert!(result.is_err(), "{text:?}: {:?}", result.map(|script| written(&script)));
    }
}

/// What dash reads otherwise than bash.
#[test]
fn sh_refuses_what_only_bash_has() {
    let lines = [
        "c1 &>f",
        "c1 |& c2",
        "c1 $'a'",
        "c1 $\"a\"",
        "c1 <<<a",
        "c1 <(c2)",
        "[[ a ]]",
        "((1))",
        "x=(a)",
        "x[0]=a",
        "x+=a",
        "function f { c1; }",
        "c1 {a,b}",
        "c1 {x}>f",
        "coproc c1",
        "select x in a; do c1; done",
        "case x in x) c1;& y) c2;; esac",
        "for ((;;)); do c1; done",
        "for x in a; { c1; }",
        "! ! c1",
        "c1 ${x/a/b}",
        "c1 ${x:1}",
        "c1 ${x^}",
        "c1 ${!x}",
        "c1 ${x@Q}",
        "c1 ${x[0]}",
        "c1 $[1]",
        "c1 10>f",
        "c1 >&f",
        "f-g() { c1; }",
        "c1 2>&10",
    ];
    for text in lines {
        assert!(parse(text, Language::Sh).is_err(), "{text:?}");
    }
    for text in [
        "c1 a >f 2>&1",
        "if c1; then c2; fi",
        "c1 <<A\n$(c2)\nA\n",
        "f() { c1; }; f",
        "c1 ${x:-$(c2)} $((1+1))",
        "time c1",
        "c1 {} {a}",
    ] {
        assert!(parse(text, Language::Sh).is_ok(), "{text:?}");
    }
}

/// What zsh reads otherwise than bash.
#[test]
fn zsh_refuses_what_it_reads_otherwise() {
    let lines = [
        "c1 =c2",
        "c1 {a}}",
        "c1 $x[1]",
        "c1 $#x",
        "c1 ~[a]",
        "{c1,a}; c2",
        "time c1",
        "c1 >!f",
        "c1 &! c2",
        "c1 &| c2",
        ">f",
        "<f",
        "c1 *(.)",
        "repeat 3 c1",
        "c1 <1-5>",
        "{ c1 } always { c2 }",
        "c1 }",
        "c1 a}",
        "c1 $=x",
        "c1 ${=x}",
        "noglob c1",
        "nocorrect c1",
        "- c1",
        "foreach x (a) c1; end",
        "c1 $\"a\"",
        "function f { c1; }",
        "case x in x) c1;;& y) c2;; esac",
        "c1 a<(c2)",
        "c1 ${x:h}",
        "if c1 { c2 }",
        "c1 >|!f",
    ];
    for text in lines {
        assert!(parse(text, Language::Zsh).is_err(), "{text:?}");
    }
    for text in [
        "c1 a >f 2>&1 && c2",
        "c1 <<A\n$(c2)\nA\n",
        "f() { c1; }; f",
        "c1 <(c2) {a,b} \"$x\" ${x:-a}",
        "[[ -f a ]] && c1",
        "x=(a b); c1 $x",
    ] {
        assert!(parse(text, Language::Zsh).is_ok(), "{text:?}");
    }
}

/// Lines as agents write them, which must pass without a question.
#[test]
fn daily_lines_are_known() {
    for text in include_str!("daily.txt").split("\n%%\n") {
        let result = parse(text, Language::Bash);
        assert!(result.is_ok(), "{text:?}: {result:?}");
    }
}
