//! `signals`: to a job's process, group or tree.

use std::sync::Arc;

use crate::policy::Context;
use crate::policy::bindings::shellward::policy::signals::{Host, Signal, SignalError, Whom};
use crate::process;

/// Signals of one entry that are sent; more is a mistake, and floods the system.
const SIGNALS: u32 = 256;

impl Host for Context {
    fn send(&mut self, id: String, signal: Signal, whom: Whom) -> wasmtime::Result<Result<(), SignalError>> {
        self.signalled = self.signalled.saturating_add(1);
        if self.signalled > SIGNALS {
            return Err(wasmtime::format_err!("it sends more than {SIGNALS} signals in one entry"));
        }
        let Some(job) = self.host()?.job(&id) else { return Ok(Err(SignalError::NotFound)) };
        // A process that has ended is not running, though its pipes may still be drained and its exit not told yet.
        let Some(work) = job.work().filter(|work| job.ended().is_none() && !work.has_ended()) else {
            return Ok(Err(SignalError::NotRunning));
        };
        if (signal, whom) == (Signal::Kill, Whom::Tree) {
            let work = Arc::clone(work);
            tokio::spawn(async move { work.kill().await });
            return Ok(Ok(()));
        }
        let sent = work.signal(native(signal), whom_of(whom));
        Ok(sent.map(drop).map_err(|error| SignalError::Other(error.to_string())))
    }
}

fn native(signal: Signal) -> process::Signal {
    match signal {
        Signal::Hangup => process::Signal::HUP,
        Signal::Interrupt => process::Signal::INT,
        Signal::Quit => process::Signal::QUIT,
        Signal::Terminate => process::Signal::TERM,
        Signal::Kill => process::Signal::KILL,
        Signal::Stop => process::Signal::STOP,
        Signal::Resume => process::Signal::CONT,
        Signal::User1 => process::Signal::USR1,
        Signal::User2 => process::Signal::USR2,
    }
}

fn whom_of(whom: Whom) -> process::Whom {
    match whom {
        Whom::Process => process::Whom::Process,
        Whom::Group => process::Whom::Group,
        Whom::Tree => process::Whom::Tree,
    }
}
