//! `shellward mcp`: the protocol by hand, and held to clients that were written elsewhere.

mod blocks;
mod clients;
mod ending;
mod http;
mod lists;
mod notices;
mod protocol;
mod server;
mod tasks;
