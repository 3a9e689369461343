//! Printing answers.

use std::io::Write;

use serde::Serialize;

use super::error::CliError;

/// Prints a text, ended by a line break.
pub(super) fn text(text: &str) -> Result<(), CliError> {
    let mut stdout = std::io::stdout().lock();
    let end = if text.ends_with('\n') || text.is_empty() { "" } else { "\n" };
    write!(stdout, "{text}{end}").and_then(|()| stdout.flush()).map_err(CliError::Output)
}

/// Prints a value as indented JSON.
pub(super) fn json(value: &impl Serialize) -> Result<(), CliError> {
    let shown = serde_json::to_string_pretty(value).map_err(|error| CliError::Output(error.into()))?;
    text(&shown)
}
