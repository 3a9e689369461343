//! Policies that are not loaded, each with its reason.

use std::fs;

use serde_json::json;
use shellward::settings::Settings;
use shellward::{BuildError, Source};
use shellward_tests::{HOSTILE, Project, component_of};

fn refused(project: &Project, bytes: &[u8]) -> String {
    let path = project.root().join("policy.wasm");
    fs::write(&path, bytes).unwrap();
    project.builder(path.to_str().unwrap()).build().unwrap_err().to_string()
}

fn component(text: &str) -> Vec<u8> {
    wat::parse_str(text).unwrap()
}

/// A component that exports the contract's interfaces, empty, at a version.
fn empty_exports(version: &str) -> Vec<u8> {
    component(&format!(
        r#"(component
            (instance $empty)
            (export "shellward:policy/rules@{version}" (instance $empty))
            (export "shellward:policy/conduct@{version}" (instance $empty)))"#
    ))
}

#[test]
fn what_is_no_policy_is_refused_with_the_reason() {
    let project = Project::new();
    let sockets = component(r#"(component (import "wasi:sockets/tcp@0.2.0" (instance)))"#);
    let unknown = component(r#"(component (import "acme:spy/camera" (instance)) (import "other" (func)))"#);
    for (bytes, expected) in [
        (b"#!/bin/sh\necho hello".to_vec(), "is not WebAssembly"),
        (Vec::new(), "is not WebAssembly"),
        (component("(module)"), "is a core WebAssembly module"),
        (component("(component)"), "does not export shellward:policy/rules and shellward:policy/conduct"),
        (sockets, "asks for what no policy gets: wasi:sockets/tcp@0.2.0"),
        (unknown, "asks for what no policy gets: acme:spy/camera, other"),
        (empty_exports("0.1.0"), "does not fit the policy contract"),
        (empty_exports("7.0.0"), "is made for shellward:policy/rules@7.0.0"),
        (b"\0asm\x0d\0\x01\0garbage".to_vec(), "is not a valid component"),
        (component_of("exec")[..4000].to_vec(), "is not a valid component"),
    ] {
        let error = refused(&project, &bytes);
        assert!(error.contains(expected), "{expected:?} is not in {error:?}");
        assert!(error.contains("policy.wasm"), "the file is not named in {error:?}");
    }
}

#[test]
fn a_policy_that_fails_while_it_describes_itself_is_refused() {
    let project = Project::new();
    for (deed, expected) in [
        ("panic", "told to panic"),
        ("loop", "ran for more than 100 ms"),
        ("allocate", "wanted more memory"),
        ("recurse", "stack"),
        ("nonsense", "is not JSON"),
        ("refuse", "given settings: `tools.hostile.do`: is not to my liking"),
    ] {
        let values = json!({"do": deed}).as_object().unwrap().clone();
        let settings = Settings::default().given("tools.hostile", values);
        let error = project.builder(HOSTILE).settings(settings).build().unwrap_err().to_string();
        assert!(error.contains(expected), "{expected:?} is not in {error:?}");
    }
}

#[test]
fn a_name_that_is_no_policy_is_told_the_names_that_are() {
    let error = Source::parse("bsah").unwrap_err().to_string();
    assert!(error.contains("actions, bash, exec, meerkat"), "{error}");
}

#[test]
fn a_directory_and_a_missing_project_are_said() {
    let project = Project::new();
    let error = project.builder(project.root().to_str().unwrap()).build().unwrap_err().to_string();
    assert!(error.contains("is not a file"), "{error}");
    let error = project.builder("exec").project("/no/such/project").build().unwrap_err();
    assert!(matches!(error, BuildError::Project { .. }) && error.to_string().contains("/no/such/project"), "{error}");
}

#[test]
fn the_built_in_policies_import_what_this_list_says() {
    // A new compiler or library that makes policies ask for more is to be noticed, and by hosts in other languages too.
    let wasi = [
        "wasi:cli/environment@0.2.6",
        "wasi:cli/exit@0.2.6",
        "wasi:cli/stderr@0.2.6",
        "wasi:cli/stdin@0.2.6",
        "wasi:cli/stdout@0.2.6",
        "wasi:cli/terminal-input@0.2.6",
        "wasi:cli/terminal-output@0.2.6",
        "wasi:cli/terminal-stderr@0.2.6",
        "wasi:cli/terminal-stdin@0.2.6",
        "wasi:cli/terminal-stdout@0.2.6",
        "wasi:io/error@0.2.6",
        "wasi:io/poll@0.2.6",
        "wasi:io/streams@0.2.6",
    ];
    let own = [
        "commands",
        "diagnostics",
        "input",
        "jobs",
        "output",
        "processes",
        "settings",
        "signals",
        "timers",
        "types",
        "workspace",
    ];
    for name in ["actions", "bash", "exec", "meerkat"] {
        let inspection = shellward::inspect(Source::parse(name).unwrap(), None).unwrap();
        let (mut theirs, mut ours): (Vec<_>, Vec<_>) =
            inspection.component.imports().iter().partition(|import| import.starts_with("wasi:"));
        theirs.sort();
        ours.sort();
        assert_eq!(theirs, wasi, "{name}");
        let interfaces: Vec<_> = ours
            .iter()
            .map(|import| {
                import.strip_prefix("shellward:policy/").and_then(|rest| rest.strip_suffix("@0.1.0")).unwrap()
            })
            .collect();
        assert!(interfaces.iter().all(|interface| own.contains(interface)), "{name} imports {interfaces:?}");
    }
}

#[cfg(unix)]
mod cache {
    use std::os::unix::fs::PermissionsExt;

    use shellward::Cache;

    use super::*;

    fn only_file(cache: &Cache) -> std::path::PathBuf {
        let mut files: Vec<_> = fs::read_dir(cache.directory()).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert_eq!(files.len(), 1, "{files:?}");
        files.remove(0)
    }

    #[test]
    fn damaged_and_foreign_entries_are_ignored_and_made_anew() {
        let project = Project::new();
        let cache = Cache::open(&project.root().join("cache")).unwrap();
        let load = || shellward::inspect(Source::parse("exec").unwrap(), Some(cache.clone())).unwrap();
        load();
        let file = only_file(&cache);
        let sound = fs::read(&file).unwrap();
        assert_eq!(fs::metadata(cache.directory()).unwrap().permissions().mode() & 0o777, 0o700);
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        let mut flipped = sound.clone();
        flipped[sound.len() / 2] ^= 1;
        for damaged in [flipped, sound[..sound.len() - 1].to_vec(), Vec::new(), b"something else".to_vec()] {
            fs::write(&file, damaged).unwrap();
            load();
            assert_eq!(fs::read(only_file(&cache)).unwrap().len(), sound.len());
        }
        // A file that others may write is not trusted, whatever is in it.
        fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).unwrap();
        load();
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        // A link is not followed, even to a sound file.
        let elsewhere = project.root().join("elsewhere");
        fs::rename(&file, &elsewhere).unwrap();
        std::os::unix::fs::symlink(&elsewhere, &file).unwrap();
        load();
        assert!(!fs::symlink_metadata(&file).unwrap().is_symlink());
    }

    #[test]
    fn a_directory_that_others_can_use_is_refused() {
        let project = Project::new();
        let directory = project.root().join("open");
        fs::create_dir(&directory).unwrap();
        fs::set_permissions(&directory, fs::Permissions::from_mode(0o755)).unwrap();
        let error = Cache::open(&directory).unwrap_err().to_string();
        assert!(error.contains("chmod 700"), "{error}");
    }
}
