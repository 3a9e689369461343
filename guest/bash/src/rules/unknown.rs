//! Words what the analysis could not know, and how to write it so that it can.

use super::{Objection, excerpt};
use crate::settings::Settings;
use shellward_syntax::{Unknown, What};

/// Makes an objection of what cannot be known.
#[must_use]
pub fn objection(settings: &Settings, text: &str, unknown: &Unknown) -> Objection {
    let place = excerpt(text, unknown.span);
    let at = if place.is_empty() { String::new() } else { format!(" at `{place}`") };
    let (message, hint) = match &unknown.what {
        What::Syntax(problem) => {
            (format!("the shell would stop at a syntax error{at}: {problem}"), "Correct the quoting or the construct.")
        }
        What::Construct(construct) => (
            format!("{construct}{at} could hide what would run"),
            "Write it with plain commands, or put it into a script file and run that.",
        ),
        What::Dialect(construct) => (
            format!("{construct}{at} means something else to this shell than to bash"),
            "Write it the POSIX way, or run it as `bash -c '…'`.",
        ),
        What::TooDeep => (format!("commands are nested too deeply{at}"), "Split the command into several calls."),
        What::DynamicProgram => {
            (format!("which program would run{at} is known only when it runs"), "Write the program's name out.")
        }
        What::DynamicScript(runner) => (
            format!("what `{runner}` would run{at} is known only when it runs"),
            "Write the inner command out, in quotes that expand nothing, or run it directly.",
        ),
        What::WrapperOption { program, option } => (
            format!("it is not known which command `{program}` would run with `{option}`{at}"),
            "Leave that option out, or run the inner command directly.",
        ),
        _ => (format!("it cannot be known what would run{at}"), "Write it with plain commands."),
    };
    Objection::unknown(settings, message, hint, unknown.span)
}
