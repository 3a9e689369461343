//! What is said when a policy fails.

use std::fmt;

use wasmtime::{Trap, WasmBacktrace};

/// The entries into a policy, by the contract's names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Entry {
    /// `describe`.
    Describe,
    /// `review`.
    Review,
    /// `call`.
    Call,
    /// `advance`.
    Advance,
    /// `settle`.
    Settle,
    /// `examples`.
    Examples,
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Describe => "describe",
            Self::Review => "review",
            Self::Call => "call",
            Self::Advance => "advance",
            Self::Settle => "settle",
            Self::Examples => "examples",
        })
    }
}

/// What went wrong inside a policy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Cause {
    /// It panicked; the message that it printed.
    #[error("it panicked: {0}")]
    Panicked(String),
    /// It trapped; the engine's words.
    #[error("it trapped: {0}")]
    Trapped(String),
    /// It computed for longer than an entry may.
    #[error("it ran for more than {0} ms")]
    OutOfTime(u128),
    /// It wanted more of something than an entry may have.
    #[error("it wanted more {0} than an entry may have")]
    OutOfBounds(&'static str),
    /// It recursed too deeply.
    #[error("it recursed until its stack was full")]
    StackOverflow,
    /// Its answer breaks the contract.
    #[error("its answer is not valid: {0}")]
    Nonsense(String),
}

/// A policy failed in an entry. Nothing that the entry asked for stays started.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Fault {
    /// The policy: name and version, or the file while it is not known.
    pub policy: String,
    /// The entry it failed in.
    pub entry: Entry,
    /// What went wrong.
    pub cause: Cause,
    /// The policy's functions that were running, innermost first.
    pub frames: Vec<String>,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "policy {} failed in `{}`: {}", self.policy, self.entry, self.cause)?;
        if !self.frames.is_empty() {
            write!(f, " (in {})", self.frames.join(" < "))?;
        }
        Ok(())
    }
}

/// How many frames are worth showing.
const FRAMES: usize = 8;

/// What a panic or an allocation failure runs below the policy's own functions; it says nothing about the policy.
const MACHINERY: [&str; 8] =
    ["abort", "std::", "<std::", "core::panicking", "__rustc", "rust_", "alloc::raw_vec", "alloc::alloc"];

/// The names of the functions that were running, innermost first, without hashes.
fn functions(error: &wasmtime::Error) -> impl Iterator<Item = String> {
    let frames = error.downcast_ref::<WasmBacktrace>().map(WasmBacktrace::frames).unwrap_or_default();
    frames.iter().filter_map(|frame| frame.func_name()).map(plain)
}

/// A function's name as its author wrote it.
fn plain(name: &str) -> String {
    format!("{:#}", rustc_demangle::demangle(name))
}

/// The policy's functions that were running, innermost first; a recursion is shown once.
pub(super) fn frames(error: &wasmtime::Error) -> Vec<String> {
    let mut frames: Vec<_> =
        functions(error).skip_while(|name| MACHINERY.iter().any(|prefix| name.starts_with(prefix))).collect();
    frames.dedup();
    frames.truncate(FRAMES);
    frames
}

/// Whether the innermost functions are one function, over and over.
fn is_recursion(error: &wasmtime::Error) -> bool {
    let mut innermost = functions(error).take(FRAMES);
    let first = innermost.next();
    first.is_some() && innermost.filter(|name| Some(name) == first.as_ref()).count() >= FRAMES / 2
}

/// Tells an engine error's cause, given what the policy printed and which bound it hit.
pub(super) fn cause(error: &wasmtime::Error, printed: &str, refused: Option<&'static str>, millis: u128) -> Cause {
    if let Some(what) = refused {
        return Cause::OutOfBounds(what);
    }
    match error.downcast_ref::<Trap>() {
        Some(Trap::Interrupt) => Cause::OutOfTime(millis),
        Some(Trap::StackOverflow) => Cause::StackOverflow,
        // A stack in linear memory grows down, and out of it.
        Some(Trap::MemoryOutOfBounds) if is_recursion(error) => Cause::StackOverflow,
        Some(_) if !printed.trim().is_empty() => Cause::Panicked(panic_message(printed)),
        Some(trap) => Cause::Trapped(trap.to_string()),
        None => Cause::Trapped(format!("{:#}", error.root_cause())),
    }
}

/// The sentence in what Rust prints for a panic: place and message, without the advice about backtraces.
fn panic_message(printed: &str) -> String {
    let mut text = printed
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with("note: run with"))
        .collect::<Vec<_>>()
        .join(" ");
    if let Some(at) = text.find("panicked at ") {
        text.drain(..at + "panicked at ".len());
    }
    if text.chars().count() > 2000 {
        text = text.chars().take(2000).chain("…".chars()).collect();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_shown_without_advice() {
        let printed =
            "\nthread '<unnamed>' (1) panicked at src/lib.rs:3:5:\nno rule\nnote: run with `RUST_BACKTRACE=1` …\n";
        assert_eq!(panic_message(printed), "src/lib.rs:3:5: no rule");
    }

    #[test]
    fn names_are_shown_as_written() {
        assert_eq!(plain("_ZN4bash5rules5judge17h0123456789abcdefE"), "bash::rules::judge");
        assert_eq!(plain("_RNvCsfLfy6EI15iL_7___rustc10rust_panic"), "__rustc::rust_panic");
        assert_eq!(plain("shellward:policy/conduct#call"), "shellward:policy/conduct#call");
    }
}
