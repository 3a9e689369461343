//! What a call of `shell` asks for.

use shellward_judge::limits;
use shellward_kit::arguments::{ArgumentError, Arguments};

use crate::failure::Failure;
use crate::settings::{LONGEST, Settings};

const PARAMETERS: &[&str] = &["command", "working_dir", "timeout_secs", "background"];

/// The arguments of `shell`, read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The command as the agent wrote it.
    pub command: String,
    /// The directory as the agent wrote it; none is the project's root.
    pub working_dir: Option<String>,
    /// The timeout in seconds.
    pub timeout_secs: u64,
    /// Whether the answer does not wait for the end.
    pub background: bool,
}

impl Request {
    /// Reads the arguments.
    ///
    /// # Errors
    /// The first argument that is missing or wrong, or a command that no shell takes.
    pub fn read(text: &str, settings: &Settings) -> Result<Self, Failure> {
        let arguments = Arguments::parse(text)?;
        arguments.only(PARAMETERS)?;
        let command = arguments.required_text("command")?;
        if command.len() > limits::LONGEST {
            let (bytes, most) = (command.len(), limits::LONGEST);
            return Err(Failure::Io(format!(
                "the command is {bytes} bytes long, and a shell takes {most}; write it to a script file and run that"
            )));
        }
        let working_dir = arguments.text("working_dir")?;
        if working_dir == Some("") {
            return Err(ArgumentError::Empty { name: "working_dir", blank: false }.into());
        }
        let timeout = arguments.integer("timeout_secs", 1..=LONGEST)?;
        Ok(Self {
            command: command.into(),
            working_dir: working_dir.map(Into::into),
            timeout_secs: timeout.and_then(|secs| u64::try_from(secs).ok()).unwrap_or(settings.default_timeout_secs),
            background: arguments.boolean("background")?.unwrap_or(false),
        })
    }
}

/// Reads the one argument of the tools about a job.
///
/// # Errors
/// It is missing or wrong.
pub fn job_id(text: &str) -> Result<String, Failure> {
    let arguments = Arguments::parse(text)?;
    arguments.only(&["job_id"])?;
    Ok(arguments.required_text("job_id")?.into())
}

/// Demands that there are no arguments.
///
/// # Errors
/// There are some.
pub fn nothing(text: &str) -> Result<(), Failure> {
    Ok(Arguments::parse(text)?.only(&[])?)
}
