//! Logging to standard error.

use std::io::IsTerminal;

use tracing_subscriber::EnvFilter;

/// Starts logging. What cannot be understood is said, and the default used.
pub(super) fn start(level: Option<&str>) {
    let asked =
        level.map(str::to_owned).or_else(|| std::env::var("SHELLWARD_LOG").ok()).filter(|text| !text.is_empty());
    let filter = asked.as_deref().map(EnvFilter::try_new);
    let (filter, wrong) = match filter {
        Some(Ok(filter)) => (filter, None),
        Some(Err(error)) => (EnvFilter::new("warn"), Some(error)),
        None => (EnvFilter::new("warn"), None),
    };
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .with_target(false)
        .without_time()
        .init();
    if let Some(error) = wrong {
        tracing::warn!(%error, "the log level is not understood; using `warn`");
    }
}
