//! Jobs: one actor each, one table for all, and the ceiling over them.
//!
//! This room owns a job from the moment its process has started until its record is forgotten. It delivers what
//! happens to the policy, one event at a time, and does to the job what the step says. What a status means, when a
//! job is over and what is said about it is the policy's.

mod actor;
mod ceiling;
mod job;
mod keeping;
mod launch;
mod leftovers;
mod lines;
mod record;
mod recorder;
mod recovery;
mod table;
mod timers;
mod typed;
mod waiting;
mod watches;
mod work;

pub(crate) use actor::Begin;
pub(crate) use actor::spawn;
pub(crate) use ceiling::{Ceiling, Order};
pub(crate) use job::{Birth, Job, Message, PostRefused};
pub(crate) use launch::start;
pub(crate) use leftovers::Leftovers;
pub(crate) use recorder::Purpose;
pub(crate) use recovery::recover;
pub(crate) use table::{Jobs, Retention};
pub(crate) use timers::{MOST as MOST_TIMERS, TooMany};
pub(crate) use waiting::{Seen, wait};
pub(crate) use watches::Watches;
