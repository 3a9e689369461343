//! Judging command lines: from what would run, as `shellward-syntax` reads it, to findings in the contract's words.
//!
//! A policy with lists of its own brings its own [`Rule`]s, and takes [`Objection`], [`Judgement`] and the single rules
//! from here. A policy that lets nearly everything run takes [`basic`] whole.

pub mod basic;
pub mod hazards;
mod judgement;
pub mod limits;
mod objection;
mod permission;
pub mod removal;
mod translate;
pub mod unknown;

pub use judgement::Judgement;
pub use objection::{Against, Ground, Objection, Rule};
pub use permission::{Stopped, is_approved};
pub use translate::{contract_language, excerpt, span, syntax_language};
