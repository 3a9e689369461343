//! Reading what a run has printed: by cursor, with a wait, in pages.

use serde_json::{Value, json};
use shellward_kit::contract::Happening;
use shellward_kit::fake::{Behaviour, Fake, Subject};

use super::{act, poll, shown, spawn};

fn lines(count: usize, apart: u64) -> Behaviour {
    (1..=count).fold(Behaviour::exits(0), |behaviour, number| behaviour.waits(apart).stdout(format!("line {number}\n")))
}

/// Reads everything from the start, page by page, and gives the items.
fn all(subject: &dyn Subject, host: &Fake, id: &str, more: &Value) -> Vec<Value> {
    let mut items = Vec::new();
    let mut since = json!(0);
    loop {
        let mut arguments = more.clone();
        arguments["since_seq"] = since.clone();
        let page = act(subject, host, "log", id, &arguments);
        let new = page["items"].as_array().expect("items");
        items.extend(new.iter().cloned());
        if new.is_empty() {
            assert_eq!((&page["next_seq"], &page["more"]), (&since, &json!(false)));
            return items;
        }
        since = page["next_seq"].clone();
        assert_eq!(since, new.last().expect("an item")["seq"]);
    }
}

pub fn cursor(subject: &dyn Subject) {
    let host = Fake::configured(&json!({}), lines(5, 1000));
    let id = spawn(subject, &host, "x", &json!({}));
    let mut since = json!(0);
    let mut seen = Vec::new();
    for _ in 0..8 {
        host.pass(subject, 1000);
        let page = act(subject, &host, "poll", &id, &json!({"since_seq": since}));
        seen.extend(page["items"].as_array().expect("items").iter().map(|item| item["seq"].clone()));
        since = page["next_seq"].clone();
        let again = act(subject, &host, "log", &id, &json!({"since_seq": 0}));
        assert_eq!(again["next_seq"], since, "poll and log share the cursor");
    }
    let numbers: Vec<Value> = (1..=7).map(|number| json!(number)).collect();
    assert_eq!(seen, numbers, "each item once, without gaps");
    assert_eq!(all(subject, &host, &id, &json!({"limit": 2})).len(), 7);
}

pub fn waits(subject: &dyn Subject) {
    let behaviour = Behaviour::exits(0).waits(2000).stdout("late\n").waits(5000);
    let host = Fake::configured(&json!({}), behaviour);
    let id = spawn(subject, &host, "x", &json!({}));
    let wait =
        |since: u64, wait_ms: u64| act(subject, &host, "poll", &id, &json!({"since_seq": since, "wait_ms": wait_ms}));
    assert_eq!(
        (wait(0, 60_000)["status"].clone(), host.elapsed()),
        (json!("running"), 0),
        "a change of status ends it"
    );
    let nothing = wait(1, 500);
    assert_eq!((shown(&nothing), host.elapsed(), &nothing["next_seq"]), (vec![], 500, &json!(1)), "and its own end");
    assert_eq!((shown(&wait(1, 60_000)), host.elapsed()), (vec!["late\n".to_owned()], 2000), "and an item");
    assert_eq!((shown(&wait(0, 60_000)).len(), host.elapsed()), (2, 2000), "what is there already is not waited for");
    let ended = wait(2, 60_000);
    assert_eq!((&ended["status"], host.elapsed()), (&json!("completed"), 7000), "and the end");
    assert_eq!(
        (wait(3, 60_000)["status"].clone(), host.elapsed()),
        (json!("completed"), 7000),
        "after which nothing comes"
    );
}

pub fn prompts(subject: &dyn Subject) {
    let host = Fake::configured(&json!({}), Behaviour::reads().stdout("login: "));
    host.at(500, Happening::AwaitsInput);
    let id = spawn(subject, &host, "x", &json!({"pty": true}));
    host.pass(subject, 10);
    let begun = poll(subject, &host, &id);
    let asks = act(subject, &host, "poll", &id, &json!({"since_seq": begun["next_seq"], "wait_ms": 60_000}));
    assert_eq!(
        (&asks["awaits_input"], &asks["snippet"], host.elapsed()),
        (&json!(true), &json!("login: "), 500),
        "{asks}"
    );
    act(subject, &host, "send_keys", &id, &json!({"text": "me\n"}));
    assert_eq!(poll(subject, &host, &id).get("awaits_input"), None);
    act(subject, &host, "kill", &id, &json!({}));
}

