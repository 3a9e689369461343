//! Putting a policy's question to the person at the terminal.

use std::future::Future;
use std::io::{BufRead, BufReader, IsTerminal, Write};
use std::pin::Pin;

use shellward::Approver;
use shellward::contract::types::Question;

/// Asks on the terminal; where there is none, the answer is no.
pub(super) struct Prompt;

impl Approver for Prompt {
    fn ask<'a>(&'a self, _session: &'a str, question: &'a Question) -> Pin<Box<dyn Future<Output = bool> + Send + 'a>> {
        let text = question.text.clone();
        Box::pin(async move {
            if !std::io::stderr().is_terminal() {
                return false;
            }
            tokio::task::spawn_blocking(move || asked(&text)).await.unwrap_or(false)
        })
    }
}

/// Asks on the controlling terminal, so that a piped standard input is not taken for an answer.
fn asked(text: &str) -> bool {
    let Ok(mut terminal) = std::fs::File::options().read(true).write(true).open("/dev/tty") else { return false };
    if write!(terminal, "{text}\nRun it? [y/N] ").is_err() {
        return false;
    }
    let mut line = String::new();
    BufReader::new(terminal).read_line(&mut line).is_ok()
        && matches!(line.trim().to_ascii_lowercase().as_str(), "y" | "yes")
}
