//! Every short sequence of events, exhaustively.

use crate::contract::StartError;

use super::event::Happened;
use super::phase::{Asked, End, Phase, Reason};
use super::transition::{Effect, Plan, TimerName, transition};

const LENGTH: usize = 6;

fn events() -> Vec<Happened> {
    vec![
        Happened::Started,
        Happened::StartFailed(StartError::Other("no".into())),
        Happened::Exited,
        Happened::Fired(TimerName::Timeout),
        Happened::Fired(TimerName::Terminate),
        Happened::Fired(TimerName::Kill),
        Happened::Fired(TimerName::Abandon),
        Happened::Cancelled,
        Happened::Recovered,
    ]
}

fn plans() -> Vec<Plan> {
    let plan = |after_timeout, after_cancel, requeue| Plan {
        interrupt: 0,
        grace_after_timeout: after_timeout,
        grace_after_cancel: after_cancel,
        patience: 5000,
        requeue,
    };
    vec![
        plan(0, 0, false),
        plan(2000, 2000, false),
        plan(2000, 0, true),
        plan(0, 2000, true),
        plan(2000, 2000, false).interrupting(1000),
        plan(2000, 0, true).interrupting(1000),
    ]
}

/// What a sequence has brought about so far.
#[derive(Clone, Default)]
struct Seen {
    endings: usize,
    kills: usize,
    terminates: usize,
    interrupts: usize,
    terminate_armed: bool,
    terminate_fired: bool,
    reason: Option<Reason>,
    kill_armed: bool,
    kill_fired: bool,
    path: Vec<usize>,
}

/// Walks every continuation of a sequence, checking each step, and returns how many sequences there were.
fn walk(phase: &Phase, seen: &Seen, plan: &Plan, events: &[Happened]) -> usize {
    if seen.path.len() == LENGTH {
        return 1;
    }
    let mut count = 0;
    for (index, event) in events.iter().enumerate() {
        let elapsed = seen.path.len() as u64 * 1000;
        let (next, effects) = transition(phase.clone(), event, elapsed, plan);
        let mut seen = seen.clone();
        seen.path.push(index);
        check(phase, event, &next, &effects, &mut seen, plan);
        count += walk(&next, &seen, plan, events);
    }
    count
}

fn check(phase: &Phase, event: &Happened, next: &Phase, effects: &[Effect], seen: &mut Seen, plan: &Plan) {
    let path = &seen.path;
    if let Phase::Ended(_) = phase {
        assert_eq!((phase, effects.len()), (next, 0), "moved after its end: {path:?}");
        return;
    }
    if effects.contains(&Effect::Requeue) {
        assert_eq!((next, event), (&Phase::Starting, &Happened::Recovered), "{path:?}");
        assert!(plan.requeue && effects.len() == 1, "{path:?}");
    }
    if *event == Happened::Fired(TimerName::Kill) && seen.kill_armed {
        seen.kill_fired = true;
    }
    if *event == Happened::Fired(TimerName::Terminate) && seen.terminate_armed {
        seen.terminate_fired = true;
    }
    if let Phase::Ended(end) = next {
        seen.endings += 1;
        assert_eq!(seen.endings, 1, "ended twice: {path:?}");
        assert!(effects.is_empty(), "the host cleans up after an end: {path:?}");
        check_end(phase, event, end, seen);
    }
    if let (Phase::Stopping { reason, .. }, Phase::Stopping { reason: later, .. }) = (phase, next) {
        assert!(later >= reason, "a lesser reason replaced a greater: {path:?}");
    }
    for effect in effects {
        match effect {
            Effect::Interrupt => {
                seen.interrupts += 1;
                assert!(plan.interrupt > 0 && seen.terminates + seen.kills == 0, "{path:?}");
            }
            Effect::Terminate => {
                seen.terminates += 1;
                assert!(plan.interrupt == 0 || seen.terminate_fired, "SIGTERM before its grace was over: {path:?}");
            }
            Effect::Kill => {
                seen.kills += 1;
                let Phase::Stopping { reason, asked: Asked::Killed, .. } = next else {
                    panic!("killed and not stopping: {path:?}")
                };
                let asked = plan.interrupt == 0 || seen.terminate_fired;
                let due = asked && plan.grace(*reason) == 0 || (seen.terminates == 1 && seen.kill_fired);
                assert!(due, "SIGKILL before the grace was over: {path:?}");
            }
            Effect::Arm(TimerName::Terminate, millis) => {
                assert_eq!((*millis, seen.interrupts), (plan.interrupt, 1), "{path:?}");
                seen.terminate_armed = true;
            }
            Effect::Arm(TimerName::Kill, millis) => {
                assert!(*millis > 0, "{path:?}");
                seen.kill_armed = true;
            }
            Effect::Arm(TimerName::Abandon, millis) => {
                assert_eq!((*millis, seen.kills), (plan.patience, 1), "patience before SIGKILL: {path:?}");
            }
            Effect::Arm(TimerName::Timeout, _) => panic!("the host arms the timeout: {path:?}"),
            Effect::Disarm(_) | Effect::Requeue => {}
        }
    }
    assert!(seen.kills <= 1 && seen.terminates <= 1 && seen.interrupts <= 1, "signalled twice: {path:?}");
    if let Phase::Stopping { reason, asked, .. } = next {
        seen.reason = Some(*reason);
        let armed = match asked {
            Asked::Interrupted => seen.terminate_armed,
            Asked::Terminated => seen.kill_armed,
            Asked::Killed => true,
        };
        assert!(armed, "stopping, and nothing would end it: {path:?}");
    }
}

