//! The job machine that policies share: starting, running, being stopped, ended.
//!
//! [`transition`] is pure: phase and event in, phase and effects out. [`Advance`] feeds it the host's events, lets
//! the host carry out the effects and words the step. What a job's end looks like to an agent is the policy's.

mod advance;
mod event;
mod memo;
mod phase;
mod transition;

#[cfg(test)]
mod sequences;

pub use advance::{Advance, cancel};
pub use event::{CANCEL, Happened};
pub use memo::Memo;
pub use phase::{Asked, End, Phase, Reason};
pub use transition::{Effect, Plan, TimerName, transition};
