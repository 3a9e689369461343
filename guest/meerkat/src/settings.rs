//! The settings: the table `tools.shell` and its JSON Schema.

use shellward_kit::contract::{Decision, SettingsError};
use shellward_kit::settings::SettingsReader;

/// The table of the settings file that is this policy's.
pub const TABLE: &str = "tools.shell";

/// The JSON Schema of the settings.
pub const SCHEMA: &str = include_str!("schemas/settings.json");

/// The longest timeout and the longest time that records are kept, in seconds: a year.
pub const LONGEST: i64 = 31_536_000;

/// The most bytes of a stream that can be kept: the answer must fit into an entry's memory and time in the worst
/// case, in which every byte becomes six.
const MOST_KEPT: i64 = 1 << 20;

/// Everything that can be set. The first nine are those of the specification.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Whether the tools are offered.
    pub enabled: bool,
    /// The timeout of calls that name none, in seconds.
    pub default_timeout_secs: u64,
    /// Whether commands run in directories of the project only.
    pub restrict_to_project: bool,
    /// The shell by name; none takes `nu`, or /bin/sh where there is no `nu`.
    pub shell: Option<String>,
    /// The shell by its path, whatever its name.
    pub shell_path: Option<String>,
    /// A directory within the host's root that stands for the project's; none takes the host's.
    pub project_root: Option<String>,
    /// How many ended jobs are remembered.
    pub max_completed_jobs: u32,
    /// How long ended jobs are remembered, in seconds.
    pub completed_job_ttl_secs: u64,
    /// How many commands may run at once.
    pub max_concurrent_processes: u32,
    /// The time between SIGTERM and SIGKILL, in seconds.
    pub cancel_grace_secs: u64,
    /// What becomes of a command of which it cannot be known what it would run.
    pub on_unknown: Decision,
    /// How many bytes of each stream are kept, half from its start and half from its end.
    pub keep_output_bytes: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            enabled: false,
            default_timeout_secs: 30,
            restrict_to_project: true,
            shell: None,
            shell_path: None,
            project_root: None,
            max_completed_jobs: 100,
            completed_job_ttl_secs: 300,
            max_concurrent_processes: 10,
            cancel_grace_secs: 5,
            on_unknown: Decision::Deny,
            keep_output_bytes: 512 << 10,
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
            enabled: reader.boolean("enabled").unwrap_or(default.enabled),
            default_timeout_secs: number(&mut reader, "default_timeout_secs", 1, LONGEST)
                .unwrap_or(default.default_timeout_secs),
            restrict_to_project: reader.boolean("restrict_to_project").unwrap_or(default.restrict_to_project),
            shell: reader.text("shell").map(Into::into),
            shell_path: shell_path(&mut reader),
            project_root: reader.text("project_root").map(Into::into),
            max_completed_jobs: count(&mut reader, "max_completed_jobs", 0).unwrap_or(default.max_completed_jobs),
            completed_job_ttl_secs: number(&mut reader, "completed_job_ttl_secs", 0, LONGEST)
                .unwrap_or(default.completed_job_ttl_secs),
            max_concurrent_processes: count(&mut reader, "max_concurrent_processes", 1)
                .unwrap_or(default.max_concurrent_processes),
            cancel_grace_secs: number(&mut reader, "cancel_grace_secs", 0, 3600).unwrap_or(default.cancel_grace_secs),
            on_unknown: match reader.choice("on_unknown", &["deny", "ask", "allow"]) {
                Some("ask") => Decision::Ask,
                Some("allow") => Decision::Allow,
                _ => default.on_unknown,
            },
            keep_output_bytes: number(&mut reader, "keep_output_bytes", 4096, MOST_KEPT)
                .unwrap_or(default.keep_output_bytes),
        };
        reader.finish()?;
        Ok(settings)
    }

    /// Reads settings that `describe` has accepted already; what cannot be read is as it comes, so nothing runs.
    #[must_use]
    pub fn accepted(text: &str) -> Self {
        Self::read(text).unwrap_or_default()
    }
}

