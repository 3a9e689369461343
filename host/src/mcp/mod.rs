//! The MCP server: a policy's tools, the sessions' jobs and their output, for any client that speaks MCP.
//!
//! This room owns the protocol: which revision is spoken, what becomes a notification, a resource, a task or a
//! question to the human. What a tool does and says is the policy's; starting and ending commands is the host's.
//! One client is one session of the host: its jobs are its own and end with it.

mod blocks;
mod call;
mod front;
mod http;
mod human;
mod identity;
mod kept_tasks;
mod notices;
mod outbox;
mod progress;
mod resources;
mod server;
mod session;
mod stdio;
mod subscriptions;
mod suspended;
mod tasks;
mod tools;
mod watching;

pub use self::http::{Http, HttpError, Listening, Token, TokenError};
pub use self::stdio::serve;
