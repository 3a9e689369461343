//! The settings: the table `tools.pattern` and its JSON Schema.

use shellward_kit::contract::{Decision, SettingsError};
use shellward_kit::json::Json;
use shellward_kit::settings::SettingsReader;
use shellward_syntax::facts::Tier;

use crate::glob::Glob;

/// The table of the settings file that is this policy's.
pub const TABLE: &str = "tools.pattern";

/// The JSON Schema of the settings.
pub const SCHEMA: &str = include_str!("schemas/settings.json");

/// The longest timeout in seconds: a day.
pub const LONGEST: i64 = 86_400;

/// The most bytes of a stream that can be kept: the answer must fit into a component's memory in the worst case, in
/// which every byte becomes six.
const MOST_KEPT: i64 = 2 << 20;

/// As many rules as are held against every command of a line in the time that a policy has.
const MOST_RULES: usize = 64;

/// What is denied unless the settings say otherwise.
const DENYLIST: [&str; 6] = ["sudo *", "doas *", "su *", "pkexec *", "chmod *", "mkfs*"];

/// Everything that can be set.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The tier that is granted where no rule says otherwise.
    pub default: Tier,
    /// The tiers granted to commands that match; among several the strictest counts.
    pub rules: Vec<(Glob, Tier)>,
    /// Commands that do not run, whatever their tier, unless `admin` is granted to them.
    pub denylist: Vec<Glob>,
    /// Where commands may go and what they may name, from the project's root.
    pub allowed_paths: Vec<String>,
    /// Whether a path that cannot be known is refused.
    pub strict_path_enforcement: bool,
    /// What becomes of a command of which it cannot be known what it would run.
    pub on_unknown: Decision,
    /// Whether the session's shell keeps standard error apart rather than showing programs a terminal.
    pub apart: bool,
    /// The shell.
    pub shell: Shell,
    /// The timeout of a command that names none, in seconds.
    pub default_timeout: u64,
    /// The time between SIGINT and SIGTERM, in milliseconds.
    pub interrupt_grace_ms: u64,
    /// The time between SIGTERM and SIGKILL, in milliseconds.
    pub kill_grace_ms: u64,
    /// How long a command may wait for input that nobody can give, in milliseconds.
    pub input_wait_ms: u64,
    /// How long a document stays pinned after its process has ended, in seconds.
    pub unpin_after: u64,
    /// How many processes may run at once.
    pub max_tasks: u32,
    /// How many bytes of each stream are kept, a quarter from its start and the rest from its end.
    pub keep_output_bytes: u64,
    /// What fences commands in.
    pub backend: Backend,
    /// The container, by the name that the host's settings give it; empty where commands run in none.
    pub container: String,
    /// Whether a sandbox or container has the network.
    pub network: bool,
}

/// Which shell runs the commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shell {
    /// bash, or sh where there is no bash.
    Auto,
    /// bash alone.
    Bash,
    /// zsh.
    Zsh,
    /// sh.
    Sh,
}

