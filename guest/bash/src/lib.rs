//! The `bash` policy: the tool `Bash`, which runs shell commands within the project root and answers with the
//! standard envelope.
//!
//! [`judge`] decides whether a command runs, by the rules under `rules/`; [`launch`] says how; [`outcome`] words what
//! became of it. Everything else is one idea each: [`params`], [`directory`], [`settings`], [`errors`], [`envelope`],
//! [`text`].

pub mod cut;
pub mod directory;
pub mod envelope;
pub mod errors;
pub mod judge;
pub mod launch;
pub mod manifest;
pub mod outcome;
pub mod params;
mod policy;
pub mod rules;
pub mod settings;
pub mod text;

pub use policy::Bash;

shellward_kit::export_policy!(crate::Bash);
