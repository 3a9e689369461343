//! What policies are made of: bindings, the [`Policy`] trait, arguments, the job machine and a fake host.

pub mod arguments;
pub mod bindings;
pub mod contract;
pub mod exit;
#[cfg(not(target_family = "wasm"))]
pub mod fake;
mod host;
mod imports;
pub mod json;
pub mod machine;
pub mod output;
pub mod path;
mod policy;
pub mod reply;
pub mod review;
pub mod settings;
pub mod shell;
pub mod suggest;
pub mod wording;

pub use host::Host;
pub use imports::Imports;
pub use policy::Policy;
