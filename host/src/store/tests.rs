//! What any store must do, and what the database does when it cannot.

use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use super::*;
use crate::clock;
use crate::policy::contract::output::{Chunk, Content, RecordedEvent};

fn stream() -> StreamState {
    StreamState { total: 0, dropped: 0, leaked: false, closed: false }
}

fn standing(phase: Phase, ended_at: Option<u64>) -> Standing {
    Standing {
        phase,
        status: format!("{phase:?}"),
        memo: "{}".into(),
        stamp: "test@1".into(),
        started_at: None,
        ended_at,
        duration_us: 5,
        pid: None,
        exit: ended_at.map(|_| Exit::Signal("SIGKILL".into())),
        ending: ended_at.map(|_| Ending::Cancelled),
        error: None,
        store_error: None,
        snippet: None,
        releases: 0,
        stdout: stream(),
        stderr: stream(),
        traces: None,
    }
}

fn run(id: &str, session: &str) -> Run {
    Run {
        id: id.into(),
        session: session.into(),
        label: session.into(),
        call: id.into(),
        tool: "tool".into(),
        policy: "test".into(),
        command: "true".into(),
        directory: "/".into(),
        timeout_ms: Some(u64::MAX),
        created_at: clock::now(),
        standing: standing(Phase::Queued, None),
        last_seq: 0,
        stored: Stored::default(),
        launch: "{}".into(),
    }
}

fn out(seq: u64, text: &str) -> Item {
    Item { seq, at: seq, content: Content::Stdout(Chunk { text: text.into(), invalid: seq.is_multiple_of(7) }) }
}

fn submit(store: &dyn Store, change: Change) -> Receiver<Result<(), StoreError>> {
    let (sender, receiver) = channel();
    store.submit(change, Box::new(move |result| sender.send(result).unwrap()));
    receiver
}

fn put(store: &dyn Store, change: Change) -> Result<(), StoreError> {
    submit(store, change).recv().unwrap()
}

fn append(store: &dyn Store, id: &str, items: Vec<Item>) -> Result<(), StoreError> {
    put(store, Change::Append(id.into(), items, Stored::default()))
}

fn end(store: &dyn Store, id: &str) {
    put(store, Change::Save(id.into(), Box::new(standing(Phase::Ended, Some(clock::now()))))).unwrap();
}

fn seqs(items: &[Item]) -> Vec<u64> {
    items.iter().map(|item| item.seq).collect()
}

fn open(directory: &std::path::Path) -> Sqlite {
    Sqlite::open(directory, "host", Keep::default()).unwrap()
}

#[test]
fn what_is_posted_reaches_the_host_of_the_run_once_and_in_order() {
    let directory = tempfile::tempdir().unwrap();
    let owner = Sqlite::open(directory.path(), "owner", Keep::default()).unwrap();
    let other = Sqlite::open(directory.path(), "other", Keep::default()).unwrap();
    put(&owner, Change::Create(Box::new(run("a", "one")))).unwrap();
    put(&other, Change::Create(Box::new(run("b", "one")))).unwrap();
    let post = |run: &str, name: &str| Post { run: run.into(), name: name.into(), data: "1".into() };
    for (run, name) in [("a", "first"), ("b", "of another"), ("none", "of nobody"), ("a", "second")] {
        put(&other, Change::Post(post(run, name))).unwrap();
    }
    assert_eq!(owner.posts().unwrap(), [post("a", "first"), post("a", "second")]);
    assert_eq!((owner.posts().unwrap(), other.posts().unwrap()), (Vec::new(), vec![post("b", "of another")]));
    assert_eq!((other.reach("a"), other.reach("none")), (Ok(Reach::Attended), Ok(Reach::Unattended)));
    for _ in 0..POSTS {
        put(&other, Change::Post(post("a", "many"))).unwrap();
    }
    assert_eq!(other.reach("a"), Ok(Reach::Full));
    owner.close();
    // What it has can be read, and nothing more is taken; another host may have its runs at once.
    assert!(put(&owner, Change::Post(post("a", "late"))).is_err());
    assert_eq!((owner.find("a").unwrap().is_some(), other.reach("a")), (true, Ok(Reach::Unattended)));
    let claimed = other.claim("test").unwrap();
    assert_eq!(claimed.into_iter().map(|run| run.id).collect::<Vec<_>>(), ["a"]);
    assert_eq!(other.posts().unwrap().len() as u64, POSTS, "what waited goes with the run");
}

