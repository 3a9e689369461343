//! Every order in which events may come, through the policy itself: whatever happens, a job ends once.

use serde_json::json;
use shellward_kit::contract::{Happening, Recovery, Unwanted};
use shellward_kit::fake::{Behaviour, Orders, Subject};

use super::{host, notices, spawn, status};

/// Brings every sequence of so many events to a job that heeds SIGTERM and to one that does not.
pub fn every_order(subject: &dyn Subject, length: usize) -> usize {
    let more = vec![Happening::Unwanted(Unwanted::Shutdown), Happening::Recovered(Recovery::WasRunning)];
    let orders = Orders::new(5000, more);
    orders.each(length, |sequence, behaviour| one_end(subject, &orders, sequence, behaviour))
}

fn one_end(subject: &dyn Subject, orders: &Orders, sequence: &[&Happening], behaviour: Behaviour) {
    let host = host(&json!({}), behaviour);
    orders.bring(&host, sequence);
    let id = spawn(subject, &host, "x", &json!({ "timeout_secs": 60 }));
    // Demands that the job ends, and that no timer is armed after that.
    host.finish(subject);
    let published = notices(&host);
    assert_eq!(published.len(), 1, "{sequence:?}: {published:?}");
    let job = host.all_jobs().remove(0);
    assert_eq!(job.timers, [""; 0], "{sequence:?}");
    assert_eq!(published[0]["result"]["status"], job.status, "{sequence:?}");
    assert_eq!(status(subject, &host, &id)["status"]["status"], job.status, "{sequence:?}");
    orders.assert_graceful(&host, sequence);
}

/// The orders of three; the native test goes further.
pub fn short(subject: &dyn Subject) {
    assert_eq!(every_order(subject, 3), 2 * 729);
}
