//! Shows on a terminal that a command still runs.

use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// Commands that take less show nothing.
const PATIENCE: Duration = Duration::from_millis(700);

/// Shows a spinner with the elapsed time until it is dropped; nothing where nobody looks.
pub(super) struct Spinner(Option<tokio::task::JoinHandle<()>>, ProgressBar);

impl Spinner {
    /// Must be called inside a runtime.
    pub(super) fn start(label: &str) -> Self {
        let bar = ProgressBar::hidden();
        if !std::io::stderr().is_terminal() {
            return Self(None, bar);
        }
        let style = ProgressStyle::with_template("{spinner} {elapsed} {wide_msg}");
        let label = label.lines().next().unwrap_or_default().to_owned();
        let shown = bar.clone();
        let task = tokio::spawn(async move {
            tokio::time::sleep(PATIENCE).await;
            shown.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
            shown.set_message(label);
            shown.set_draw_target(indicatif::ProgressDrawTarget::stderr());
            shown.enable_steady_tick(Duration::from_millis(120));
        });
        Self(Some(task), bar)
    }
}

impl Drop for Spinner {
    fn drop(&mut self) {
        if let Some(task) = &self.0 {
            task.abort();
            self.1.finish_and_clear();
        }
    }
}
