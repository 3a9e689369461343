//! `blocks`: this host keeps no live documents yet, and a policy is told so.

use crate::policy::Context;
use crate::policy::bindings::shellward::policy::blocks::{BlockError, Host, Part};
use crate::policy::bindings::shellward::policy::types::Stdstream;

impl Host for Context {
    fn open(&mut self, _job: String, _label: String) -> wasmtime::Result<Result<(), BlockError>> {
        Ok(Err(BlockError::Unsupported))
    }

    fn pin(&mut self, _label: String) -> wasmtime::Result<Result<(), BlockError>> {
        Ok(Err(BlockError::Unsupported))
    }

    fn unpin(&mut self, _label: String) -> wasmtime::Result<Result<(), BlockError>> {
        Ok(Err(BlockError::Unsupported))
    }

    fn read(
        &mut self,
        _label: String,
        _stream: Stdstream,
        _offset: u64,
        _max: u32,
    ) -> wasmtime::Result<Result<Part, BlockError>> {
        Ok(Err(BlockError::Unsupported))
    }
}
