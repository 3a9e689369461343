//! Durable runs: what they cost beside a plain loop into the same database, and beside a bare pipe.

use std::process::Stdio;
use std::time::{Duration, Instant};

use rusqlite::{Connection, params};
use serde_json::{Value, json};
use shellward::Host;
use shellward_tests::{Project, RUNNER};
use tokio::io::AsyncReadExt;
use tokio::runtime::Runtime;

use crate::harness::{Figure, Scale, in_turns, median, runtime};

/// A line as programs print them.
const LINE: &str = "a line of some fifty characters, as programs print";

fn host() -> (Project, Host) {
    let project = Project::new();
    let host = project.builder(RUNNER).build().unwrap();
    (project, host)
}

fn call(runtime: &Runtime, host: &Host, arguments: Value) -> Value {
    let reply = runtime.block_on(host.call("bench", "run", arguments));
    assert!(!reply.is_error, "{}", reply.text);
    serde_json::from_str(reply.answer()).unwrap()
}

fn enqueue(runtime: &Runtime, host: &Host, bytes: usize) -> String {
    let command = format!("yes '{LINE}' | head -c {bytes}");
    let arguments = json!({"do": "enqueue", "command": command, "durable": true});
    call(runtime, host, arguments).as_str().unwrap().to_owned()
}

fn ended(runtime: &Runtime, host: &Host, id: &str) -> Value {
    call(runtime, host, json!({"do": "wait", "job": id}))
}

/// All figures. The quick ones take some seconds.
pub fn figures(scale: Scale) -> Vec<Figure> {
    let quick = scale.quick;
    let mebibytes = if quick { 32 } else { 512 };
    let mut figures: Vec<_> = [1, 10, 100].into_iter().flat_map(|runs| rate(runs, mebibytes)).collect();
    figures.push(poll_under_load(mebibytes));
    figures.push(long_run(if quick { 100_000 } else { 1_000_000 }));
    figures.push(first_item(if quick { 30 } else { 200 }));
    figures
}

/// Output of so many runs at once into the store, against one loop that inserts the same text.
fn rate(runs: usize, mebibytes: usize) -> Vec<Figure> {
    let runtime = runtime();
    let (_project, host) = host();
    let each = (mebibytes << 20) / runs;
    let begun = Instant::now();
    let ids: Vec<_> = (0..runs).map(|_| enqueue(&runtime, &host, each)).collect();
    let items: u64 = ids.iter().map(|id| ended(&runtime, &host, id)["last_seq"].as_u64().unwrap()).sum();
    let ours = begun.elapsed().as_secs_f64();
    let plain = plain_inserts(mebibytes);
    let (rates, counts) = match runs {
        1 => ("output of 1 run into the store", "items of 1 run into the store"),
        10 => ("output of 10 runs into the store", "items of 10 runs into the store"),
        _ => ("output of 100 runs into the store", "items of 100 runs into the store"),
    };
    let size = mebibytes as f64;
    let rows = (mebibytes << 4) as f64;
    let plain_is = "rusqlite loop";
    vec![
        Figure::beside(rates, "MiB/s", (size / ours, size / plain), plain_is),
        Figure::beside(counts, "/s", (items as f64 / ours, rows / plain), plain_is),
    ]
}

/// Seconds for inserting text, 64 KiB a row, some megabytes a transaction.
fn plain_inserts(mebibytes: usize) -> f64 {
    let directory = tempfile::tempdir().unwrap();
    let mut connection = Connection::open(directory.path().join("plain.db")).unwrap();
    connection
        .execute_batch(
            "PRAGMA page_size = 16384; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
             CREATE TABLE items (number INTEGER PRIMARY KEY, run INTEGER, seq INTEGER, text TEXT);
             CREATE UNIQUE INDEX items_by_seq ON items (run, seq);",
        )
        .unwrap();
    let text = format!("{LINE}\n").repeat((64 << 10) / (LINE.len() + 1));
    let begun = Instant::now();
    for batch in 0..i64::try_from(mebibytes.div_ceil(4)).unwrap() {
        let transaction = connection.transaction().unwrap();
        {
            let mut insert = transaction.prepare_cached("INSERT INTO items (run, seq, text) VALUES (1, ?, ?)").unwrap();
            for item in 0..64 {
                insert.execute(params![batch * 64 + item, text]).unwrap();
            }
        }
        transaction.commit().unwrap();
    }
    begun.elapsed().as_secs_f64()
}

