//! The `pattern` policy: a lasting shell for an agent, processes with live documents, permission tiers and path rules.
//!
//! [`execute`] runs commands in the session's shell, [`tasks`] starts processes and looks after them, [`judge`]
//! decides what may run, and [`advance`] moves a job and tells of it. Everything else is one idea each.

pub mod advance;
mod aliases;
pub mod execute;
pub mod failure;
pub mod glob;
pub mod judge;
pub mod launch;
pub mod manifest;
pub mod moves;
pub mod own;
pub mod paths;
mod policy;
pub mod request;
pub mod session;
pub mod settings;
pub mod tasks;
pub mod tiers;

pub use policy::Pattern;

shellward_kit::export_policy!(crate::Pattern);
