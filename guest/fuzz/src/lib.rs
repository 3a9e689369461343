//! What the fuzz targets share: inputs taken from bytes, and the policies.
//!
//! An input is a few bytes that choose and then text, so that seeds can be written by hand and mutations stay near
//! them. The fake host holds every answer to the contract and panics where one breaks it.

mod policies;
mod reader;

pub use policies::{Under, policy};
pub use reader::Reader;
