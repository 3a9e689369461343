//! The answer about a command that was started: its output as the envelope gives it, and what became of it.

use crate::cut;
use crate::envelope::{self, Context, Data, Ran, Stats, Status};
use crate::errors::Failure;
use crate::launch::{self, Own};
use crate::settings::Settings;
use crate::text::{Story, Stream};
use shellward_kit::Host;
use shellward_kit::contract::{Ending, Exit, Job, Reply, Stdstream, StreamState, ToolCall, Window};
use shellward_kit::machine::{End, Memo, Phase};

/// Words the answer to a call whose command has ended.
#[must_use]
pub fn settle<H: Host>(host: &H, settings: &Settings, call: &ToolCall, job: &Job) -> Reply {
    let memo = Memo::<Own>::read(job);
    let end = memo.as_ref().map(|memo| &memo.phase).and_then(|phase| match phase {
        Phase::Ended(end) => Some(end),
        _ => None,
    });
    let directory = match &memo {
        Some(memo) => memo.own.directory.clone(),
        None => host.resolve(&job.directory, None).ok().and_then(|place| place.relative).unwrap_or_default(),
    };
    let context = Context::new(&call.arguments, Some(&directory));
    if let Some(End::NotStarted(error)) = end {
        return envelope::failed(&launch::refused(error.clone()), Data::Nothing {}, Stats::default(), context);
    }
    let streams = [
        Output::read(host, settings, job, Stdstream::Stdout, &job.stdout),
        Output::read(host, settings, job, Stdstream::Stderr, &job.stderr),
    ];
    let [stdout, stderr] = &streams;
    let (exit_code, signal) = match &job.exit {
        Some(Exit::Code(code)) => (Some(*code), None),
        Some(Exit::Signal(name)) => (None, Some(name.as_str())),
        None => (None, None),
    };
    let data = Ran {
        stdout: &stdout.text,
        stderr: &stderr.text,
        exit_code,
        signal,
        truncated: streams.iter().any(Output::is_truncated),
        command: &job.command,
        directory: &directory,
    };
    let stats = Stats { time_ms: job.duration / 1000, stdout_bytes: stdout.bytes, stderr_bytes: stderr.bytes };
    match became(job, &data, &stats) {
        Err(failure) => envelope::failed(&failure, Data::Ran(data), stats, context),
        Ok(status) => {
            let story = Story {
                command: &job.command,
                exit_code,
                signal,
                time_ms: stats.time_ms,
                timed_out: timed_out(job),
                truncated: data.truncated,
                streams: [stdout.told("stdout"), stderr.told("stderr")],
                summary: settings.summary_chars,
            };
            envelope::answered(status, data, story.worded(), stats, context)
        }
    }
}

/// Gives the timeout that ended a job, if that is what did.
fn timed_out(job: &Job) -> Option<u64> {
    (job.ending == Some(Ending::TimedOut)).then(|| job.timeout.unwrap_or(job.duration / 1000))
}

/// Says what became of a command that ran.
fn became(job: &Job, data: &Ran<'_>, stats: &Stats) -> Result<Status, Failure> {
    match job.ending {
        Some(Ending::Completed) if data.exit_code == Some(0) && !data.truncated => Ok(Status::Success),
        Some(Ending::Completed) => Ok(Status::Partial),
        Some(Ending::TimedOut) if stats.stdout_bytes + stats.stderr_bytes > 0 => Ok(Status::Partial),
        Some(Ending::TimedOut) => Err(Failure::TimedOut(format!(
            "It was stopped after {}ms. Raise timeout_ms (at most 600000), run less at once, or let it print how far \
             it is.",
            timed_out(job).unwrap_or_default()
        ))),
        Some(Ending::Cancelled) => Err(Failure::Execution("it was cancelled before it ended.".to_owned())),
        Some(Ending::Lost) => Err(Failure::Execution("the host was restarted while it ran.".to_owned())),
        Some(Ending::Failed) => Err(Failure::Execution("the host could not go on with it.".to_owned())),
        None => Err(Failure::Execution("its answer was asked for before it ended.".to_owned())),
    }
}

/// The output of one stream.
struct Output {
    text: String,
    bytes: u64,
    dropped: u64,
    cut: usize,
    invalid: bool,
    leaked: bool,
}

impl Output {
    fn read<H: Host>(host: &H, settings: &Settings, job: &Job, stream: Stdstream, state: &StreamState) -> Self {
        let mut output = match host.read(&job.id, stream, Window::All) {
            Ok(excerpt) => {
                let mut text = excerpt.text;
                let dropped = excerpt.gap.as_ref().map_or(0, |gap| gap.bytes);
                if let Some(gap) = excerpt.gap {
                    mark(&mut text, gap.at as usize, gap.bytes);
                }
                Self { text, bytes: state.total, dropped, cut: 0, invalid: excerpt.invalid, leaked: state.leaked }
            }
            // Nothing of it can be shown, and the counts say so.
            Err(_) => Self {
                text: String::new(),
                bytes: state.total,
                dropped: state.total,
                cut: 0,
                invalid: false,
                leaked: state.leaked,
            },
        };
        if let Some(most) = settings.max_output_chars {
            output.limit(most);
        }
        output
    }

    /// Takes the middle out of an output of more characters than may be given.
    fn limit(&mut self, most: usize) {
        let Some(parts) = cut::middle(&self.text, most) else { return };
        self.cut = parts.middle.chars().count();
        let note = format!("\n[... {} characters left out ...]\n", self.cut);
        self.text = [parts.head, &note, parts.tail].concat();
    }

    fn is_truncated(&self) -> bool {
        self.dropped > 0 || self.cut > 0
    }

    fn told<'a>(&'a self, name: &'a str) -> Stream<'a> {
        Stream {
            name,
            text: &self.text,
            bytes: self.bytes,
            dropped: self.dropped,
            cut: self.cut,
            invalid: self.invalid,
            leaked: self.leaked,
        }
    }
}

/// Writes into an output how many bytes are missing at a place.
fn mark(text: &mut String, at: usize, bytes: u64) {
    let at = text.floor_char_boundary(at);
    text.insert_str(at, &format!("\n[... {bytes} bytes were not kept ...]\n"));
}
