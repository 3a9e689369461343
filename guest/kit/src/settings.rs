//! A policy's settings, read in one go: every error at once, each with its key.
//!
//! Reading a key makes it known; [`SettingsReader::finish`] refuses by name what nobody asked for.

use std::borrow::Cow;
use std::ops::RangeInclusive;

use crate::arguments::whole;
use crate::contract::SettingsError;
use crate::json::Json;
use crate::suggest::nearest;

/// Reads one table of settings.
#[derive(Debug)]
pub struct SettingsReader<'a> {
    path: Vec<String>,
    entries: Vec<(Cow<'a, str>, Json<'a>)>,
    known: Vec<&'static str>,
    errors: Vec<SettingsError>,
}

impl<'a> SettingsReader<'a> {
    /// Starts to read the settings that `describe` or the host gave.
    pub fn parse(text: &'a str) -> Self {
        match Json::parse(text) {
            Ok(value) => Self::of(Vec::new(), value),
            Err(error) => {
                let mut reader = Self::of(Vec::new(), Json::Object(Vec::new()));
                reader.errors.push(SettingsError { key: Vec::new(), message: format!("no valid JSON: {error}") });
                reader
            }
        }
    }

    fn of(path: Vec<String>, value: Json<'a>) -> Self {
        let (entries, errors) = match value {
            Json::Object(entries) => (entries, Vec::new()),
            other => {
                let message = format!("must be a table, not {}", other.kind());
                (Vec::new(), vec![SettingsError { key: path.clone(), message }])
            }
        };
        Self { path, entries, known: Vec::new(), errors }
    }

    /// Gives a truth value, where one is set.
    pub fn boolean(&mut self, key: &'static str) -> Option<bool> {
        match self.take(key)? {
            Json::Boolean(value) => Some(value),
            other => self.wrong(key, "true or false", &other),
        }
    }

    /// Gives a whole number within a range, where one is set.
    pub fn integer(&mut self, key: &'static str, range: RangeInclusive<i64>) -> Option<i64> {
        let value = self.take(key)?;
        let Some(number) = whole(&value) else { return self.wrong(key, "a whole number", &value) };
        match i64::try_from(number) {
            Ok(number) if range.contains(&number) => Some(number),
            Ok(_) | Err(_) => {
                let (least, most) = range.into_inner();
                self.error(key, format!("must be between {least} and {most}, not {number}"));
                None
            }
        }
    }

