//! What the end-to-end tests share: projects, hosts, processes to look for, and policies as components.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot be set up is to fail")]

mod component;
mod processes;
mod project;

pub use component::Wasm;
pub use processes::{Survivors, until, wait_for};
pub use project::{GUARD, HOSTILE, Project, RUNNER, component_of};
