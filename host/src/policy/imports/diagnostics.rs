//! `diagnostics`: a policy's messages, bounded, to `tracing`.

use crate::policy::Context;
use crate::policy::bindings::shellward::policy::diagnostics::{Host, Level};

/// Messages of one entry that are passed on.
const MESSAGES: u32 = 32;

/// Characters of one message that are passed on.
const LENGTH: usize = 2000;

impl Host for Context {
    fn log(&mut self, level: Level, message: String) -> wasmtime::Result<()> {
        self.logged = self.logged.saturating_add(1);
        if self.logged > MESSAGES {
            if self.logged == MESSAGES + 1 {
                tracing::warn!(
                    policy = self.attached.as_ref().map(|attached| attached.stamp.to_string()),
                    "a policy logs more than {MESSAGES} messages in one entry; the rest is dropped"
                );
            }
            return Ok(());
        }
        let message = message.char_indices().nth(LENGTH).map_or(&*message, |(at, _)| &message[..at]);
        let policy = self.attached.as_ref().map(|attached| attached.stamp.to_string());
        match level {
            Level::Debug => tracing::debug!(policy, "{message}"),
            Level::Info => tracing::info!(policy, "{message}"),
            Level::Warning => tracing::warn!(policy, "{message}"),
            Level::Error => tracing::error!(policy, "{message}"),
        }
        Ok(())
    }
}