    /// Gives a text that holds more than white space and no NUL, where one is set.
    pub fn text(&mut self, key: &'static str) -> Option<Cow<'a, str>> {
        match self.take(key)? {
            Json::Text(text) if text.trim().is_empty() => {
                self.error(key, "must not be empty".into());
                None
            }
            Json::Text(text) if text.contains('\0') => {
                self.error(key, "must not contain a NUL character".into());
                None
            }
            Json::Text(text) => Some(text),
            other => self.wrong(key, "a string", &other),
        }
    }

    /// Gives one word among several, where one is set.
    pub fn choice(&mut self, key: &'static str, choices: &[&'static str]) -> Option<&'static str> {
        let text = self.text(key)?;
        let found = choices.iter().copied().find(|choice| *choice == text);
        if found.is_none() {
            let meant = nearest(&text, choices).map(|name| format!("; did you mean '{name}'?")).unwrap_or_default();
            self.error(key, format!("must be one of {}, not '{text}'{meant}", choices.join(", ")));
        }
        found
    }

    /// Gives a list of texts, where one is set. Each wrong one is an error with its place in the list.
    pub fn texts(&mut self, key: &'static str) -> Option<Vec<Cow<'a, str>>> {
        let values = match self.take(key)? {
            Json::Array(values) => values,
            other => return self.wrong(key, "a list of strings", &other),
        };
        let mut texts = Vec::with_capacity(values.len());
        for (index, value) in values.into_iter().enumerate() {
            match value {
                Json::Text(text) if !text.trim().is_empty() && !text.contains('\0') => texts.push(text),
                other => {
                    let mut path = self.path_to(key);
                    path.push(index.to_string());
                    let message = format!("must be a string that is not empty, not {}", other.kind());
                    self.errors.push(SettingsError { key: path, message });
                }
            }
        }
        Some(texts)
    }

    /// Reads a table within this one; an absent one is read as an empty one. `read` need not call `finish`.
    pub fn table<T>(&mut self, key: &'static str, read: impl FnOnce(&mut SettingsReader<'a>) -> T) -> T {
        let value = self.take(key).unwrap_or(Json::Object(Vec::new()));
        let mut inner = SettingsReader::of(self.path_to(key), value);
        let result = read(&mut inner);
        self.errors.extend(inner.finish().err().unwrap_or_default());
        result
    }

    /// Gives the names and values of a table whose keys are free, where one is set.
    pub fn entries(&mut self, key: &'static str) -> Option<Vec<(Cow<'a, str>, Json<'a>)>> {
        match self.take(key)? {
            Json::Object(entries) => Some(entries),
            other => self.wrong(key, "a table", &other),
        }
    }

    /// Adds an error that only the policy can see, such as two settings that contradict each other.
    pub fn error(&mut self, key: &'static str, message: String) {
        self.errors.push(SettingsError { key: self.path_to(key), message });
    }

    /// Ends the reading: all errors, those for keys that were never asked for included.
    pub fn finish(mut self) -> Result<(), Vec<SettingsError>> {
        for (name, _) in std::mem::take(&mut self.entries) {
            let message = match nearest(&name, &self.known) {
                Some(meant) => format!("unknown setting; did you mean '{meant}'?"),
                None => format!("unknown setting; there are {}", self.known.join(", ")),
            };
            let mut key = self.path.clone();
            key.push(name.into_owned());
            self.errors.push(SettingsError { key, message });
        }
        match self.errors.is_empty() {
            true => Ok(()),
            false => Err(self.errors),
        }
    }

    fn take(&mut self, key: &'static str) -> Option<Json<'a>> {
        self.known.push(key);
        let index = self.entries.iter().position(|(name, _)| name == key)?;
        Some(self.entries.remove(index).1)
    }

    fn wrong<T>(&mut self, key: &'static str, expected: &str, found: &Json<'_>) -> Option<T> {
        self.error(key, format!("must be {expected}, not {}", found.kind()));
        None
    }

    fn path_to(&self, key: &str) -> Vec<String> {
        self.path.iter().cloned().chain([key.to_owned()]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn errors(text: &str) -> Vec<String> {
        let mut reader = SettingsReader::parse(text);
        reader.integer("timeout", 1..=600);
        reader.boolean("enabled");
        reader.text("shell");
        reader.choice("mode", &["strict", "relaxed"]);
        reader.texts("deny");
        reader.table("rules", |rules| {
            rules.texts("allow");
        });
        let errors = reader.finish().err().unwrap_or_default();
        errors.into_iter().map(|error| format!("{}: {}", error.key.join("."), error.message)).collect()
    }

    #[test]
    fn names_every_wrong_key_at_once() {
        let text = r#"{"timeout":0,"enabled":1,"shell":" ","mode":"strikt","deny":["a",5],"rules":{"alow":[]},"tiemout":1,"zzz":2}"#;
        let expected = [
            "timeout: must be between 1 and 600, not 0",
            "enabled: must be true or false, not the number 1",
            "shell: must not be empty",
            "mode: must be one of strict, relaxed, not 'strikt'; did you mean 'strict'?",
            "deny.1: must be a string that is not empty, not the number 5",
            "rules.alow: unknown setting; did you mean 'allow'?",
            "tiemout: unknown setting; did you mean 'timeout'?",
            "zzz: unknown setting; there are timeout, enabled, shell, mode, deny, rules",
        ];
        assert_eq!(errors(text), expected);
    }

    #[test]
    fn takes_nothing_and_everything_right() {
        assert!(errors("{}").is_empty());
        let text = r#"{"timeout":60,"enabled":true,"shell":"sh","mode":"strict","deny":["a"],"rules":{"allow":["b"]}}"#;
        assert!(errors(text).is_empty());
    }

    #[test]
    fn says_when_it_is_no_table() {
        assert_eq!(errors("[]"), [": must be a table, not an array"]);
        assert!(errors("{")[0].starts_with(": no valid JSON: "));
        assert_eq!(errors(r#"{"rules":1}"#), ["rules: must be a table, not the number 1"]);
    }
}
