//! Guards: judge what any policy starts, in order, the strictest wins, and one that fails denies.

use std::fs;
use std::pin::Pin;
use std::sync::{Arc, Mutex};

use serde_json::{Map, Value, json};
use shellward::contract::types::{Decision, Question};
use shellward::settings::{PROJECT_FILE, Settings, Source as From};
use shellward::{Approver, GuardSpec, Host, HostBuilder, Source};
use shellward_tests::{GUARD, HOSTILE, Project, component_of};

fn settings(value: Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

fn guard(value: Value) -> GuardSpec {
    GuardSpec::file(GUARD).settings(settings(value))
}

pub(super) fn guarded(project: &Project, policy: &str, guards: &[Value]) -> HostBuilder {
    guards.iter().fold(project.builder(policy), |builder, value| builder.guard(guard(value.clone())))
}

async fn exec(host: &Host, command: &str) -> shellward::Reply {
    host.call("one", "exec", json!({"command": command})).await
}

/// Answers every question alike, and keeps what it was asked.
#[derive(Clone)]
pub(super) struct Person(bool, Arc<Mutex<Vec<Question>>>);

impl Person {
    pub(super) fn who_says(yes: bool) -> Self {
        Self(yes, Arc::default())
    }

    pub(super) fn asked(&self) -> Vec<Question> {
        self.1.lock().unwrap().clone()
    }
}

impl Approver for Person {
    fn ask<'a>(&'a self, _: &'a str, question: &'a Question) -> Pin<Box<dyn Future<Output = bool> + Send + 'a>> {
        self.1.lock().unwrap().push(question.clone());
        Box::pin(async { self.0 })
    }
}

#[tokio::test]
async fn what_a_guard_denies_is_not_started_and_the_guard_is_named() {
    let project = Project::new();
    for (policy, tool, extra) in [("exec", "exec", json!({})), ("bash", "Bash", json!({}))] {
        let host = guarded(&project, policy, &[json!({"name": "no-touch", "deny": ["touch"]})]).build().unwrap();
        // Judged by what would run: wrapped, nested and quoted.
        for command in
            ["touch made", "env touch made", "sh -c 'touch made'", "echo \"$(touch made)\"", "t\"ou\"ch made"]
        {
            let mut arguments = extra.clone();
            arguments["command"] = command.into();
            let reply = host.call("one", tool, arguments).await;
            assert!(reply.is_error, "{policy}: {command}: {reply:?}");
            let answer = reply.answer();
            assert!(answer.contains("no-touch") && answer.contains("touch is on the list `deny`"), "{answer}");
            assert!(!project.root().join("made").exists());
        }
        let reply = host.call("one", tool, json!({"command": "echo touch"})).await;
        assert!(!reply.is_error, "{reply:?}");
        host.shutdown().await;
    }
}

#[tokio::test]
async fn the_strictest_verdict_of_the_chain_wins() {
    let project = Project::new();
    let (ask, deny) = (json!({"name": "asker", "ask": ["echo"]}), json!({"name": "denier", "deny": ["echo"]}));
    let indifferent = json!({"name": "indifferent"});
    for chain in [[&ask, &deny, &indifferent], [&deny, &indifferent, &ask], [&indifferent, &ask, &deny]] {
        let person = Person::who_says(true);
        let host = guarded(&project, "exec", &chain.map(Clone::clone)).approver(person.clone()).build().unwrap();
        let reply = exec(&host, "echo x").await;
        assert!(reply.is_error && reply.text.contains("denier") && !reply.text.contains("asker"), "{reply:?}");
        assert!(person.asked().is_empty());
        let found = host.check("echo x").unwrap();
        assert_eq!(found.verdict.decision, Decision::Deny);
        assert_eq!(found.objecting.len(), 2);
        assert!(found.verdict.findings[0].message.starts_with("denier: echo is on"), "{found:?}");
        assert!(host.check("true").unwrap().objecting.is_empty());
        host.shutdown().await;
    }
}

