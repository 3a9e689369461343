//! Doing one call, with Ctrl-C ending the command's tree first and then the program.

use std::io::Write;

use serde_json::Value;
use shellward::{Host, Reply};
use tokio::signal::unix::{Signal, SignalKind, signal};

use super::error::CliError;
use super::spinner::Spinner;

/// The signals that ask this program to end.
struct Endings {
    interrupt: Signal,
    terminate: Signal,
    hangup: Signal,
}

impl Endings {
    fn listen() -> std::io::Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hangup: signal(SignalKind::hangup())?,
        })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
            _ = self.hangup.recv() => {}
        }
    }
}

/// Makes a call and shuts the host down; none if a signal came first, and then nothing of the call runs any more.
pub(super) fn call(host: Host, session: &str, tool: &str, arguments: Value, label: &str) -> Result<Option<Reply>, CliError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(CliError::Runtime)?;
    runtime.block_on(async {
        let mut endings = Endings::listen().map_err(CliError::Runtime)?;
        let reply = {
            let _spinner = Spinner::start(label);
            tokio::select! {
                reply = host.call(session, tool, arguments) => Some(reply),
                () = endings.next() => None,
            }
        };
        if reply.is_none() {
            // Where standard error is gone there is nobody to read it.
            let _ = writeln!(std::io::stderr(), "shellward: interrupted; ending the command (again to kill it at once)");
        }
        tokio::select! {
            () = host.shutdown() => {}
            // Leaving the runtime drops the host, which kills what is left.
            () = endings.next() => {}
        }
        Ok(reply)
    })
}
