//! Rule 4: killing means the whole tree.

use serde_json::{Value, json};
use shellward_tests::{Project, Survivors};

/// Trees that do what they can to outlive their job; `MARK` stands for the sleeper's argument.
const HOSTILE: [(&str, &str); 7] = [
    ("a plain child", "sleep MARK & wait"),
    ("a session of its own", "setsid sleep MARK & wait"),
    ("a double fork", "(setsid sh -c 'sleep MARK & exit' &) ; sleep MARK"),
    ("deaf to SIGTERM", "trap '' TERM; sleep MARK; sleep MARK"),
    ("without our environment", "env -i setsid sleep MARK & wait"),
    ("under another name", "bash -c 'exec -a innocent sleep MARK' & wait"),
    ("stopped", "sleep MARK & kill -STOP $!; kill -STOP $$"),
];

#[tokio::test(flavor = "multi_thread")]
async fn a_timeout_ends_every_kind_of_tree() {
    let project = Project::new();
    let host = project.host("exec", "tools.exec", &json!({}));
    let mut calls = Vec::new();
    for (what, script) in HOSTILE {
        let survivors = Survivors::new();
        let command = script.replace("MARK", survivors.mark());
        let caller = host.caller();
        let call =
            tokio::spawn(
                async move { caller.call("one", "exec", json!({"command": command, "timeout_seconds": 1})).await },
            );
        calls.push((what, survivors, call));
    }
    for (what, survivors, call) in calls {
        let reply = call.await.unwrap();
        assert!(reply.text.starts_with("[Exit Code: -1 (timeout after 1s)]"), "{what}: {}", reply.text);
        assert_eq!(survivors.alive(), Vec::<i32>::new(), "{what}: when the answer is there, the tree is gone");
    }
    host.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tree_that_hears_sigterm_is_given_its_grace() {
    let project = Project::new();
    let host = project.builder("bash").build().unwrap();
    let survivors = Survivors::new();
    let script = "trap 'echo cleaned up; exit 0' TERM; sleep MARK & wait";
    let arguments = json!({"command": script.replace("MARK", survivors.mark()), "timeout_ms": 2000});
    // The policy does not know what a trap does later; a person who does has said that unknown commands may run.
    let relaxed = project.host("bash", "tools.Bash", &json!({"on_unknown": "allow"}));
    let reply = relaxed.call("one", "Bash", arguments).await;
    let envelope: Value = serde_json::from_str(reply.answer()).unwrap();
    assert_eq!(envelope["status"], "partial", "{}", reply.answer());
    assert_eq!(envelope["data"]["stdout"], "cleaned up\n");
    survivors.wait_for(0);
    relaxed.shutdown().await;
    host.shutdown().await;
}
