//! What a job has printed, as answers and notices give it.

use serde::Serialize;
use shellward_kit::Host;
use shellward_kit::contract::{Job, Stdstream};
use shellward_kit::output::{below, stream};

/// The two output streams of a job. Where bytes were not kept, the text says so in their place.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Output {
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl Output {
    /// Reads what is kept.
    #[must_use]
    pub fn read<H: Host>(host: &H, job: &Job) -> Self {
        Self { stdout: stream(host, job, Stdstream::Stdout), stderr: stream(host, job, Stdstream::Stderr) }
    }

    /// Gives both for people: standard output, then standard error, then notes, each on lines of its own.
    #[must_use]
    pub fn with_notes(&self, notes: &[String]) -> String {
        below([&self.stdout, &self.stderr].into_iter().chain(notes).map(String::as_str))
    }
}

/// Says which streams a process that was left running still holds.
pub fn leaks(job: &Job) -> impl Iterator<Item = String> {
    let streams = [("stdout", job.stdout.leaked), ("stderr", job.stderr.leaked)];
    let held = streams.into_iter().filter_map(|(name, leaked)| leaked.then_some(name));
    held.map(|name| format!("[a process that was left running still holds {name}]"))
}

/// Gives a length of time in seconds.
#[must_use]
pub fn seconds(micros: u64) -> f64 {
    // Exact up to 285 years.
    micros as f64 / 1_000_000.0
}
