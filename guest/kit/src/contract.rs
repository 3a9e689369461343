//! The contract's types under one roof, so that a policy imports them from one place.

pub use crate::bindings::exports::shellward::policy::rules::{
    Judged, Manifest, Request, Retention, RunForm, SettingsError, Subject as ReviewSubject, TimeoutForm, Tool, Typed,
    Variable, VariableKind, Verdict,
};
pub use crate::bindings::shellward::policy::blocks::{BlockError, Part};
pub use crate::bindings::shellward::policy::commands::{Analysis, Language};
pub use crate::bindings::shellward::policy::diagnostics::Level;
pub use crate::bindings::shellward::policy::input::InputError;
pub use crate::bindings::shellward::policy::jobs::{Filter, PostError};
pub use crate::bindings::shellward::policy::output::{
    Chunk, Content, Excerpt, Gap, Item, OutputError, Page, RecordedEvent, Storage, Window,
};
pub use crate::bindings::shellward::policy::processes::{
    Confinement, Container, Keep, Launch, Place as RunPlace, Sandbox, ShellSession, Size, Stdin, Stdio, Watch,
};
pub use crate::bindings::shellward::policy::signals::{Signal, SignalError, Whom};
pub use crate::bindings::shellward::policy::timers::TimerError;
pub use crate::bindings::shellward::policy::types::{
    Answer, Decision, Ending, EnvironmentChange, Event, Exit, Exited, Finding, Happening, Hit, Job, Notice, Post,
    Progress, Question, Recovery, Refusal, Reply, Span, StartError, Stdstream, Step, StreamState, ToolCall, Unwanted,
    Waiting, Wakes, WatchError,
};
pub use crate::bindings::shellward::policy::workspace::{Access, Kind, PathError, Place};
