//! What policies are made of: bindings, the [`Policy`] trait, arguments, the job machine and a fake host.

pub mod bindings;
pub mod contract;
mod host;
mod imports;
mod policy;

pub use host::Host;
pub use imports::Imports;
pub use policy::Policy;
