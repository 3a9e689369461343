//! The contract's imports, one file per interface. Each returns at once.

mod blocks;
mod diagnostics;
mod guarding;
mod input;
mod jobs;
mod output;
mod processes;
mod settings;
mod signals;
mod syntax;
mod timers;
mod types;
mod workspace;

pub(crate) use self::guarding::objection_to_rerun;
