//! What becomes of commands that run: status, data, text and counts.

use super::{call, envelope, run};
use serde_json::{Value, json};
use shellward_kit::contract::{Signal, Stdstream, Unwanted, Whom};
use shellward_kit::fake::{Behaviour, Fake, Subject};

fn ran(subject: &dyn Subject, behaviour: Behaviour) -> Value {
    let host = Fake::new();
    host.on("make", behaviour);
    run(subject, &host, "make")
}

pub(super) fn success(subject: &dyn Subject) {
    let body = ran(subject, Behaviour::exits(0).stdout("built\n").stderr("note\n").waits(1240));
    assert_eq!(
        body,
        json!({
            "status": "success",
            "data": {
                "stdout": "built\n", "stderr": "note\n", "exit_code": 0, "signal": null, "truncated": false,
                "command": "make", "directory": ".",
            },
            "text": "Command succeeded: make\n(Exit code 0. Took 1240ms)\n\n--- STDOUT (6 bytes) ---\nbuilt\n\n\
                     --- STDERR (5 bytes) ---\nnote",
            "stats": {"time_ms": 1240, "stdout_bytes": 6, "stderr_bytes": 5},
            "context": {"cwd": ".", "params_input": {"command": "make"}, "directory_resolved": "."},
        })
    );
    let body = ran(subject, Behaviour::exits(0));
    assert_eq!(body["text"], "Command succeeded: make\n(Exit code 0. Took 0ms)");
}

pub(super) fn partial(subject: &dyn Subject) {
    for code in [1, 2, 127, 255] {
        let body = ran(subject, Behaviour::exits(code).stderr("Error: no\n").waits(5));
        assert_eq!((&body["status"], &body["data"]["exit_code"]), (&json!("partial"), &json!(code)));
        let text =
            format!("Command failed: make\n(Exit code {code}. Took 5ms)\n\n--- STDERR (10 bytes) ---\nError: no");
        assert_eq!(body["text"], text);
    }
}

pub(super) fn signalled(subject: &dyn Subject) {
    let body = ran(subject, Behaviour::signalled("SIGSEGV"));
    assert_eq!(body["status"], "partial");
    assert_eq!((&body["data"]["exit_code"], &body["data"]["signal"]), (&Value::Null, &json!("SIGSEGV")));
    assert_eq!(body["text"], "Command failed: make\n(Exit code none. Took 0ms)\n[Signal: ended by SIGSEGV.]");
}

pub(super) fn timeout_with_output(subject: &dyn Subject) {
    let host = Fake::new();
    host.on("make", Behaviour::hangs().stdout("so far\n"));
    let body = envelope(&call(subject, &host, &json!({"command": "make", "timeout_ms": 500})));
    assert_eq!(body["status"], "partial");
    assert_eq!(
        body["data"],
        json!({
            "stdout": "so far\n", "stderr": "", "exit_code": null, "signal": "SIGTERM", "truncated": false,
            "command": "make", "directory": ".",
        })
    );
    assert_eq!(body["stats"], json!({"time_ms": 500, "stdout_bytes": 7, "stderr_bytes": 0}));
    let text = body["text"].as_str().expect("a text");
    assert!(text.starts_with("Command failed: make\n(Exit code none. Took 500ms)\n[Timed out: stopped after 500ms."));
    let sent: Vec<_> = host.signals().into_iter().map(|sent| (sent.at, sent.signal, sent.whom)).collect();
    assert_eq!(sent, [(500, Signal::Terminate, Whom::Tree)]);
}

pub(super) fn timeout_without_output(subject: &dyn Subject) {
    let host = Fake::new();
    host.on("make", Behaviour::hangs());
    let body = envelope(&call(subject, &host, &json!({"command": "make", "timeout_ms": 500})));
    assert_eq!(body["status"], "error");
    assert_eq!(body["error"]["code"], "TIMEOUT");
    let text = body["text"].as_str().expect("a text");
    assert!(text.starts_with("Command timed out with no output. It was stopped after 500ms."), "{text}");
    assert_eq!((&body["data"]["exit_code"], &body["data"]["signal"]), (&Value::Null, &json!("SIGTERM")));
    assert_eq!(body["stats"]["time_ms"], 500);
}

