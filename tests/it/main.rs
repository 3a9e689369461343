//! End-to-end tests: the real host, real components, real processes.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails where something is not as it should be")]

mod bytes;
mod ceiling;
mod cli;
mod containers;
mod control;
mod crash;
mod documents;
mod durable;
mod embedding;
mod ending;
mod faults;
mod guards;
mod hostile;
mod jobs;
mod killing;
mod languages;
mod leaving;
mod loading;
mod mcp;
mod other_hosts;
mod prompt;
mod same_answers;
mod scenarios;
mod sessions;
mod settings;
mod spec_actions;
mod spec_bash;
mod spec_exec;
mod spec_meerkat;
mod spec_pattern;
mod storm;
mod swap;
mod terminals;
