//! The parameters of `send_keys`.

use shellward_kit::arguments::{ArgumentError, Arguments};
use shellward_kit::contract::Size;
use shellward_kit::json::Json;

use super::run_id;
use super::spawn::pty;
use crate::failure::Failure;
use crate::typing::Stroke;

/// The longest text to be typed at once, in bytes.
const LONGEST_TEXT: usize = 64 << 10;

/// How many keys are pressed at once.
const MOST_KEYS: usize = 1000;

/// Input to a run.
#[derive(Clone, Debug, PartialEq)]
pub struct SendKeys {
    /// The run.
    pub run_id: String,
    /// What is typed, in order.
    pub strokes: Vec<Stroke>,
    /// Whether the input ends after that.
    pub eof: bool,
    /// The terminal's new size.
    pub size: Option<Size>,
}

impl SendKeys {
    pub(super) fn read(arguments: &Arguments<'_>) -> Result<Self, Failure> {
        let run_id = run_id(arguments)?;
        let mut strokes = match text(arguments)? {
            None => Vec::new(),
            Some(text) => Stroke::of_text(text),
        };
        strokes.extend(keys(arguments)?);
        let eof = arguments.boolean("eof")?.unwrap_or(false);
        let size = pty(arguments)?;
        if strokes.is_empty() && !eof && size.is_none() {
            let message = "Action 'send_keys' needs something to send: 'text' such as \"yes\\n\", 'keys' such as \
                           [\"Up\", \"Enter\"], or 'eof': true.";
            return Err(Failure::Parameter(message.into()));
        }
        Ok(Self { run_id, strokes, eof, size })
    }
}

/// Gives the text. A NUL is a key like any other here, but only by its name.
fn text<'a>(arguments: &'a Arguments<'_>) -> Result<Option<&'a str>, Failure> {
    match arguments.text("text")? {
        Some(text) if text.len() > LONGEST_TEXT => Err(Failure::Parameter(format!(
            "Parameter 'text' is {} bytes long, and at most {LONGEST_TEXT} are typed at once. Send it in parts, or \
             write it to a file.",
            text.len()
        ))),
        text => Ok(text),
    }
}

fn keys(arguments: &Arguments<'_>) -> Result<Vec<Stroke>, Failure> {
    let one;
    let names: &[Json<'_>] = match arguments.value("keys") {
        None => return Ok(Vec::new()),
        Some(Json::Array(names)) => names,
        Some(name @ Json::Text(_)) => {
            one = [name.clone()];
            &one
        }
        Some(other) => {
            let expected = "a list of keys such as [\"Up\", \"Enter\"]";
            return Err(ArgumentError::WrongType { name: "keys", expected, found: other.kind() }.into());
        }
    };
    if names.len() > MOST_KEYS {
        let message = format!("Parameter 'keys' takes at most {MOST_KEYS} keys, not {}.", names.len());
        return Err(Failure::Parameter(message));
    }
    let wrong = |index: usize, found: String| {
        Failure::Parameter(format!(
            "Parameter 'keys[{index}]' must be the name of a key, not {found}. Keys are Enter, Tab, Escape, Space, \
             Backspace, Delete, Insert, Up, Down, Left, Right, Home, End, PageUp, PageDown, F1 to F12, Ctrl- and a letter, and \
             Alt- and a character; what is to be typed as it is belongs into 'text'."
        ))
    };
    names
        .iter()
        .enumerate()
        .map(|(index, name)| match name {
            Json::Text(text) => Stroke::of_key(text).ok_or_else(|| wrong(index, name.kind())),
            other => Err(wrong(index, other.kind())),
        })
        .collect()
}
