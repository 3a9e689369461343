//! Rule 5: every byte has a place.

use serde_json::{Value, json};
use shellward::Host;
use shellward_tests::Project;

async fn data(host: &Host, command: &str) -> (Value, Value) {
    let reply = host.call("one", "Bash", json!({"command": command})).await;
    let envelope: Value = serde_json::from_str(reply.answer()).unwrap();
    (envelope["data"].clone(), envelope["stats"].clone())
}

#[tokio::test]
async fn what_is_printed_is_what_is_answered() {
    let project = Project::new();
    let host = project.builder("bash").build().unwrap();
    for (command, stdout, stderr) in [
        ("printf 'no newline'", "no newline", ""),
        ("printf 'both\\n'; printf 'err' >&2", "both\n", "err"),
        ("printf ''", "", ""),
        ("printf 'ä€😀\\n'", "ä€😀\n", ""),
        ("printf '\\303'; printf '\\244'", "ä", ""),
        ("printf '\\360\\237'; sleep 0.05; printf '\\230\\200'", "😀", ""),
        ("printf 'a\\377b'", "a\u{fffd}b", ""),
        ("printf 'cut \\342\\202'", "cut \u{fffd}", ""),
        ("printf '\\000\\001\\033[31m'", "\0\u{1}\u{1b}[31m", ""),
    ] {
        let (data, _) = data(&host, command).await;
        assert_eq!((data["stdout"].as_str(), data["stderr"].as_str()), (Some(stdout), Some(stderr)), "{command}");
    }
    host.shutdown().await;
}

#[tokio::test]
async fn what_is_not_kept_is_counted_to_the_byte() {
    let project = Project::new();
    let host = project.builder("bash").build().unwrap();
    // Ten bytes a line, a million lines.
    let (data, stats) = data(&host, "seq -f '%09.0f' 1 1000000").await;
    assert_eq!(stats["stdout_bytes"], 10_000_000);
    let stdout = data["stdout"].as_str().unwrap();
    assert!(stdout.starts_with("000000001\n000000002\n"), "the head is kept");
    assert!(stdout.ends_with("000999999\n001000000\n"), "the tail is kept");
    assert_eq!(data["truncated"], true);
    host.shutdown().await;
}

#[tokio::test]
async fn output_that_grows_most_in_json_fits() {
    let project = Project::new();
    let host = project.builder("bash").build().unwrap();
    for pattern in ["\\001", "\\377", "\\\""] {
        let command = format!(
            "printf '{pattern}%.0s' $(seq 1 1000); for i in 1 2 3 4 5 6 7 8 9 10 11 12; do printf '{pattern}%.0s' $(seq 1 100000); done"
        );
        let (data, stats) = data(&host, &command).await;
        assert_eq!(stats["stdout_bytes"], 1_201_000, "{pattern}: {data}");
    }
    host.shutdown().await;
}
