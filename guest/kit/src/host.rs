//! What a policy may ask of its host.
//!
//! One method per imported function. Policies are generic over [`Host`], so that an import which a policy never uses
//! is not in its component, and so that the whole policy runs natively against a fake.

use crate::contract::{
    BlockError, Excerpt, Filter, InputError, Job, Launch, Level, OutputError, Page, Part, PathError, Place, PostError,
    Signal, SignalError, Size, StartError, Stdstream, Storage, TimerError, Whom, Window,
};

/// The host as a policy sees it; each method is the function of the same meaning in `wit/`.
#[expect(missing_docs, reason = "wit/ documents each function; a second wording would drift")]
pub trait Host {
    fn resolve(&self, path: &str, base: Option<&str>) -> Result<Place, PathError>;
    fn home(&self) -> Option<String>;
    fn find_program(&self, name: &str) -> Option<String>;

    fn start(&self, launch: &Launch) -> Result<(), StartError>;
    fn enqueue(&self, launch: &Launch) -> Result<(), StartError>;

    fn send(&self, job: &str, signal: Signal, whom: Whom) -> Result<(), SignalError>;
    fn arm(&self, job: &str, name: &str, after: u64) -> Result<(), TimerError>;
    fn disarm(&self, job: &str, name: &str);

    fn job(&self, id: &str) -> Option<Job>;
    fn jobs(&self, filter: Filter) -> Vec<Job>;
    fn post(&self, id: &str, name: &str, data: &str) -> Result<(), PostError>;

    fn read(&self, job: &str, stream: Stdstream, window: Window) -> Result<Excerpt, OutputError>;
    fn items(&self, job: &str, since: u64, limit: u32, stream: Option<Stdstream>) -> Result<Page, OutputError>;
    fn snippet(&self, job: &str, max: u32) -> Result<String, OutputError>;
    fn stored(&self, job: &str) -> Result<Storage, OutputError>;

    fn write(&self, job: &str, bytes: &[u8]) -> Result<(), InputError>;
    fn close(&self, job: &str) -> Result<(), InputError>;
    fn resize(&self, job: &str, size: Size) -> Result<(), InputError>;

    fn open_block(&self, job: &str, label: &str) -> Result<(), BlockError>;
    fn pin(&self, label: &str) -> Result<(), BlockError>;
    fn unpin(&self, label: &str) -> Result<(), BlockError>;
    fn read_block(&self, label: &str, stream: Stdstream, offset: u64, max: u32) -> Result<Part, BlockError>;

    fn settings(&self) -> String;
    fn log(&self, level: Level, message: &str);
}
