//! `send_keys`: what is typed into a run, and whether it may be.
//!
//! A call judges what it would type and posts it to the run's machine; the machine, whose events come one at a time,
//! judges it again behind everything typed before, types it, and keeps the unfinished line in the memo. So no two
//! calls can put together what neither would be allowed.

mod judge;
mod line;
mod reader;
mod stroke;

use serde::{Deserialize, Serialize};
use shellward_judge::basic::Judgement;
use shellward_kit::Host;
use shellward_kit::contract::{
    Answer, Decision, InputError, Job, Language, PostError, Reply, Signal, Size, ToolCall, Verdict, Waiting, Wakes,
    Whom,
};
use shellward_kit::machine::Memo;
use shellward_kit::reply::{self, json, structured};

use crate::commands::{self, Stopped, UNKNOWN};
use crate::failure::Failure;
use crate::request::{Input, SendKeys};
use crate::run::{Own, Status, find};
use crate::settings::Settings;
use judge::{Judged, Typist};
use line::Line;
use reader::Reader;
pub use stroke::Stroke;

/// The name under which input is posted to a run.
pub const POST: &str = "type";

/// How long a call waits for its input to be typed: it is only as long as events of the run wait before it.
const PATIENCE: u64 = 10_000;

/// How many calls' outcomes a memo keeps.
const OUTCOMES: usize = 16;

/// What was typed into a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Typing {
    /// The line that is being typed.
    line: Line,
    /// What a shell has got, and goes on with in the next line.
    open: String,
    /// Whether the input has ended.
    closed: bool,
    /// What became of the last calls' input.
    outcomes: Vec<Outcome>,
}

impl Typing {
    /// Tells whether nothing was typed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// What became of a call's input.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Outcome {
    /// The call.
    call: String,
    /// How many bytes were sent; none where it failed.
    bytes: Option<usize>,
    /// The newest item before.
    seq: u64,
    /// The failure's code and message.
    failure: Option<(String, String)>,
}

/// Input on its way to a run's machine.
#[derive(Serialize, Deserialize)]
struct Post {
    call: String,
    /// The call's arguments, as given: read again, so that nothing need be written twice.
    arguments: String,
    /// Whether a human has said yes to what cannot be known.
    approved: bool,
}

/// What the host is to do for some strokes.
#[derive(Clone, Debug, PartialEq)]
enum Act {
    Write(Vec<u8>),
    Close,
    Signal(Signal),
    Resize(Size),
}

/// Begins to answer `send_keys`: what would be typed is judged and given to the run's machine.
///
/// # Errors
/// The run takes no input, or not this one.
pub fn call<H: Host>(host: &H, settings: &Settings, call: &ToolCall, send: &SendKeys) -> Result<Answer, Stopped> {
    let (job, memo) = find(host, &send.run_id)?;
    takes(&job, &memo, send)?;
    let weighed = Weighed::new(host, settings, &job, &memo.own, send);
    Stopped::unless_allowed(&weighed.judgement, call, UNKNOWN, || weighed.blocked())?;
    let approved = shellward_judge::is_approved(call, UNKNOWN);
    let data = json(&Post { call: call.id.clone(), arguments: call.arguments.clone(), approved });
    match host.post(&job.id, POST, &data) {
        Ok(()) => Ok(Answer::Wait(Waiting {
            job: job.id,
            wakes: Wakes { item: false, status: false, hit: false },
            since: 0,
            at_most: Some(PATIENCE),
        })),
        Err(PostError::NotFound) => Err(Failure::RunNotFound(job.id).into()),
        Err(PostError::Ended) => Err(ended(&job).into()),
        Err(PostError::Unattended) => Err(Failure::RunUnattended(job.id).into()),
        Err(PostError::Full) => Err(Failure::InputFull.into()),
    }
}

