//! Lasting shells: one process that evaluates one command after another, and keeps what they change.
//!
//! The shell is interactive, as a person's is, but reads its commands from a pipe of the host's: nothing is typed, so
//! nothing is echoed, completed or taken from history. A command is the argument of `eval`. Marks in the output (OSC
//! 133, with a secret of each command's own) say where a command's output begins and ends, with what code it ended,
//! and where the shell is then. What imitates a mark is output, since the secret is known only once it is useless.
//!
//! A command's own redirections hold to its end, because `eval` is given its descriptors anew each time. An interrupt
//! takes the shell back to reading its pipe; the host sees that a line it has put there is taken, and asks for the
//! mark that was skipped. Before the next command the shell prints the marks of nothing, asked again until it does: a
//! late interrupt would take the command instead.

mod attention;
mod command;
mod dialect;
mod marks;
mod session;
mod shells;
#[cfg(test)]
mod tests;

pub(crate) use self::attention::Attention;
pub(crate) use self::command::Command;
pub(crate) use self::dialect::Dialect;
pub(crate) use self::shells::{Refused, Shells, Wanted};
