//! `advance` and `settle` with any happenings at any time, on jobs with any memo.
#![no_main]

use libfuzzer_sys::fuzz_target;
use shellward_fuzz::{Reader, policy};
use shellward_kit::contract::{
    Event, Exit, Exited, Happening, Post, Progress, Recovery, StartError, Stdstream, Unwanted,
};
use shellward_kit::fake::Behaviour;

fn happening(reader: &mut Reader<'_>) -> Happening {
    match reader.byte() % 12 {
        0 => Happening::Started(7),
        1 => Happening::StartFailed(StartError::Resources("any".into())),
        2 => Happening::Exited(exited(Exit::Code(i32::from(reader.byte())))),
        3 => Happening::Exited(exited(Exit::Signal("SIGKILL".into()))),
        4 => Happening::Timer((*reader.choose(&["timeout", "grace", "kill", "x"])).to_owned()),
        5 => Happening::Printed(Progress { stdout: 1, stderr: 2 }),
        6 => Happening::AwaitsInput,
        7 => Happening::Posted(Post { name: (*reader.choose(&["cancel", "x"])).to_owned(), data: "{}".into() }),
        8 => Happening::Unwanted(Unwanted::Shutdown),
        9 => Happening::Unwanted(Unwanted::CallerGone),
        10 => Happening::Recovered(Recovery::WasRunning),
        _ => Happening::Timer(reader.line()),
    }
}

fn exited(exit: Exit) -> Exited {
    Exited { exit, leaked: vec![Stdstream::Stdout], directory: None, session_lost: false }
}

fuzz_target!(|bytes: &[u8]| {
    let mut reader = Reader::new(bytes);
    let under = policy(&mut reader);
    let host = under.host();
    host.otherwise(Behaviour::exits(0).waits(50).stdout("done\n"));
    let tool = under.tools[0];
    host.run(&*under.subject, tool, r#"{"command":"make all","timeout":1000,"timeout_ms":1000}"#);
    let Some(mut job) = host.all_jobs().pop() else { return };
    job.ending = None;
    if reader.byte() % 2 == 0 {
        let memo = reader.line();
        if serde_json::from_str::<serde_json::Value>(&memo).is_ok() {
            job.memo = memo;
        }
    }
    for round in 0..16 {
        let what = happening(&mut reader);
        let step =
            under.subject.advance(&host, &job, &Event { at: job.created_at + round, elapsed: round * 1000, what });
        assert!(!step.status.is_empty(), "a status that says nothing");
        serde_json::from_str::<serde_json::Value>(&step.memo).expect("a memo that parses");
        for notice in &step.notices {
            serde_json::from_str::<serde_json::Value>(&notice.data).expect("a notice that parses");
        }
        (job.status, job.memo) = (step.status, step.memo);
        if step.ended.is_some() {
            job.ending = step.ended;
            break;
        }
        if reader.is_empty() {
            break;
        }
    }
});