#[test]
fn both_stores_give_back_what_they_were_given() {
    let directory = tempfile::tempdir().unwrap();
    let stores: [Box<dyn Store>; 2] = [Box::new(Memory::new(Keep::default())), Box::new(open(directory.path()))];
    for store in &stores {
        let store = &**store;
        for id in ["a", "b", "c"] {
            put(store, Change::Create(Box::new(run(id, if id == "c" { "two" } else { "one" })))).unwrap();
        }
        let event = RecordedEvent { name: "status".into(), data: "\"running\"".into() };
        let items = vec![
            out(1, "one\n"),
            Item { seq: 2, at: 2, content: Content::Event(event) },
            Item { seq: 3, at: 3, content: Content::Stderr(Chunk { text: "ä\n".into(), invalid: true }) },
            out(4, "four\n"),
        ];
        append(store, "a", items.clone()).unwrap();
        assert_eq!(store.items("a", 0, 100, None).unwrap(), items);
        assert_eq!(store.items("a", 1, 2, None).unwrap(), items[1..3]);
        assert_eq!(seqs(&store.items("a", 0, 100, Some(Stdstream::Stdout)).unwrap()), [1, 4]);
        assert_eq!(seqs(&store.items("a", 0, 100, Some(Stdstream::Stderr)).unwrap()), [3]);
        assert_eq!(seqs(&store.newest("a", 6).unwrap()), [4, 3]);
        assert_eq!(store.items("none", 0, 100, None).unwrap(), []);
        assert_eq!(store.find("a").unwrap().unwrap().last_seq, 4);
        assert_eq!(store.find("none").unwrap(), None);
        end(store, "b");
        // What has ended stays as it ended.
        let found = store.find("b").unwrap().unwrap();
        assert_eq!((found.standing.phase, found.standing.exit), (Phase::Ended, Some(Exit::Signal("SIGKILL".into()))));
        let list = |session, active, ended, limit| {
            let runs = store.list(Which { session, active, ended, limit }).unwrap();
            runs.into_iter().map(|run| run.id).collect::<Vec<_>>()
        };
        assert_eq!(list(None, true, true, 10), ["a", "b", "c"]);
        assert_eq!(list(Some("one"), true, false, 10), ["a"]);
        assert_eq!(list(Some("one"), true, true, 1), ["b"]);
        assert_eq!(list(Some("two"), false, true, 10), Vec::<String>::new());
    }
}

#[test]
fn a_page_holds_no_more_than_a_policy_can() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    put(&store, Change::Create(Box::new(run("a", "one")))).unwrap();
    let long = "x".repeat(64 << 10);
    append(&store, "a", (1..=100).map(|seq| out(seq, &long)).collect()).unwrap();
    let page = store.items("a", 0, PAGE, None).unwrap();
    assert_eq!(seqs(&page), (1..=15).collect::<Vec<_>>());
    assert_eq!(seqs(&store.items("a", 15, PAGE, None).unwrap()), (16..=30).collect::<Vec<_>>());
}

