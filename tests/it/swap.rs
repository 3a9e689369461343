//! Rule 7, swapping: one exchange, nothing in flight is lost, and what is of no use changes nothing.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use shellward::control::{Control, servers};
use shellward::settings::Settings;
use shellward::{Host, Received, Source};
use shellward_tests::{HOSTILE, Project, Survivors, component_of, until};

const ONE: &str = "hostile-version-0001";
const TWO: &str = "hostile-version-0002";

/// The hostile policy's bytes, as another version of it.
fn version(of: &str) -> Vec<u8> {
    let mut bytes = fs::read(HOSTILE).unwrap();
    let places: Vec<_> = (0..bytes.len() - ONE.len()).filter(|at| bytes[*at..].starts_with(ONE.as_bytes())).collect();
    assert!(!places.is_empty(), "the component does not hold its version as a text");
    for at in places {
        bytes[at..at + ONE.len()].copy_from_slice(of.as_bytes());
    }
    bytes
}

fn file(project: &Project, name: &str, bytes: &[u8]) -> PathBuf {
    let path = project.root().join(name);
    fs::write(&path, bytes).unwrap();
    path
}

/// Writes a file as careful programs do: beside, and then in its place.
fn replace(path: &Path, bytes: &[u8]) {
    let beside = path.with_extension("new");
    fs::write(&beside, bytes).unwrap();
    fs::rename(beside, path).unwrap();
}

async fn hostile(host: &Host, arguments: Value) -> shellward::Reply {
    host.call("one", "hostile", arguments).await
}

/// Which version answers.
async fn answering(host: &Host) -> String {
    let reply = hostile(host, json!({"do": "version"})).await;
    assert!(reply.policy.contains(&reply.text), "{reply:?}");
    reply.text
}

#[test]
fn ten_thousand_calls_during_a_hundred_swaps_each_have_one_answer_of_one_policy() {
    const CALLERS: usize = 8;
    const CALLS: usize = 10_000 / CALLERS;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(4).enable_all().build().unwrap();
    let project = Project::new();
    let sources = [HOSTILE.into(), file(&project, "two.wasm", &version(TWO))].map(Source::File);
    let host = Arc::new(project.hostile());
    let over = Arc::new(AtomicBool::new(false));
    runtime.block_on(async {
        let callers: Vec<_> = (0..CALLERS)
            .map(|number| {
                let (caller, over) = (host.caller(), Arc::clone(&over));
                tokio::spawn(async move {
                    let session = number.to_string();
                    let (mut made, mut seen) = (0, [0; 2]);
                    // Each makes its share, and goes on until the last swap is done.
                    while made < CALLS || !over.load(Ordering::Relaxed) {
                        // Every hundredth runs a command, so that its answer is worded after a wait.
                        let run = made % 100 == 0;
                        let deed = if run { "run" } else { "version" };
                        let arguments =
                            json!({"do": deed, "command": "exit 0", "advance": "version", "settle": "version"});
                        let reply = caller.call(&session, "hostile", arguments).await;
                        assert!(!reply.is_error, "{reply:?}");
                        let version = reply.text.rsplit(' ').next().unwrap().to_owned();
                        assert!(reply.policy.contains(&format!("@{version} ")), "{reply:?}");
                        seen[usize::from(version == TWO)] += 1;
                        made += 1;
                    }
                    (made, seen)
                })
            })
            .collect();
        for number in 0..100 {
            let swapped = host.swap(sources[(number + 1) % 2].clone()).await.unwrap();
            let (from, to) = if number % 2 == 0 { (ONE, TWO) } else { (TWO, ONE) };
            assert!(swapped.from.contains(from) && swapped.to.contains(to), "{swapped:?}");
        }
        over.store(true, Ordering::Relaxed);
        let (mut made, mut seen) = (0, [0; 2]);
        for caller in callers {
            let (calls, versions) = caller.await.unwrap();
            made += calls;
            seen = [seen[0] + versions[0], seen[1] + versions[1]];
        }
        assert!(made >= CALLERS * CALLS && seen[0] > 0 && seen[1] > 0, "{made} calls, by version {seen:?}");
        Arc::try_unwrap(host).unwrap().shutdown().await;
    });
}