/// Says whether a run takes such input now.
fn takes(job: &Job, memo: &Memo<Own>, send: &SendKeys) -> Result<(), Failure> {
    let id = &job.id;
    match Status::at(&memo.phase, job) {
        Status::Running { .. } => {}
        Status::Queued => {
            let message =
                format!("Run {id} is queued and reads nothing yet. Poll it with wait_ms until it is running.");
            return Err(Failure::RunNotRunning(message));
        }
        _ => return Err(ended(job)),
    }
    match memo.own.input {
        Input::Nothing => Err(Failure::InputUnavailable(format!(
            "Run {id} was spawned without input. Spawn it with \"pty\": true for a terminal, or \"stdin\": true for a pipe."
        ))),
        Input::Stdin if send.size.is_some() => Err(Failure::InputUnavailable(format!(
            "Run {id} has no terminal whose size could change. Leave 'pty' out, or spawn it with \"pty\": true."
        ))),
        Input::Stdin if memo.own.typing.closed => Err(Failure::to_write(&InputError::Unavailable, id)),
        Input::Stdin | Input::Terminal => Ok(()),
    }
}

fn ended(job: &Job) -> Failure {
    Failure::RunNotRunning(format!("Run {} has ended and reads nothing any more. Poll it for how it ended.", job.id))
}

/// Types what a call has posted, if it still may, and keeps what became of it.
pub fn advance<H: Host>(host: &H, settings: &Settings, job: &Job, memo: &mut Memo<Own>, data: &str) {
    let Ok(post) = serde_json::from_str::<Post>(data) else { return };
    let Ok(crate::request::Request::SendKeys(send)) = crate::request::Request::read(&post.arguments, settings) else {
        return;
    };
    let result = takes(job, memo, &send).and_then(|()| carry_out(host, settings, job, memo, &send, post.approved));
    let (bytes, failure) = match result {
        Ok(bytes) => (Some(bytes), None),
        Err(failure) => (None, Some((failure.code().to_owned(), failure.to_string()))),
    };
    let outcomes = &mut memo.own.typing.outcomes;
    outcomes.push(Outcome { call: post.call, bytes, seq: job.last_seq, failure });
    let old = outcomes.len().saturating_sub(OUTCOMES);
    outcomes.drain(..old);
}

fn carry_out<H: Host>(
    host: &H,
    settings: &Settings,
    job: &Job,
    memo: &mut Memo<Own>,
    send: &SendKeys,
    approved: bool,
) -> Result<usize, Failure> {
    let weighed = Weighed::new(host, settings, job, &memo.own, send);
    if !weighed.is_allowed(approved) {
        return Err(weighed.blocked());
    }
    let mut bytes = 0;
    for act in &weighed.acts {
        let done = match act {
            Act::Write(text) => host.write(&job.id, text),
            Act::Close => host.close(&job.id),
            Act::Resize(size) => host.resize(&job.id, *size),
            // A signal that finds nobody comes too late to matter.
            Act::Signal(signal) => {
                let _ = host.send(&job.id, *signal, Whom::Group);
                Ok(())
            }
        };
        if let Err(error) = done {
            // Some of it may have been typed: the line cannot be known any more.
            memo.own.typing.line.recalled |= bytes > 0;
            return Err(Failure::to_write(&error, &job.id));
        }
        bytes += if let Act::Write(text) = act { text.len() } else { 0 };
    }
    let outcomes = std::mem::take(&mut memo.own.typing.outcomes);
    memo.own.typing = Typing { outcomes, ..weighed.after };
    Ok(bytes)
}

#[derive(Serialize)]
struct Sent<'a> {
    run_id: &'a str,
    status: &'static str,
    sent_bytes: usize,
    next_seq: u64,
    message: &'static str,
}

/// Answers a `send_keys` whose input was typed, or was not.
///
/// # Errors
/// It was not.
pub fn settle(call: &ToolCall, job: &Job) -> Result<Reply, Failure> {
    let memo = Memo::<Own>::read(job).unwrap_or_else(|| Memo::guess(job, Own::default()));
    let status = Status::at(&memo.phase, job);
    let outcome = memo.own.typing.outcomes.iter().find(|outcome| outcome.call == call.id);
    match outcome {
        Some(Outcome { failure: Some((code, message)), .. }) => Ok(reply::failure(code, message)),
        Some(Outcome { bytes, seq, .. }) => {
            let message = "Poll with this since_seq and wait_ms to see what it prints.";
            let sent_bytes = bytes.unwrap_or_default();
            let body = Sent { run_id: &job.id, status: status.word(), sent_bytes, next_seq: *seq, message };
            Ok(structured(format!("{sent_bytes} bytes were typed into {}; next_seq {seq}.", job.id), &body))
        }
        None if status.is_final() => Err(ended(job)),
        None => Err(Failure::Io("the run has not taken the keys yet; poll it before sending them again".into())),
    }
}

