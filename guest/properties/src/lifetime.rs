//! A whole job in a host, with happenings thrown in at any time: it ends, once, and its end is told once.

use shellward_kit::contract::{Happening, Unwanted};

use crate::Reader;
use crate::advance::{happening, tells_the_end};
use crate::call::{AT_LAST, behaviour};
use crate::policies::{Policy, Under};

/// When things happen, in milliseconds after the launch: before the start, within each grace, after it, much later.
const MOMENTS: [u64; 8] = [0, 1, 10, 50, 1_000, 2_010, 7_100, 400_000];

pub fn holds(under: &Under<'_>, reader: &mut Reader<'_>) {
    let host = under.host();
    host.otherwise(behaviour(reader));
    let mut left = false;
    for _ in 0..8 {
        let (moment, what) = (*reader.choose(&MOMENTS), happening(reader));
        left |= matches!(what, Happening::Unwanted(Unwanted::Shutdown));
        host.at(moment, what);
        if reader.is_empty() {
            break;
        }
    }
    host.unwanted_at(AT_LAST, Unwanted::SessionClosed);
    if under.start(&host, "make all").is_none() {
        return;
    }
    host.pass(under.subject, 1_000_000);
    // What a host that shuts down has left is the next one's.
    if left {
        host.restart();
    }
    host.finish(under.subject);
    let told: Vec<_> = host.notices().into_iter().filter(tells_the_end).collect();
    for job in host.all_jobs() {
        assert_eq!(job.timers, [""; 0], "{job:?}");
        if !matches!(under.policy, Policy::Bash | Policy::Exec) {
            assert_eq!(told.len(), 1, "{job:?}: {told:?}");
            assert!(told[0].data.contains(&format!(r#""status":"{}""#, job.status)), "{job:?}: {told:?}");
        }
    }
}
