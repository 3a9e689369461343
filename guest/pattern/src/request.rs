//! What a call asks for.

use shellward_judge::limits;
use shellward_kit::arguments::{ArgumentError, Arguments};

use crate::failure::Failure;
use crate::settings::{LONGEST, Settings};

const PARAMETERS: &[&str] = &["op", "command", "timeout", "task_id", "offset", "stderr_offset", "max"];

/// The operations, as agents write them.
pub const OPS: &[&str] = &["execute", "spawn", "kill", "status", "output", "pin", "unpin"];

/// The most bytes of each stream that `output` gives.
const MOST_OUTPUT: i64 = 256 << 10;
/// The bytes of each stream that `output` gives unless told.
const OUTPUT: u32 = 32 << 10;

/// What a call asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// Run a command in the session's shell.
    Execute {
        /// The command.
        command: String,
        /// The timeout in seconds.
        timeout: u64,
    },
    /// Start a process.
    Spawn {
        /// The command.
        command: String,
    },
    /// End a process.
    Kill(String),
    /// List the processes that run.
    Status,
    /// Read what a process has printed.
    Output {
        /// The process.
        task: String,
        /// From where on, in bytes of standard output.
        offset: u64,
        /// From where on, in bytes of standard error.
        stderr_offset: u64,
        /// At most so many bytes of each.
        max: u32,
    },
    /// Keep the document of a process among those shown, or take it from there.
    Pin {
        /// The process.
        task: String,
        /// Which of both.
        pinned: bool,
    },
}

impl Request {
    /// Reads the arguments.
    ///
    /// # Errors
    /// The first argument that is missing, wrong or of no use for the operation.
    pub fn read(text: &str, settings: &Settings) -> Result<Self, Failure> {
        let arguments = Arguments::parse(text)?;
        arguments.only(PARAMETERS)?;
        let op = arguments.choice("op", OPS)?.ok_or(ArgumentError::Missing { name: "op" })?;
        let taken: &[&str] = match op {
            "execute" => &["command", "timeout"],
            "spawn" => &["command"],
            "output" => &["task_id", "offset", "stderr_offset", "max"],
            "status" => &[],
            _ => &["task_id"],
        };
        let unused =
            PARAMETERS.iter().find(|name| **name != "op" && !taken.contains(name) && arguments.value(name).is_some());
        if let Some(name) = unused {
            return Err(Failure::Arguments(format!("Parameter '{name}' is of no use with op '{op}'.")));
        }
        Ok(match op {
            "execute" => Self::Execute { command: command(&arguments)?, timeout: timeout(&arguments, settings)? },
            "spawn" => Self::Spawn { command: command(&arguments)? },
            "status" => Self::Status,
            "output" => Self::Output {
                task: task(&arguments)?,
                offset: offset(&arguments, "offset")?,
                stderr_offset: offset(&arguments, "stderr_offset")?,
                max: arguments
                    .integer("max", 1..=MOST_OUTPUT)?
                    .and_then(|max| u32::try_from(max).ok())
                    .unwrap_or(OUTPUT),
            },
            "pin" | "unpin" => Self::Pin { task: task(&arguments)?, pinned: op == "pin" },
            _ => Self::Kill(task(&arguments)?),
        })
    }
}

fn command(arguments: &Arguments<'_>) -> Result<String, Failure> {
    let command = arguments.required_text("command")?;
    if command.len() > limits::LONGEST {
        let (bytes, most) = (command.len(), limits::LONGEST);
        return Err(Failure::Arguments(format!(
            "Parameter 'command' is too long: {bytes} bytes, and a shell takes {most}. {}",
            limits::INSTEAD
        )));
    }
    Ok(command.into())
}

fn timeout(arguments: &Arguments<'_>, settings: &Settings) -> Result<u64, Failure> {
    let given = arguments.integer("timeout", 1..=LONGEST)?;
    Ok(given.and_then(|secs| u64::try_from(secs).ok()).unwrap_or(settings.default_timeout))
}

fn task(arguments: &Arguments<'_>) -> Result<String, Failure> {
    Ok(arguments.required_text("task_id")?.into())
}

fn offset(arguments: &Arguments<'_>, name: &'static str) -> Result<u64, Failure> {
    Ok(arguments.integer(name, 0..=i64::MAX)?.and_then(|offset| u64::try_from(offset).ok()).unwrap_or(0))
}