pub fn pages(subject: &dyn Subject) {
    let host = Fake::configured(&json!({"log_limit": 1000}), lines(250, 1));
    let id = spawn(subject, &host, "x", &json!({}));
    host.finish(subject);
    let page = act(subject, &host, "log", &id, &json!({"limit": 100_000}));
    assert_eq!(
        (page["items"].as_array().expect("items").len(), &page["limit_cap"]),
        (100, &json!(100)),
        "the host's cap"
    );
    assert_eq!((&page["more"], &page["next_seq"], &page["last_seq"]), (&json!(true), &json!(100), &json!(252)));
    host.settings_json(r#"{"log_limit": 7}"#);
    let page = act(subject, &host, "log", &id, &json!({}));
    assert_eq!(
        (page["items"].as_array().expect("items").len(), &page["limit_cap"]),
        (7, &json!(7)),
        "the setting's cap"
    );
    assert_eq!(all(subject, &host, &id, &json!({"limit": 3})).len(), 252);
    host.settings_json(r#"{"answer_bytes": 1024, "log_limit": 1000}"#);
    let items = all(subject, &host, &id, &json!({}));
    assert_eq!(items.len(), 252);
    let page = act(subject, &host, "log", &id, &json!({}));
    let bytes: usize = shown(&page).iter().map(String::len).sum();
    assert!(bytes <= 1024 && page["more"] == true, "{bytes}");
    // What is larger than an answer still comes, alone.
    let large = super::Fake::configured(
        &json!({"answer_bytes": 1024}),
        Behaviour::exits(0).stdout("x".repeat(5000)).waits(1).stdout("y"),
    );
    let id = spawn(subject, &large, "x", &json!({}));
    large.finish(subject);
    let items = all(subject, &large, &id, &json!({}));
    assert_eq!(items.iter().map(|item| item["text"].as_str().unwrap_or_default().len()).max(), Some(5000));
    assert_eq!(items.len(), 4);
}

pub fn streams(subject: &dyn Subject) {
    let behaviour = Behaviour::exits(0).stdout("a").stderr("b").stdout("c").stderr(b"\xff");
    let host = Fake::configured(&json!({}), behaviour);
    let id = spawn(subject, &host, "x", &json!({}));
    host.finish(subject);
    let log = |more: Value| act(subject, &host, "log", &id, &more);
    assert_eq!(shown(&log(json!({"stream": "stdout"}))), ["a", "c"]);
    let stderr = log(json!({"stream": "stderr"}));
    assert_eq!(shown(&stderr), ["b", "\u{fffd}"]);
    assert_eq!(stderr["items"][1]["invalid_utf8"], true);
    assert_eq!(stderr["items"][0].get("invalid_utf8"), None);
    assert_eq!(shown(&log(json!({}))), ["[status]", "a", "b", "c", "\u{fffd}", "[status]"]);
}

pub fn truncated(subject: &dyn Subject) {
    let host = Fake::configured(&json!({}), Behaviour::exits(4).stdout("0123456789").waits(10).stderr("more"));
    let id = spawn(subject, &host, "x", &json!({"max_output_bytes": 8}));
    host.finish(subject);
    let answer = poll(subject, &host, &id);
    assert_eq!(
        (&answer["truncated"], &answer["truncated_bytes"], &answer["output_bytes"]),
        (&json!(true), &json!(6), &json!(14))
    );
    assert_eq!((&answer["status"], &answer["exit_code"]), (&json!("completed"), &json!(4)), "the run goes on");
    assert_eq!(shown(&answer), ["[status]", "01234567", "[status]"]);
}

pub fn snippet(subject: &dyn Subject) {
    let host = Fake::configured(
        &json!({"snippet_bytes": 7}),
        Behaviour::exits(0).stdout("old old ").stderr("ä").stdout("öß12"),
    );
    let id = spawn(subject, &host, "x", &json!({}));
    assert_eq!(poll(subject, &host, &id)["snippet"], "");
    host.finish(subject);
    assert_eq!(poll(subject, &host, &id)["snippet"], "öß12", "the tail, and no character cut");
}

pub fn unstored(subject: &dyn Subject) {
    let behaviour = Behaviour::exits(7).stdout("kept\n").waits(1000).stdout("not kept\n");
    let host = Fake::configured(&json!({}), behaviour);
    let id = spawn(subject, &host, "x", &json!({}));
    host.pass(subject, 500);
    let before = poll(subject, &host, &id);
    assert_eq!((&before["truncated"], &before["error_message"]), (&json!(false), &json!(null)), "{before}");
    host.keeps_no_more(&id, "the disk is full");
    host.finish(subject);
    let all = act(subject, &host, "poll", &id, &json!({}));
    assert_eq!((&all["items"], &all["last_seq"]), (&before["items"], &before["last_seq"]), "{all}");
    // Behind the last that is kept there is no status, and the answer has it all the same.
    let end = act(subject, &host, "poll", &id, &json!({"since_seq": before["next_seq"], "wait_ms": 1000}));
    assert_eq!((&end["status"], &end["exit_code"]), (&json!("completed"), &json!(7)), "{end}");
    assert_eq!((&end["items"], &end["truncated_bytes"]), (&json!([]), &json!(9)), "{end}");
    assert!(end["error_message"].as_str().is_some_and(|why| why.contains("the disk is full")), "{end}");
    let log = act(subject, &host, "log", &id, &json!({"since_seq": before["next_seq"]}));
    assert_eq!(
        (&log["status"], &log["truncated"], &log["truncated_bytes"]),
        (&json!("completed"), &json!(true), &json!(9))
    );
    assert_eq!(log["error_message"], end["error_message"], "{log}");
}
