//! specs/exec.md, with real commands: the list of tests that the spec names.

use serde_json::{Value, json};
use shellward::{Host, Reply};
use shellward_tests::Project;

async fn exec(host: &Host, arguments: Value) -> Reply {
    host.call("one", "exec", arguments).await
}

#[tokio::test]
async fn the_examples_of_the_spec() {
    let project = Project::new();
    project.file("sub/file.txt", "");
    let host = project.builder("exec").build().unwrap();
    for (arguments, text) in [
        (json!({"command": "echo hello"}), "[Exit Code: 0]\n\nhello".to_owned()),
        (json!({"command": "exit 42"}), "[Exit Code: 42]\n\n(no output)".into()),
        (json!({"command": "echo oops >&2; exit 1"}), "[Exit Code: 1]\n\n[stderr]\noops".into()),
        (json!({"command": "echo hello | tr a-z A-Z"}), "[Exit Code: 0]\n\nHELLO".into()),
        (
            json!({"command": "echo one; echo two; echo warning >&2"}),
            "[Exit Code: 0]\n\none\ntwo\n\n[stderr]\nwarning".into(),
        ),
        (json!({"command": "ls", "working_directory": "sub"}), "[Exit Code: 0]\n\nfile.txt".into()),
        (json!({"command": "pwd"}), format!("[Exit Code: 0]\n\n{}", project.root().display())),
        (json!({"command": "kill -KILL $$"}), "[Exit Code: 137]\n\n(no output)".into()),
    ] {
        let reply = exec(&host, arguments.clone()).await;
        assert_eq!((reply.text, reply.is_error), (text, false), "{arguments}");
    }
    host.shutdown().await;
}

#[tokio::test]
async fn a_timeout_is_a_success_with_what_was_printed() {
    let project = Project::new();
    let host = project.builder("exec").build().unwrap();
    let reply = exec(&host, json!({"command": "echo partial; sleep 60", "timeout_seconds": 1})).await;
    let expected = "[Exit Code: -1 (timeout after 1s)]\n\npartial\n\n[stderr]\nProcess killed after 1 seconds timeout.";
    assert_eq!((reply.text.as_str(), reply.is_error), (expected, false));
    host.shutdown().await;
}

#[tokio::test]
async fn a_command_that_prints_past_the_limit_is_not_broken_by_it() {
    let project = Project::new();
    let host = project.builder("exec").build().unwrap();
    // Had reading stopped at the limit, `seq` would have died of SIGPIPE, or hung.
    let reply = exec(&host, json!({"command": "seq 1 1000000; echo $? >&2", "max_length": 5})).await;
    assert!(reply.text.starts_with("[Exit Code: 0]\n\n1\n2\n3\n"), "{}", reply.text);
    assert!(reply.text.contains("[stderr]\n0"), "{}", reply.text);
    host.shutdown().await;
}

#[tokio::test]
async fn bad_input_is_answered() {
    let project = Project::new();
    project.file("file", "");
    let host = project.builder("exec").build().unwrap();
    let absent = project.root().join("absent");
    for (arguments, code, part) in [
        (json!({}), "validation_error", "Parameter 'command' is required and cannot be empty"),
        (json!({"command": "  \n"}), "validation_error", "Parameter 'command' is required and cannot be empty"),
        (json!([1, 2]), "validation_error", "object"),
        (json!("text"), "validation_error", "object"),
        (json!({"command": "a\u{0}b"}), "validation_error", "NUL"),
        (
            json!({"command": "pwd", "working_directory": absent}),
            "validation_error",
            "Working directory does not exist: ",
        ),
        (
            json!({"command": "pwd", "working_directory": "file"}),
            "validation_error",
            "Working directory does not exist: file",
        ),
        (json!({"command": format!(": {}", "x".repeat(200_000))}), "execution_error", "file"),
    ] {
        let reply = exec(&host, arguments.clone()).await;
        let shown = arguments.to_string().chars().take(80).collect::<String>();
        assert_eq!((reply.is_error, reply.code.as_deref()), (true, Some(code)), "{shown}: {}", reply.text);
        assert!(reply.text.contains(part), "{shown}: {}", reply.text);
    }
    let reply = exec(&host, json!({"command": "x".repeat(10 << 20)})).await;
    assert_eq!(reply.code.as_deref(), Some("arguments_too_long"), "{}", reply.text);
    assert_eq!(host.running_jobs(), 0);
    host.shutdown().await;
}

#[tokio::test]
async fn a_tool_that_is_not_there_is_said() {
    let project = Project::new();
    let host = project.builder("exec").build().unwrap();
    let reply = host.call("one", "exce", json!({"command": "true"})).await;
    assert!(reply.is_error && reply.text.contains("exec"), "{reply:?}");
    host.shutdown().await;
}
