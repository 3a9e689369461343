//! The settings, and who the policy says it is.

use super::{call, envelope, host, judged, refused, review, run};
use serde_json::{Value, json};
use shellward_kit::contract::Decision;
use shellward_kit::fake::{Behaviour, Human, Subject};

pub(super) fn lists(subject: &dyn Subject) {
    let settings = json!({
        "interactive_extra": ["mc"], "interactive_allow": ["less", "git"],
        "dangerous_extra": ["wipefs"], "dangerous_allow": ["dd", "sudo"],
        "network_extra": ["nc"], "network_allow": ["wget"],
        "readers_extra": ["bat"], "readers_allow": ["cat", "ls"],
    });
    judged(
        subject,
        &host(),
        &settings.to_string(),
        &[
            ("mc", "interactive"),
            ("less f", "runs"),
            ("git add -i", "runs"),
            ("vim f", "interactive"),
            ("wipefs -a /dev/sda", "destructive"),
            ("dd if=a of=b", "runs"),
            ("sudo make install", "runs"),
            ("sudo reboot", "destructive"),
            ("nc host 1", "network"),
            ("wget x", "runs"),
            ("curl x", "network"),
            ("bat f", "read-search-list"),
            ("cat f", "runs"),
            ("ls", "runs"),
            ("grep x f", "read-search-list"),
        ],
    );
}

pub(super) fn filters(subject: &dyn Subject) {
    judged(
        subject,
        &host(),
        r#"{"allow_filters_in_pipes":true}"#,
        &[
            ("pytest | tail -5", "runs"),
            ("pytest | tail -n 5", "runs"),
            ("pytest 2>&1 | head -n5", "runs"),
            ("make | cat", "runs"),
            ("git log | grep fix", "runs"),
            ("git log | grep -A 2 -e fix -e feat", "runs"),
            ("git log | grep -i fix | head", "runs"),
            ("make | rg error", "runs"),
            ("make | tail -5 log", "read-search-list"),
            ("make | cat README.md", "read-search-list"),
            ("make | cat - README.md", "read-search-list"),
            ("make | grep fix src/main.rs", "read-search-list"),
            ("make | grep -r fix", "read-search-list"),
            ("make | grep -f patterns", "read-search-list"),
            ("make | grep \"$X\"", "read-search-list"),
            ("make | grep -e fix src", "read-search-list"),
            ("make | ls", "read-search-list"),
            ("make | find .", "read-search-list"),
            ("cat README.md | make", "read-search-list"),
            ("head -5 README.md", "read-search-list"),
        ],
    );
}

