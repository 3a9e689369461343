//! The parameters of `spawn`.

use serde::{Deserialize, Serialize};
use shellward_kit::arguments::{ArgumentError, Arguments};
use shellward_kit::contract::{Size, Watch};
use shellward_kit::json::Json;

use super::watch::watches;
use super::{command, number, stored};
use crate::failure::Failure;
use crate::settings::{LONGEST_SECS, Settings};

/// The size of a terminal, where the call does not say.
const SIZE: Size = Size { rows: 24, columns: 80 };

/// The longest name of a session, in bytes.
const LONGEST_SESSION: usize = 256;

/// A run to be started.
#[derive(Clone, Debug, PartialEq)]
pub struct Spawn {
    /// The command as the agent wrote it.
    pub command: String,
    /// Whether the answer does not wait for the end.
    pub background: bool,
    /// From where it reads.
    pub input: Input,
    /// The terminal's size, where it has one.
    pub size: Option<Size>,
    /// The timeout in seconds.
    pub timeout_secs: Option<u64>,
    /// How much of its output is stored.
    pub max_output_bytes: u64,
    /// What to look for in its output.
    pub watches: Vec<Watch>,
    /// The session that it belongs to, where the call says.
    pub session_id: Option<String>,
}

/// From where a run reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Input {
    /// There is nothing to read.
    #[default]
    Nothing,
    /// A pipe.
    Stdin,
    /// A terminal.
    Terminal,
}

impl Spawn {
    pub(super) fn read(arguments: &Arguments<'_>, settings: &Settings) -> Result<Self, Failure> {
        let size = pty(arguments)?;
        let stdin = arguments.boolean("stdin")?;
        let input = match (size, stdin) {
            (Some(_), Some(false)) => {
                let message = "Parameter 'stdin' cannot be false with 'pty': a terminal is read from. Leave it out.";
                return Err(Failure::Parameter(message.into()));
            }
            (Some(_), _) => Input::Terminal,
            (None, Some(true)) => Input::Stdin,
            (None, _) => Input::Nothing,
        };
        let session_id = match arguments.value("session_id") {
            None => None,
            Some(_) => Some(session_id(arguments)?),
        };
        Ok(Self {
            command: command(arguments)?,
            background: arguments.boolean("background")?.unwrap_or(true),
            input,
            size,
            timeout_secs: number(arguments, "timeout_secs", 1, LONGEST_SECS)?.or(settings.spawn_timeout_secs),
            max_output_bytes: stored(arguments, settings)?,
            watches: watches(arguments, input == Input::Terminal)?,
            session_id,
        })
    }
}

fn session_id(arguments: &Arguments<'_>) -> Result<String, Failure> {
    let id = arguments.required_text("session_id")?;
    match id.len() > LONGEST_SESSION {
        true => {
            Err(Failure::Parameter(format!("Parameter 'session_id' must not be longer than {LONGEST_SESSION} bytes.")))
        }
        false => Ok(id.into()),
    }
}

/// Reads `pty`: `true`, or the size of the terminal.
pub(super) fn pty(arguments: &Arguments<'_>) -> Result<Option<Size>, Failure> {
    let expected = "true, false, or a size such as {\"rows\": 24, \"columns\": 80}";
    match arguments.value("pty") {
        None | Some(Json::Boolean(false)) => Ok(None),
        Some(Json::Boolean(true)) => Ok(Some(SIZE)),
        Some(Json::Object(entries)) => {
            let mut size = SIZE;
            for (name, value) in entries {
                let cells = match value {
                    Json::Integer(number) => u16::try_from(*number).ok().filter(|cells| (1..=1000).contains(cells)),
                    _ => None,
                };
                match (name.as_ref(), cells) {
                    ("rows", Some(cells)) => size.rows = cells,
                    ("columns", Some(cells)) => size.columns = cells,
                    ("rows" | "columns", None) => {
                        let found = value.kind();
                        let message = format!("Parameter 'pty.{name}' must be between 1 and 1000, not {found}.");
                        return Err(Failure::Parameter(message));
                    }
                    _ => {
                        let name: String = name.chars().take(100).collect();
                        let message = format!("Unknown parameter 'pty.{name}'. A size takes 'rows' and 'columns'.");
                        return Err(Failure::Parameter(message));
                    }
                }
            }
            Ok(Some(size))
        }
        Some(other) => Err(ArgumentError::WrongType { name: "pty", expected, found: other.kind() }.into()),
    }
}