#[tokio::test]
async fn a_check_is_read_as_the_policy_s_shell_reads() {
    let project = Project::new();
    // Nushell runs `touch`; bash looks for a program of that odd name.
    let line = "^touch made";
    let nushell = json!({"enabled": true, "shell": "nu"});
    for (policy, table, shell, nu) in [
        ("meerkat", "tools.shell", nushell, true),
        ("exec", "tools.exec", json!({"shell": "nu"}), true),
        ("exec", "tools.exec", json!({"shell": "bash"}), false),
        ("bash", "tools.Bash", json!({}), false),
    ] {
        let settings = Settings::default().given(table, settings(shell));
        let guards = [json!({"name": "no-touch", "deny": ["touch"]})];
        let host = guarded(&project, policy, &guards).settings(settings).build().unwrap();
        let found = host.check(line).unwrap();
        assert_eq!(found.objecting.len(), usize::from(nu), "{policy}: {found:?}");
        let program = if nu { "touch" } else { "^touch" };
        assert_eq!(found.verdict.commands[0].words[0].as_deref(), Some(program), "{policy}: {found:?}");
        host.shutdown().await;
    }
}

#[tokio::test]
async fn what_a_guard_leaves_to_a_human_runs_after_a_yes_and_only_then() {
    let project = Project::new();
    let asker = [json!({"name": "asker", "ask": ["touch"]}), json!({"name": "second", "ask": ["touch"]})];
    let meerkat = Settings::default().given("tools.shell", settings(json!({"enabled": true, "shell": "sh"})));
    for (policy, tool) in [("exec", "exec"), ("bash", "Bash"), ("meerkat", "shell")] {
        for yes in [false, true] {
            let (person, file) = (Person::who_says(yes), format!("made-{policy}-{yes}"));
            let mut builder = guarded(&project, policy, &asker).approver(person.clone());
            if policy == "meerkat" {
                builder = builder.settings(meerkat.clone());
            }
            let host = builder.build().unwrap();
            let reply = host.call("one", tool, json!({"command": format!("touch {file}")})).await;
            assert_eq!((reply.is_error, project.root().join(&file).exists()), (!yes, yes), "{policy}: {reply:?}");
            let asked = person.asked();
            assert_eq!(asked.len(), 1, "{asked:?}");
            // Who is asked sees who asks and the very command, whatever the policy tells.
            let shown = format!("asker, second leaves this to you:\n\n  touch {file}\n");
            assert!(asked[0].text.starts_with(&shown) && asked[0].id == "guard-asker, second", "{asked:?}");
            assert_eq!(asked[0].findings.len(), 2, "{asked:?}");
            host.shutdown().await;
        }
        // Where nobody can be asked, the answer is the refusal.
        let mut builder = guarded(&project, policy, &asker);
        if policy == "meerkat" {
            builder = builder.settings(meerkat.clone());
        }
        let host = builder.build().unwrap();
        let reply = host.call("one", tool, json!({"command": "touch made"})).await;
        assert!(reply.is_error && reply.answer().contains("asker"), "{reply:?}");
        host.shutdown().await;
    }
}

#[tokio::test]
async fn a_guard_that_fails_denies_and_the_policy_is_not_blamed() {
    let project = Project::new();
    for (deed, cause) in [("panic", "told to panic"), ("loop", "ran for more than 100 ms")] {
        let broken = json!({"name": "broken", "do": deed});
        // Two that take all their time are more than the policy's own deadline.
        let host = guarded(&project, "exec", &[json!({"ask": ["true"]}), broken]).build().unwrap();
        let reply = exec(&host, "echo x").await;
        assert_ne!(reply.code.as_deref(), Some("policy_fault"), "{reply:?}");
        assert!(reply.is_error && reply.text.contains("the guard broken failed"), "{reply:?}");
        assert!(reply.text.contains(cause), "{reply:?}");
        host.shutdown().await;
    }
}

#[tokio::test]
async fn many_guarded_calls_at_once_all_get_their_answer() {
    let project = Project::new();
    let chain: Vec<_> = (0..5).map(|number| json!({"name": number.to_string(), "deny": ["touch"]})).collect();
    let host = Arc::new(guarded(&project, "exec", &chain).build().unwrap());
    let calls: Vec<_> = (0..200)
        .map(|_| {
            let caller = host.caller();
            tokio::spawn(async move { caller.call("one", "exec", json!({"command": "touch x"})).await })
        })
        .collect();
    for call in calls {
        assert!(call.await.unwrap().text.contains("on the list"));
    }
    Arc::try_unwrap(host).unwrap().shutdown().await;
}