/// What fences commands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    /// Nothing.
    Local,
    /// A sandbox in which only the allowed paths can be written.
    Sandbox,
    /// A container in which only the allowed paths are there.
    Container,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            default: Tier::ReadWrite,
            rules: Vec::new(),
            denylist: DENYLIST.iter().map(|text| Glob::new(text)).collect(),
            allowed_paths: vec![".".into()],
            strict_path_enforcement: false,
            on_unknown: Decision::Deny,
            apart: true,
            shell: Shell::Auto,
            default_timeout: 60,
            interrupt_grace_ms: 1000,
            kill_grace_ms: 2000,
            input_wait_ms: 5000,
            unpin_after: 300,
            max_tasks: 20,
            keep_output_bytes: 256 << 10,
            backend: Backend::Local,
            container: String::new(),
            network: false,
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
            default: reader.choice("default", &TIERS).and_then(tier).unwrap_or(default.default),
            rules: rules(&mut reader),
            denylist: globs(&mut reader, "denylist").unwrap_or(default.denylist),
            allowed_paths: allowed(&mut reader).unwrap_or(default.allowed_paths),
            strict_path_enforcement: reader
                .boolean("strict_path_enforcement")
                .unwrap_or(default.strict_path_enforcement),
            on_unknown: match reader.choice("on_unknown", &["deny", "ask", "allow"]) {
                Some("ask") => Decision::Ask,
                Some("allow") => Decision::Allow,
                _ => default.on_unknown,
            },
            apart: reader.choice("session", &["apart", "terminal"]) != Some("terminal"),
            shell: match reader.choice("shell", &["auto", "bash", "zsh", "sh"]) {
                Some("bash") => Shell::Bash,
                Some("zsh") => Shell::Zsh,
                Some("sh") => Shell::Sh,
                _ => default.shell,
            },
            default_timeout: number(&mut reader, "default_timeout", 1, LONGEST).unwrap_or(default.default_timeout),
            interrupt_grace_ms: number(&mut reader, "interrupt_grace_ms", 1, 60_000)
                .unwrap_or(default.interrupt_grace_ms),
            kill_grace_ms: number(&mut reader, "kill_grace_ms", 0, 60_000).unwrap_or(default.kill_grace_ms),
            input_wait_ms: number(&mut reader, "input_wait_ms", 100, 3_600_000).unwrap_or(default.input_wait_ms),
            unpin_after: number(&mut reader, "unpin_after", 0, LONGEST).unwrap_or(default.unpin_after),
            max_tasks: number(&mut reader, "max_tasks", 1, 100_000)
                .and_then(|number| u32::try_from(number).ok())
                .unwrap_or(default.max_tasks),
            keep_output_bytes: number(&mut reader, "keep_output_bytes", 4096, MOST_KEPT)
                .unwrap_or(default.keep_output_bytes),
            backend: match reader.choice("backend", &["local", "sandbox", "container"]) {
                Some("sandbox") => Backend::Sandbox,
                Some("container") => Backend::Container,
                _ => default.backend,
            },
            container: reader.text("container").map_or(default.container, Into::into),
            network: reader.boolean("network").unwrap_or(default.network),
        };
        settings.agree(&mut reader);
        reader.finish()?;
        Ok(settings)
    }

    /// Refuses settings that contradict each other.
    fn agree(&self, reader: &mut SettingsReader<'_>) {
        let contained = self.backend == Backend::Container;
        if contained && self.container.is_empty() {
            let advice = "must name a container of [host.containers] where backend is \"container\"";
            reader.error("container", advice.into());
        }
        if !contained && !self.container.is_empty() {
            reader.error("container", "is only used where backend is \"container\"".into());
        }
        if contained && !self.apart {
            let advice = "cannot be \"terminal\" in a container, whose shell has no terminal: leave it at \"apart\"";
            reader.error("session", advice.into());
        }
    }

    /// Reads settings that `describe` has accepted already; what cannot be read is as it comes, and then nothing is
    /// granted but reading.
    #[must_use]
    pub fn accepted(text: &str) -> Self {
        Self::read(text).unwrap_or_else(|_| Self { default: Tier::ReadOnly, ..Self::default() })
    }
}

const TIERS: [&str; 3] = ["read_only", "read_write", "admin"];

fn tier(word: &str) -> Option<Tier> {
    match word {
        "read_only" => Some(Tier::ReadOnly),
        "read_write" => Some(Tier::ReadWrite),
        "admin" => Some(Tier::Admin),
        _ => None,
    }
}

fn rules(reader: &mut SettingsReader<'_>) -> Vec<(Glob, Tier)> {
    let entries = reader.entries("rules").unwrap_or_default();
    if entries.len() > MOST_RULES {
        reader.error("rules", format!("must be at most {MOST_RULES} rules, not {}", entries.len()));
        return Vec::new();
    }
    let mut rules = Vec::new();
    for (pattern, value) in entries {
        let granted = match &value {
            Json::Text(word) => tier(word),
            _ => None,
        };
        match granted {
            _ if pattern.trim().is_empty() => reader.error("rules", "a pattern must not be empty".into()),
            Some(granted) => rules.push((Glob::new(&pattern), granted)),
            None => {
                let message = format!("'{pattern}' must be one of {}, not {}", TIERS.join(", "), value.kind());
                reader.error("rules", message);
            }
        }
    }
    rules
}

