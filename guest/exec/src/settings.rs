//! The table `tools.exec`.

use shellward_kit::contract::SettingsError;
use shellward_kit::settings::SettingsReader;

use crate::request::DEFAULT_MAX_LENGTH;

/// The specification's default timeout, in seconds.
const DEFAULT_TIMEOUT: u32 = 30;
/// The specification's longest timeout, in seconds.
const MAX_TIMEOUT: u32 = 120;
/// The longest timeout that can be set: a day.
const LONGEST: i64 = 86_400;

/// The settings, checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The timeout of calls that name none, in seconds.
    pub default_timeout_secs: u32,
    /// The longest timeout a call can name, in seconds.
    pub max_timeout_secs: u32,
    /// The characters shown of each stream in calls that name no number.
    pub default_max_length: u32,
    /// The shell, by name or path.
    pub shell: String,
    /// Whether commands run in the project's directories only.
    pub restrict_to_project: bool,
    /// Whether the answer says that output was cut, which the specification's format does not.
    pub note_truncation: bool,
    /// Whether the answer says that something left running still holds a stream.
    pub note_leaks: bool,
}

impl Settings {
    /// Reads the table, or says everything that is wrong with it.
    pub fn read(text: &str) -> Result<Self, Vec<SettingsError>> {
        let mut reader = SettingsReader::parse(text);
        let max = reader.integer("max_timeout_secs", 1..=LONGEST).map_or(MAX_TIMEOUT, |value| value as u32);
        let default = reader.integer("default_timeout_secs", 1..=LONGEST).map(|value| value as u32);
        let length = reader.integer("default_max_length", 1..=i64::from(i32::MAX));
        if let Some(default) = default.filter(|default| *default > max) {
            let message = format!("must be at most max_timeout_secs, which is {max}, not {default}");
            reader.error("default_timeout_secs", message);
        }
        let settings = Self {
            default_timeout_secs: default.unwrap_or(DEFAULT_TIMEOUT.min(max)),
            max_timeout_secs: max,
            default_max_length: length.map_or(DEFAULT_MAX_LENGTH, |value| value as u32),
            shell: reader.text("shell").map_or_else(|| "sh".into(), Into::into),
            restrict_to_project: reader.boolean("restrict_to_project").unwrap_or(false),
            note_truncation: reader.boolean("note_truncation").unwrap_or(true),
            note_leaks: reader.boolean("note_leaks").unwrap_or(true),
        };
        reader.finish().map(|()| settings)
    }
}

/// The JSON Schema of the table.
pub const SCHEMA: &str = r#"{
  "type": "object",
  "additionalProperties": false,
  "properties": {
    "default_timeout_secs": {"type": "integer", "minimum": 1, "maximum": 86400, "default": 30, "description": "Timeout of calls that name none, in seconds."},
    "max_timeout_secs": {"type": "integer", "minimum": 1, "maximum": 86400, "default": 120, "description": "Longest timeout a call gets, in seconds; what is longer is shortened to it."},
    "default_max_length": {"type": "integer", "minimum": 1, "maximum": 2147483647, "default": 50000, "description": "Characters shown of each stream in calls that name no number."},
    "shell": {"type": "string", "default": "sh", "description": "The shell, by name or path. It is run with -c and the command."},
    "restrict_to_project": {"type": "boolean", "default": false, "description": "Whether commands run only in directories of the project."},
    "note_truncation": {"type": "boolean", "default": true, "description": "Whether the answer ends with a line that says what was cut from the output."},
    "note_leaks": {"type": "boolean", "default": true, "description": "Whether the answer ends with a line that says which stream a process left running still holds."}
  }
}"#;

#[cfg(test)]
mod tests {
    use super::*;

    fn errors(text: &str) -> Vec<String> {
        let errors = Settings::read(text).expect_err("accepted");
        errors.into_iter().map(|error| format!("{}: {}", error.key.join("."), error.message)).collect()
    }

    #[test]
    fn defaults_are_those_of_the_specification() {
        let settings = Settings::read("{}").unwrap();
        assert_eq!((settings.default_timeout_secs, settings.max_timeout_secs), (30, 120));
        assert_eq!((settings.default_max_length, settings.shell.as_str()), (50_000, "sh"));
        assert!(!settings.restrict_to_project && settings.note_truncation && settings.note_leaks);
    }

    #[test]
    fn a_short_longest_timeout_shortens_the_default() {
        assert_eq!(Settings::read(r#"{"max_timeout_secs":10}"#).unwrap().default_timeout_secs, 10);
    }

    #[test]
    fn wrong_settings_are_named() {
        assert_eq!(
            errors(r#"{"default_timeout_secs":200}"#),
            ["default_timeout_secs: must be at most max_timeout_secs, which is 120, not 200"]
        );
        assert_eq!(
            errors(r#"{"shel":"bash","note_leaks":"no"}"#),
            [
                "note_leaks: must be true or false, not the string \"no\"",
                "shel: unknown setting; did you mean 'shell'?"
            ]
        );
    }

    #[test]
    fn the_schema_names_every_setting() {
        let schema: serde_json::Value = serde_json::from_str(SCHEMA).unwrap();
        for (name, property) in schema["properties"].as_object().unwrap() {
            let text = serde_json::json!({ name: property["default"] }).to_string();
            assert_eq!(Settings::read(&text), Settings::read("{}"), "{name}");
        }
        assert_eq!(schema["properties"].as_object().unwrap().len(), 7);
    }
}