pub(super) fn on_unknown(subject: &dyn Subject) {
    let host = host();
    let decision = |settings: &str, command: &str| review(subject, &host, command, settings).decision;
    for command in ["$CMD x", "cd \"$DIR\"", "rm -rf \"$DIR\"", "echo 'unfinished"] {
        assert_eq!(decision("{}", command), Decision::Deny, "{command}");
        assert_eq!(decision(r#"{"on_unknown":"deny"}"#, command), Decision::Deny, "{command}");
        assert_eq!(decision(r#"{"on_unknown":"ask"}"#, command), Decision::Ask, "{command}");
        assert_eq!(decision(r#"{"on_unknown":"allow"}"#, command), Decision::Allow, "{command}");
    }
    // What is known is judged all the same.
    assert_eq!(decision(r#"{"on_unknown":"allow"}"#, "$CMD x; sudo true"), Decision::Deny);
    host.settings_json(r#"{"on_unknown":"allow"}"#);
    assert_eq!(run(subject, &host, "$CMD x")["status"], "success");
}

pub(super) fn asked(subject: &dyn Subject) {
    for (human, starts) in [(Human::Absent, false), (Human::Refuses, false), (Human::Approves, true)] {
        let host = host();
        host.settings_json(r#"{"on_unknown":"ask"}"#).human(human);
        let body = run(subject, &host, "$CMD x");
        assert_eq!(host.launches().len(), usize::from(starts), "{human:?}");
        match starts {
            true => assert_eq!(body["status"], "success"),
            false => refused(&body, "INVALID_PARAM", "Command blocked by safety rules. "),
        }
        // No human can allow what is denied.
        refused(&run(subject, &host, "$CMD x; sudo true"), "INVALID_PARAM", "Command blocked by safety rules. ");
    }
}

pub(super) fn shell(subject: &dyn Subject) {
    for (settings, without, program) in [
        ("{}", "", Some("/bin/bash")),
        ("{}", "bash", Some("/bin/sh")),
        (r#"{"shell":"sh"}"#, "", Some("/bin/sh")),
        (r#"{"shell":"bash"}"#, "", Some("/bin/bash")),
        (r#"{"shell":"bash"}"#, "bash", None),
        (r#"{"shell":"sh"}"#, "sh", None),
    ] {
        let host = host();
        host.settings_json(settings).without_program(without);
        let body = run(subject, &host, "true");
        assert_eq!(host.launches().first().map(|launch| launch.program.clone()).as_deref(), program, "{settings}");
        if program.is_none() {
            refused(&body, "EXECUTION_ERROR", "Command failed: no shell ");
        }
    }
    // What bash runs one way and sh another is not known to sh.
    let host = host();
    host.settings_json(r#"{"shell":"sh"}"#);
    refused(&run(subject, &host, "make &> log"), "INVALID_PARAM", "Command blocked by safety rules. ");
    host.settings_json("{}");
    assert_eq!(run(subject, &host, "make &> log")["status"], "success");
}

pub(super) fn limits(subject: &dyn Subject) {
    let host = host();
    host.settings_json(r#"{"default_timeout_ms":50,"kill_grace_ms":10,"keep_output_bytes":4096,"max_running":2}"#);
    host.on("hang", Behaviour::hangs().ignores_terminate());
    let body = run(subject, &host, "hang");
    assert_eq!(body["error"]["code"], "TIMEOUT");
    assert_eq!(body["stats"]["time_ms"], 60);
    let launch = host.launches().remove(0);
    assert_eq!((launch.timeout, launch.at_most), (Some(50), Some(2)));
    assert_eq!((launch.keep.head, launch.keep.tail), (2048, 2048));
    let body = envelope(&call(subject, &host, &json!({"command": "hang", "timeout_ms": 20})));
    assert_eq!(body["stats"]["time_ms"], 30);
}

pub(super) fn wrong(subject: &dyn Subject) {
    for (settings, key) in [
        (r#"{"allow_netwrok":true}"#, "allow_netwrok"),
        (r#"{"on_unknown":"no"}"#, "on_unknown"),
        (r#"{"kill_grace_ms":-1}"#, "kill_grace_ms"),
        (r#"{"readers_allow":["nothing"]}"#, "readers_allow"),
        (r#"{"dangerous_extra":"rm"}"#, "dangerous_extra"),
    ] {
        let errors = subject.describe(settings).expect_err(settings);
        assert!(errors.iter().any(|error| error.key == [key]), "{settings}: {errors:?}");
    }
}

pub(super) fn manifest(subject: &dyn Subject) {
    let manifest = subject.describe("{}").expect("a manifest");
    assert_eq!((manifest.name.as_str(), manifest.settings_table.as_str()), ("bash", "tools.Bash"));
    let [tool] = manifest.tools.as_slice() else { panic!("{:?}", manifest.tools) };
    assert_eq!(tool.name, "Bash");
    for schema in [&tool.input_schema, tool.output_schema.as_ref().expect("a schema"), &manifest.settings_schema] {
        let schema: Value = serde_json::from_str(schema).expect("JSON");
        assert_eq!((&schema["type"], &schema["additionalProperties"]), (&json!("object"), &json!(false)));
    }
    let [variable] = manifest.variables.as_slice() else { panic!("{:?}", manifest.variables) };
    assert_eq!((variable.name.as_str(), variable.key.as_str()), ("BASH_ALLOW_NETWORK", "allow_network"));
    let run = manifest.run.expect("a form");
    assert_eq!(
        (run.tool.as_str(), run.command.as_str(), run.directory.as_deref()),
        ("Bash", "command", Some("directory"))
    );
    let timeout = run.timeout.expect("a timeout");
    assert_eq!((timeout.name.as_str(), timeout.unit_millis), ("timeout_ms", 1));
}
