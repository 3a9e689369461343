//! Watches and notices.

use serde_json::{Value, json};
use shellward_kit::contract::{Happening, Hit, Stdstream};
use shellward_kit::fake::{Behaviour, Fake, Subject};

use super::{act, notices, poll, shown, spawn};

const WATCH: &str = "shell_run_watch";
const STATUS: &str = "shell_run_status";

pub fn hits(subject: &dyn Subject) {
    let behaviour = Behaviour::exits(0)
        .waits(1000)
        .stdout("server rea")
        .waits(500)
        .stdout("dy on 80\n")
        .stderr("ready\n")
        .waits(9000);
    let host = Fake::configured(&json!({"snippet_bytes": 16}), behaviour);
    let watch = json!([
        {"regex": "ready", "event": "up", "once": true},
        {"regex": "ready", "event": "err", "scope": "stderr"},
    ]);
    let id = spawn(subject, &host, "x", &json!({"watch": watch, "session_id": "mine"}));
    host.pass(subject, 1200);
    let since = poll(subject, &host, &id)["next_seq"].clone();
    let answer = act(subject, &host, "poll", &id, &json!({"since_seq": since, "wait_ms": 60_000}));
    assert_eq!((answer["status"].clone(), host.elapsed()), (json!("running"), 1500), "a hit ends the waiting");
    host.finish(subject);
    assert_eq!(
        shown(&poll(subject, &host, &id)),
        ["[status]", "server rea", "dy on 80\n", "[up]", "ready\n", "[err]", "[status]"]
    );
    let expected = json!({
        "run_id": id, "session_id": "mine", "event": "up", "stream": "stdout", "line": "server ready on 80", "seq": 4,
        "suppressed": 0,
    });
    let published = notices(&host, WATCH);
    let without = |notice: &Value| {
        let mut notice = notice.clone();
        let snippet = notice.as_object_mut().and_then(|notice| notice.remove("snippet"));
        (notice, snippet.and_then(|snippet| snippet.as_str().map(str::len)).unwrap_or_default())
    };
    let (first, length) = without(&published[0]);
    assert_eq!(first, expected);
    assert!((1..=16).contains(&length), "{published:?}");
    assert_eq!(
        (published.len(), &published[1]["event"], &published[1]["stream"]),
        (2, &json!("err"), &json!("stderr"))
    );
}

pub fn flood(subject: &dyn Subject) {
    let host = Fake::configured(&json!({"watch_notices_per_minute": 3}), Behaviour::exits(0).waits(90_000));
    let hit = |seq: u64, suppressed: u64| {
        let (event, line) = ("e".to_owned(), "x".repeat(5000));
        Happening::Matched(Hit { event, printed_on: Stdstream::Stdout, line, seq, suppressed })
    };
    for number in 0..10 {
        host.at(1000 + number * 10, hit(100 + number, 0));
    }
    host.at(70_000, hit(200, 5));
    let id = spawn(subject, &host, "x", &json!({}));
    host.finish(subject);
    let published = notices(&host, WATCH);
    let seqs: Vec<_> = published.iter().map(|notice| notice["seq"].clone()).collect();
    assert_eq!(seqs, [100, 101, 102, 200]);
    assert_eq!(published[3]["suppressed"], 12, "seven that were left out here and five that the host left out");
    assert!(published.iter().all(|notice| notice["line"].as_str().is_some_and(|line| line.len() == 2000)));
    assert_eq!(poll(subject, &host, &id)["status"], "completed");
}

pub fn statuses(subject: &dyn Subject) {
    let host = Fake::configured(&json!({}), Behaviour::exits(3).waits(100).stdout("out\n"));
    let id = spawn(subject, &host, "x", &json!({}));
    host.finish(subject);
    let published = notices(&host, STATUS);
    let found: Vec<_> =
        published.iter().map(|notice| (&notice["status"], &notice["exit_code"], &notice["snippet"])).collect();
    assert_eq!(
        found,
        [(&json!("running"), &json!(null), &json!("")), (&json!("completed"), &json!(3), &json!("out\n"))]
    );
    assert!(published.iter().all(|notice| notice["run_id"] == id.as_str() && notice["session_id"] == "session"));
}