pub(super) fn stubborn(subject: &dyn Subject) {
    let host = Fake::new();
    host.on("make", Behaviour::hangs().stdout("x").ignores_terminate());
    let body = envelope(&call(subject, &host, &json!({"command": "make", "timeout_ms": 500})));
    assert_eq!((&body["status"], &body["data"]["signal"]), (&json!("partial"), &json!("SIGKILL")));
    assert_eq!(body["stats"]["time_ms"], 2500);
    let sent: Vec<_> = host.signals().into_iter().map(|sent| (sent.at, sent.signal)).collect();
    assert_eq!(sent, [(500, Signal::Terminate), (2500, Signal::Kill)]);
    // One that tidies up and returns 0 has timed out all the same.
    host.on("make", Behaviour::hangs().stdout("x").ends_when_asked(100, 0));
    let body = envelope(&call(subject, &host, &json!({"command": "make", "timeout_ms": 500})));
    assert_eq!((&body["status"], &body["data"]["exit_code"]), (&json!("partial"), &json!(0)));
    assert!(body["text"].as_str().is_some_and(|text| text.starts_with("Command failed: make\n")));
    // One that cannot even be killed is given up.
    host.on("make", Behaviour::hangs().unkillable());
    let body = envelope(&host.run(subject, "Bash", r#"{"command":"make","timeout_ms":500}"#));
    assert_eq!(body["error"]["code"], "TIMEOUT");
}

pub(super) fn timeout_as_asked(subject: &dyn Subject) {
    let host = Fake::new();
    host.on("make", Behaviour::exits(0).waits(999));
    let body = envelope(&call(subject, &host, &json!({"command": "make", "timeout_ms": 1000})));
    assert_eq!((&body["status"], &body["stats"]["time_ms"]), (&json!("success"), &json!(999)));
    host.on("make", Behaviour::exits(0).waits(119_999));
    assert_eq!(run(subject, &host, "make")["status"], "success");
    host.on("make", Behaviour::exits(0).waits(120_001));
    assert_eq!(run(subject, &host, "make")["error"]["code"], "TIMEOUT");
}

pub(super) fn leaks(subject: &dyn Subject) {
    let body = ran(subject, Behaviour::exits(0).stdout("x\n").leaks(Stdstream::Stdout));
    assert_eq!(body["status"], "success");
    let text = body["text"].as_str().expect("a text");
    assert!(text.contains("\n[stdout: a process left in the background still held it open;"), "{text}");
    assert!(!text.contains("[stderr:"), "{text}");
}

pub(super) fn dropped(subject: &dyn Subject) {
    let host = Fake::new();
    host.settings_json(r#"{"keep_output_bytes":4096}"#);
    let output = [&"a".repeat(2048), &"m".repeat(1000) as &str, &"z".repeat(2048)].concat();
    host.on("make", Behaviour::exits(0).stdout(&output));
    let body = run(subject, &host, "make");
    assert_eq!((&body["status"], &body["data"]["truncated"]), (&json!("partial"), &json!(true)));
    let expected = format!("{}\n[... 1000 bytes were not kept ...]\n{}", "a".repeat(2048), "z".repeat(2048));
    assert_eq!(body["data"]["stdout"], expected);
    assert_eq!(body["stats"]["stdout_bytes"], 5096);
    let text = body["text"].as_str().expect("a text");
    assert!(text.starts_with(
        "Command succeeded: make\n(Exit code 0. Took 0ms)\n\
         [Truncated: Output exceeded limit. Narrow command or redirect to file.]\n\
         [stdout: 1000 of 5096 bytes, from the middle, were not kept.]\n"
    ));
}

pub(super) fn limited(subject: &dyn Subject) {
    let host = Fake::new();
    host.settings_json(r#"{"max_output_chars":10}"#);
    host.on("short", Behaviour::exits(0).stdout("ääääääääää"));
    let body = run(subject, &host, "short");
    assert_eq!((&body["status"], &body["data"]["truncated"]), (&json!("success"), &json!(false)));
    host.on("long", Behaviour::exits(0).stdout("äääääxxxööööö").stderr("short"));
    let body = run(subject, &host, "long");
    assert_eq!((&body["status"], &body["data"]["truncated"]), (&json!("partial"), &json!(true)));
    assert_eq!(body["data"]["stdout"], "äääää\n[... 3 characters left out ...]\nööööö");
    assert_eq!(body["data"]["stderr"], "short");
    assert_eq!(body["stats"]["stdout_bytes"], 23);
    let text = body["text"].as_str().expect("a text");
    assert!(text.contains("\n[Truncated: Output exceeded limit. Narrow command or redirect to file.]\n"), "{text}");
    assert!(text.contains("\n[stdout: 3 characters were left out of the middle.]\n"), "{text}");
}

pub(super) fn invalid_utf8(subject: &dyn Subject) {
    let body = ran(subject, Behaviour::exits(0).stdout(b"a\xff\xfeb\n"));
    assert_eq!(body["data"]["stdout"], "a\u{fffd}\u{fffd}b\n");
    assert_eq!(body["stats"]["stdout_bytes"], 5);
    assert!(body["text"].as_str().is_some_and(|text| text.contains("[stdout: some bytes were not UTF-8")));
}

pub(super) fn control_characters(subject: &dyn Subject) {
    let output = "\u{0}\u{1}\u{1b}[31mred\u{1b}[0m\r\n\t\u{7f}\u{2028}\"\\";
    let body = ran(subject, Behaviour::exits(0).stdout(output));
    assert_eq!(body["data"]["stdout"], output);
    assert_eq!(body["stats"]["stdout_bytes"], output.len());
}

pub(super) fn worst_case(subject: &dyn Subject) {
    let host = Fake::new();
    // Each of these bytes is six in JSON, or three.
    host.on("control", Behaviour::exits(0).stdout(vec![1; 3 << 20]).stderr(vec![1; 3 << 20]));
    host.on("invalid", Behaviour::exits(0).stdout(vec![0xff; 3 << 20]).stderr(vec![0xff; 3 << 20]));
    for (settings, kept) in [("{}", 512 << 10), (r#"{"keep_output_bytes":1048576,"summary_chars":200000}"#, 1 << 20)] {
        host.settings_json(settings);
        for command in ["control", "invalid"] {
            let body = run(subject, &host, command);
            assert_eq!((&body["status"], &body["data"]["truncated"]), (&json!("partial"), &json!(true)));
            for stream in ["stdout", "stderr"] {
                let characters = body["data"][stream].as_str().expect("output").chars().count();
                assert!(characters > kept && characters < kept + 100, "{characters}");
            }
            assert_eq!(body["stats"]["stdout_bytes"], 3 << 20);
        }
    }
}

pub(super) fn summarised(subject: &dyn Subject) {
    let host = Fake::new();
    host.settings_json(r#"{"summary_chars":40}"#);
    let output: String = (0..100).map(|number| format!("line {number}\n")).collect();
    host.on("make", Behaviour::exits(0).stdout(&output));
    let body = run(subject, &host, "make");
    assert_eq!((&body["status"], &body["data"]["truncated"]), (&json!("success"), &json!(false)));
    assert_eq!(body["data"]["stdout"], output);
    assert_eq!(
        body["text"],
        "Command succeeded: make\n(Exit code 0. Took 0ms)\n\n--- STDOUT (790 bytes) ---\nline 0\nline 1\n\
         ... [760 characters left out here; data.stdout has them] ...\nline 98\nline 99"
    );
}

pub(super) fn cancelled(subject: &dyn Subject) {
    for by_host in [true, false] {
        let host = Fake::new();
        host.on("make", Behaviour::hangs().stdout("so far\n"));
        if by_host {
            host.unwanted_at(100, Unwanted::Shutdown);
        } else {
            host.cancelled_at(100);
        }
        let body = run(subject, &host, "make");
        assert_eq!(body["error"]["code"], "EXECUTION_ERROR");
        assert_eq!(body["text"], "Command failed: it was cancelled before it ended.");
        assert_eq!(body["data"]["stdout"], "so far\n");
    }
}
