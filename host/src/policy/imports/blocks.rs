//! `blocks`: live documents of jobs' output.

use crate::blocks::{Block, Taken, read};
use crate::policy::Context;
use crate::policy::bindings::shellward::policy::blocks::{BlockError, Host, Part};
use crate::policy::bindings::shellward::policy::types::Stdstream;

/// The most bytes of one part, whatever a policy asks for.
const LONGEST: usize = 1 << 20;

impl Context {
    fn block(&mut self, label: &str) -> wasmtime::Result<Option<Block>> {
        let attached = self.host()?;
        Ok(attached.shared.blocks.get(&attached.session, label))
    }

    fn pinned(&mut self, label: &str, pinned: bool) -> wasmtime::Result<Result<(), BlockError>> {
        Ok(self.block(label)?.map(|block| block.pin(pinned)).ok_or(BlockError::NotFound))
    }
}

impl Host for Context {
    fn open(&mut self, job: String, label: String) -> wasmtime::Result<Result<(), BlockError>> {
        let attached = self.host()?;
        let opened = attached.job(&job).and_then(|job| job.open_block(&attached.shared.blocks, &label));
        Ok(match opened {
            None => Err(BlockError::NotFound),
            Some(opened) => opened.map_err(|Taken| BlockError::Taken),
        })
    }

    fn pin(&mut self, label: String) -> wasmtime::Result<Result<(), BlockError>> {
        self.pinned(&label, true)
    }

    fn unpin(&mut self, label: String) -> wasmtime::Result<Result<(), BlockError>> {
        self.pinned(&label, false)
    }

    fn read(
        &mut self,
        label: String,
        stream: Stdstream,
        offset: u64,
        max: u32,
    ) -> wasmtime::Result<Result<Part, BlockError>> {
        let max = usize::try_from(max).unwrap_or(LONGEST).min(LONGEST);
        let found = self.block(&label)?;
        let part = found.map(|block| read(&block, super::output::native(stream), offset, max));
        Ok(part.map(|part| Part { text: part.text, next: part.next, total: part.total }).ok_or(BlockError::NotFound))
    }
}
