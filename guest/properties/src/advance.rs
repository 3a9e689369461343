//! Any happenings at any time on jobs with any memo: no status goes back, a job ends once and its end is told once.
//!
//! Half of the inputs drive `advance` itself, the other half a whole job in a host ([`lifetime`]).

use shellward_kit::contract::{
    Event, Exit, Exited, Happening, Hit, Job, Notice, Post, Progress, Recovery, StartError, Stdstream, Step, ToolCall,
    Unwanted,
};
use shellward_kit::fake::Behaviour;

use crate::policies::{Policy, Under, is_json};
use crate::{Reader, Subjects, lifetime};

pub fn holds(bytes: &[u8], subjects: &dyn Subjects) {
    let mut reader = Reader::new(bytes);
    let under = Under::choose(&mut reader, subjects);
    match reader.byte() % 4 {
        0 => lifetime::holds(&under, &mut reader),
        1 => driven(&under, &mut reader, true),
        _ => driven(&under, &mut reader, false),
    }
}

/// Chooses something that may happen to a job.
pub fn happening(reader: &mut Reader<'_>) -> Happening {
    const TIMERS: &[&str] = &["timeout", "terminate", "kill", "abandon", "input", "unpin", "x"];
    const POSTS: &[&str] = &["cancel", "send_keys", "pinned", "unpinned", "x"];
    match reader.byte() % 20 {
        0 | 1 => Happening::Started(7),
        2 => Happening::StartFailed(StartError::Resources("any".into())),
        3 => exited(Exit::Code(i32::from(reader.byte()))),
        4 => exited(Exit::Signal("SIGKILL".into())),
        5..=7 => Happening::Timer((*reader.choose(TIMERS)).to_owned()),
        8 => Happening::Printed(Progress { stdout: 1, stderr: reader.byte().into() }),
        9 => Happening::AwaitsInput,
        10 | 11 => Happening::Posted(Post { name: (*reader.choose(POSTS)).to_owned(), data: "null".into() }),
        12 => {
            let (name, data) = ((*reader.choose(POSTS)).to_owned(), reader.line());
            Happening::Posted(Post { name, data: if is_json(&data) { data } else { "{}".into() } })
        }
        13 => Happening::Unwanted(Unwanted::Shutdown),
        14 => Happening::Unwanted(Unwanted::CallerGone),
        15 => Happening::Unwanted(*reader.choose(&[Unwanted::SessionClosed, Unwanted::ByHand])),
        16 => Happening::Recovered(*reader.choose(&[Recovery::WasRunning, Recovery::WasQueued, Recovery::HadSurvived])),
        17 => Happening::Matched(Hit {
            event: "seen".into(),
            printed_on: Stdstream::Stderr,
            line: reader.line(),
            seq: 3,
            suppressed: reader.byte().into(),
        }),
        18 => Happening::Exited(Exited {
            exit: Exit::Code(0),
            leaked: Vec::new(),
            directory: Some(reader.line()),
            session_lost: reader.byte().is_multiple_of(4),
        }),
        _ => Happening::Timer(reader.line()),
    }
}

fn exited(exit: Exit) -> Happening {
    Happening::Exited(Exited { exit, leaked: vec![Stdstream::Stdout], directory: None, session_lost: false })
}

/// The status words of jobs that have not come to their end, in their order.
const UNFINISHED: [&[&str]; 3] = [&["queued", "starting"], &["running"], &["stopping"]];

/// How far a status is; the words for an end are the furthest.
fn stage(status: &str) -> usize {
    UNFINISHED.iter().position(|words| words.contains(&status)).unwrap_or(UNFINISHED.len())
}

/// Whether a notice says that its job has ended.
pub fn tells_the_end(notice: &Notice) -> bool {
    let data: serde_json::Value = serde_json::from_str(&notice.data).expect("a notice that parses");
    match notice.event_type.as_str() {
        "shell_job_completed" | "process_exited" => true,
        "shell_run_status" => data["status"].as_str().is_some_and(|status| stage(status) == UNFINISHED.len()),
        _ => false,
    }
}

/// Has the policy advance a job by one event after the other, as no host would bring them.
fn driven(under: &Under<'_>, reader: &mut Reader<'_>, foreign: bool) {
    let host = under.host();
    host.otherwise(Behaviour::exits(0).waits(50).stdout("done\n"));
    let (Some(mut job), Some(launch)) = (under.start(&host, "make all"), host.launches().pop()) else {
        // The settings do not let it run.
        return;
    };
    (job.status, job.memo) = (launch.status, launch.memo);
    (job.ending, job.ended_at, job.exit) = (None, None, None);
    let line = if foreign { reader.line() } else { String::new() };
    let foreign = foreign && is_json(&line);
    if foreign {
        job.memo = line;
    }
    let mut told = 0;
    for round in 0..24 {
        let what = happening(reader);
        let event = Event { at: job.created_at + round, elapsed: round * 1000, what };
        let step = under.subject.advance(&host, &job, &event);
        assert!(is_json(&step.memo), "a memo that does not parse: {}", step.memo);
        // What a memo of somebody else says of its job need not agree with the status.
        if !foreign || round > 0 {
            forward(&job, &event.what, &step);
        }
        told += step.notices.iter().filter(|notice| tells_the_end(notice)).count();
        assert!(told <= 1, "the end is told twice: {event:?} {step:?}");
        let ended = step.ended.is_some();
        (job.status, job.memo, job.ending) = (step.status, step.memo, step.ended);
        if let Happening::Exited(exited) = event.what {
            job.exit = Some(exited.exit);
        }
        if ended {
            let quiet = foreign || matches!(under.policy, Policy::Bash | Policy::Exec);
            assert!(quiet || told == 1, "{} has ended as {} and nobody was told", job.id, job.status);
            break;
        }
        if reader.is_empty() {
            break;
        }
    }
    settles(under, &job, &host);
}

/// Holds a step to the order of the statuses.
fn forward(job: &Job, what: &Happening, step: &Step) {
    let (before, after) = (stage(&job.status), stage(&step.status));
    assert!(!step.status.is_empty(), "a status that says nothing");
    assert!(after >= before || step.requeue, "{} became {} after {what:?}", job.status, step.status);
    let last = before == UNFINISHED.len();
    assert!(!last || step.status == job.status, "{} was final and became {} after {what:?}", job.status, step.status);
    assert!(step.ended.is_none() || after == UNFINISHED.len(), "ended as {} after {what:?}", step.status);
    assert!(step.ended.is_none() || !step.requeue, "ended and queued again after {what:?}");
}

/// Whatever became of a job, its call is answered.
fn settles(under: &Under<'_>, job: &Job, host: &shellward_kit::fake::Fake) {
    for arguments in [under.policy.waits("make all"), under.policy.starts("make all"), "{}".into()] {
        let call = ToolCall {
            id: job.call.clone(),
            session: job.session.clone(),
            tool: job.tool.clone(),
            arguments,
            now: job.created_at,
            approved: Vec::new(),
        };
        let reply = under.subject.settle(host, &call, job);
        assert!(!reply.text.is_empty(), "an answer that says nothing: {reply:?}");
        assert!(reply.structured.as_deref().is_none_or(is_json), "an answer that does not parse: {reply:?}");
    }
}