#[test]
fn a_reader_sees_each_item_once_while_others_write_and_delete() {
    const ITEMS: u64 = 20_000;
    let directory = tempfile::tempdir().unwrap();
    let keep = Keep { runs: 0, ..Keep::default() };
    let store = Sqlite::open(directory.path(), "host", Keep::default()).unwrap();
    put(&store, Change::Create(Box::new(run("kept", "one")))).unwrap();
    std::thread::scope(|scope| {
        let store = &store;
        scope.spawn(move || {
            let mut kept = Vec::new();
            for first in (1..=ITEMS).step_by(10) {
                let items = (first..first + 10).map(|seq| out(seq, "some text\n")).collect();
                kept.push(submit(store, Change::Append("kept".into(), items, Stored::default())));
                if first % 500 == 1 {
                    // One that comes and goes beside it.
                    let id = format!("gone {first}");
                    kept.push(submit(store, Change::Create(Box::new(run(&id, "one")))));
                    kept.push(submit(
                        store,
                        Change::Append(
                            id.as_str().into(),
                            (1..=300).map(|seq| out(seq, "x")).collect(),
                            Stored::default(),
                        ),
                    ));
                    let ended = Box::new(standing(Phase::Ended, Some(1)));
                    kept.push(submit(store, Change::Save(id.into(), ended)));
                }
            }
            kept.iter().for_each(|kept| kept.recv().unwrap().unwrap());
        });
        let path = directory.path();
        scope.spawn(move || {
            let runs = Runs::open(path).unwrap().unwrap();
            let mut deleted = 0;
            let begun = Instant::now();
            while deleted < ITEMS / 500 && begun.elapsed() < Duration::from_secs(60) {
                deleted += runs.prune(keep).unwrap();
            }
            assert_eq!(deleted, ITEMS / 500);
        });
        let (mut seen, mut limit) = (0, 1);
        while seen < ITEMS {
            limit = limit * 7 % 101 + 1;
            for item in store.items("kept", seen, limit, None).unwrap() {
                assert_eq!(item.seq, seen + 1);
                seen = item.seq;
            }
        }
    });
    assert_eq!(store.items("kept", ITEMS, 10, None).unwrap(), []);
    let left = store.list(Which { session: None, active: true, ended: true, limit: 1000 }).unwrap();
    assert_eq!(left.len(), 1);
}

#[test]
fn a_full_disk_is_said_and_what_was_written_is_kept_without_a_gap() {
    let directory = tempfile::tempdir().unwrap();
    let store = Sqlite::open_small(directory.path(), "host", 60).unwrap();
    for id in ["a", "b"] {
        put(&store, Change::Create(Box::new(run(id, "one")))).unwrap();
    }
    let text = "x".repeat(4000);
    let kept: Vec<_> = (1..=300)
        .map(|seq| submit(&store, Change::Append("a".into(), vec![out(seq, &text)], Stored::default())))
        .collect();
    let results: Vec<_> = kept.iter().map(|kept| kept.recv().unwrap()).collect();
    let fitted = results.iter().filter(|result| result.is_ok()).count();
    assert!(fitted > 50 && fitted < 300, "{fitted}");
    assert!(results[..fitted].iter().all(Result::is_ok), "nothing is kept after what was not");
    let error = results[fitted].clone().unwrap_err();
    assert!(matches!(error, StoreError::Full { .. }), "{error:?}");
    assert!(error.to_string().contains("the disk is full") && error.to_string().contains("jobs prune"), "{error}");
    let mut found = Vec::new();
    loop {
        let page = store.items("a", found.last().copied().unwrap_or(0), PAGE, None).unwrap();
        if page.is_empty() {
            break;
        }
        found.extend(seqs(&page));
    }
    assert_eq!(found, (1..=fitted as u64).collect::<Vec<_>>());
    // A small item would fit, and would leave a gap.
    assert!(append(&store, "a", vec![out(301, "")]).is_err());
    drop(store);
    // With room again all that was kept is there.
    let store = open(directory.path());
    assert_eq!(store.find("a").unwrap().unwrap().last_seq, fitted as u64);
    append(&store, "a", vec![out(fitted as u64 + 1, &text)]).unwrap();
}

