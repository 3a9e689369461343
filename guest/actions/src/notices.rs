//! What is published without having been asked for: changes of status, and hits of watches. The bus carries it to the
//! backlog of the run's session.

use serde::{Deserialize, Serialize};
use shellward_kit::contract::{Hit, Job, Notice, Stdstream};
use shellward_kit::exit;
use shellward_kit::reply::json;

use crate::run::Status;

/// The kind of notice that says that a run's status has changed.
pub const STATUS: &str = "shell_run_status";

/// The kind of notice that says that a watch has matched.
pub const WATCH: &str = "shell_run_watch";

/// The longest line in a notice, in bytes.
const LINE: usize = 2000;

/// How long hits are counted together, in microseconds.
const MINUTE: u64 = 60_000_000;

/// How many notices of watches a run has published lately.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Flood {
    /// When the counting began, in microseconds since the process started.
    since: u64,
    /// How many were published since.
    told: u32,
    /// How many hits were left out since the last that was published.
    left_out: u64,
}

impl Flood {
    /// Tells whether nothing was counted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Counts a hit, and says how many were left out before it; none where it is left out itself.
    pub fn count(&mut self, hit: &Hit, elapsed: u64, most: u32) -> Option<u64> {
        // A run that was started again counts from 0.
        if elapsed < self.since || elapsed - self.since >= MINUTE {
            (self.since, self.told) = (elapsed, 0);
        }
        self.left_out += hit.suppressed;
        if self.told >= most {
            self.left_out += 1;
            return None;
        }
        self.told += 1;
        Some(std::mem::take(&mut self.left_out))
    }
}

#[derive(Serialize)]
struct Changed<'a> {
    run_id: &'a str,
    session_id: &'a str,
    command: &'a str,
    status: &'a str,
    exit_code: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    signal: Option<&'a str>,
    error_message: Option<String>,
    snippet: String,
}

/// Words a change of status.
#[must_use]
pub fn changed(job: &Job, status: &Status, snippet: String) -> Notice {
    let data = json(&Changed {
        run_id: &job.id,
        session_id: &job.session,
        command: &job.command,
        status: status.word(),
        exit_code: exit::code(job),
        signal: exit::signal(job),
        error_message: status.error_message(job),
        snippet,
    });
    let text = format!("Run {} {}: {}", job.id, status.told(job), job.command);
    Notice { event_type: STATUS.into(), data, text: Some(text) }
}

#[derive(Serialize)]
struct Matched<'a> {
    run_id: &'a str,
    session_id: &'a str,
    event: &'a str,
    stream: &'static str,
    line: &'a str,
    seq: u64,
    suppressed: u64,
    snippet: String,
}

/// Words a watch's hit, before which so many were left out.
#[must_use]
pub fn matched(job: &Job, hit: &Hit, suppressed: u64, snippet: String) -> Notice {
    let line = &hit.line[..hit.line.floor_char_boundary(LINE)];
    let data = json(&Matched {
        run_id: &job.id,
        session_id: &job.session,
        event: &hit.event,
        stream: if hit.printed_on == Stdstream::Stdout { "stdout" } else { "stderr" },
        line,
        seq: hit.seq,
        suppressed,
        snippet,
    });
    let text = format!("Run {}: {}: {line}", job.id, hit.event);
    Notice { event_type: WATCH.into(), data, text: Some(text) }
}
