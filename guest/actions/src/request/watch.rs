//! The parameter `watch`: what to look for in a run's output.

use std::borrow::Cow;

use shellward_kit::arguments::{ArgumentError, Arguments};
use shellward_kit::contract::{Stdstream, Watch};
use shellward_kit::json::Json;
use shellward_kit::suggest::nearest;

use crate::failure::Failure;

/// How many watches a run may have.
const MOST: usize = 32;

/// The longest pattern, in bytes.
const LONGEST_PATTERN: usize = 4096;

/// The longest name of a watch, in bytes.
const LONGEST_NAME: usize = 128;

const KEYS: &[&str] = &["regex", "event", "once", "scope"];

/// Reads the watches. A terminal has no standard error that could be watched alone.
pub(super) fn watches(arguments: &Arguments<'_>, terminal: bool) -> Result<Vec<Watch>, Failure> {
    let expected = "a list such as [{\"regex\": \"listening on\", \"event\": \"ready\"}]";
    let entries = match arguments.value("watch") {
        None => return Ok(Vec::new()),
        Some(Json::Array(entries)) => entries,
        Some(other) => {
            return Err(ArgumentError::WrongType { name: "watch", expected, found: other.kind() }.into());
        }
    };
    if entries.len() > MOST {
        let found = entries.len();
        return Err(Failure::Parameter(format!("Parameter 'watch' takes at most {MOST} watches, not {found}.")));
    }
    entries.iter().enumerate().map(|(index, entry)| watch(&Entry { index, entry }, terminal)).collect()
}

/// One watch, and its place in the list for messages.
struct Entry<'a> {
    index: usize,
    entry: &'a Json<'a>,
}

fn watch(entry: &Entry<'_>, terminal: bool) -> Result<Watch, Failure> {
    let Json::Object(fields) = entry.entry else {
        return Err(entry.wrong("", "an object with 'regex' and 'event'", entry.entry));
    };
    if let Some((name, _)) = fields.iter().find(|(name, _)| !KEYS.contains(&name.as_ref())) {
        return Err(entry.unknown(name));
    }
    let once = match entry.field(fields, "once") {
        None => false,
        Some(Json::Boolean(once)) => *once,
        Some(other) => return Err(entry.wrong(".once", "true or false", other)),
    };
    let scope = match entry.field(fields, "scope") {
        None => None,
        Some(Json::Text(scope)) if scope == "both" => None,
        Some(Json::Text(scope)) if scope == "stdout" => Some(Stdstream::Stdout),
        Some(Json::Text(scope)) if scope == "stderr" && terminal => {
            return Err(Failure::Parameter(format!(
                "Parameter 'watch[{}].scope' cannot be 'stderr' with 'pty': a terminal shows both streams as stdout.",
                entry.index
            )));
        }
        Some(Json::Text(scope)) if scope == "stderr" => Some(Stdstream::Stderr),
        Some(other) => return Err(entry.wrong(".scope", "'stdout', 'stderr' or 'both'", other)),
    };
    Ok(Watch {
        pattern: entry.text(fields, "regex", LONGEST_PATTERN)?,
        event: entry.text(fields, "event", LONGEST_NAME)?,
        once,
        scope,
    })
}

impl Entry<'_> {
    fn field<'f>(&self, fields: &'f [(Cow<'f, str>, Json<'f>)], name: &str) -> Option<&'f Json<'f>> {
        let (_, value) = fields.iter().find(|(known, _)| known == name)?;
        (*value != Json::Null).then_some(value)
    }

    /// Gives a text that must be there and not be empty.
    fn text(&self, fields: &[(Cow<'_, str>, Json<'_>)], name: &str, most: usize) -> Result<String, Failure> {
        let index = self.index;
        match self.field(fields, name) {
            None => Err(Failure::Parameter(format!("Missing required parameter 'watch[{index}].{name}'."))),
            Some(Json::Text(text)) if text.is_empty() => {
                Err(Failure::Parameter(format!("Parameter 'watch[{index}].{name}' must not be empty.")))
            }
            Some(Json::Text(text)) if text.len() > most => {
                let message = format!("Parameter 'watch[{index}].{name}' must not be longer than {most} bytes.");
                Err(Failure::Parameter(message))
            }
            Some(Json::Text(text)) => Ok(text.as_ref().into()),
            Some(other) => Err(self.wrong(&format!(".{name}"), "a string", other)),
        }
    }

    fn wrong(&self, field: &str, expected: &str, found: &Json<'_>) -> Failure {
        let (index, found) = (self.index, found.kind());
        Failure::Parameter(format!("Parameter 'watch[{index}]{field}' must be {expected}, not {found}."))
    }

    fn unknown(&self, name: &str) -> Failure {
        let meant = nearest(name, KEYS).map(|meant| format!("Did you mean '{meant}'?"));
        let advice = meant.unwrap_or_else(|| "A watch takes 'regex', 'event', 'once' and 'scope'.".into());
        let name: String = name.chars().take(100).collect();
        Failure::Parameter(format!("Unknown parameter 'watch[{}].{name}'. {advice}", self.index))
    }
}
