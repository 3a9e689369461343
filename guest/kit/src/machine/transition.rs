//! The machine itself: every phase against every event.

use super::event::Happened;
use super::phase::{Asked, End, Phase, Reason};

/// How patient a policy is. Times are in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// From SIGINT to SIGTERM, whatever the reason; 0 sends no SIGINT.
    pub interrupt: u64,
    /// From SIGTERM to SIGKILL after a timeout; 0 kills at once.
    pub grace_after_timeout: u64,
    /// From SIGTERM to SIGKILL after a cancellation; 0 kills at once.
    pub grace_after_cancel: u64,
    /// From SIGKILL until nobody waits for the process any longer.
    pub patience: u64,
    /// Whether a job that a restarted host brings back runs again; otherwise it ends as lost.
    pub requeue: bool,
}

impl Plan {
    /// How long a process that was sent SIGKILL is waited for.
    pub const PATIENCE: u64 = 5000;

    /// A plan for jobs that get so long to end by themselves, whatever the reason, and that a restart ends.
    pub const fn with_grace(millis: u64) -> Self {
        Self {
            interrupt: 0,
            grace_after_timeout: millis,
            grace_after_cancel: millis,
            patience: Self::PATIENCE,
            requeue: false,
        }
    }

    /// The same with SIGINT first, so long before SIGTERM: as a person at a terminal would.
    #[must_use]
    pub const fn interrupting(self, millis: u64) -> Self {
        Self { interrupt: millis, ..self }
    }

    /// Gives the time from SIGTERM to SIGKILL; 0 kills at once.
    pub fn grace(&self, reason: Reason) -> u64 {
        match reason {
            Reason::TimedOut => self.grace_after_timeout,
            Reason::Cancelled => self.grace_after_cancel,
        }
    }
}

/// What the host is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Send SIGINT to the process group; in a terminal, to the group in the foreground.
    Interrupt,
    /// Send SIGTERM to the whole tree.
    Terminate,
    /// Send SIGKILL to the whole tree.
    Kill,
    /// Arm a timer, in milliseconds.
    Arm(TimerName, u64),
    /// Disarm a timer.
    Disarm(TimerName),
    /// Queue the job again as it was first launched.
    Requeue,
}

/// The timers of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimerName {
    /// The job's time is over. The host arms it when the process starts, as the launch says.
    Timeout,
    /// The grace after SIGINT is over.
    Terminate,
    /// The grace after SIGTERM is over.
    Kill,
    /// The patience after SIGKILL is over.
    Abandon,
}

impl TimerName {
    /// Gives the timer's name at the host.
    pub fn name(self) -> &'static str {
        match self {
            TimerName::Timeout => "timeout",
            TimerName::Terminate => "terminate",
            TimerName::Kill => "kill",
            TimerName::Abandon => "abandon",
        }
    }

    /// Finds a timer of the machine by its name at the host.
    pub fn of(name: &str) -> Option<Self> {
        let all = [TimerName::Timeout, TimerName::Terminate, TimerName::Kill, TimerName::Abandon];
        all.into_iter().find(|timer| timer.name() == name)
    }
}

