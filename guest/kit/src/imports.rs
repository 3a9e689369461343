//! The host behind the component's imports.

use crate::bindings::shellward::policy::{
    blocks, diagnostics, input, jobs, output, processes, settings, signals, timers, workspace,
};
use crate::contract::{
    BlockError, Excerpt, Filter, InputError, Job, Launch, Level, OutputError, Page, Part, PathError, Place, PostError,
    Signal, SignalError, Size, StartError, Stdstream, Storage, TimerError, Whom, Window,
};
use crate::host::Host;

/// The host that has instantiated this component.
#[derive(Clone, Copy, Debug)]
pub struct Imports;

impl Host for Imports {
    fn resolve(&self, path: &str, base: Option<&str>) -> Result<Place, PathError> {
        workspace::resolve(path, base)
    }

    fn home(&self) -> Option<String> {
        workspace::home()
    }

    fn find_program(&self, name: &str) -> Option<String> {
        workspace::find_program(name)
    }

    fn start(&self, launch: &Launch) -> Result<(), StartError> {
        processes::start(launch)
    }

    fn enqueue(&self, launch: &Launch) -> Result<(), StartError> {
        processes::enqueue(launch)
    }

    fn send(&self, job: &str, signal: Signal, whom: Whom) -> Result<(), SignalError> {
        signals::send(job, signal, whom)
    }

    fn arm(&self, job: &str, name: &str, after: u64) -> Result<(), TimerError> {
        timers::arm(job, name, after)
    }

    fn disarm(&self, job: &str, name: &str) {
        timers::disarm(job, name);
    }

    fn job(&self, id: &str) -> Option<Job> {
        jobs::get(id)
    }

    fn jobs(&self, filter: Filter) -> Vec<Job> {
        jobs::list(filter)
    }

    fn post(&self, id: &str, name: &str, data: &str) -> Result<(), PostError> {
        jobs::post(id, name, data)
    }

    fn read(&self, job: &str, stream: Stdstream, window: Window) -> Result<Excerpt, OutputError> {
        output::read(job, stream, window)
    }

    fn items(&self, job: &str, since: u64, limit: u32, stream: Option<Stdstream>) -> Result<Page, OutputError> {
        output::items(job, since, limit, stream)
    }

    fn snippet(&self, job: &str, max: u32) -> Result<String, OutputError> {
        output::snippet(job, max)
    }

    fn stored(&self, job: &str) -> Result<Storage, OutputError> {
        output::stored(job)
    }

    fn write(&self, job: &str, bytes: &[u8]) -> Result<(), InputError> {
        input::write(job, bytes)
    }

    fn close(&self, job: &str) -> Result<(), InputError> {
        input::close(job)
    }

    fn resize(&self, job: &str, size: Size) -> Result<(), InputError> {
        input::resize(job, size)
    }

    fn open_block(&self, job: &str, label: &str) -> Result<(), BlockError> {
        blocks::open(job, label)
    }

    fn pin(&self, label: &str) -> Result<(), BlockError> {
        blocks::pin(label)
    }

    fn unpin(&self, label: &str) -> Result<(), BlockError> {
        blocks::unpin(label)
    }

    fn read_block(&self, label: &str, stream: Stdstream, offset: u64, max: u32) -> Result<Part, BlockError> {
        blocks::read(label, stream, offset, max)
    }

    fn settings(&self) -> String {
        settings::get()
    }

    fn log(&self, level: Level, message: &str) {
        diagnostics::log(level, message);
    }
}
