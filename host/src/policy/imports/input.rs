//! `input`: to running jobs. No job of this host has an input yet, and a policy is told so.

use crate::policy::Context;
use crate::policy::bindings::shellward::policy::input::{Host, InputError, Size};

impl Context {
    fn no_input(&mut self, id: &str) -> wasmtime::Result<Result<(), InputError>> {
        Ok(Err(match self.host()?.job(id) {
            None => InputError::NotFound,
            Some(job) if job.ended().is_some() => InputError::NotRunning,
            Some(_) => InputError::Unavailable,
        }))
    }
}

impl Host for Context {
    fn write(&mut self, id: String, _bytes: Vec<u8>) -> wasmtime::Result<Result<(), InputError>> {
        self.no_input(&id)
    }

    fn close(&mut self, id: String) -> wasmtime::Result<Result<(), InputError>> {
        self.no_input(&id)
    }

    fn resize(&mut self, id: String, _size: Size) -> wasmtime::Result<Result<(), InputError>> {
        self.no_input(&id)
    }
}
