//! The machine at work: the host's event in, effects carried out, the step worded.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::contract::{Event, Job, Level, PostError, Signal, SignalError, Step, Whom};
use crate::host::Host;

use super::event::{CANCEL, Happened};
use super::memo::Memo;
use super::phase::{End, Phase};
use super::transition::{Effect, Plan, TimerName, transition};

/// Asks for a job's end, as an agent's tool does. The job's machine gets it as an event.
pub fn cancel<H: Host>(host: &H, job: &str) -> Result<(), PostError> {
    host.post(job, CANCEL, "null")
}

/// One event of a job on its way through the machine.
///
/// A policy makes one in `advance`, looks at [`Advance::ended`] for a notice to add, and answers with
/// [`Advance::step`].
#[derive(Debug)]
pub struct Advance<T> {
    /// The phase before the event.
    pub before: Phase,
    /// The memo after it. A policy may change its own part.
    pub memo: Memo<T>,
    requeue: bool,
}

impl<T: Serialize + DeserializeOwned + Default> Advance<T> {
    /// Reads the memo, moves the machine and has the host carry out the effects.
    pub fn new<H: Host>(host: &H, job: &Job, event: &Event, plan: &Plan) -> Self {
        let memo = Memo::read(job).unwrap_or_else(|| {
            host.log(Level::Warning, &format!("the memo of job {} is not this policy's; begun anew", job.id));
            Memo::guess(job, T::default())
        });
        let before = memo.phase.clone();
        let mut advance = Self { before, memo, requeue: false };
        if let Some(happened) = Happened::of(event) {
            advance.happen(host, job, &happened, event.elapsed, plan);
        }
        advance
    }

    /// Says how the job ended, if this very event ended it. True once in a job's life.
    pub fn ended(&self) -> Option<&End> {
        match (&self.before, &self.memo.phase) {
            (Phase::Ended(_), _) => None,
            (_, Phase::Ended(end)) => Some(end),
            (_, Phase::Starting | Phase::Running | Phase::Stopping { .. }) => None,
        }
    }

    /// Words the step, with the phase's plain word as the status and without notices.
    #[must_use]
    pub fn step(&self) -> Step {
        Step {
            status: self.memo.phase.word().into(),
            memo: self.memo.write(),
            notices: Vec::new(),
            ended: self.ended().map(End::ending),
            release: false,
            requeue: self.requeue,
        }
    }

    fn happen<H: Host>(&mut self, host: &H, job: &Job, happened: &Happened, elapsed: u64, plan: &Plan) {
        let before = self.memo.phase.clone();
        let (phase, effects) = transition(before.clone(), happened, elapsed, plan);
        self.memo.phase = phase;
        for effect in effects {
            match effect {
                Effect::Interrupt | Effect::Terminate | Effect::Kill if before == Phase::Running => {
                    // It ended by itself just before, so this is not what ended it. Its exit is on the way.
                    if let Sent::NoProcess = signal(host, job, effect) {
                        self.memo.phase = before;
                        return;
                    }
                }
                Effect::Interrupt | Effect::Terminate | Effect::Kill => {
                    // Without a process its exit is on the way, and until then the timers stand.
                    let (Sent::Delivered | Sent::NoProcess | Sent::Failed) = signal(host, job, effect);
                }
                Effect::Disarm(timer) => host.disarm(&job.id, timer.name()),
                Effect::Requeue => self.requeue = true,
                Effect::Arm(timer, millis) => self.arm(host, job, timer, millis, elapsed, plan),
            }
        }
    }

    /// A timer that cannot be armed counts as fired, so that a job never waits for one that does not come.
    fn arm<H: Host>(&mut self, host: &H, job: &Job, timer: TimerName, millis: u64, elapsed: u64, plan: &Plan) {
        if let Err(error) = host.arm(&job.id, timer.name(), millis) {
            let message = format!("the timer '{}' of job {} was not armed: {error:?}", timer.name(), job.id);
            host.log(Level::Error, &message);
            self.happen(host, job, &Happened::Fired(timer), elapsed, plan);
        }
    }
}

/// What became of a signal.
enum Sent {
    Delivered,
    NoProcess,
    Failed,
}

fn signal<H: Host>(host: &H, job: &Job, effect: Effect) -> Sent {
    let (signal, whom) = match effect {
        Effect::Interrupt => (Signal::Interrupt, Whom::Group),
        Effect::Terminate => (Signal::Terminate, Whom::Tree),
        Effect::Kill | Effect::Arm(..) | Effect::Disarm(_) | Effect::Requeue => (Signal::Kill, Whom::Tree),
    };
    match host.send(&job.id, signal, whom) {
        Ok(()) => Sent::Delivered,
        Err(SignalError::NotRunning) => Sent::NoProcess,
        Err(error @ (SignalError::NotFound | SignalError::Other(_))) => {
            host.log(Level::Error, &format!("job {} did not get its signal: {error:?}", job.id));
            Sent::Failed
        }
    }
}
