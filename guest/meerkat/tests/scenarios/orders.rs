//! Every order in which events may come, through the policy itself: whatever happens, a job ends once.

use serde_json::json;
use shellward_kit::contract::{Exit, Exited, Happening, Post, Recovery, Signal, StartError, Unwanted};
use shellward_kit::fake::{Behaviour, Fake, Subject};

use super::{host, notices, signals, spawn, status};

/// When the injected events come, in milliseconds: some before the start, some within the grace, some after it.
const MOMENTS: [u64; 5] = [0, 10, 20, 5000, 5015];

fn events() -> Vec<Happening> {
    let exited = Exited { exit: Exit::Code(0), leaked: Vec::new(), directory: None, session_lost: false };
    let timer = |name: &str| Happening::Timer(name.into());
    vec![
        Happening::Started(7),
        Happening::StartFailed(StartError::Other("no".into())),
        Happening::Exited(exited),
        timer("timeout"),
        timer("kill"),
        timer("abandon"),
        Happening::Posted(Post { name: "cancel".into(), data: "null".into() }),
        Happening::Unwanted(Unwanted::Shutdown),
        Happening::Recovered(Recovery::WasRunning),
    ]
}

/// Brings every sequence of so many events to a job that heeds SIGTERM and to one that does not.
pub fn every_order(subject: &dyn Subject, length: usize) -> usize {
    let events = events();
    let mut count = 0;
    for number in 0..events.len().pow(length as u32) {
        let order = (0..length).map(|place| number / events.len().pow(place as u32) % events.len());
        let sequence: Vec<&Happening> = order.map(|index| &events[index]).collect();
        for behaviour in [Behaviour::hangs(), Behaviour::hangs().ignores_terminate()] {
            one_end(subject, &sequence, behaviour);
            count += 1;
        }
    }
    count
}

fn one_end(subject: &dyn Subject, sequence: &[&Happening], behaviour: Behaviour) {
    let host = host(&json!({}), behaviour);
    for (happening, at) in sequence.iter().zip(MOMENTS) {
        host.at(at, (*happening).clone());
    }
    let id = spawn(subject, &host, "x", &json!({ "timeout_secs": 60 }));
    // Demands that the job ends, and that no timer is armed after that.
    host.finish(subject);
    let published = notices(&host);
    assert_eq!(published.len(), 1, "{sequence:?}: {published:?}");
    let job = host.all_jobs().remove(0);
    assert_eq!(job.timers, [""; 0], "{sequence:?}");
    assert_eq!(published[0]["result"]["status"], job.status, "{sequence:?}");
    assert_eq!(status(subject, &host, &id)["status"]["status"], job.status, "{sequence:?}");
    killed_after_grace(&host, sequence);
}

/// SIGTERM at most once, SIGKILL at most once, after it and after the grace.
fn killed_after_grace(host: &Fake, sequence: &[&Happening]) {
    let fired = |from: u64, to: u64| {
        let timers = sequence
            .iter()
            .zip(MOMENTS)
            .filter(|(happening, _)| matches!(happening, Happening::Timer(name) if name == "kill"));
        timers.into_iter().any(|(_, at)| from <= at && at <= to)
    };
    match signals(host).as_slice() {
        [] | [(_, Signal::Terminate)] => {}
        // A host fires no timer early; a test does, and then the grace is over when the timer says so.
        [(asked, Signal::Terminate), (killed, Signal::Kill)] => {
            assert!(killed - asked >= 5000 || fired(*asked, *killed), "{sequence:?}: {asked} {killed}");
        }
        other => assert!(other.is_empty(), "{sequence:?}: {other:?}"),
    }
}

/// The orders of three; the native test goes further.
pub fn short(subject: &dyn Subject) {
    assert_eq!(every_order(subject, 3), 2 * 729);
}
