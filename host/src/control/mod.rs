//! Telling a running host something: a socket in the project's data directory, which only its owner can use.
//!
//! A host that serves has a socket `.shellward/servers/PID.sock`; a client finds it there, writes one line of JSON and
//! reads one. What commands of any host's jobs ask for is refused: an agent does not choose its rules.

mod client;
mod place;
mod server;

use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

pub use self::client::{Server, servers};
pub use self::server::Control;
use crate::host::Swapped;

/// Where the sockets are, from the project's root.
const DIRECTORY: &str = ".shellward/servers";

/// The most bytes of a line that asks.
const LINE: u64 = 64 << 10;

/// The most bytes of a reason, and of the line that answers: as JSON a byte of text becomes six at most.
const REASON: usize = 64 << 10;
const ANSWER: u64 = 8 * REASON as u64;

/// What is asked of a host.
#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
enum Request {
    /// To replace its policy: a built-in name, or an absolute path.
    Swap(String),
}

/// What it answers.
#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
enum Answer {
    Swapped(Swapped),
    Refused(String),
}

/// Why nothing could be told.
#[derive(Debug, thiserror::Error)]
pub enum ControlError {
    /// The directory of the sockets is of no use.
    #[error("cannot use {0} for a socket: {1}")]
    Directory(PathBuf, io::Error),
    /// Others could use the socket.
    #[error("will not use {0} for a socket: it is not a directory of this user's alone; remove it")]
    Foreign(PathBuf),
    /// The server could not be reached, or did not answer.
    #[error("the server {0} does not answer: {1}")]
    Unreachable(u32, io::Error),
    /// The server did not do it, and said why.
    #[error("the server {0} keeps its policy: {1}")]
    Refused(u32, String),
}
