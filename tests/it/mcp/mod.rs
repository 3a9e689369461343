//! `shellward mcp`: the protocol by hand, and held to clients that were written elsewhere.

mod asking;
mod blocks;
mod clients;
mod ending;
pub(super) mod http;
mod lists;
mod notices;
mod protocol;
pub(super) mod server;
mod sessions;
mod tasks;
