//! What the caller is told who waits for a command.

use serde_json::{Value, json};
use shellward_kit::contract::{Ending, Happening, Recovery, Signal, Stdstream, Unwanted};
use shellward_kit::fake::{Behaviour, Subject, body, keys};

use super::{call, error, host, notices, signals};

const FIELDS: [&str; 5] = ["exit_code", "stdout", "stderr", "timed_out", "duration_secs"];

fn run(subject: &dyn Subject, behaviour: Behaviour, more: &Value) -> (Value, String) {
    let host = host(&json!({}), behaviour);
    let mut arguments = json!({ "command": "x" });
    arguments.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
    let reply = host.run(subject, "shell", &arguments.to_string());
    host.finish(subject);
    assert_eq!(notices(&host).len(), 0, "a command that is waited for is no background job");
    (body(&reply), reply.text)
}

pub fn synchronous(subject: &dyn Subject) {
    let behaviour = Behaviour::exits(0).stdout("output here").waits(1234);
    let (answer, text) = run(subject, behaviour, &json!({}));
    let expected = json!({
        "exit_code": 0, "stdout": "output here", "stderr": "", "timed_out": false, "duration_secs": 1.234
    });
    assert_eq!((&answer, keys(&answer).as_slice()), (&expected, FIELDS.as_slice()));
    assert_eq!(text, "output here");
    let (answer, text) = run(subject, Behaviour::exits(0), &json!({ "background": false }));
    assert_eq!((&answer["exit_code"], text.as_str()), (&json!(0), "(no output)"));
    // What a structured command prints is given as it is.
    let table = "{\"name\":\"a\\tb\",\"size\":\"1 KiB\"}\n╭───╮\n";
    assert_eq!(run(subject, Behaviour::exits(0).stdout(table), &json!({})).0["stdout"], table);
}

pub fn ends(subject: &dyn Subject) {
    let leaky = Behaviour::exits(0).stdout("hi").leaks(Stdstream::Stdout);
    let cases = [
        (Behaviour::exits(3).stdout("out\n").stderr("err"), json!(3), "out\nerr\n[exit code 3]"),
        (Behaviour::exits(1).stdout("out").stderr("err\n"), json!(1), "out\nerr\n[exit code 1]"),
        (Behaviour::signalled("SIGSEGV"), Value::Null, "[ended by SIGSEGV]"),
        (leaky, json!(0), "hi\n[a process that was left running still holds stdout]"),
    ];
    for (behaviour, code, told) in cases {
        let (answer, text) = run(subject, behaviour, &json!({}));
        assert_eq!((keys(&answer).as_slice(), &answer["exit_code"]), (FIELDS.as_slice(), &code));
        assert_eq!((text.as_str(), &answer["timed_out"]), (told, &json!(false)));
    }
}

pub fn timeouts(subject: &dyn Subject) {
    for (more, settings, after) in [
        (json!({}), json!({}), 30.0),
        (json!({}), json!({ "default_timeout_secs": 60 }), 60.0),
        (json!({ "timeout_secs": 2 }), json!({ "default_timeout_secs": 60 }), 2.0),
    ] {
        let host = host(&settings, Behaviour::hangs().stdout("part").stderr("ial"));
        let mut arguments = json!({ "command": "x" });
        arguments.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        let reply = host.run(subject, "shell", &arguments.to_string());
        let expected = json!({
            "exit_code": null, "stdout": "part", "stderr": "ial", "timed_out": true, "duration_secs": after
        });
        assert_eq!(body(&reply), expected);
        let told =
            format!("part\nial\n[timed out after {after} s; timeout_secs allows more, background does not wait]");
        assert_eq!(reply.text, told);
        assert_eq!(signals(&host), [((after * 1000.0) as u64, Signal::Terminate)]);
        assert_eq!(host.all_jobs()[0].ending, Some(Ending::TimedOut));
    }
    let host = host(&json!({}), Behaviour::hangs().ignores_terminate());
    let answer = call(subject, &host, "shell", &json!({ "command": "x", "timeout_secs": 1 }));
    assert_eq!((&answer["timed_out"], &answer["duration_secs"]), (&json!(true), &json!(6.0)));
    assert_eq!(signals(&host), [(1000, Signal::Terminate), (6000, Signal::Kill)]);
}

pub fn dropped(subject: &dyn Subject) {
    let text = ["a".repeat(2048), "b".repeat(100), "c".repeat(2048)].concat();
    let host = host(&json!({ "keep_output_bytes": 4096 }), Behaviour::exits(0).stdout(&text));
    let answer = call(subject, &host, "shell", &json!({ "command": "x" }));
    let expected = ["a".repeat(2048), "\n[... 100 bytes were not kept ...]\n".into(), "c".repeat(2048)].concat();
    assert_eq!(answer["stdout"], expected);
}

/// Every byte becomes six, on both streams: the answer must fit into a component's memory.
pub fn worst_case(subject: &dyn Subject) {
    let most = 1 << 20;
    for byte in ["\u{1}".as_bytes(), b"\xff"] {
        let noise = byte.repeat(most + 10);
        let behaviour = Behaviour::exits(0).stdout(&noise).stderr(&noise);
        let host = host(&json!({ "keep_output_bytes": most }), behaviour);
        let answer = call(subject, &host, "shell", &json!({ "command": "x" }));
        assert!(answer["stdout"].as_str().is_some_and(|text| text.chars().count() > most));
    }
}

pub fn cancelled(subject: &dyn Subject) {
    let host = host(&json!({}), Behaviour::hangs().stdout("part"));
    host.unwanted_at(1000, Unwanted::CallerGone);
    let reply = host.run(subject, "shell", r#"{"command":"x"}"#);
    assert_eq!(body(&reply), error("cancelled", "The command was cancelled before it ended"));
    assert_eq!(reply.text, "part\nThe command was cancelled before it ended");
    assert_eq!((host.all_jobs()[0].ending, notices(&host).len()), (Some(Ending::Cancelled), 0));
}

pub fn restart(subject: &dyn Subject) {
    let host = host(&json!({}), Behaviour::hangs());
    host.at(10, Happening::Recovered(Recovery::WasRunning));
    let answer = call(subject, &host, "shell", &json!({ "command": "x" }));
    let message = "IO error: the host was restarted while the command ran; how it ended is not known";
    assert_eq!(answer, error("io_error", message));
}