fn globs(reader: &mut SettingsReader<'_>, key: &'static str) -> Option<Vec<Glob>> {
    let texts = reader.texts(key)?;
    if texts.len() > MOST_RULES {
        reader.error(key, format!("must be at most {MOST_RULES} patterns, not {}", texts.len()));
        return None;
    }
    Some(texts.iter().map(|text| Glob::new(text)).collect())
}

fn allowed(reader: &mut SettingsReader<'_>) -> Option<Vec<String>> {
    let paths = reader.texts("allowed_paths")?;
    if paths.is_empty() {
        reader.error("allowed_paths", "must name at least one directory; \".\" is the project's root".into());
        return None;
    }
    Some(paths.into_iter().map(Into::into).collect())
}

fn number(reader: &mut SettingsReader<'_>, key: &'static str, least: i64, most: i64) -> Option<u64> {
    reader.integer(key, least..=most).and_then(|number| u64::try_from(number).ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use shellward_kit::fake::schema_defaults;

    const ALL: &str = r#"{
        "default": "read_only", "rules": {"cargo *": "admin"}, "denylist": ["terraform *"],
        "allowed_paths": ["src", "/opt/data"], "strict_path_enforcement": true, "on_unknown": "ask",
        "session": "apart", "shell": "zsh", "default_timeout": 5, "interrupt_grace_ms": 6, "kill_grace_ms": 7,
        "input_wait_ms": 800, "unpin_after": 9, "max_tasks": 10, "keep_output_bytes": 4096, "backend": "container",
        "container": "dev", "network": true
    }"#;

    #[test]
    fn every_setting_is_read() {
        assert_eq!(Settings::read("{}"), Ok(Settings::default()));
        let all = Settings {
            default: Tier::ReadOnly,
            rules: vec![(Glob::new("cargo *"), Tier::Admin)],
            denylist: vec![Glob::new("terraform *")],
            allowed_paths: vec!["src".into(), "/opt/data".into()],
            strict_path_enforcement: true,
            on_unknown: Decision::Ask,
            apart: true,
            shell: Shell::Zsh,
            default_timeout: 5,
            interrupt_grace_ms: 6,
            kill_grace_ms: 7,
            input_wait_ms: 800,
            unpin_after: 9,
            max_tasks: 10,
            keep_output_bytes: 4096,
            backend: Backend::Container,
            container: "dev".into(),
            network: true,
        };
        assert_eq!(Settings::read(ALL), Ok(all));
    }

    #[test]
    fn the_schema_knows_the_same_keys_and_defaults() {
        let text = schema_defaults(SCHEMA, ALL, &[]);
        assert_eq!(Settings::read(&text), Ok(Settings::default()), "{text}");
    }

    #[test]
    fn wrong_settings_are_named() {
        let cases = [
            (r#"{"default":"all"}"#, "default: must be one of read_only, read_write, admin, not 'all'"),
            (
                r#"{"rules":{"ls":"some"}}"#,
                "rules: 'ls' must be one of read_only, read_write, admin, not the string \"some\"",
            ),
            (r#"{"allowed_paths":[]}"#, "allowed_paths: must name at least one directory; \".\" is the project's root"),
            (r#"{"backend":"container"}"#, "container: must name a container of [host.containers]"),
            (r#"{"container":"dev"}"#, "container: is only used where backend is \"container\""),
            (
                r#"{"backend":"container","container":"dev","session":"terminal"}"#,
                "session: cannot be \"terminal\" in a container",
            ),
            (r#"{"strict":true}"#, "strict: unknown setting; did you mean 'strict_path_enforcement'?"),
        ];
        for (text, expected) in cases {
            let errors = Settings::read(text).expect_err("accepted");
            let worded = format!("{}: {}", errors[0].key.join("."), errors[0].message);
            assert!(worded.starts_with(expected) && errors.len() == 1, "{worded}");
        }
        let terminal = Settings::read(r#"{"session":"terminal"}"#).map(|settings| settings.apart);
        assert_eq!(terminal, Ok(false));
        assert_eq!(Settings::accepted("nonsense").default, Tier::ReadOnly);
    }
}
