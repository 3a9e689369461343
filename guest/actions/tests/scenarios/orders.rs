//! Every order in which events may come, through the policy itself: whatever happens, a run ends once.

use serde_json::json;
use shellward_kit::contract::{Happening, Hit, Post, Recovery, Stdstream, Unwanted};
use shellward_kit::fake::{Behaviour, Fake, Orders, Subject};

use super::{notices, poll, spawn};

const FINAL: [&str; 5] = ["completed", "failed", "timed_out", "killed", "lost"];

fn orders() -> Orders {
    let hit = Hit { event: "e".into(), printed_on: Stdstream::Stdout, line: "x".into(), seq: 9, suppressed: 0 };
    let more = vec![
        Happening::Unwanted(Unwanted::ByHand),
        Happening::Matched(hit),
        Happening::Posted(Post { name: "type".into(), data: "null".into() }),
    ];
    Orders::new(2000, more)
}

/// Brings every sequence of so many events to a run that heeds SIGTERM and to one that does not.
pub fn every_order(subject: &dyn Subject, length: usize) -> usize {
    let orders = orders();
    orders.each(length, |sequence, behaviour| one_end(subject, &orders, sequence, behaviour))
}

fn one_end(subject: &dyn Subject, orders: &Orders, sequence: &[&Happening], behaviour: Behaviour) {
    let host = Fake::configured(&json!({}), behaviour);
    orders.bring(&host, sequence);
    let id = spawn(subject, &host, "x", &json!({"timeout_secs": 60}));
    // Demands that the run ends, and that no timer is armed after that.
    host.finish(subject);
    let told = notices(&host, "shell_run_status");
    let ends = told.iter().filter(|notice| FINAL.iter().any(|status| notice["status"] == *status)).count();
    assert_eq!(ends, 1, "{sequence:?}: {told:?}");
    let job = host.all_jobs().remove(0);
    assert_eq!(job.timers, [""; 0], "{sequence:?}");
    assert_eq!(poll(subject, &host, &id)["status"], job.status, "{sequence:?}");
    orders.assert_graceful(&host, sequence);
}

/// What a restart may meet: the run ends all the same, or runs again and then ends.
fn recovers(subject: &dyn Subject) {
    let orders = orders();
    for event in orders.events() {
        for recovery in [Recovery::WasQueued, Recovery::WasRunning, Recovery::HadSurvived] {
            one_end(subject, &orders, &[event, &Happening::Recovered(recovery)], Behaviour::hangs());
        }
    }
}

/// The orders of three; the native test goes further.
pub fn short(subject: &dyn Subject) {
    assert_eq!(every_order(subject, 2), 2 * 100);
    recovers(subject);
}
