//! Doing one call, with Ctrl-C ending the command's tree first and then the program.

use std::io::Write;

use serde_json::Value;
use shellward::{Host, Received, Reply, Subscription};
use tokio::signal::unix::{Signal, SignalKind, signal};

use super::error::CliError;
use super::output;
use super::spinner::Spinner;

/// The signals that ask this program to end.
pub(super) struct Endings {
    interrupt: Signal,
    terminate: Signal,
    hangup: Signal,
}

impl Endings {
    pub(super) fn listen() -> std::io::Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hangup: signal(SignalKind::hangup())?,
        })
    }

    pub(super) async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
            _ = self.hangup.recv() => {}
        }
    }
}

/// A call to make, and what is to be done around it.
pub(super) struct Call<'a> {
    pub session: &'a str,
    pub tool: &'a str,
    pub arguments: Value,
    /// What the spinner shows.
    pub label: &'a str,
    /// Whether to print events, and to wait for background jobs to end.
    pub events: bool,
}

/// Makes a call, has the answer printed, and shuts the host down; none if a signal came first, and then nothing of the
/// call runs any more.
pub(super) fn call(
    host: Host,
    call: Call<'_>,
    answer: impl FnOnce(&Reply) -> Result<(), CliError>,
) -> Result<Option<Reply>, CliError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(CliError::Runtime)?;
    runtime.block_on(async {
        let mut endings = Endings::listen().map_err(CliError::Runtime)?;
        let done = tokio::select! {
            done = make(&host, call, answer) => Some(done),
            () = endings.next() => None,
        };
        if done.is_none() {
            // Where standard error is gone there is nobody to read it.
            let _ =
                writeln!(std::io::stderr(), "shellward: interrupted; ending the command (again to kill it at once)");
        }
        tokio::select! {
            () = host.shutdown() => {}
            // Dropping the shutdown kills what is left.
            () = endings.next() => {}
        }
        done.transpose()
    })
}

async fn make(
    host: &Host,
    call: Call<'_>,
    answer: impl FnOnce(&Reply) -> Result<(), CliError>,
) -> Result<Reply, CliError> {
    let mut events = call.events.then(|| host.events());
    let reply = {
        let _spinner = Spinner::start(call.label);
        host.call(call.session, call.tool, call.arguments).await
    };
    answer(&reply)?;
    if let Some(events) = &mut events {
        follow(host, events).await?;
    }
    Ok(reply)
}

/// Prints events until no job runs any more.
async fn follow(host: &Host, events: &mut Subscription) -> Result<(), CliError> {
    let mut idle = std::pin::pin!(host.idle());
    loop {
        let received = tokio::select! {
            biased;
            Some(received) = events.next() => received,
            () = &mut idle => break,
        };
        event(&received)?;
    }
    // What was published while the last job ended.
    while let Some(received) = events.try_next() {
        event(&received)?;
    }
    Ok(())
}

fn event(received: &Received) -> Result<(), CliError> {
    let shown = match received {
        Received::Notice(notice) => serde_json::to_string(notice).map_err(|error| CliError::Output(error.into()))?,
        Received::Missed(count) => serde_json::json!({"missed": count}).to_string(),
    };
    output::text(&shown)
}
