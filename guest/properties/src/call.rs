//! Calls with any tool name and arguments, from start to answer, against commands that do anything.

use shellward_kit::contract::{Stdstream, Unwanted};
use shellward_kit::fake::{Behaviour, Human};

use crate::policies::{Under, is_json};
use crate::{Reader, Subjects, shape};

/// When a session is closed whose commands go on for ever: after the longest timeout that can be asked for.
pub(crate) const AT_LAST: u64 = 2 * 366 * 24 * 3_600_000;

pub fn holds(bytes: &[u8], subjects: &dyn Subjects) {
    let mut reader = Reader::new(bytes);
    let under = Under::choose(&mut reader, subjects);
    let manifest = under.subject.describe(&under.settings).expect("settings that were taken");
    let host = under.host();
    host.human(*reader.choose(&[Human::Absent, Human::Approves, Human::Refuses]));
    host.otherwise(behaviour(&mut reader));
    // Several calls in one host meet the jobs of those before.
    for _ in 0..4 {
        let known = reader.byte();
        let tool = if known % 8 == 7 { reader.line() } else { (*reader.choose(under.policy.tools())).to_owned() };
        let newest = host.all_jobs().pop().map(|job| job.id).unwrap_or_default();
        let arguments = reader.line().replace("$JOB", &newest);
        if is_json(&arguments) {
            host.unwanted_at(AT_LAST, Unwanted::SessionClosed);
            let reply = host.run(under.subject, &tool, &arguments);
            assert!(!reply.text.is_empty(), "an answer that says nothing: {reply:?}");
            shape::fits(&manifest, &tool, &reply);
        }
        if reader.is_empty() {
            break;
        }
    }
    host.finish(under.subject);
}

/// Chooses what a command does.
pub(crate) fn behaviour(reader: &mut Reader<'_>) -> Behaviour {
    let error = shellward_kit::contract::StartError::Resources("processes".into());
    match reader.byte() % 10 {
        0 => Behaviour::exits(0).stdout("done\n"),
        1 => Behaviour::exits(1).stderr("failed\n"),
        2 => Behaviour::hangs(),
        3 => Behaviour::signalled("SIGSEGV").waits(5_000),
        4 => Behaviour::hangs().stdout("done\n").ignores_terminate(),
        5 => Behaviour::exits(0).stdout("done\n").waits(50).leaks(Stdstream::Stdout),
        6 => Behaviour::hangs().unkillable(),
        7 => Behaviour::fails_to_start(error),
        8 => Behaviour::cannot_start(error),
        _ => Behaviour::reads().ends_when_asked(10, 3),
    }
}
