//! Every order in which events may come, through the policy itself: whatever happens, a run ends once.

use serde_json::json;
use shellward_kit::contract::{Exit, Exited, Happening, Hit, Post, Recovery, Signal, StartError, Stdstream, Unwanted};
use shellward_kit::fake::{Behaviour, Fake, Subject};

use super::{host, notices, poll, spawn};

/// When the injected events come, in milliseconds: some before the start, some within the grace, some after it.
const MOMENTS: [u64; 5] = [0, 10, 20, 2000, 2015];

const FINAL: [&str; 5] = ["completed", "failed", "timed_out", "killed", "lost"];

fn events() -> Vec<Happening> {
    let exited = Exited { exit: Exit::Code(0), leaked: Vec::new(), directory: None, session_lost: false };
    let timer = |name: &str| Happening::Timer(name.into());
    let hit = Hit { event: "e".into(), printed_on: Stdstream::Stdout, line: "x".into(), seq: 9, suppressed: 0 };
    vec![
        Happening::Started(7),
        Happening::StartFailed(StartError::Other("no".into())),
        Happening::Exited(exited),
        timer("timeout"),
        timer("kill"),
        timer("abandon"),
        Happening::Posted(Post { name: "cancel".into(), data: "null".into() }),
        Happening::Unwanted(Unwanted::ByHand),
        Happening::Matched(hit),
        Happening::Posted(Post { name: "type".into(), data: "null".into() }),
    ]
}

/// Brings every sequence of so many events to a run that heeds SIGTERM and to one that does not.
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
    let id = spawn(subject, &host, "x", &json!({"timeout_secs": 60}));
    // Demands that the run ends, and that no timer is armed after that.
    host.finish(subject);
    let told = notices(&host, "shell_run_status");
    let ends = told.iter().filter(|notice| FINAL.iter().any(|status| notice["status"] == *status)).count();
    assert_eq!(ends, 1, "{sequence:?}: {told:?}");
    let job = host.all_jobs().remove(0);
    assert_eq!(job.timers, [""; 0], "{sequence:?}");
    assert_eq!(poll(subject, &host, &id)["status"], job.status, "{sequence:?}");
    killed_after_grace(&host, sequence);
}

/// SIGTERM at most once, SIGKILL at most once and after it.
fn killed_after_grace(host: &Fake, sequence: &[&Happening]) {
    let signals: Vec<_> = host.signals().into_iter().map(|sent| sent.signal).collect();
    let fine: [&[Signal]; 3] = [&[], &[Signal::Terminate], &[Signal::Terminate, Signal::Kill]];
    assert!(fine.contains(&signals.as_slice()), "{sequence:?}: {signals:?}");
}

/// What a restart may meet: the run ends all the same, or runs again and then ends.
fn recovers(subject: &dyn Subject) {
    for event in events() {
        for recovery in [Recovery::WasQueued, Recovery::WasRunning, Recovery::HadSurvived] {
            one_end(subject, &[&event, &Happening::Recovered(recovery)], Behaviour::hangs());
        }
    }
}

/// The orders of three; the native test goes further.
pub fn short(subject: &dyn Subject) {
    assert_eq!(every_order(subject, 2), 2 * 100);
    recovers(subject);
}
