//! Guards in every language: the project that `policy new` makes builds with that language's own tools, and judges.

use std::process::Command;

use serde_json::Value;
use shellward_tests::Project;

use super::cli::{program, run};

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
    let built = Command::new(directory.join("build")).env_remove("CARGO_TARGET_DIR").output().unwrap();
    let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(built.status.success(), "{language}: {}{}", said(&built.stdout), said(&built.stderr));
    let guard = "no-forced-push/guard.wasm";
    let (code, stdout, stderr) = run(&project, &["policy", "test", guard, "--cases", "no-forced-push/cases.toml"]);
    assert_eq!((code, stdout.as_str()), (0, "4 cases of its own and 2 of the table: 0 failed\n"), "{stderr}");
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