/// The slowest of a hundred polls while ten runs print, against the same on a host at rest.
fn poll_under_load(mebibytes: usize) -> Figure {
    let runtime = runtime();
    let (_project, host) = host();
    let ids: Vec<_> = (0..10).map(|_| enqueue(&runtime, &host, (mebibytes << 20) / 10)).collect();
    let poll = || {
        let begun = Instant::now();
        call(&runtime, &host, json!({"do": "items", "job": ids[0], "since": 0, "limit": 10}));
        begun.elapsed()
    };
    let slowest = |mut times: Vec<Duration>| {
        times.sort_unstable();
        times[times.len() * 99 / 100].as_secs_f64() * 1e3
    };
    let mut loaded = Vec::new();
    while host.running_jobs() > 0 || loaded.is_empty() {
        loaded.push(poll());
    }
    let idle = (0..loaded.len().clamp(100, 1000)).map(|_| poll()).collect();
    let what = "poll of 10 items while 10 runs print, p99";
    Figure::beside(what, "ms", (slowest(loaded), slowest(idle)), "the same at rest")
}

/// A page at the end of a long run, against one at the end of a short.
fn long_run(items: usize) -> Figure {
    let runtime = runtime();
    let (project, host) = host();
    let ids = [0, 1].map(|_| {
        let id = enqueue(&runtime, &host, 100);
        ended(&runtime, &host, &id);
        id
    });
    let database = project.root().join(".shellward/memory/sessions.db");
    let mut connection = Connection::open(database).unwrap();
    for (id, count) in ids.iter().zip([items as i64, 1000]) {
        let transaction = connection.transaction().unwrap();
        {
            let mut insert = transaction
                .prepare(
                    "INSERT INTO exec_run_items (run, seq, at, kind, content, invalid)
                     VALUES ((SELECT number FROM exec_runs WHERE id = ?), ?, 0, 0, ?, 0)",
                )
                .unwrap();
            for seq in 10..count {
                insert.execute(params![id, seq, LINE]).unwrap();
            }
        }
        transaction.commit().unwrap();
    }
    let poll = |id: &str, since: usize| {
        let page = call(&runtime, &host, json!({"do": "items", "job": id, "since": since, "limit": 100}));
        assert_eq!(page["items"].as_array().unwrap().len(), 100);
    };
    let times = in_turns(100, || poll(&ids[0], items - 101), || poll(&ids[1], 899));
    Figure::beside("the last 100 items of a very long run", "µs", times, "a run of 1,000")
}

/// From the call to the first item on record, against the first byte from a bare pipe.
fn first_item(rounds: usize) -> Figure {
    let runtime = runtime();
    let (_project, host) = host();
    let ours = (0..rounds).map(|_| {
        let begun = Instant::now();
        // The first item tells that it runs; the second is what it printed.
        let arguments = json!({"do": "enqueue", "command": "echo x; exec sleep 0.02", "durable": true,
            "wait": true, "item": true, "since": 1});
        let job = call(&runtime, &host, arguments);
        assert!(job["last_seq"].as_u64().unwrap() > 1);
        let time = begun.elapsed();
        ended(&runtime, &host, job["id"].as_str().unwrap());
        time
    });
    let ours = median(ours.collect());
    let plain = (0..rounds).map(|_| {
        let begun = Instant::now();
        runtime.block_on(async {
            let mut command = tokio::process::Command::new("/bin/sh");
            let mut child = command.args(["-c", "echo x"]).stdout(Stdio::piped()).stdin(Stdio::null()).spawn().unwrap();
            let mut byte = [0];
            child.stdout.take().unwrap().read_exact(&mut byte).await.unwrap();
            let time = begun.elapsed();
            child.wait().await.unwrap();
            time
        })
    });
    let plain = median(plain.collect());
    Figure::beside("call to first item on record", "µs", (ours, plain), "tokio, first byte")
}