fn shell_path(reader: &mut SettingsReader<'_>) -> Option<String> {
    let path = reader.text("shell_path")?;
    if !path.starts_with('/') {
        reader.error("shell_path", format!("must be an absolute path, not '{path}'; a name belongs into shell"));
        return None;
    }
    Some(path.into())
}

fn number(reader: &mut SettingsReader<'_>, key: &'static str, least: i64, most: i64) -> Option<u64> {
    reader.integer(key, least..=most).and_then(|number| u64::try_from(number).ok())
}

fn count(reader: &mut SettingsReader<'_>, key: &'static str, least: i64) -> Option<u32> {
    number(reader, key, least, 100_000).and_then(|number| u32::try_from(number).ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use shellward_kit::fake::schema_defaults;

    const ALL: &str = r#"{
        "enabled": true, "default_timeout_secs": 60, "restrict_to_project": false, "shell": "bash",
        "shell_path": "/bin/bash", "project_root": "web", "max_completed_jobs": 7, "completed_job_ttl_secs": 8,
        "max_concurrent_processes": 9, "cancel_grace_secs": 2, "on_unknown": "ask", "keep_output_bytes": 4096
    }"#;

    #[test]
    fn config_parsing_and_defaults() {
        assert_eq!(Settings::read("{}"), Ok(Settings::default()));
        let Settings { enabled, default_timeout_secs, restrict_to_project, shell, shell_path, .. } =
            Settings::default();
        assert_eq!((enabled, default_timeout_secs, restrict_to_project), (false, 30, true));
        assert_eq!((shell, shell_path), (None, None));
        let Settings { max_completed_jobs, completed_job_ttl_secs, max_concurrent_processes, .. } = Settings::default();
        assert_eq!((max_completed_jobs, completed_job_ttl_secs, max_concurrent_processes), (100, 300, 10));
        let all = Settings {
            enabled: true,
            default_timeout_secs: 60,
            restrict_to_project: false,
            shell: Some("bash".into()),
            shell_path: Some("/bin/bash".into()),
            project_root: Some("web".into()),
            max_completed_jobs: 7,
            completed_job_ttl_secs: 8,
            max_concurrent_processes: 9,
            cancel_grace_secs: 2,
            on_unknown: Decision::Ask,
            keep_output_bytes: 4096,
        };
        assert_eq!(Settings::read(ALL), Ok(all));
    }

    #[test]
    fn the_schema_knows_the_same_keys_and_defaults() {
        let text = schema_defaults(SCHEMA, ALL, &["shell"]);
        assert_eq!(Settings::read(&text), Ok(Settings::default()), "{text}");
    }

    #[test]
    fn wrong_settings_are_named() {
        let cases = [
            (r#"{"timeout":5}"#, "timeout: unknown setting; did you mean 'default_timeout_secs'?"),
            (r#"{"enabled":"yes"}"#, "enabled: must be true or false, not the string \"yes\""),
            (r#"{"default_timeout_secs":0}"#, "default_timeout_secs: must be between 1 and 31536000, not 0"),
            (r#"{"max_concurrent_processes":0}"#, "max_concurrent_processes: must be between 1 and 100000, not 0"),
            (r#"{"shell_path":"nu"}"#, "shell_path: must be an absolute path, not 'nu'; a name belongs into shell"),
            (r#"{"on_unknown":"maybe"}"#, "on_unknown: must be one of deny, ask, allow, not 'maybe'"),
        ];
        for (text, expected) in cases {
            let errors = Settings::read(text).expect_err("accepted");
            let worded: Vec<_> =
                errors.iter().map(|error| format!("{}: {}", error.key.join("."), error.message)).collect();
            assert_eq!(worded, [expected]);
        }
    }
}
