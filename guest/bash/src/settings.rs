//! The settings: the table `tools.Bash`, its JSON Schema, and the variables that stand above the files.

use crate::errors::LONGEST_TIMEOUT;
use crate::rules::lists::List;
use shellward_kit::contract::{Decision, SettingsError, Variable, VariableKind};
use shellward_kit::settings::SettingsReader;

/// The table of the settings file that is this policy's.
pub const TABLE: &str = "tools.Bash";

/// The JSON Schema of the settings.
pub const SCHEMA: &str = include_str!("schemas/settings.json");

/// The most bytes of a stream that can be kept: the envelope must fit into an entry's memory and time in the worst case,
/// in which every byte becomes six.
const MOST_KEPT: u64 = 1 << 20;

/// Which shell runs the commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shell {
    /// bash, or sh where there is no bash.
    Auto,
    /// bash alone.
    Bash,
    /// sh.
    Sh,
}

/// Everything that can be set.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// What becomes of a command of which it cannot be known what it would run.
    pub on_unknown: Decision,
    /// Whether `curl` and `wget` run.
    pub allow_network: bool,
    /// Whether readers run that only filter the output of another command.
    pub allow_filters_in_pipes: bool,
    /// Which shell runs the commands.
    pub shell: Shell,
    /// The timeout of a call that gives none, in milliseconds.
    pub default_timeout_ms: u64,
    /// The time between SIGTERM and SIGKILL after a timeout.
    pub kill_grace_ms: u64,
    /// How many characters of each stream an answer gives; none gives all that is kept.
    pub max_output_chars: Option<usize>,
    /// How many bytes of each stream are kept, half from its start and half from its end.
    pub keep_output_bytes: u64,
    /// How many characters of each stream the text shows.
    pub summary_chars: usize,
    /// How many commands may run at once; none leaves it to the host.
    pub max_running: Option<u32>,
    changes: Vec<Change>,
}

/// A change of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Change {
    list: List,
    extra: Vec<String>,
    allow: Vec<String>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            on_unknown: Decision::Deny,
            allow_network: false,
            allow_filters_in_pipes: false,
            shell: Shell::Auto,
            default_timeout_ms: 120_000,
            kill_grace_ms: 2000,
            max_output_chars: None,
            keep_output_bytes: 512 << 10,
            summary_chars: 30_000,
            max_running: None,
            changes: Vec::new(),
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
        let settings = Self {
            on_unknown: match reader.choice("on_unknown", &["deny", "ask", "allow"]) {
                Some("ask") => Decision::Ask,
                Some("allow") => Decision::Allow,
                _ => default.on_unknown,
            },
            allow_network: reader.boolean("allow_network").unwrap_or(default.allow_network),
            allow_filters_in_pipes: reader.boolean("allow_filters_in_pipes").unwrap_or(default.allow_filters_in_pipes),
            shell: match reader.choice("shell", &["auto", "bash", "sh"]) {
                Some("bash") => Shell::Bash,
                Some("sh") => Shell::Sh,
                _ => default.shell,
            },
            default_timeout_ms: number(&mut reader, "default_timeout_ms", 1, LONGEST_TIMEOUT)
                .unwrap_or(default.default_timeout_ms),
            kill_grace_ms: number(&mut reader, "kill_grace_ms", 0, 60_000).unwrap_or(default.kill_grace_ms),
            max_output_chars: number(&mut reader, "max_output_chars", 0, MOST_KEPT)
                .filter(|most| *most > 0)
                .map(|most| most as usize),
            keep_output_bytes: number(&mut reader, "keep_output_bytes", 4096, MOST_KEPT)
                .unwrap_or(default.keep_output_bytes),
            summary_chars: number(&mut reader, "summary_chars", 0, 200_000)
                .map_or(default.summary_chars, |most| most as usize),
            max_running: number(&mut reader, "max_running", 1, 10_000).map(|most| most as u32),
            changes: List::ALL.into_iter().filter_map(|list| change(&mut reader, list)).collect(),
        };
        reader.finish()?;
        Ok(settings)
    }

    /// Reads settings that `describe` has accepted already; what cannot be read is as it comes.
    #[must_use]
    pub fn accepted(text: &str) -> Self {
        Self::read(text).unwrap_or_default()
    }

    /// Gives the programs that were added to a list.
    #[must_use]
    pub fn extra(&self, list: List) -> &[String] {
        self.change(list).map_or(&[], |change| &change.extra)
    }

    /// Gives the programs that were taken off a list.
    #[must_use]
    pub fn allowed(&self, list: List) -> &[String] {
        self.change(list).map_or(&[], |change| &change.allow)
    }

    fn change(&self, list: List) -> Option<&Change> {
        self.changes.iter().find(|change| change.list == list)
    }
}

/// Gives the environment variables that set settings.
#[must_use]
pub fn variables() -> Vec<Variable> {
    vec![Variable {
        name: "BASH_ALLOW_NETWORK".to_owned(),
        key: "allow_network".to_owned(),
        kind: VariableKind::Boolean,
    }]
}