#[tokio::test]
async fn a_job_of_version_one_is_timed_out_and_settled_by_version_two() {
    let project = Project::new();
    let host = project.hostile();
    let survivors = Survivors::new();
    let command = format!("sleep {}", survivors.mark());
    let caller = host.caller();
    // The timeout is armed by version one; the swap is done as soon as the command runs.
    let call = tokio::spawn(async move {
        let arguments =
            json!({"do": "run", "command": command, "advance": "version", "settle": "version", "timeout": 8000});
        caller.call("one", "hostile", arguments).await
    });
    until_async("the command runs", || survivors.alive().len() == 1).await;
    host.swap(Source::File(file(&project, "two.wasm", &version(TWO)))).await.unwrap();
    let reply = call.await.unwrap();
    assert_eq!(reply.text, format!("timed out by {TWO}; settled by {TWO}"), "{reply:?}");
    assert!(reply.policy.contains(TWO), "{reply:?}");
    survivors.wait_for(0);
    host.shutdown().await;
}

#[tokio::test]
async fn a_job_of_version_one_is_cancelled_by_version_two() {
    let project = Project::new();
    let host = project.hostile();
    let survivors = Survivors::new();
    let command = format!("sleep {}", survivors.mark());
    let begun = hostile(&host, json!({"do": "background", "command": command, "advance": "version"})).await;
    survivors.wait_for(1);
    host.swap(Source::File(file(&project, "two.wasm", &version(TWO)))).await.unwrap();
    let caller = host.caller();
    let job = begun.text.clone();
    let waiting = tokio::spawn(async move {
        caller.call("one", "hostile", json!({"do": "wait", "job": job, "settle": "version"})).await
    });
    let posted = hostile(&host, json!({"do": "post", "job": begun.text})).await;
    assert_eq!(posted.text, "Ok(())");
    let reply = waiting.await.unwrap();
    assert_eq!(reply.text, format!("cancelled by {TWO}; settled by {TWO}"), "{reply:?}");
    survivors.wait_for(0);
    host.shutdown().await;
}