#[test]
fn a_locked_database_is_waited_for_and_then_said() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    put(&store, Change::Create(Box::new(run("a", "one")))).unwrap();
    let other = rusqlite::Connection::open(directory.path().join(sqlite::FILE)).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let waiting = submit(&store, Change::Append("a".into(), vec![out(1, "waits")], Stored::default()));
    assert!(waiting.recv_timeout(Duration::from_millis(600)).is_err());
    // Nobody who reads is held up.
    assert_eq!(store.items("a", 0, 10, None).unwrap(), []);
    other.execute_batch("ROLLBACK").unwrap();
    waiting.recv().unwrap().unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let error = put(&store, Change::Create(Box::new(run("b", "one")))).unwrap_err();
    assert!(matches!(error, StoreError::Locked { .. }), "{error:?}");
    assert!(error.to_string().contains("locked by another program"), "{error}");
    other.execute_batch("ROLLBACK").unwrap();
    put(&store, Change::Create(Box::new(run("b", "one")))).unwrap();
}

#[test]
fn a_damaged_database_is_said() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    put(&store, Change::Create(Box::new(run("a", "one")))).unwrap();
    let text = "x".repeat(1000);
    append(&store, "a", (1..=1000).map(|seq| out(seq, &text)).collect()).unwrap();
    drop(store);
    let file = directory.path().join(sqlite::FILE);
    let mut bytes = std::fs::read(&file).unwrap();
    let half = bytes.len() / 2;
    bytes[half..].fill(0xa5);
    std::fs::write(&file, bytes).unwrap();
    let store = open(directory.path());
    let errors: Vec<_> = (0..10).filter_map(|page| store.items("a", page * 100, 100, None).err()).collect();
    assert!(errors.iter().any(|error| matches!(error, StoreError::Corrupt { .. })), "{errors:?}");
}

#[test]
fn runs_of_a_host_that_is_gone_are_claimed_once() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let first = Sqlite::open(path, "first", Keep::default()).unwrap();
    for id in ["a", "b", "c"] {
        put(&first, Change::Create(Box::new(run(id, "one")))).unwrap();
    }
    end(&first, "c");
    let second = Sqlite::open(path, "second", Keep::default()).unwrap();
    assert_eq!(second.claim("test").unwrap(), [], "its host is alive");
    drop(first);
    assert_eq!(second.claim("other").unwrap(), [], "it is another policy's");
    let third = Sqlite::open(path, "third", Keep::default()).unwrap();
    let (one, other) = std::thread::scope(|scope| {
        let one = scope.spawn(|| second.claim("test").unwrap());
        let other = scope.spawn(|| third.claim("test").unwrap());
        (one.join().unwrap(), other.join().unwrap())
    });
    let claimed: Vec<_> = one.iter().chain(&other).map(|run| run.id.as_str()).collect();
    assert_eq!(claimed, ["a", "b"]);
    assert!(one.is_empty() || other.is_empty());
}

#[test]
fn what_somebody_wants_ended_is_told_to_its_host_alone() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    assert!(Runs::open(path).unwrap().is_none(), "looking makes nothing");
    let first = Sqlite::open(path, "first", Keep::default()).unwrap();
    let second = Sqlite::open(path, "second", Keep::default()).unwrap();
    put(&first, Change::Create(Box::new(run("a", "one")))).unwrap();
    let runs = Runs::open(path).unwrap().unwrap();
    assert_eq!(runs.kill("none").unwrap(), KillRequest::NotFound);
    assert_eq!(runs.kill("a").unwrap(), KillRequest::Asked);
    assert_eq!((first.wanted_ended().unwrap(), second.wanted_ended().unwrap()), (vec!["a".to_owned()], vec![]));
    drop(first);
    assert_eq!(runs.kill("a").unwrap(), KillRequest::Orphan { killed: 0, left: vec![] });
    assert_eq!(second.claim("test").unwrap().len(), 1);
    assert_eq!(second.wanted_ended().unwrap(), ["a"]);
    end(&second, "a");
    assert_eq!(runs.kill("a").unwrap(), KillRequest::Ended);
    assert_eq!(second.wanted_ended().unwrap(), Vec::<String>::new());
}
