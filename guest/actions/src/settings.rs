//! The settings: the table `tools.actions` and its JSON Schema.

use shellward_kit::contract::{Decision, SettingsError};
use shellward_kit::settings::SettingsReader;

/// The table of the settings file that is this policy's.
pub const TABLE: &str = "tools.actions";

/// The JSON Schema of the settings.
pub const SCHEMA: &str = include_str!("schemas/settings.json");

/// The longest of all times that can be set, in seconds: a year.
pub const LONGEST_SECS: i64 = 31_536_000;

/// The most output of a run that can be asked for, in bytes.
pub const MOST_STORED: i64 = 1 << 40;

/// Everything that can be set.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The shell that runs the commands.
    pub shell: Shell,
    /// The timeout of one-shot calls that name none, in seconds.
    pub default_timeout_secs: u64,
    /// The timeout of runs that name none, in seconds; none is no timeout.
    pub spawn_timeout_secs: Option<u64>,
    /// How much output of a run is stored, where the call does not say.
    pub max_output_bytes: u64,
    /// How much of each stream a one-shot call answers with, where the call does not say.
    pub oneshot_output_bytes: u64,
    /// How many runs of one session may run at once.
    pub runs_per_session: u32,
    /// How many runs may run at once in all.
    pub max_running: u32,
    /// What becomes of a run that a restarted host finds unfinished.
    pub recovery: Recovery,
    /// From SIGTERM to SIGKILL, in milliseconds.
    pub kill_grace_ms: u64,
    /// What becomes of what cannot be known.
    pub on_unknown: Decision,
    /// The longest snippet, in bytes.
    pub snippet_bytes: u32,
    /// The most items of a `log`; the host may give fewer.
    pub log_limit: u32,
    /// The most bytes of output in an answer.
    pub answer_bytes: u32,
    /// The longest `wait_ms`.
    pub max_wait_ms: u64,
    /// How many notices of watches a run may publish in a minute.
    pub watch_notices_per_minute: u32,
}

/// Which shell runs the commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shell {
    /// bash where it is installed, otherwise sh.
    Auto,
    /// bash.
    Bash,
    /// sh.
    Sh,
}

/// What becomes of a run that was running when the host ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recovery {
    /// It is queued and runs again.
    Requeue,
    /// It ends as lost, with the output it had, and never runs again.
    Lost,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            shell: Shell::Auto,
            default_timeout_secs: 120,
            spawn_timeout_secs: None,
            max_output_bytes: 64 << 20,
            oneshot_output_bytes: 64 << 10,
            runs_per_session: 1,
            max_running: 16,
            recovery: Recovery::Requeue,
            kill_grace_ms: 2000,
            on_unknown: Decision::Deny,
            snippet_bytes: 2000,
            log_limit: 200,
            answer_bytes: 64 << 10,
            max_wait_ms: 120_000,
            watch_notices_per_minute: 30,
        }
    }
}