#[tokio::test]
async fn what_is_of_no_use_is_refused_and_the_old_one_serves() {
    let project = Project::new();
    let host = project.hostile();
    let wat = |text: &str| wat::parse_str(text).unwrap();
    for (bytes, expected) in [
        (component_of("exec")[..5000].to_vec(), "is not a valid component"),
        (b"#!/bin/sh".to_vec(), "is not WebAssembly"),
        (wat(r#"(component (import "wasi:sockets/tcp@0.2.0" (instance)))"#), "asks for what no policy gets"),
        (wat("(component)"), "does not export"),
    ] {
        let error = host.swap(Source::File(file(&project, "bad.wasm", &bytes))).await.unwrap_err().to_string();
        assert!(error.contains(expected), "{expected:?} is not in {error:?}");
        assert_eq!(answering(&host).await, ONE);
    }
    host.shutdown().await;
    // Those that fail, or take too long, only once they are told the settings.
    for (deed, expected) in
        [("panic", "told to panic"), ("loop", "ran for more than 100 ms"), ("refuse", "is not to my liking")]
    {
        let settings = Settings::default().given("tools.hostile", json!({"do": deed}).as_object().unwrap().clone());
        let host = project.builder("exec").settings(settings).build().unwrap();
        let error = host.swap(Source::File(HOSTILE.into())).await.unwrap_err().to_string();
        assert!(error.contains(expected), "{expected:?} is not in {error:?}");
        let reply = host.call("one", "exec", json!({"command": "echo here"})).await;
        assert!(reply.text.contains("here"), "{reply:?}");
        host.shutdown().await;
    }
}

#[tokio::test]
async fn a_digest_that_is_demanded_holds_for_replacements_too() {
    let project = Project::new();
    let digest = Source::File(HOSTILE.into()).digest().unwrap();
    let other = file(&project, "two.wasm", &version(TWO));
    let host = project.builder(HOSTILE).pin(&digest).build().unwrap();
    let error = host.swap(Source::File(other.clone())).await.unwrap_err().to_string();
    assert!(error.contains(&digest) && error.contains("is demanded"), "{error}");
    host.swap(Source::File(HOSTILE.into())).await.unwrap();
    host.shutdown().await;
    project.file(".shellward/config.toml", &format!("policy_sha256 = \"{digest}\"\n"));
    let settings = |project: &Project| {
        let file = project.root().join(shellward::settings::PROJECT_FILE);
        Settings::default().file(shellward::settings::Source::Project, &file)
    };
    let built = project.builder(other.to_str().unwrap()).settings(settings(&project).unwrap()).build();
    assert!(built.unwrap_err().to_string().contains("is demanded"));
    project.file(".shellward/config.toml", "policy_sha256 = \"abc\"\n");
    assert!(settings(&project).unwrap_err().to_string().contains(":1: `policy_sha256`: must be a SHA-256"));
}

#[tokio::test]
async fn swaps_are_told_to_those_who_want_to_know() {
    let project = Project::new();
    let host = project.hostile();
    let mut swaps = host.swaps();
    host.swap(Source::parse("exec").unwrap()).await.unwrap();
    assert_eq!(swaps.next().await.unwrap().manifest().name, "exec");
    assert_eq!(host.tools()[0].name, "exec");
    host.shutdown().await;
}

/// Waits without holding the thread that answers.
async fn until_async(what: &str, mut condition: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !condition() {
        assert!(begun.elapsed() < Duration::from_secs(30), "waited in vain until {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[test]
fn a_file_that_is_followed_is_taken_when_it_is_whole() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let project = Project::new();
    let (one, two) = (version(ONE), version(TWO));
    let path = file(&project, "policy.wasm", &one);
    let host = project.builder(path.to_str().unwrap()).build().unwrap();
    let watch = host.swapper().follow(&path).unwrap();
    let is = |version: &str| host.policy().manifest().version == version;
    // Replaced, as build tools do.
    replace(&path, &two);
    until("the replaced file is taken", || is(TWO));
    // Written in place, in two parts: in between there is half a component, and nobody reads it. That quiet in between
    // changes nothing is shown beside `Seen`.
    let mut swaps = host.swaps();
    {
        use std::io::Write;
        let mut writer = fs::File::create(&path).unwrap();
        let (half, rest) = one.split_at(one.len() / 2);
        writer.write_all(half).unwrap();
        writer.flush().unwrap();
        assert!(is(TWO));
        writer.write_all(rest).unwrap();
    }
    until("the rewritten file is taken", || is(ONE));
    assert_eq!(runtime.block_on(swaps.next()).unwrap().manifest().version, ONE);
    // Half a component, closed: it is looked at, and not taken.
    assert_eq!(watch.refused(), None);
    fs::write(&path, &two[..two.len() / 2]).unwrap();
    until("half a component is refused", || watch.refused().is_some());
    let refused = watch.refused().unwrap();
    assert!(refused.contains("is not a valid component") && is(ONE), "{refused}");
    // What is in place, once more.
    replace(&path, &one);
    until("the refusal is over, as nothing is refused any more", || watch.refused().is_none());
    fs::write(&path, &two[..two.len() / 2]).unwrap();
    until("half a component is refused again", || watch.refused().is_some());
    // Moved away and written anew, as editors do that keep a backup.
    fs::rename(&path, path.with_extension("bak")).unwrap();
    fs::write(&path, &two).unwrap();
    until("the new file is taken", || is(TWO));
    until("the refusal is over", || watch.refused().is_none());
    drop(watch);
    runtime.block_on(host.shutdown());
}

#[test]
fn a_link_and_a_new_directory_are_followed() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let project = Project::new();
    for (name, which) in [("a/policy.wasm", ONE), ("b/policy.wasm", TWO)] {
        fs::create_dir_all(project.root().join(name).parent().unwrap()).unwrap();
        file(&project, name, &version(which));
    }
    let link = project.root().join("policy.wasm");
    std::os::unix::fs::symlink("a/policy.wasm", &link).unwrap();
    let host = project.builder(link.to_str().unwrap()).build().unwrap();
    let _watch = host.swapper().follow(&link).unwrap();
    let is = |version: &str| host.policy().manifest().version == version;
    std::os::unix::fs::symlink("b/policy.wasm", project.root().join("next")).unwrap();
    fs::rename(project.root().join("next"), &link).unwrap();
    until("the other file is taken", || is(TWO));
    replace(&project.root().join("b/policy.wasm"), &version(ONE));
    until("what the link leads to is followed", || is(ONE));
    runtime.block_on(host.shutdown());
}

#[test]
fn a_link_to_a_directory_is_followed() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let project = Project::new();
    let at = |name: &str| project.root().join(name);
    for (directory, which) in [("one", ONE), ("two", TWO)] {
        fs::create_dir(at(directory)).unwrap();
        fs::write(at(directory).join("policy.wasm"), version(which)).unwrap();
    }
    let point_to = |directory: &str| {
        std::os::unix::fs::symlink(directory, at("next")).unwrap();
        fs::rename(at("next"), at("current")).unwrap();
    };
    point_to("one");
    let path = at("current/policy.wasm");
    let host = project.builder(path.to_str().unwrap()).build().unwrap();
    let _watch = host.swapper().follow(&path).unwrap();
    let is = |version: &str| host.policy().manifest().version == version;
    point_to("two");
    until("the other directory's file is taken", || is(TWO));
    replace(&at("two/policy.wasm"), &version(ONE));
    until("what is written there is taken", || is(ONE));
    // To nothing, which is then made.
    fs::rename(at("one"), at("gone")).unwrap();
    point_to("one");
    fs::write(at("gone/policy.wasm"), version(TWO)).unwrap();
    fs::rename(at("gone"), at("one")).unwrap();
    until("what has come back is taken", || is(TWO));
    runtime.block_on(host.shutdown());
}

#[test]
fn what_has_changed_before_a_file_is_followed_is_taken() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let project = Project::new();
    let path = file(&project, "policy.wasm", &version(ONE));
    let host = project.builder(path.to_str().unwrap()).build().unwrap();
    replace(&path, &version(TWO));
    let _watch = host.swapper().follow(&path).unwrap();
    until("the file is taken as it is", || host.policy().manifest().version == TWO);
    runtime.block_on(host.shutdown());
}

#[tokio::test]
async fn a_notice_says_who_said_it() {
    let project = Project::new();
    let host = project.host("meerkat", "tools.shell", &json!({"enabled": true, "shell": "sh"}));
    let (mut events, mut late) = (host.events(), host.events());
    host.call("one", "shell", json!({"command": "true", "background": true})).await;
    assert!(matches!(events.next().await, Some(Received::Notice(_))));
    host.swap(Source::parse("exec").unwrap()).await.unwrap();
    let Some(Received::Notice(notice)) = late.next().await else { panic!("no notice") };
    assert!(notice.policy.starts_with("meerkat@"), "{notice:?}");
    host.shutdown().await;
}

#[test]
fn a_running_host_is_told_by_its_socket() {
    use std::os::unix::fs::PermissionsExt;
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let project = Project::new();
    let host = project.hostile();
    assert!(servers(&project.root()).unwrap().is_empty());
    let control = Control::serve(&host, &project.root()).unwrap();
    let socket = project.root().join(format!(".shellward/servers/{}.sock", std::process::id()));
    assert_eq!(fs::metadata(&socket).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(fs::metadata(socket.parent().unwrap()).unwrap().permissions().mode() & 0o777, 0o700);
    let ask = |policy: &str| {
        let mut servers = servers(&project.root()).unwrap();
        assert_eq!(servers.len(), 1);
        servers.remove(0).swap(policy)
    };
    let two = file(&project, "two.wasm", &version(TWO));
    let swapped = ask(two.to_str().unwrap()).unwrap();
    assert!(swapped.from.contains(ONE) && swapped.to.contains(TWO), "{swapped:?}");
    let error = ask("/no/such/policy.wasm").unwrap_err().to_string();
    assert!(error.contains("keeps its policy: no policy '/no/such/policy.wasm'"), "{error}");
    // What is refused is said, however long it is.
    let long = ask(&"x".repeat(65_000)).unwrap_err().to_string();
    assert!(long.contains("keeps its policy: no policy 'xxx"), "{long}");
    let longer = ask(&"\\".repeat(32_700)).unwrap_err().to_string();
    assert!(longer.contains("keeps its policy: no policy"), "{longer}");
    assert_eq!(host.policy().manifest().version, TWO);
    drop(control);
    assert!(servers(&project.root()).unwrap().is_empty());
    runtime.block_on(host.shutdown());
}
