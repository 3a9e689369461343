//! Live documents: what one costs in memory while much is appended to it, and what a peer that follows is sent.

use serde_json::{Value, json};
use shellward::process::Stream;
use shellward::{Block, Changes, Host};

use crate::harness::{Figure, Scale, host, runtime};
use crate::memory::{apart, resident};

/// The figures of this room.
pub fn figures(scale: Scale) -> Vec<Figure> {
    let megabytes = if scale.quick { "20" } else { "100" };
    let [appended, growth, text, sent] = apart("document", &[megabytes.as_ref()]);
    vec![
        Figure::alone("appended to a live document", "MB", appended),
        Figure::alone("growth of the host meanwhile, at most", "KiB", growth),
        Figure::alone("text of the document at the end", "KiB", text),
        Figure::alone("sent to a peer that follows", "KiB", sent),
    ]
}

/// Has a task print so many MB: how many, the growth of the host, the text at the end and what a peer was sent, in KiB.
pub fn document(megabytes: usize) -> Vec<f64> {
    let runtime = runtime();
    let (_project, host) = host("pattern");
    // What the first task and the first document bring along is nobody's growth.
    follow(&runtime, &host, 1);
    let before = resident();
    let Followed { text, sent, largest } = follow(&runtime, &host, megabytes);
    runtime.block_on(host.shutdown());
    vec![megabytes as f64, largest - before, text as f64 / 1024.0, sent as f64 / 1024.0]
}

/// What following a task to its end has shown.
struct Followed {
    /// Bytes of text at the end.
    text: usize,
    /// Bytes sent to the peer.
    sent: usize,
    /// The most memory that this program had, in KiB.
    largest: f64,
}

/// Has a task print so much, and follows its document as a peer does.
fn follow(runtime: &tokio::runtime::Runtime, host: &Host, megabytes: usize) -> Followed {
    let call = |arguments: Value| -> Value {
        let reply = runtime.block_on(host.call("bench", "shell", arguments));
        assert!(!reply.is_error, "{}", reply.text);
        serde_json::from_str(reply.answer()).unwrap()
    };
    let command =
        format!("yes 'a line of output as programs print it, sixty bytes long....' | head -c {megabytes}000000");
    let task = call(json!({"op": "spawn", "command": command}))["task_id"].as_str().unwrap().to_owned();
    let block = host.block("bench", &format!("process:{task}")).unwrap();
    let (mut version, mut sent, mut largest) = (Vec::new(), 0, resident());
    loop {
        let over = block.info().exit.is_some();
        sent += update(&block, &mut version);
        largest = largest.max(resident());
        if over {
            return Followed { text: block.text(Stream::Stdout).len(), sent, largest };
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

/// Brings a peer up to date, and says how many bytes it was sent.
fn update(block: &Block, version: &mut Vec<u8>) -> usize {
    let changes = block.updates(version).unwrap();
    *version = block.version();
    match changes {
        Changes::Updates(updates) => updates.iter().map(Vec::len).sum(),
        Changes::Anew(snapshot) => snapshot.len(),
    }
}