#[tokio::test]
async fn what_is_typed_into_a_running_job_is_judged_by_lines() {
    let project = Project::new();
    let rules = json!({"name": "typist", "typed": ["touch made"], "ask": []});
    let host = guarded(&project, HOSTILE, &[rules]).build().unwrap();
    let call = |arguments: Value| host.call("one", "hostile", arguments);
    let job = call(json!({"do": "background", "command": "sh", "stdin": "open"})).await.text;
    let write = |text: &str| call(json!({"do": "type", "job": job, "text": text}));
    assert_eq!(write("echo tou").await.text, "typed");
    assert_eq!(write("ch; :\n").await.text, "typed", "a line that is allowed");
    assert_eq!(write("touch ").await.text, "typed");
    let reply = write("made\n").await;
    assert!(reply.is_error && reply.text.contains("typist"), "{reply:?}");
    assert!(reply.text.contains("'touch made' may not be typed into sh"), "{reply:?}");
    // What was refused was not typed: the line goes on from what was.
    let file = project.root().join("other");
    assert_eq!(write(&format!("{}; exit\n", file.display())).await.text, "typed");
    let ended = call(json!({"do": "wait", "job": job})).await;
    assert!(!ended.is_error, "{ended:?}");
    assert!(file.exists());
    host.shutdown().await;
}

fn load(project: &Project, spec: GuardSpec) -> String {
    project.builder("exec").guard(spec).build().unwrap_err().to_string()
}

#[test]
fn a_guard_that_is_of_no_use_is_refused_with_the_reason() {
    let project = Project::new();
    let file = |name: &str, bytes: &[u8]| {
        let path = project.root().join(name);
        fs::write(&path, bytes).unwrap();
        GuardSpec::file(path)
    };
    let mut bytes = fs::read(GUARD).unwrap();
    let at = bytes.windows(24).position(|window| window == b"test-guard-expects:allow").unwrap();
    bytes[at..at + 24].copy_from_slice(b"test-guard-expects:denyy");
    let error = load(&project, file("wrong-case.wasm", &bytes));
    assert!(error.contains("wrong-case.wasm fails 1 of its own cases"), "{error}");
    assert!(error.contains("`echo an-example` must be deny and is allow"), "{error}");
    let error = load(&project, file("policy.wasm", &component_of("exec")));
    assert!(error.contains("asks for what no guard gets: ") && error.contains("/processes"), "{error}");
    let error = load(&project, GuardSpec::file(GUARD).pin("0".repeat(64)));
    assert!(error.contains("is demanded"), "{error}");
    let error = load(&project, guard(json!({"do": "refuse"})));
    assert!(error.contains("refuses its settings: do: is not to my liking"), "{error}");
    let error = load(&project, file("empty.wasm", &wat::parse_str("(component)").unwrap()));
    assert!(error.contains("is not a guard: it does not export shellward:policy/rules"), "{error}");
}

#[tokio::test]
async fn guards_are_named_in_the_settings_with_their_own() {
    let project = Project::new();
    fs::create_dir_all(project.root().join(".shellward")).unwrap();
    fs::copy(GUARD, project.root().join(".shellward/guard.wasm")).unwrap();
    let digest = Source::File(GUARD.into()).digest().unwrap();
    let read = |text: &str| {
        project.file(PROJECT_FILE, text);
        Settings::default().file(From::Project, &project.root().join(PROJECT_FILE)).unwrap()
    };
    let text = format!(
        "[[host.guards]]\npath = \"guard.wasm\"\n\n[[host.guards]]\npath = \"guard.wasm\"\nsha256 = \"{digest}\"\n\
         settings = {{ name = \"written\", deny = [\"touch\"] }}\n"
    );
    let settings = read(&text);
    settings.limits().unwrap();
    let host = project.builder("exec").settings(settings).build().unwrap();
    assert!(exec(&host, "touch x").await.text.contains("refused by written"));
    host.shutdown().await;
    for (text, expected) in [
        ("[[host.guards]]\nfile = \"x\"\n", "config.toml:1: `host.guards.0.path`: must be the path"),
        ("[[host.guards]]\npath = \"x\"\nsha256 = \"y\"\n", "config.toml:3: `host.guards.0.sha256`: must be a SHA-256"),
        ("[[host.guards]]\npath = \"x\"\nname = \"y\"\n", "config.toml:3: `host.guards.0.name`: is not known"),
        ("[host]\nguards = 3\n", "config.toml:2: `host.guards`: must be tables"),
        ("[[host.guards]]\npath = \"no.wasm\"\n", ".shellward/no.wasm"),
    ] {
        let error = project.builder("exec").settings(read(text)).build().unwrap_err().to_string();
        assert!(error.contains(expected), "{expected:?} is not in {error:?}");
    }
}