impl Settings {
    /// Reads the settings.
    ///
    /// # Errors
    /// Every unknown key, wrong type and wrong value, each with its key.
    pub fn read(text: &str) -> Result<Self, Vec<SettingsError>> {
        let default = Self::default();
        let mut reader = SettingsReader::parse(text);
        let mut number = Numbers(&mut reader);
        let settings = Self {
            default_timeout_secs: number.long("default_timeout_secs", 1, LONGEST_SECS, default.default_timeout_secs),
            spawn_timeout_secs: Some(number.long("spawn_timeout_secs", 0, LONGEST_SECS, 0)).filter(|secs| *secs > 0),
            max_output_bytes: number.long("max_output_bytes", 0, MOST_STORED, default.max_output_bytes),
            oneshot_output_bytes: number.long("oneshot_output_bytes", 0, 2 << 20, default.oneshot_output_bytes),
            runs_per_session: number.short("runs_per_session", 1, 10_000, default.runs_per_session),
            max_running: number.short("max_running", 1, 10_000, default.max_running),
            kill_grace_ms: number.long("kill_grace_ms", 0, 3_600_000, default.kill_grace_ms),
            snippet_bytes: number.short("snippet_bytes", 0, 1 << 20, default.snippet_bytes),
            log_limit: number.short("log_limit", 1, 100_000, default.log_limit),
            answer_bytes: number.short("answer_bytes", 1024, 4 << 20, default.answer_bytes),
            max_wait_ms: number.long("max_wait_ms", 0, 3_600_000, default.max_wait_ms),
            watch_notices_per_minute: number.short(
                "watch_notices_per_minute",
                0,
                100_000,
                default.watch_notices_per_minute,
            ),
            shell: match reader.choice("shell", &["auto", "bash", "sh"]) {
                Some("bash") => Shell::Bash,
                Some("sh") => Shell::Sh,
                _ => default.shell,
            },
            recovery: match reader.choice("recovery", &["requeue", "lost"]) {
                Some("lost") => Recovery::Lost,
                _ => default.recovery,
            },
            on_unknown: match reader.choice("on_unknown", &["deny", "ask", "allow"]) {
                Some("ask") => Decision::Ask,
                Some("allow") => Decision::Allow,
                _ => default.on_unknown,
            },
        };
        reader.finish()?;
        Ok(settings)
    }

    /// Reads settings that `describe` has accepted already; what cannot be read is as it comes.
    #[must_use]
    pub fn accepted(text: &str) -> Self {
        Self::read(text).unwrap_or_default()
    }
}

/// Reads numbers that have defaults.
struct Numbers<'r, 'a>(&'r mut SettingsReader<'a>);

impl Numbers<'_, '_> {
    fn long(&mut self, key: &'static str, least: i64, most: i64, default: u64) -> u64 {
        self.0.integer(key, least..=most).and_then(|number| u64::try_from(number).ok()).unwrap_or(default)
    }

    fn short(&mut self, key: &'static str, least: i64, most: i64, default: u32) -> u32 {
        u32::try_from(self.long(key, least, most, default.into())).unwrap_or(default)
    }
}

#[cfg(test)]
mod tests {
    use super::{SCHEMA, Settings};
    use serde_json::{Map, Value};

    #[test]
    fn the_schema_knows_the_same_keys_and_defaults() {
        let schema: Value = serde_json::from_str(SCHEMA).unwrap();
        let properties = schema["properties"].as_object().unwrap();
        let defaults: Map<String, Value> =
            properties.iter().map(|(key, property)| (key.clone(), property["default"].clone())).collect();
        let text = Value::from(defaults).to_string();
        assert_eq!(Settings::read(&text), Ok(Settings::default()), "{text}");
        let unknown = Settings::read(r#"{"none": 1}"#).unwrap_err().remove(0).message;
        for key in properties.keys() {
            assert!(unknown.contains(key.as_str()), "{key} is in the schema only: {unknown}");
        }
        assert_eq!(unknown.matches(", ").count() + 1, properties.len(), "{unknown}");
    }

    #[test]
    fn wrong_settings_are_named() {
        for (text, key, part) in [
            (r#"{"recovery":"again"}"#, "recovery", "one of requeue, lost"),
            (r#"{"runs_per_session":0}"#, "runs_per_session", "between 1 and 10000"),
            (r#"{"snipet_bytes":1}"#, "snipet_bytes", "did you mean 'snippet_bytes'?"),
            (r#"{"on_unknown":"maybe"}"#, "on_unknown", "one of deny, ask, allow"),
            (r#"{"shell":"fish"}"#, "shell", "one of auto, bash, sh"),
        ] {
            let errors = Settings::read(text).unwrap_err();
            assert!(errors.len() == 1 && errors[0].key == [key] && errors[0].message.contains(part), "{errors:?}");
        }
    }
}
