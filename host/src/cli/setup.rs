//! From what was typed to a host: the user's directories, the settings files, the policy.

use std::collections::BTreeMap;
use std::env;
use std::path::PathBuf;

use serde_json::{Map, Value};
use shellward::settings::{self, PROJECT_FILE, Settings};
use shellward::{Cache, GuardSpec, Host, HostBuilder, Keep, Runs, Source, Storage, inspect};

use super::arguments::Shared;
use super::error::CliError;
use super::prompt::Prompt;

/// A directory of the user's: the variable if it is set and absolute, else the place below the home directory.
fn user_directory(variable: &str, below_home: &str) -> Option<PathBuf> {
    let absolute = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    Some(absolute(variable).or_else(|| Some(absolute("HOME")?.join(below_home)))?.join("shellward"))
}

/// The cache of compiled policies. One that cannot be used costs time, and is said, but stops nothing.
pub(super) fn cache(shared: &Shared) -> Option<Cache> {
    let directory = user_directory("XDG_CACHE_HOME", ".cache").filter(|_| !shared.no_cache)?;
    Cache::open(&directory).inspect_err(|error| tracing::warn!("{error}")).ok()
}

fn files(shared: &Shared) -> Result<Settings, CliError> {
    let mut settings = Settings::default();
    if let Some(directory) = user_directory("XDG_CONFIG_HOME", ".config") {
        settings = settings.file(settings::Source::User, &directory.join("config.toml"))?;
    }
    Ok(settings.file(settings::Source::Project, &shared.project.join(PROJECT_FILE))?)
}

/// `KEY=VALUE` as a setting; the value is JSON if it can be, else a text.
fn setting(text: &str) -> Result<(String, Value), CliError> {
    let (key, value) = text
        .split_once('=')
        .filter(|(key, _)| !key.trim().is_empty())
        .ok_or_else(|| CliError::Usage(format!("--set takes KEY=VALUE, not '{text}'")))?;
    Ok((key.trim().to_owned(), serde_json::from_str(value).unwrap_or_else(|_| Value::String(value.to_owned()))))
}

/// The directory that durable runs are kept in.
fn data_directory(shared: &Shared, settings: &Settings) -> Result<PathBuf, CliError> {
    let directory = settings.data_directory()?.unwrap_or_else(|| PathBuf::from(".shellward"));
    Ok(shared.project.join(directory))
}

/// The durable runs of the project; none where there never was one.
pub(super) fn runs(shared: &Shared) -> Result<Option<Runs>, CliError> {
    Ok(Runs::open(&data_directory(shared, &files(shared)?)?)?)
}

/// The images of containers, as far as the settings can be read.
pub(super) fn containers(shared: &Shared) -> Result<BTreeMap<String, String>, CliError> {
    Ok(files(shared)?.containers()?)
}

/// How long durable runs are kept.
pub(super) fn keep(shared: &Shared) -> Result<Keep, CliError> {
    Ok(files(shared)?.limits()?.0.keep)
}

/// Sets up a host that stays, and takes up what an earlier one has left.
pub(super) fn host(shared: &Shared) -> Result<Host, CliError> {
    Ok(builder(shared, shared.policy.as_deref())?.build()?)
}

/// Sets up a host for one call.
pub(super) fn passing_host(shared: &Shared) -> Result<Host, CliError> {
    passing_host_of(shared, shared.policy.as_deref())
}

/// The same with this policy, or the settings' own.
pub(super) fn passing_host_of(shared: &Shared, policy: Option<&str>) -> Result<Host, CliError> {
    Ok(builder(shared, policy)?.leave_unfinished().build()?)
}

fn builder(shared: &Shared, policy: Option<&str>) -> Result<HostBuilder, CliError> {
    let mut settings = files(shared)?;
    let source = Source::parse(policy.or(settings.policy()).unwrap_or("bash"))?;
    let (limits, policy_limits) = settings.limits()?;
    if !shared.set.is_empty() {
        let values: Map<_, _> = shared.set.iter().map(|text| setting(text)).collect::<Result<_, _>>()?;
        let table = inspect(source.clone(), cache(shared))?.component.manifest().settings_table.clone();
        settings = settings.given(&table, values);
    }
    let directory = data_directory(shared, &settings)?;
    let directory = std::path::absolute(&directory).unwrap_or(directory);
    let builder = Host::builder()
        .storage(Storage::Directory(directory))
        .project(&shared.project)
        .policy(source)
        .settings(settings)
        .limits(limits)
        .policy_limits(policy_limits)
        .approver(Prompt);
    let builder = shared.guard.iter().fold(builder, |builder, file| builder.guard(GuardSpec::file(file)));
    Ok(match cache(shared) {
        Some(cache) => builder.cache(cache),
        None => builder,
    })
}
