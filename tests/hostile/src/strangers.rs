//! What it tries with jobs that are not its own, and with more than it may have.

use serde_json::json;
use shellward_kit::Host;
use shellward_kit::contract::{Filter, Signal, Size, Stdstream, Whom, Window};

/// Tries everything that can be done to a job, and tells how each ended.
pub fn reach<H: Host>(host: &H, job: &str) -> String {
    let tried = json!({
        "get": format!("{:?}", host.job(job).map(|job| job.id)),
        "list": host.jobs(Filter { active: true, ended: true, limit: 100 }).len(),
        "send": format!("{:?}", host.send(job, Signal::Kill, Whom::Tree)),
        "signal": format!("{:?}", host.send(job, Signal::Terminate, Whom::Process)),
        "arm": format!("{:?}", host.arm(job, "mine", 1)),
        "post": format!("{:?}", host.post(job, "cancel", "{}")),
        "read": format!("{:?}", host.read(job, Stdstream::Stdout, Window::All).map(|excerpt| excerpt.text)),
        "write": format!("{:?}", host.write(job, b"exit\n")),
        "close": format!("{:?}", host.close(job)),
        "resize": format!("{:?}", host.resize(job, Size { rows: 1, columns: 1 })),
        "open": format!("{:?}", host.open_block(job, "mine")),
    });
    tried.to_string()
}

/// Arms timers until there may be no more, and tells how many there were and what was said.
pub fn arm_until_refused<H: Host>(host: &H, job: &str) -> String {
    for number in 0..1000 {
        if let Err(error) = host.arm(job, &number.to_string(), 3_600_000) {
            return format!("{number} and then {error:?}");
        }
    }
    "no end".to_owned()
}
