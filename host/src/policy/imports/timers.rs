//! `timers`: armed on the job, fired by its actor.

use std::time::Duration;

use crate::jobs::{MOST_TIMERS, TooMany};
use crate::policy::Context;
use crate::policy::bindings::shellward::policy::timers::{Host, TimerError};

impl Host for Context {
    fn arm(&mut self, id: String, name: String, after: u64) -> wasmtime::Result<Result<(), TimerError>> {
        // One that another host has in hand cannot be reached from here.
        let Some(job) = self.host()?.job(&id).filter(|job| !job.is_elsewhere()) else {
            return Ok(Err(TimerError::NotFound));
        };
        if job.ended().is_some() {
            return Ok(Err(TimerError::Ended));
        }
        let armed = job.arm(&name, Duration::from_millis(after));
        Ok(armed.map_err(|TooMany| TimerError::TooMany(MOST_TIMERS)))
    }

    fn disarm(&mut self, id: String, name: String) -> wasmtime::Result<()> {
        if let Some(job) = self.host()?.job(&id) {
            job.disarm(&name);
        }
        Ok(())
    }
}
