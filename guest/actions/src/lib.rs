//! The `actions` policy: the tool `shell` with `action` spawn, poll, log, kill and send_keys for durable runs, and
//! without `action` for one command whose end is waited for.
//!
//! [`request`] reads what a call asks for; [`spawn`], [`oneshot`], [`poll`], [`log`], [`kill`] and [`typing`] do it;
//! [`advance`] moves a run and tells of it. [`run`] says how a run stands, [`view`] how agents see it.

pub mod advance;
pub mod commands;
pub mod failure;
pub mod items;
pub mod kill;
pub mod log;
pub mod manifest;
pub mod notices;
pub mod oneshot;
mod policy;
pub mod poll;
pub mod request;
pub mod run;
pub mod settings;
pub mod spawn;
pub mod time;
pub mod typing;
pub mod view;

pub use policy::Actions;

shellward_kit::export_policy!(crate::Actions);
