//! What a job has printed, as answers and notices give it.

use serde::Serialize;
use shellward_kit::Host;
use shellward_kit::contract::{Job, Stdstream, StreamState, Window};

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
        Self {
            stdout: stream(host, job, Stdstream::Stdout, &job.stdout),
            stderr: stream(host, job, Stdstream::Stderr, &job.stderr),
        }
    }

    /// Gives both for people: standard output, then standard error, then notes, each on lines of its own.
    #[must_use]
    pub fn with_notes(&self, notes: &[String]) -> String {
        let length = self.stdout.len() + self.stderr.len() + notes.iter().map(String::len).sum::<usize>();
        let mut text = String::with_capacity(length + notes.len() + 2);
        for part in [&self.stdout, &self.stderr].into_iter().chain(notes) {
            if !text.is_empty() && !text.ends_with('\n') && !part.is_empty() {
                text.push('\n');
            }
            text.push_str(part);
        }
        text
    }
}

fn stream<H: Host>(host: &H, job: &Job, stream: Stdstream, state: &StreamState) -> String {
    match host.read(&job.id, stream, Window::All) {
        Ok(excerpt) => {
            let mut text = excerpt.text;
            if let Some(gap) = excerpt.gap {
                let at = text.floor_char_boundary(usize::try_from(gap.at).unwrap_or(usize::MAX));
                text.insert_str(at, &format!("\n[... {} bytes were not kept ...]\n", gap.bytes));
            }
            text
        }
        // A job that never ran has no output; of one that has printed, the bytes are at least counted.
        Err(_) if state.total == 0 => String::new(),
        Err(_) => format!("[... {} bytes were not kept ...]\n", state.total),
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