fn check_end(phase: &Phase, event: &Happened, end: &End, seen: &Seen) {
    let path = &seen.path;
    match end {
        End::Completed => assert!(*event == Happened::Exited && seen.reason.is_none(), "{path:?}"),
        End::NotStarted(_) => assert!(matches!(event, Happened::StartFailed(_)) && seen.reason.is_none(), "{path:?}"),
        End::Lost => assert!(*event == Happened::Recovered && seen.reason.is_none(), "{path:?}"),
        End::Stopped { reason, abandoned } => {
            assert!(seen.reason.is_none_or(|asked| asked == *reason), "{path:?}");
            assert_eq!(*abandoned, *event == Happened::Fired(TimerName::Abandon), "{path:?}");
            assert!(!abandoned || matches!(phase, Phase::Stopping { asked: Asked::Killed, .. }), "{path:?}");
        }
    }
}

#[test]
fn every_sequence_of_six_events_ends_at_most_once_and_kills_in_order() {
    let events = events();
    for plan in plans() {
        let count = walk(&Phase::Starting, &Seen::default(), &plan, &events);
        assert_eq!(count, events.len().pow(LENGTH as u32));
    }
}

#[test]
fn from_every_phase_the_process_end_ends_the_job() {
    let plan = Plan::with_grace(2000);
    let stopping = |reason, asked| Phase::Stopping { reason, asked_at: 7, asked };
    for (phase, word) in [
        (Phase::Starting, "completed"),
        (Phase::Running, "completed"),
        (stopping(Reason::TimedOut, Asked::Interrupted), "timed_out"),
        (stopping(Reason::TimedOut, Asked::Terminated), "timed_out"),
        (stopping(Reason::TimedOut, Asked::Killed), "timed_out"),
        (stopping(Reason::Cancelled, Asked::Interrupted), "cancelled"),
        (stopping(Reason::Cancelled, Asked::Terminated), "cancelled"),
        (stopping(Reason::Cancelled, Asked::Killed), "cancelled"),
    ] {
        let (next, effects) = transition(phase.clone(), &Happened::Exited, 9, &plan);
        assert_eq!((next.word(), effects.len()), (word, 0), "{phase:?}");
    }
}

#[test]
fn a_timeout_asks_then_kills_then_gives_up() {
    let plan = Plan::with_grace(2000);
    let fire = |phase, timer, elapsed| transition(phase, &Happened::Fired(timer), elapsed, &plan);
    let (phase, effects) = fire(Phase::Running, TimerName::Timeout, 30_000_000);
    assert_eq!(effects, [Effect::Terminate, Effect::Arm(TimerName::Kill, 2000)]);
    let (phase, effects) = fire(phase, TimerName::Kill, 32_000_000);
    assert_eq!(effects, [Effect::Kill, Effect::Arm(TimerName::Abandon, 5000)]);
    assert_eq!(phase, Phase::Stopping { reason: Reason::TimedOut, asked_at: 30_000_000, asked: Asked::Killed });
    let (phase, effects) = fire(phase, TimerName::Abandon, 37_000_000);
    assert_eq!(phase, Phase::Ended(End::Stopped { reason: Reason::TimedOut, abandoned: true }));
    assert_eq!(effects, []);
}

#[test]
fn what_is_interrupted_first_is_terminated_and_killed_in_turn() {
    let plan = Plan::with_grace(2000).interrupting(1000);
    let fire = |phase, timer, elapsed| transition(phase, &Happened::Fired(timer), elapsed, &plan);
    let (phase, effects) = fire(Phase::Running, TimerName::Timeout, 5);
    assert_eq!(effects, [Effect::Interrupt, Effect::Arm(TimerName::Terminate, 1000)]);
    let (phase, effects) = fire(phase, TimerName::Terminate, 6);
    assert_eq!(effects, [Effect::Terminate, Effect::Arm(TimerName::Kill, 2000)]);
    let (phase, effects) = fire(phase, TimerName::Kill, 7);
    assert_eq!(effects, [Effect::Kill, Effect::Arm(TimerName::Abandon, 5000)]);
    assert_eq!(phase, Phase::Stopping { reason: Reason::TimedOut, asked_at: 5, asked: Asked::Killed });
}

#[test]
fn without_grace_it_kills_at_once() {
    let (phase, effects) = transition(Phase::Running, &Happened::Fired(TimerName::Timeout), 1, &Plan::with_grace(0));
    assert_eq!(phase, Phase::Stopping { reason: Reason::TimedOut, asked_at: 1, asked: Asked::Killed });
    assert_eq!(effects, [Effect::Kill, Effect::Arm(TimerName::Abandon, 5000)]);
}

#[test]
fn phases_survive_the_memo() {
    let phases = [
        (Phase::Starting, r#""starting""#),
        (Phase::Running, r#""running""#),
        (
            Phase::Stopping { reason: Reason::TimedOut, asked_at: 5, asked: Asked::Terminated },
            r#"{"stopping":{"reason":"timed_out","asked_at":5,"asked":"terminated"}}"#,
        ),
        (Phase::Ended(End::Completed), r#"{"ended":"completed"}"#),
        (
            Phase::Ended(End::Stopped { reason: Reason::Cancelled, abandoned: true }),
            r#"{"ended":{"stopped":{"reason":"cancelled","abandoned":true}}}"#,
        ),
    ];
    for (phase, text) in phases {
        assert_eq!(serde_json::to_string(&phase).unwrap(), text);
        assert_eq!(serde_json::from_str::<Phase>(text).unwrap(), phase);
    }
}
