//! Lines of Nushell: what the analysis lists, and what a real `nu` runs.
//!
//! The comparisons need a `nu`: the one `SHELLWARD_NU` names, or one on the search path. Without it they say that they
//! are skipped, and fail where `CI` is set.
#![expect(clippy::panic, clippy::unwrap_used, reason = "a test stops where something unforeseen happens")]

mod campaign;
mod compare;
mod facts;
mod generator;
mod hostile;
mod laboratory;
mod lines;
#[path = "../differential/matching.rs"]
mod matching;
#[path = "../differential/random.rs"]
mod random;

use campaign::run;
use compare::compare;
use laboratory::Laboratory;
use matching::Outcome;
use shellward_syntax::{Language, parse};

/// Finds the `nu` to compare with.
#[expect(clippy::print_stderr, reason = "what is skipped says so")]
fn real_nu() -> Option<std::path::PathBuf> {
    let found = laboratory::find();
    if found.is_none() {
        let how = "set SHELLWARD_NU, or npm install nushell@0.115.1";
        assert!(std::env::var_os("CI").is_none(), "no nu here to compare with: {how}");
        eprintln!("skipped: no nu here to compare with; {how}");
    }
    found
}

/// Lists the commands of a line as the tables write them.
fn listed(line: &str) -> Result<Vec<String>, String> {
    let script = parse(line, Language::Nu).map_err(|unknown| format!("{:?}", unknown.what))?;
    let words = |command: &shellward_syntax::Command| {
        command.words.iter().map(shellward_syntax::facts::shown).collect::<Vec<_>>().join(" ")
    };
    Ok(script.commands.iter().filter(|command| !command.words.is_empty()).map(words).collect())
}

#[test]
fn lists_commands() {
    for (line, expected) in lines::KNOWN {
        let expected: Vec<&str> = expected.split('\n').filter(|command| !command.is_empty()).collect();
        assert_eq!(
            listed(line).as_deref().map_err(String::as_str),
            Ok(&expected.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>()[..]),
            "{line}"
        );
    }
}

#[test]
fn says_that_it_cannot_know() {
    for line in lines::UNKNOWN {
        assert!(listed(line).is_err(), "{line}: {:?}", listed(line));
    }
}

#[test]
fn nu_runs_nothing_else_of_written_lines() {
    let Some(nu) = real_nu() else { return };
    let laboratory = Laboratory::new(&nu);
    let mut ran = 0;
    for line in lines::KNOWN.iter().map(|(line, _)| *line).chain(lines::UNKNOWN.iter().copied()) {
        let calls = laboratory.run(line);
        ran += usize::from(!calls.is_empty());
        if let Outcome::Missed(call) = compare(line, &calls) {
            panic!("{line:?} ran {call:?}, listed {:?}", listed(line));
        }
    }
    assert!(ran > lines::KNOWN.len() / 2, "only {ran} lines ran something: is {} a nu?", nu.display());
}

#[test]
fn nu_runs_nothing_else_of_random_lines() {
    let Some(nu) = real_nu() else { return };
    let findings = run(&nu, 20_261_120, 150, 2);
    assert!(findings.missed.is_empty(), "{}", findings.missed.join("\n"));
    assert!(findings.ran > 50, "{findings:?}");
}

/// A name that nu does not have would be a program's, and must be listed.
#[test]
fn names_taken_for_commands_of_nu_are_its_own() {
    let Some(nu) = real_nu() else { return };
    let theirs = Laboratory::new(&nu).print("scope commands | get name | to text");
    let theirs: Vec<&str> = theirs.lines().collect();
    let source = include_str!("../../src/nu/tables.rs");
    let mut ours = 0;
    for table in ["const PURE: &str = \"", "const LISTED: &str = \""] {
        let (_, after) = source.split_once(table).unwrap();
        let (names, _) = after.split_once('"').unwrap();
        for name in names.split_ascii_whitespace().filter(|name| *name != "\\") {
            ours += 1;
            assert!(theirs.contains(&name), "{name} is no command of {}", nu.display());
        }
    }
    assert!(ours > 100 && theirs.len() > 400, "{ours} of {}", theirs.len());
}
