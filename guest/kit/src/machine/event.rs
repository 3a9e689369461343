//! What may happen to a job, as far as the machine cares.

use crate::contract::{Event, Happening, StartError};

use super::transition::TimerName;

/// The name under which a cancellation is posted to a job.
pub const CANCEL: &str = "cancel";

/// Something that moves the machine.
#[derive(Clone, Debug, PartialEq)]
pub enum Happened {
    /// The process runs.
    Started,
    /// The process could not be started.
    StartFailed(StartError),
    /// The process has ended.
    Exited,
    /// A timer of the machine fired.
    Fired(TimerName),
    /// Somebody wants the job ended: an agent through [`CANCEL`], or the host.
    Cancelled,
    /// The host was restarted; no process of the job is left.
    Recovered,
}

impl Happened {
    /// Reads the host's event; none where the machine has no part in it: a watch's hit, output, a policy's own timer.
    pub fn of(event: &Event) -> Option<Self> {
        match &event.what {
            Happening::Started(_) => Some(Self::Started),
            Happening::StartFailed(error) => Some(Self::StartFailed(error.clone())),
            Happening::Exited(_) => Some(Self::Exited),
            Happening::Timer(name) => TimerName::of(name).map(Self::Fired),
            Happening::Posted(post) if post.name == CANCEL => Some(Self::Cancelled),
            Happening::Unwanted(_) => Some(Self::Cancelled),
            Happening::Recovered(_) => Some(Self::Recovered),
            Happening::Posted(_) | Happening::Matched(_) | Happening::Printed(_) | Happening::AwaitsInput => None,
        }
    }
}
