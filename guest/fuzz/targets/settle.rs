//! The answer to a call whose command prints anything: valid, and saying how much there was.
#![no_main]

use libfuzzer_sys::fuzz_target;
use shellward_fuzz::{Reader, policy};
use shellward_kit::fake::Behaviour;

fuzz_target!(|bytes: &[u8]| {
    let mut reader = Reader::new(bytes);
    let under = policy(&mut reader);
    let host = under.host();
    let (code, times, split) = (reader.byte(), reader.byte(), usize::from(reader.byte()));
    let printed = reader.bytes().repeat(1 + usize::from(times) % 64);
    let (stdout, stderr) = printed.split_at(split.min(printed.len()));
    host.otherwise(Behaviour::exits(i32::from(code)).stdout(stdout).stderr(stderr));
    let reply = host.run(&*under.subject, under.tools[0], r#"{"command":"make all"}"#);
    if let Some(structured) = &reply.structured {
        serde_json::from_str::<serde_json::Value>(structured).expect("an answer that parses");
    }
    host.finish(&*under.subject);
});
