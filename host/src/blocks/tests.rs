//! Documents over outputs that the tests write themselves.

use loro::{LoroDoc, LoroValue};

use super::{Block, Blocks, Changes, End, Source, Taken, read};
use crate::policy::contract::types::Exit;
use crate::process::{CaptureLimits, Flow, Output, Stream};

fn output(head: usize, tail: usize) -> Output {
    Output::new(CaptureLimits { head, tail }, None)
}

fn source(session: &str, label: &str, job: &str) -> Source {
    Source {
        session: session.into(),
        label: label.into(),
        job: job.into(),
        command: "make".into(),
        directory: "/project".into(),
        started_at: 7,
    }
}

fn block(output: &Output) -> Block {
    Block::new(source("one", "process:a", "a"), output.clone())
}

/// A second peer, which has only what it was given.
#[derive(Default)]
struct Peer {
    doc: LoroDoc,
    version: Vec<u8>,
    anew: usize,
}

impl Peer {
    fn follow(&mut self, block: &Block) {
        match block.updates(&self.version).unwrap() {
            Changes::Updates(updates) => {
                for bytes in updates {
                    self.doc.import(&bytes).unwrap();
                }
            }
            Changes::Anew(bytes) => {
                self.doc = LoroDoc::from_snapshot(&bytes).unwrap();
                self.anew += 1;
            }
        }
        self.version = self.doc.oplog_vv().encode();
    }

    fn field(&self, name: &str) -> LoroValue {
        let LoroValue::Map(root) = self.doc.get_deep_value() else { panic!("no map") };
        let LoroValue::Map(process) = &root["process"] else { panic!("no map") };
        process[name].clone()
    }

    fn text(&self, name: &str) -> String {
        let LoroValue::String(text) = self.field(name) else { panic!("no text") };
        text.to_string()
    }
}

#[test]
fn the_fields_are_those_of_a_process() {
    let output = output(100, 100);
    let block = block(&output);
    let mut peer = Peer::default();
    peer.follow(&block);
    for (field, value) in [
        ("label", "process:a".into()),
        ("task_id", "a".into()),
        ("command", "make".into()),
        ("cwd", "/project".into()),
        ("started_at", LoroValue::I64(7)),
        ("stdout", "".into()),
        ("stderr", "".into()),
        ("exit_code", LoroValue::Null),
        ("ended_at", LoroValue::Null),
    ] {
        assert_eq!(peer.field(field), value, "{field}");
    }
    block.ended(End { exit: Exit::Code(3), at: 9 });
    block.ended(End { exit: Exit::Code(4), at: 10 });
    peer.follow(&block);
    assert_eq!((peer.field("exit_code"), peer.field("ended_at")), (LoroValue::I64(3), LoroValue::I64(9)));
    let info = block.info();
    assert_eq!((info.exit, info.ended_at, info.pinned), (Some(Exit::Code(3)), Some(9), true));
}

#[test]
fn a_second_peer_sees_the_same_text_at_every_step() {
    let output = output(64, 256);
    let block = block(&output);
    let mut peer = Peer::default();
    for round in 0..200 {
        output.write(Stream::Stdout, format!("line {round} — žluťoučký\n").as_bytes());
        if round % 3 == 0 {
            output.write(Stream::Stderr, b"warning\n");
        }
        if round % 7 == 0 {
            peer.follow(&block);
            assert_eq!(peer.text("stdout"), block.text(Stream::Stdout), "round {round}");
            assert_eq!(peer.text("stderr"), block.text(Stream::Stderr), "round {round}");
        }
    }
    peer.follow(&block);
    let text = peer.text("stdout");
    assert_eq!(text, block.text(Stream::Stdout));
    assert!(text.starts_with("line 0 ") && text.ends_with("line 199 — žluťoučký\n"), "{text}");
    assert!(!text.contains('\u{fffd}'), "a character was cut: {text}");
    assert_eq!(peer.anew, 0, "so little history is kept");
}

#[test]
fn what_is_missing_is_counted_to_the_byte() {
    for (head, tail, step) in [(10, 10, 7), (64, 256, 1000), (100, 100, 3), (0, 50, 9)] {
        let output = output(head, tail);
        let block = block(&output);
        let mut written = String::new();
        while written.len() < 3000 {
            let piece: String = ('a'..='z').chain(['é', '漢']).cycle().skip(written.len()).take(step).collect();
            output.write(Stream::Stdout, piece.as_bytes());
            written.push_str(&piece);
            let text = block.text(Stream::Stdout);
            let (before, missing, after) = split(&text);
            assert!(written.starts_with(before) && written.ends_with(after), "{text:?} of {written:?}");
            assert_eq!(before.len() + missing + after.len(), written.len(), "{text:?}");
            assert!(before.len() + 4 > head.min(written.len()), "{text:?}");
        }
    }
}

/// The text before the marker, its number, and the text after it.
fn split(text: &str) -> (&str, usize, &str) {
    let Some((before, rest)) = text.split_once("\n[... ") else { return (text, 0, "") };
    let (number, after) = rest.split_once(" bytes were not kept ...]\n").unwrap();
    (before, number.parse().unwrap(), after)
}

