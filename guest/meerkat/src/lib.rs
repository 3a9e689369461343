//! The `meerkat` policy: commands in Nushell, at once or in the background, and tools to look after the jobs.
//!
//! [`start`] runs commands, [`jobs`] answers what is asked about background jobs, [`judge`] decides what may run,
//! and [`advance`] moves a job and publishes its end. Everything else is one idea each.

pub mod advance;
pub mod directory;
pub mod failure;
pub mod jobs;
pub mod judge;
pub mod manifest;
pub mod output;
mod policy;
pub mod request;
pub mod settings;
pub mod shells;
pub mod start;
pub mod status;

pub use policy::Meerkat;

shellward_kit::export_policy!(crate::Meerkat);
