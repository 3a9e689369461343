//! A call with any tool name and arguments, from start to answer, against a command that does anything.
#![no_main]

use libfuzzer_sys::fuzz_target;
use shellward_fuzz::{Reader, policy};
use shellward_kit::fake::{Behaviour, Human};

fuzz_target!(|bytes: &[u8]| {
    let mut reader = Reader::new(bytes);
    let under = policy(&mut reader);
    let host = under.host();
    host.human(if reader.byte() % 2 == 0 { Human::Absent } else { Human::Approves });
    host.otherwise(match reader.byte() % 4 {
        0 => Behaviour::exits(0).stdout("done\n"),
        1 => Behaviour::exits(1).stderr("failed\n"),
        2 => Behaviour::hangs(),
        _ => Behaviour::signalled("SIGSEGV").waits(5_000),
    });
    // Several calls in one host meet the jobs of those before.
    for _ in 0..3 {
        let known = reader.byte();
        let tool = if known % 8 == 7 { reader.line() } else { (*reader.choose(under.tools)).to_owned() };
        let arguments = reader.line();
        // A host hands on what parses, and nothing else.
        if serde_json::from_str::<serde_json::Value>(&arguments).is_ok() {
            let reply = host.run(&*under.subject, &tool, &arguments);
            assert!(!reply.text.is_empty() || !reply.is_error, "an error that says nothing");
        }
        if reader.is_empty() {
            break;
        }
    }
    host.finish(&*under.subject);
});
