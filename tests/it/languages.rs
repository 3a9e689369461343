//! Guards in every language: the project that `policy new` makes builds with that language's own tools, and judges.

use std::path::Path;
use std::process::Command;

use serde_json::Value;
use shellward_tests::Project;

use super::cli::{command, program, run};

/// Whether to build: it needs tools and the registries, so only where it is asked for.
#[expect(clippy::print_stderr, reason = "a test that is left out says so")]
fn skipped(language: &str) -> bool {
    let wanted = ["CI", "SHELLWARD_LANGUAGES"].iter().any(|name| std::env::var_os(name).is_some());
    if !wanted {
        eprintln!("skipped: building a {language} guard takes its tools from the network; set SHELLWARD_LANGUAGES=1");
    }
    !wanted
}

fn builds_and_judges(language: &str) {
    if skipped(language) {
        return;
    }
    let project = Project::new();
    let (code, stdout, stderr) = run(&project, &["policy", "new", "--lang", language, "no-forced-push"]);
    assert_eq!(code, 0, "{stdout}{stderr}");
    let directory = project.root().join("no-forced-push");
    let mut build = Command::new(directory.join("build"));
    if let Some(jco) = std::env::var_os("SHELLWARD_JCO") {
        // What makes a component of a module, where wasm-tools is not installed.
        let found = std::env::var_os("PATH").unwrap_or_default();
        let places = std::env::split_paths(&found).chain(Path::new(&jco).parent().map(Path::to_owned));
        build.env("PATH", std::env::join_paths(places).unwrap());
    }
    let built = build.env_remove("CARGO_TARGET_DIR").output().unwrap();
    let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(built.status.success(), "{language}: {}{}", said(&built.stdout), said(&built.stderr));
    let guard = "no-forced-push/guard.wasm";
    let (code, stdout, stderr) = run(&project, &["policy", "test", guard, "--cases", "no-forced-push/cases.toml"]);
    assert_eq!((code, stdout.as_str()), (0, "4 cases of its own and 2 of the table: 0 failed\n"), "{stderr}");
    // The same line as two shells read it, one of which is told in the table and the other for all of it.
    let case =
        |expect: &str, more: &str| format!("[[case]]\ncommand = \"^git push -f\"\nexpect = \"{expect}\"\n{more}");
    project.file("read.toml", &(case("deny", "") + &case("allow", "language = \"bash\"\n")));
    let (code, stdout, _) = run(&project, &["policy", "test", guard, "--cases", "read.toml", "--language", "nu"]);
    assert_eq!(code, 0, "{stdout}");
    let (code, stdout, _) = run(&project, &["policy", "test", guard, "--cases", "read.toml"]);
    assert!(code == 1 && stdout.starts_with("`^git push -f` must be deny and is allow\n"), "{stdout}");
    let (_, stdout, _) = run(&project, &["policy", "inspect", guard, "--json"]);
    let found: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(
        (&found["kind"], &found["name"], &found["cases"]),
        (&"guard".into(), &"no-forced-push".into(), &4.into())
    );
    let (code, ..) = run(&project, &["policy", "verify", guard, "--sha256", found["sha256"].as_str().unwrap()]);
    assert_eq!(code, 0);
    let (code, stdout, _) = run(&project, &["--guard", guard, "run", "--", "env git push -f"]);
    assert!(code == 1 && stdout.contains("no-forced-push") && stdout.contains("a forced push"), "{code} {stdout}");
    let (code, stdout, stderr) = run(&project, &["--guard", guard, "check", "--", "echo git push -f"]);
    assert_eq!(code, 0, "{stdout}{stderr}");
}

#[test]
fn rust() {
    builds_and_judges("rust");
}

#[test]
fn javascript() {
    builds_and_judges("js");
}

#[test]
fn python() {
    builds_and_judges("python");
}

#[test]
fn c() {
    builds_and_judges("c");
}

#[test]
fn a_project_in_c_is_made_without_clang_and_says_what_to_install() {
    let project = Project::new();
    let new = |name: &str, clang: &str| {
        let mut command = command(&project, &["policy", "new", "--lang", "c", name]);
        String::from_utf8(command.env("CC", clang).output().unwrap().stdout).unwrap()
    };
    let said = new("without", "/no/such/clang");
    assert!(said.contains("made without\n") && said.contains("apt install clang lld wasi-libc"), "{said}");
    let header = std::fs::read_to_string(project.root().join("without/bindings/shellward.h")).unwrap();
    assert!(header.contains("exports_shellward_policy_rules_review"));
    // One that builds has nothing said of it.
    let said = new("with", "true");
    assert!(said.contains("made with\n") && !said.contains("install"), "{said}");
}

#[test]
fn a_project_is_not_made_over_another_or_under_a_bad_name() {
    assert!(program().is_file());
    let project = Project::new();
    let new = |name: &str| run(&project, &["policy", "new", "--lang", "rust", name]);
    assert_eq!(new("guards/one").0, 0);
    let (code, _, stderr) = new("guards/one");
    assert!(code == 2 && stderr.contains("cannot make guards/one"), "{stderr}");
    let (code, _, stderr) = new("Guard One");
    assert!(code == 2 && stderr.contains("is no name for a guard"), "{stderr}");
}

#[test]
fn a_policy_is_held_to_a_table() {
    let project = Project::new();
    let test = |table: &str| {
        project.file("cases.toml", table);
        run(&project, &["policy", "test", "bash", "--cases", "cases.toml"])
    };
    let good =
        "[[case]]\ncommand = \"echo sudo\"\nexpect = \"allow\"\n[[case]]\ncommand = \"sudo ls\"\nexpect = \"deny\"\n";
    let (code, stdout, _) = test(good);
    assert_eq!((code, stdout.as_str()), (0, "0 cases of its own and 2 of the table: 0 failed\n"));
    let (code, stdout, _) = test(&good.replace("echo sudo", "env sudo x"));
    assert!(code == 1 && stdout.starts_with("`env sudo x` must be allow and is deny\n"), "{stdout}");
    let (code, _, stderr) = test("[[case]]\ncommand = \"x\"\nexpect = \"maybe\"\n");
    assert!(code == 2 && stderr.contains("cases.toml") && stderr.contains("write each case as"), "{stderr}");
    for language in ["language = \"nu\"\n", "language = \"elvish\"\n"] {
        let (code, _, stderr) = test(&format!("[[case]]\ncommand = \"ls\"\nexpect = \"allow\"\n{language}"));
        assert!(code == 2 && !stderr.is_empty(), "{stderr}");
    }
    let (code, _, stderr) = run(&project, &["policy", "test", "bash", "--language", "nu"]);
    assert!(code == 2 && stderr.contains("a language is for guards"), "{stderr}");
}

#[test]
fn a_digest_is_told_and_held_to() {
    let project = Project::new();
    let (code, digest, _) = run(&project, &["policy", "verify", "exec"]);
    assert_eq!((code, digest.trim().len()), (0, 64));
    assert_eq!(run(&project, &["policy", "verify", "exec", "--sha256", digest.trim()]).0, 0);
    let (code, stdout, _) = run(&project, &["policy", "verify", "exec", "--sha256", &"0".repeat(64)]);
    assert!(code == 1 && stdout.contains("exec is not 000"), "{stdout}");
}
