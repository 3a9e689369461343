//! Logging to standard error.

use std::io::IsTerminal;

use tracing_subscriber::EnvFilter;

/// What is logged unless said otherwise. The MCP library reports every request that is answered with an error and every
/// client that leaves, which are the clients' affairs.
const DEFAULT: &str = "warn,rmcp=off";

/// Starts logging. What cannot be understood is said, and the default used.
pub(super) fn start(level: Option<&str>) {
    let asked =
        level.map(str::to_owned).or_else(|| std::env::var("SHELLWARD_LOG").ok()).filter(|text| !text.is_empty());
    let filter = asked.as_deref().map(EnvFilter::try_new);
    let (filter, wrong) = match filter {
        Some(Ok(filter)) => (filter, None),
        Some(Err(error)) => (EnvFilter::new(DEFAULT), Some(error)),
        None => (EnvFilter::new(DEFAULT), None),
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
