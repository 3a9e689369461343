//! What the documents say of commands, options, rooms and files is so.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use regex::Regex;
use shellward_tests::Project;

use super::cli::run;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap()
}

fn document(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap()
}

/// The commands of ours that a document shows, as words: up to what they are to run, and without what follows them.
fn commands(text: &str) -> BTreeSet<Vec<String>> {
    let shown = Regex::new(r"(?m)(?:^|`|\| |-- |&& )(?:\./target/release/)?shellward ([^\n`#]+)").unwrap();
    let one = |line: &str| {
        let line = line.split(" -- ").next().unwrap().split('\'').next().unwrap();
        let words = line.split_whitespace().take_while(|word| !["&", "|", "--", "…"].contains(word));
        words.map(str::to_owned).collect::<Vec<_>>()
    };
    shown.captures_iter(text).map(|found| one(&found[1])).filter(|words| !words.is_empty()).collect()
}

#[test]
fn the_commands_that_the_documents_show_are_taken() {
    let project = Project::new();
    let shown: BTreeSet<_> = ["README.md", "wit/README.md", "examples/README.md", "CHANGELOG.md"]
        .iter()
        .flat_map(|name| commands(&document(name)))
        // `shellward mcp --policy`, and the like, speaks of an option; `shellward policy list|inspect` of several.
        .filter(|words| !words.iter().any(|word| word.contains('|')))
        .collect();
    assert!(shown.len() > 15, "{shown:?}");
    for words in &shown {
        let asked = (words[0] != "help").then_some("--help");
        let arguments: Vec<_> = words.iter().map(String::as_str).chain(asked).collect();
        let (code, stdout, stderr) = run(&project, &arguments);
        assert!(code == 0 && stdout.contains("Usage: shellward"), "shellward {}: {stderr}", words.join(" "));
    }
}

/// The help of every command.
fn help(project: &Project) -> String {
    let all =
        ["run", "call", "check", "tools", "doctor", "mcp", "jobs", "logs", "kill", "policy"].map(|name| vec![name]);
    let policy = ["list", "inspect", "verify", "swap", "new", "test"].map(|name| vec!["policy", name]);
    let pages = all.into_iter().chain(policy).map(|mut words| {
        words.push("--help");
        let (code, stdout, stderr) = run(project, &words);
        assert_eq!(code, 0, "{words:?}: {stderr}");
        stdout
    });
    pages.collect()
}

#[test]
fn the_options_that_readme_names_are_there() {
    let project = Project::new();
    let (help, readme) = (help(&project), document("README.md"));
    let named = Regex::new(r"`(--[a-z][a-z-]*)[^`]*`").unwrap();
    let names: BTreeSet<_> = named.captures_iter(&readme).map(|found| found[1].to_owned()).collect();
    assert!(names.len() > 8, "{names:?}");
    // The benchmark's own.
    for name in names.iter().filter(|name| **name != "--quick" && **name != "--") {
        let known = Regex::new(&format!(r"(?m)(^|\s){name}(\s|$|=|,)")).unwrap();
        assert!(known.is_match(&help), "{name} is in no help");
    }
}

#[test]
fn the_files_that_architecture_names_are_there() {
    let text = document("ARCHITECTURE.md");
    let named = Regex::new(r"`((?:[a-z_-]+/)*[a-z_-]+(?:\.rs|/))`").unwrap();
    // The last is made in a project, when something durable runs.
    let known = ["host/src", "host/src/jobs", "host/src/mcp", "guest/actions/src/typing", "tests", "examples", ""];
    let names: BTreeSet<_> = named.captures_iter(&text).map(|found| found[1].to_owned()).collect();
    assert!(names.len() > 40, "{names:?}");
    for name in names.iter().filter(|name| **name != "memory/hosts/") {
        let there = known.iter().any(|place| root().join(place).join(name).exists());
        let below = ["host/src/policy", "guest/syntax", "guest/syntax/src"]
            .iter()
            .any(|place| root().join(place).join(name).exists());
        assert!(there || below, "{name} is nowhere");
    }
}

#[test]
fn architecture_names_every_room_and_no_line_of_it_is_too_long() {
    let text = document("ARCHITECTURE.md");
    for place in ["host/src", "guest", "tests"] {
        let entries = fs::read_dir(root().join(place)).unwrap().map(|entry| entry.unwrap());
        for entry in entries.filter(|entry| entry.file_type().unwrap().is_dir()) {
            let name = entry.file_name().into_string().unwrap();
            let room = Regex::new(&format!(r"\b{name}(/|\b)")).unwrap();
            assert!(room.is_match(&text), "{place}/{name} is not in ARCHITECTURE.md");
        }
    }
    for (number, line) in text.lines().enumerate() {
        assert!(line.chars().count() <= 120, "line {} has {} characters", number + 1, line.chars().count());
    }
}
