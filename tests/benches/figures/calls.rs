//! One call, and one entry into a policy.

use serde_json::json;
use shellward_bash::Bash;
use shellward_kit::contract::ToolCall;
use shellward_kit::fake::{Fake, Native, Subject};

use crate::harness::{Figure, Scale, host, in_turns, runtime};

/// The figures of this room.
pub fn figures(scale: Scale) -> Vec<Figure> {
    let rounds = scale.rounds();
    vec![one_command(rounds), entry(rounds), refusal(rounds)]
}

/// For a profiler: nothing but entries.
pub fn entries() {
    let (_project, host) = host("bash");
    (0..20_000).for_each(|_| drop(host.check("sudo ls")));
}

/// `sh -c true` as a call, against tokio spawning the same.
fn one_command(rounds: usize) -> Figure {
    let runtime = runtime();
    let (_project, host) = host("exec");
    let arguments = json!({"command": "true"});
    let times = in_turns(
        rounds,
        || {
            let reply = runtime.block_on(host.call("bench", "exec", arguments.clone()));
            assert!(!reply.is_error);
        },
        || {
            let output =
                runtime.block_on(async { tokio::process::Command::new("/bin/sh").args(["-c", "true"]).output().await });
            assert!(output.unwrap().status.success());
        },
    );
    Figure::beside("one `sh -c true` call", "µs", times, "tokio")
}

/// A call that the bash policy refuses.
fn refused() -> ToolCall {
    ToolCall {
        id: "01hx7z8k9m2n3p4q5r6s7t8u9v".into(),
        session: "bench".into(),
        tool: "Bash".into(),
        arguments: r#"{"command":"sudo ls"}"#.into(),
        now: 0,
        approved: Vec::new(),
    }
}

/// A call that is refused, through a fresh instance, against the same policy natively.
fn refusal(rounds: usize) -> Figure {
    let runtime = runtime();
    let (_project, host) = host("bash");
    let arguments = json!({"command": "sudo ls"});
    let fake = Fake::new();
    let native = Native::<Bash>::new();
    let call = refused();
    let times = in_turns(
        rounds * 10,
        || assert!(runtime.block_on(host.call("bench", "Bash", arguments.clone())).is_error),
        || drop(native.call(&fake, &call)),
    );
    Figure::beside("a call that is refused, whole", "µs", times, "native policy")
}

/// A verdict through a fresh instance: the entry alone, without a runtime's hops.
fn entry(rounds: usize) -> Figure {
    let (_project, host) = host("bash");
    let fake = Fake::new();
    let native = Native::<Bash>::new();
    let call = refused();
    let times = in_turns(
        rounds * 10,
        || assert!(!host.check("sudo ls").unwrap().verdict.findings.is_empty()),
        || drop(native.call(&fake, &call)),
    );
    Figure::beside("one entry that refuses", "µs", times, "native policy")
}
