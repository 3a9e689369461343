//! `input`: to running jobs. Nothing here waits: what a program does not read yet is queued.

use std::sync::Arc;

use crate::jobs::Job;
use crate::policy::Context;
use crate::policy::bindings::shellward::policy::input::{Host, InputError, Size};
use crate::process::{self, InputRefused};

impl Context {
    fn running(&mut self, id: &str) -> wasmtime::Result<Result<Arc<Job>, InputError>> {
        Ok(match self.host()?.job(id) {
            None => Err(InputError::NotFound),
            Some(job) if job.ended().is_some() => Err(InputError::NotRunning),
            Some(job) => Ok(job),
        })
    }
}

fn explain(refused: InputRefused) -> InputError {
    match refused {
        InputRefused::Full => InputError::Full,
        InputRefused::Closed => InputError::Unavailable,
    }
}

impl Host for Context {
    fn write(&mut self, id: String, bytes: Vec<u8>) -> wasmtime::Result<Result<(), InputError>> {
        let job = match self.running(&id)? {
            Ok(job) => job,
            Err(error) => return Ok(Err(error)),
        };
        let Some(work) = job.work().filter(|work| work.takes_input()).map(Arc::clone) else {
            return Ok(Err(InputError::Unavailable));
        };
        if let Err(refusal) = self.guard_input(&job, &bytes)? {
            return Ok(Err(InputError::Refused(refusal)));
        }
        let written = work.write(&bytes).map_err(explain);
        if written.is_ok() {
            self.typed = true;
            job.typed(&bytes);
        }
        Ok(written)
    }

    fn close(&mut self, id: String) -> wasmtime::Result<Result<(), InputError>> {
        let job = match self.running(&id)? {
            Ok(job) => job,
            Err(error) => return Ok(Err(error)),
        };
        Ok(job.work().map_or(Err(InputError::Unavailable), |work| work.end_input().map_err(explain)))
    }

    fn resize(&mut self, id: String, size: Size) -> wasmtime::Result<Result<(), InputError>> {
        let job = match self.running(&id)? {
            Ok(job) => job,
            Err(error) => return Ok(Err(error)),
        };
        let size = process::Size { rows: size.rows.max(1), columns: size.columns.max(1) };
        let resized = job.work().is_some_and(|work| work.resize(size));
        Ok(if resized { Ok(()) } else { Err(InputError::Unavailable) })
    }
}