#[test]
fn characters_may_come_in_pieces_and_bytes_may_be_none() {
    let output = output(1000, 1000);
    let block = block(&output);
    for byte in "a漢é".as_bytes() {
        output.write(Stream::Stdout, &[*byte]);
        let text = block.text(Stream::Stdout);
        assert!("a漢é".starts_with(&text), "{text:?}");
    }
    output.write(Stream::Stdout, b"\xff\xfe!\xe6\xbc");
    assert_eq!(block.text(Stream::Stdout), "a漢é\u{fffd}\u{fffd}!");
    output.close(Stream::Stdout, Flow::Ended);
    assert_eq!(block.text(Stream::Stdout), "a漢é\u{fffd}\u{fffd}!\u{fffd}");
}

#[test]
fn a_hundred_megabytes_stay_within_bounds() {
    let output = output(64 << 10, 192 << 10);
    let block = block(&output);
    let mut peer = Peer::default();
    let line = "0123456789abcdef".repeat(4096);
    let mut largest = 0;
    for round in 0..1600 {
        output.write(Stream::Stdout, line.as_bytes());
        if round % 4 == 0 {
            peer.follow(&block);
        }
        if round % 100 == 0 {
            largest = largest.max(block.snapshot().len());
            assert_eq!(peer.text("stdout"), block.text(Stream::Stdout), "round {round}");
        }
    }
    peer.follow(&block);
    let text = peer.text("stdout");
    assert_eq!(text, block.text(Stream::Stdout));
    let (before, missing, after) = split(&text);
    assert_eq!(before.len() + missing + after.len(), 100 << 20);
    assert!(text.len() < 300 << 10, "{} bytes of text", text.len());
    assert!(largest < 8 << 20, "{largest} bytes of document");
    assert_eq!(peer.anew, 0, "a peer that follows never has to begin anew");
    let mut late = Peer { version: LoroDoc::new().oplog_vv().encode(), ..Peer::default() };
    late.follow(&block);
    assert_eq!((late.text("stdout"), late.anew), (text, 1), "one that comes late begins with what there is");
}

#[test]
fn parts_are_read_from_offsets() {
    let output = output(300, 300);
    let block = block(&output);
    output.write(Stream::Stdout, "ab漢".as_bytes());
    let part = read(&block, Stream::Stdout, 0, 256);
    assert_eq!((part.text.as_str(), part.next, part.total), ("ab漢", 5, 5));
    assert_eq!(read(&block, Stream::Stdout, 2, 256).text, "漢");
    let part = read(&block, Stream::Stdout, 9, 256);
    assert_eq!((part.text.as_str(), part.next), ("", 5));
    output.write(Stream::Stdout, &[b'x'; 2000]);
    let part = read(&block, Stream::Stdout, 300, 1000);
    assert_eq!((part.next, part.total), (2005, 2005));
    assert_eq!(part.text, format!("[... 1405 bytes were not kept ...]\n{}", "x".repeat(300)));
    let part = read(&block, Stream::Stdout, 5, 256);
    assert_eq!((part.text.len(), part.next), (256, 261));
}

#[test]
fn parts_are_as_small_as_is_wanted_but_for_a_character() {
    let output = output(300, 300);
    let block = block(&output);
    output.write(Stream::Stdout, "abcdefg漢xÿ".as_bytes());
    output.write(Stream::Stdout, &[0xff, b'!', b'!', b'!']);
    assert_eq!(read(&block, Stream::Stdout, 0, 5).text, "abcde");
    let (mut offset, mut text) = (0, String::new());
    while offset < 17 {
        let part = read(&block, Stream::Stdout, offset, 1);
        assert!(part.next > offset && part.text.len() <= 4, "{part:?}");
        offset = part.next;
        text.push_str(&part.text);
    }
    assert_eq!(text, "abcdefg漢xÿ\u{fffd}!!!");
}

#[test]
fn versions_that_are_none_are_refused() {
    let error = block(&output(9, 9)).updates(b"nonsense").unwrap_err().to_string();
    assert!(error.starts_with("this is no version of a document: "), "{error}");
}

#[test]
fn labels_belong_to_sessions_and_old_documents_are_forgotten() {
    let blocks = Blocks::default();
    let open = |session: &str, label: &str, job: &str| blocks.open(source(session, label, job), output(9, 9));
    assert_eq!(open("one", "process:a", "a"), Ok(()));
    assert_eq!(open("one", "process:a", "a"), Ok(()), "the same again");
    assert_eq!(open("one", "process:a", "b"), Err(Taken));
    assert_eq!(open("two", "process:a", "c"), Ok(()));
    assert!(blocks.get("three", "process:a").is_none());
    let end = End { exit: Exit::Code(0), at: 1 };
    for number in 0..300 {
        let (label, job) = (format!("process:{number}"), number.to_string());
        assert_eq!(open("three", &label, &job), Ok(()));
        if number != 0 {
            blocks.get("three", &label).unwrap().pin(false);
        }
        blocks.ended("three", &job, &end);
    }
    let left: Vec<String> = blocks.list("three").iter().map(|block| block.label().to_owned()).collect();
    assert_eq!(left.len(), 256);
    assert!(left.contains(&"process:0".to_owned()), "the pinned one stays");
    assert!(!left.contains(&"process:1".to_owned()) && left.contains(&"process:299".to_owned()));
    assert!(blocks.is_taken("one", "process:a"), "a running process keeps its document");
}