fn number(reader: &mut SettingsReader<'_>, key: &'static str, least: u64, most: u64) -> Option<u64> {
    let range = i64::try_from(least).ok()?..=i64::try_from(most).ok()?;
    reader.integer(key, range).and_then(|number| u64::try_from(number).ok())
}

fn change(reader: &mut SettingsReader<'_>, list: List) -> Option<Change> {
    let extra = programs(reader, list.extra_key());
    let allow = programs(reader, list.allow_key());
    for name in &allow {
        if !list.holds(name) {
            let names = list.names().join(", ");
            reader.error(list.allow_key(), format!("'{name}' is not on this list, which holds {names}"));
        }
        if extra.contains(name) {
            reader.error(list.allow_key(), format!("'{name}' is in {} as well", list.extra_key()));
        }
    }
    (!extra.is_empty() || !allow.is_empty()).then_some(Change { list, extra, allow })
}

/// Reads names of programs, which hold no blanks and no slash: programs are judged by the last part of their path.
fn programs(reader: &mut SettingsReader<'_>, key: &'static str) -> Vec<String> {
    let names: Vec<String> = reader.texts(key).unwrap_or_default().into_iter().map(String::from).collect();
    for name in &names {
        if name.contains('/') || name.contains(char::is_whitespace) {
            reader.error(key, format!("'{name}' is not the name of a program: give it without path and arguments"));
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::{SCHEMA, Settings, Shell};
    use crate::rules::lists::List;
    use shellward_kit::contract::Decision;

    const ALL: &str = r#"{
        "on_unknown": "ask", "allow_network": true, "allow_filters_in_pipes": true, "shell": "sh",
        "default_timeout_ms": 5, "kill_grace_ms": 0, "max_output_chars": 9, "keep_output_bytes": 4096,
        "summary_chars": 8, "max_running": 3, "interactive_extra": ["mc"], "interactive_allow": ["less"],
        "dangerous_extra": ["wipefs"], "dangerous_allow": ["dd"], "network_extra": ["nc"], "network_allow": ["wget"],
        "readers_extra": ["bat"], "readers_allow": ["cat", "ls"]
    }"#;

    #[test]
    fn nothing_set_is_the_default() {
        assert_eq!(Settings::read("{}"), Ok(Settings::default()));
        let zero = Settings::read(r#"{"max_output_chars":0}"#).expect("settings");
        assert_eq!(zero.max_output_chars, None);
    }

    #[test]
    fn everything_can_be_set() {
        let settings = Settings::read(ALL).expect("settings");
        assert_eq!((settings.on_unknown, settings.shell), (Decision::Ask, Shell::Sh));
        assert!(settings.allow_network && settings.allow_filters_in_pipes);
        assert_eq!((settings.default_timeout_ms, settings.kill_grace_ms), (5, 0));
        assert_eq!((settings.max_output_chars, settings.keep_output_bytes), (Some(9), 4096));
        assert_eq!((settings.summary_chars, settings.max_running), (8, Some(3)));
        assert_eq!(settings.extra(List::Interactive), ["mc"]);
        assert_eq!(settings.allowed(List::Readers), ["cat", "ls"]);
    }

    #[test]
    fn the_schema_names_the_same_settings() {
        let schema: serde_json::Value = serde_json::from_str(SCHEMA).expect("JSON");
        let all: serde_json::Value = serde_json::from_str(ALL).expect("JSON");
        let keys = |value: &serde_json::Value| -> Vec<String> {
            value.as_object().expect("an object").keys().cloned().collect()
        };
        assert_eq!(keys(&schema["properties"]), keys(&all));
        assert_eq!(schema["additionalProperties"], false);
    }

    #[test]
    fn wrong_settings_are_named() {
        for (text, key, part) in [
            (r#"{"on_unknown":"maybe"}"#, "on_unknown", "one of deny, ask, allow"),
            (r#"{"allow_network":"yes"}"#, "allow_network", "true or false"),
            (r#"{"allow_netwrok":true}"#, "allow_netwrok", "did you mean 'allow_network'?"),
            (r#"{"shell":"fish"}"#, "shell", "one of auto, bash, sh"),
            (r#"{"default_timeout_ms":600001}"#, "default_timeout_ms", "between 1 and 600000"),
            (r#"{"keep_output_bytes":1}"#, "keep_output_bytes", "between 4096"),
            (r#"{"readers_allow":["bat"]}"#, "readers_allow", "not on this list, which holds ls,"),
            (r#"{"readers_extra":["/bin/x"]}"#, "readers_extra", "without path and arguments"),
            (r#"{"readers_extra":["git log"]}"#, "readers_extra", "without path and arguments"),
            (r#"{"readers_extra":["ls"],"readers_allow":["ls"]}"#, "readers_allow", "in readers_extra as well"),
            (r#"{"network_extra":"nc"}"#, "network_extra", "a list of strings"),
            ("[]", "", "a table"),
            ("{", "", "JSON"),
        ] {
            let errors = Settings::read(text).expect_err(text);
            let found = errors.iter().any(|error| error.key.join(".") == key && error.message.contains(part));
            assert!(found, "{text}: {errors:?}");
        }
    }
}