/// Judges text that is typed into a program, without knowing what was typed before.
#[must_use]
pub fn review(settings: &Settings, text: &str, reader: &str, language: Language) -> Verdict {
    let mut own = Own { input: Input::Terminal, ..Own::default() };
    let mut strokes = Stroke::of_text(text);
    // A line that is not ended yet is judged as if it were.
    strokes.push(Stroke::Enter);
    own.typing = Typing::default();
    let mut verdict = Weighed::of(settings, Reader::of(reader, language), &own, &strokes).judgement.verdict();
    // What is judged are the lines that the keys leave, and a place in those is none in the text.
    verdict.findings.iter_mut().for_each(|finding| finding.span = None);
    verdict
}

/// What is to be typed, judged.
#[derive(Debug)]
struct Weighed {
    judgement: Judgement,
    /// What is kept if it is typed.
    after: Typing,
    acts: Vec<Act>,
}

impl Weighed {
    fn new<H: Host>(host: &H, settings: &Settings, job: &Job, own: &Own, send: &SendKeys) -> Self {
        let reader = Reader::of(&job.command, commands::language(host, settings));
        let mut strokes = send.strokes.clone();
        if send.eof {
            strokes.push(Stroke::End);
        }
        let mut weighed = Self::of(settings, reader, own, &strokes);
        // How a terminal is told depends on what stands in its line, which the host knows.
        if send.eof && own.input == Input::Terminal {
            weighed.acts = acts(&send.strokes, true);
            weighed.acts.push(Act::Close);
        }
        if let Some(size) = send.size {
            weighed.acts.insert(0, Act::Resize(size));
        }
        weighed
    }

    fn of(settings: &Settings, reader: Reader, own: &Own, strokes: &[Stroke]) -> Self {
        let terminal = own.input == Input::Terminal;
        let mut after = own.typing.clone();
        let mut given = Vec::new();
        let mut objections = Vec::new();
        let judge = |given: &mut Vec<Line>, open: &str| {
            let typist = Typist { judge: commands::judge(settings), reader, terminal, open };
            typist.judge(&std::mem::take(given))
        };
        for stroke in strokes {
            let handed = match terminal {
                true => after.line.at_terminal(stroke),
                false => after.line.at_pipe(stroke),
            };
            // The end of the input twice hands on the same line twice.
            given.extend(handed.filter(|line| given.last() != Some(line)));
            // An interrupt drops what a shell has of a line, and what comes then is a new one.
            if terminal && *stroke == Stroke::Interrupt {
                let Judged { judgement, .. } = judge(&mut given, &after.open);
                objections.extend(judgement.objections);
                after.open.clear();
            }
        }
        let Judged { judgement, open } = judge(&mut given, &after.open);
        objections.extend(judgement.objections);
        after.open = open;
        // What no shell reads need not be remembered.
        if reader == Reader::Program {
            after.line = Line::default();
        }
        let acts = acts(strokes, terminal);
        after.closed |= !terminal && acts.contains(&Act::Close);
        Self { judgement: Judgement::new(Vec::new(), objections), after, acts }
    }

    fn is_allowed(&self, approved: bool) -> bool {
        match self.judgement.decision() {
            Decision::Allow => true,
            Decision::Ask => approved,
            Decision::Deny => false,
        }
    }

    fn blocked(&self) -> Failure {
        Failure::blocked("The typed line", &self.judgement)
    }
}

/// What the host is to do for the strokes: a pipe has no keys that interrupt or end the input, so the host does it.
fn acts(strokes: &[Stroke], terminal: bool) -> Vec<Act> {
    let mut acts = Vec::new();
    let write = |acts: &mut Vec<Act>, text: &str| match acts.last_mut() {
        Some(Act::Write(before)) => before.extend_from_slice(text.as_bytes()),
        _ => acts.push(Act::Write(text.as_bytes().to_vec())),
    };
    for stroke in strokes {
        match stroke {
            stroke if terminal => write(&mut acts, stroke.terminal()),
            Stroke::Enter => write(&mut acts, "\n"),
            Stroke::Interrupt => acts.push(Act::Signal(Signal::Interrupt)),
            Stroke::Quit => acts.push(Act::Signal(Signal::Quit)),
            Stroke::End => acts.push(Act::Close),
            stroke => write(&mut acts, stroke.terminal()),
        }
    }
    acts
}