/// Moves a job by one event, which came so many microseconds after its process had started.
///
/// Late and repeated events leave the phase as it is and have no effects.
#[must_use]
pub fn transition(phase: Phase, happened: &Happened, elapsed: u64, plan: &Plan) -> (Phase, Vec<Effect>) {
    match (phase, happened) {
        (Phase::Starting, Happened::Started) => (Phase::Running, Vec::new()),
        (Phase::Starting | Phase::Running, Happened::StartFailed(error)) => {
            (Phase::Ended(End::NotStarted(error.clone())), Vec::new())
        }
        (Phase::Starting | Phase::Running, Happened::Exited) => (Phase::Ended(End::Completed), Vec::new()),
        // A job that waits in a line has no process yet that could be asked to end.
        (Phase::Starting, Happened::Cancelled) => (stopped(Reason::Cancelled, false), Vec::new()),
        (Phase::Starting, Happened::Fired(TimerName::Timeout)) => (stopped(Reason::TimedOut, false), Vec::new()),

        (Phase::Running, Happened::Cancelled) => stop(Reason::Cancelled, elapsed, plan),
        (Phase::Running, Happened::Fired(TimerName::Timeout)) => stop(Reason::TimedOut, elapsed, plan),
        (Phase::Running, Happened::Started) => (Phase::Running, Vec::new()),

        (Phase::Starting | Phase::Running, Happened::Recovered) => match plan.requeue {
            true => (Phase::Starting, vec![Effect::Requeue]),
            false => (Phase::Ended(End::Lost), Vec::new()),
        },
        // None of these is armed before the job is being stopped: left over from before a restart.
        (
            phase @ (Phase::Starting | Phase::Running),
            Happened::Fired(TimerName::Terminate | TimerName::Kill | TimerName::Abandon),
        ) => (phase, Vec::new()),

        // Whatever ends the process now, the job ends for the reason for which it was stopped.
        (Phase::Stopping { reason, .. }, Happened::Exited | Happened::StartFailed(_) | Happened::Recovered) => {
            (stopped(reason, false), Vec::new())
        }
        (Phase::Stopping { reason, asked_at, asked: Asked::Interrupted }, Happened::Fired(TimerName::Terminate)) => {
            terminate(reason, asked_at, plan)
        }
        (Phase::Stopping { reason, asked_at, asked: Asked::Terminated }, Happened::Fired(TimerName::Kill)) => {
            (Phase::Stopping { reason, asked_at, asked: Asked::Killed }, kill(plan))
        }
        (Phase::Stopping { reason, asked: Asked::Killed, .. }, Happened::Fired(TimerName::Abandon)) => {
            (stopped(reason, true), Vec::new())
        }
        (Phase::Stopping { reason, asked_at, asked }, Happened::Cancelled) => escalate(reason, asked_at, asked, plan),
        // A timer of a step that was not taken or is over; the patience begins with SIGKILL; the timeout or the start
        // came late.
        (
            phase @ Phase::Stopping { .. },
            Happened::Fired(TimerName::Terminate | TimerName::Kill | TimerName::Abandon | TimerName::Timeout)
            | Happened::Started,
        ) => (phase, Vec::new()),

        (
            phase @ Phase::Ended(_),
            Happened::Started
            | Happened::StartFailed(_)
            | Happened::Exited
            | Happened::Fired(_)
            | Happened::Cancelled
            | Happened::Recovered,
        ) => (phase, Vec::new()),
    }
}

fn stopped(reason: Reason, abandoned: bool) -> Phase {
    Phase::Ended(End::Stopped { reason, abandoned })
}

fn stop(reason: Reason, elapsed: u64, plan: &Plan) -> (Phase, Vec<Effect>) {
    let mut effects = match reason {
        Reason::TimedOut => Vec::new(),
        Reason::Cancelled => vec![Effect::Disarm(TimerName::Timeout)],
    };
    if plan.interrupt > 0 {
        effects.extend([Effect::Interrupt, Effect::Arm(TimerName::Terminate, plan.interrupt)]);
        return (Phase::Stopping { reason, asked_at: elapsed, asked: Asked::Interrupted }, effects);
    }
    let (phase, more) = terminate(reason, elapsed, plan);
    effects.extend(more);
    (phase, effects)
}

fn terminate(reason: Reason, asked_at: u64, plan: &Plan) -> (Phase, Vec<Effect>) {
    match plan.grace(reason) {
        0 => (Phase::Stopping { reason, asked_at, asked: Asked::Killed }, kill(plan)),
        grace => {
            let effects = vec![Effect::Terminate, Effect::Arm(TimerName::Kill, grace)];
            (Phase::Stopping { reason, asked_at, asked: Asked::Terminated }, effects)
        }
    }
}

fn kill(plan: &Plan) -> Vec<Effect> {
    vec![Effect::Kill, Effect::Arm(TimerName::Abandon, plan.patience)]
}

/// A cancellation while the job is being stopped already: the greater reason stays, and no grace is given twice.
fn escalate(reason: Reason, asked_at: u64, asked: Asked, plan: &Plan) -> (Phase, Vec<Effect>) {
    let reason = reason.max(Reason::Cancelled);
    let timer = match asked {
        Asked::Terminated if plan.grace(reason) == 0 => TimerName::Kill,
        Asked::Interrupted | Asked::Terminated | Asked::Killed => {
            return (Phase::Stopping { reason, asked_at, asked }, Vec::new());
        }
    };
    let mut effects = vec![Effect::Disarm(timer)];
    effects.extend(kill(plan));
    (Phase::Stopping { reason, asked_at, asked: Asked::Killed }, effects)
}
