//! Rule 6: what belongs to another session is not there.

use serde_json::json;
use shellward_tests::{Project, Survivors};

#[tokio::test]
async fn jobs_of_another_session_cannot_be_seen_or_signalled() {
    let project = Project::new();
    let host = project.hostile();
    let survivors = Survivors::new();
    let command = format!("exec sleep {}", survivors.mark());
    let job = host.call("one", "hostile", json!({"do": "background", "command": command})).await.text;
    survivors.wait_for(1);
    let other = host.call("two", "hostile", json!({"do": "look", "job": job})).await;
    assert_eq!(other.text, "seen: false, listed: 0, sent: false");
    let waiting = host.call("two", "hostile", json!({"do": "wait", "job": job})).await;
    assert_eq!(waiting.code.as_deref(), Some("policy_fault"));
    assert_eq!(survivors.alive().len(), 1);
    let own = host.call("one", "hostile", json!({"do": "look", "job": job})).await;
    assert_eq!(own.text, "seen: true, listed: 1, sent: true");
    survivors.wait_for(0);
    host.shutdown().await;
}
