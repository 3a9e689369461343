//! What a call asks for, and the launch it becomes.

use shellward_kit::Host;
use shellward_kit::arguments::{ArgumentError, Arguments};
use shellward_kit::contract::{Keep, Kind, Launch, PathError, ToolCall};
use shellward_kit::machine::Memo;
use shellward_kit::shell::{self, Shell};

use crate::Own;
use crate::failure::Failure;
use crate::output::is_whitespace;
use crate::settings::Settings;

/// The one tool.
pub const TOOL: &str = "exec";
/// The specification's default for the characters shown of each stream.
pub const DEFAULT_MAX_LENGTH: u32 = 50_000;

const PARAMETERS: &[&str] = &["command", "timeout_seconds", "working_directory", "max_length"];
/// The most that is kept from a stream's start, so that both streams and the answer fit a policy's memory even if
/// every byte of them has to be shown as U+FFFD.
const MOST_KEPT: u64 = 4 << 20;
/// What is kept from a stream's end, for those who look at the job while it runs.
const TAIL: u64 = 1024;

/// A call's arguments as the specification's parser reads them.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    command: String,
    timeout_seconds: u32,
    max_length: u32,
    directory: Option<String>,
}

impl Request {
    /// Reads a call. Numbers are read as forgivingly as the specification does; texts must be texts.
    pub fn read(call: &ToolCall, settings: &Settings) -> Result<Self, Failure> {
        if call.tool != TOOL {
            return Err(Failure::UnknownTool(call.tool.chars().take(100).collect()));
        }
        let arguments = Arguments::parse(&call.arguments)?;
        arguments.only(PARAMETERS)?;
        let command = arguments.required_text("command")?.trim_matches(is_whitespace);
        if command.is_empty() {
            return Err(ArgumentError::Empty { name: "command", blank: true }.into());
        }
        let timeout = arguments.lenient_integer("timeout_seconds");
        let length = arguments.lenient_integer("max_length");
        Ok(Self {
            command: command.to_owned(),
            timeout_seconds: timeout.map_or(settings.default_timeout_secs, |seconds| {
                u32::try_from(seconds).unwrap_or(0).clamp(1, settings.max_timeout_secs)
            }),
            max_length: length.map_or(settings.default_max_length, |length| u32::try_from(length).unwrap_or(0).max(1)),
            directory: arguments.text("working_directory")?.map(str::to_owned),
        })
    }

    /// Makes the launch, once directory and shell are found.
    pub fn launch<H: Host>(self, host: &H, call: &ToolCall, settings: &Settings) -> Result<Launch, Failure> {
        let directory = self.place(host, settings)?;
        let shell = Shell::find(host, &settings.shell).ok_or_else(|| Failure::NoShell(settings.shell.clone()))?;
        let own = Own { timeout_seconds: self.timeout_seconds, max_length: self.max_length };
        // No character is longer than four bytes.
        let head = (u64::from(self.max_length) * 4).min(MOST_KEPT);
        Ok(Launch {
            keep: Keep { head, tail: TAIL, stored: None },
            timeout: Some(u64::from(self.timeout_seconds) * 1000),
            memo: Memo::first(own),
            ..shell::launch("exec_", call, shell, &self.command, directory)
        })
    }

    /// Finds the directory. The specification allows any that there is.
    fn place<H: Host>(&self, host: &H, settings: &Settings) -> Result<String, Failure> {
        let path = self.directory.as_deref().unwrap_or(".");
        if path.is_empty() {
            return Err(Failure::NoDirectory(String::new()));
        }
        let place = host.resolve(path, None).map_err(|error| match error {
            PathError::PermissionDenied => Failure::ClosedDirectory(path.into()),
            PathError::Nul | PathError::TooLong | PathError::Circular | PathError::Other(_) => {
                Failure::NoDirectory(path.into())
            }
        })?;
        if settings.restrict_to_project && place.relative.is_none() {
            return Err(Failure::OutsideProject(path.into()));
        }
        match place.kind {
            Kind::Directory if place.access.enter => Ok(place.absolute),
            Kind::Directory => Err(Failure::ClosedDirectory(path.into())),
            Kind::File | Kind::Missing | Kind::Other => Err(Failure::NoDirectory(path.into())),
        }
    }
}
