//! `wasi:io` without waiting.
//!
//! An entry runs on a thread of the host's runtime, which must not be held up: what could wait for something, in a
//! policy that is given nothing to wait for, is a trap. Printing, as a panic does, goes to memory and is done at once.

use wasmtime::component::{HasData, Linker, Resource, ResourceTable};
use wasmtime_wasi::WasiView;
use wasmtime_wasi::p2::bindings::sync::io::{poll, streams};
use wasmtime_wasi::p2::{DynInputStream, DynOutputStream, DynPollable, StreamError, StreamResult};

/// The streams of one instance.
struct Io<'a>(&'a mut ResourceTable);

struct HasIo;

impl HasData for HasIo {
    type Data<'a> = Io<'a>;
}

/// Puts these in the place of those that wait.
pub(super) fn link<T: WasiView>(linker: &mut Linker<T>) -> wasmtime::Result<()> {
    streams::add_to_linker::<T, HasIo>(linker, |state| Io(state.ctx().table))?;
    poll::add_to_linker::<T, HasIo>(linker, |state| Io(state.ctx().table))
}

fn wait<R>() -> StreamResult<R> {
    Err(StreamError::trap(super::NO_WAITING))
}

impl streams::Host for Io<'_> {
    fn convert_stream_error(&mut self, error: StreamError) -> wasmtime::Result<streams::StreamError> {
        streams::Host::convert_stream_error(self.0, error)
    }
}

impl streams::HostOutputStream for Io<'_> {
    fn drop(&mut self, stream: Resource<DynOutputStream>) -> wasmtime::Result<()> {
        self.0.delete(stream)?;
        Ok(())
    }

    fn check_write(&mut self, stream: Resource<DynOutputStream>) -> StreamResult<u64> {
        streams::HostOutputStream::check_write(self.0, stream)
    }

    fn write(&mut self, stream: Resource<DynOutputStream>, bytes: Vec<u8>) -> StreamResult<()> {
        streams::HostOutputStream::write(self.0, stream, bytes)
    }

    fn blocking_write_and_flush(&mut self, stream: Resource<DynOutputStream>, bytes: Vec<u8>) -> StreamResult<()> {
        self.0.get_mut(&stream)?.write(bytes.into())
    }

    fn blocking_write_zeroes_and_flush(&mut self, _: Resource<DynOutputStream>, _: u64) -> StreamResult<()> {
        wait()
    }

    fn subscribe(&mut self, stream: Resource<DynOutputStream>) -> wasmtime::Result<Resource<DynPollable>> {
        streams::HostOutputStream::subscribe(self.0, stream)
    }

    fn write_zeroes(&mut self, stream: Resource<DynOutputStream>, len: u64) -> StreamResult<()> {
        streams::HostOutputStream::write_zeroes(self.0, stream, len)
    }

    fn flush(&mut self, stream: Resource<DynOutputStream>) -> StreamResult<()> {
        streams::HostOutputStream::flush(self.0, stream)
    }

    fn blocking_flush(&mut self, stream: Resource<DynOutputStream>) -> StreamResult<()> {
        streams::HostOutputStream::flush(self.0, stream)
    }

    fn splice(&mut self, to: Resource<DynOutputStream>, from: Resource<DynInputStream>, len: u64) -> StreamResult<u64> {
        streams::HostOutputStream::splice(self.0, to, from, len)
    }

    fn blocking_splice(
        &mut self,
        _: Resource<DynOutputStream>,
        _: Resource<DynInputStream>,
        _: u64,
    ) -> StreamResult<u64> {
        wait()
    }
}

impl streams::HostInputStream for Io<'_> {
    fn drop(&mut self, stream: Resource<DynInputStream>) -> wasmtime::Result<()> {
        self.0.delete(stream)?;
        Ok(())
    }

    fn read(&mut self, stream: Resource<DynInputStream>, len: u64) -> StreamResult<Vec<u8>> {
        streams::HostInputStream::read(self.0, stream, len)
    }

    /// Standard input is closed, and says so without waiting.
    fn blocking_read(&mut self, stream: Resource<DynInputStream>, len: u64) -> StreamResult<Vec<u8>> {
        streams::HostInputStream::read(self.0, stream, len)
    }

    fn skip(&mut self, stream: Resource<DynInputStream>, len: u64) -> StreamResult<u64> {
        streams::HostInputStream::skip(self.0, stream, len)
    }

    fn blocking_skip(&mut self, stream: Resource<DynInputStream>, len: u64) -> StreamResult<u64> {
        streams::HostInputStream::skip(self.0, stream, len)
    }

    fn subscribe(&mut self, stream: Resource<DynInputStream>) -> wasmtime::Result<Resource<DynPollable>> {
        streams::HostInputStream::subscribe(self.0, stream)
    }
}

impl poll::Host for Io<'_> {
    fn poll(&mut self, _: Vec<Resource<DynPollable>>) -> wasmtime::Result<Vec<u32>> {
        Err(wasmtime::format_err!("{}", super::NO_WAITING))
    }
}

impl poll::HostPollable for Io<'_> {
    fn ready(&mut self, _: Resource<DynPollable>) -> wasmtime::Result<bool> {
        Err(wasmtime::format_err!("{}", super::NO_WAITING))
    }

    fn block(&mut self, _: Resource<DynPollable>) -> wasmtime::Result<()> {
        Err(wasmtime::format_err!("{}", super::NO_WAITING))
    }

    fn drop(&mut self, pollable: Resource<DynPollable>) -> wasmtime::Result<()> {
        self.0.delete(pollable)?;
        Ok(())
    }
}
