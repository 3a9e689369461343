//! Words what the analysis could not know, and how to write it so that it can.

use super::{Objection, excerpt, not_known};
use crate::settings::Settings;
use shellward_judge::unknown::instead;
use shellward_syntax::{Unknown, What};

/// Makes an objection of what cannot be known.
#[must_use]
pub fn objection(settings: &Settings, text: &str, unknown: &Unknown) -> Objection {
    let place = excerpt(text, unknown.span);
    let at = if place.is_empty() { String::new() } else { format!(" at `{place}`") };
    let message = match &unknown.what {
        What::Syntax(problem) => format!("the shell would stop at a syntax error{at}: {problem}"),
        What::Construct(construct) => format!("{construct}{at} could hide what would run"),
        What::Dialect(construct) => format!("{construct}{at} means something else to this shell than to bash"),
        What::TooDeep => format!("commands are nested too deeply{at}"),
        What::DynamicProgram => format!("which program would run{at} is known only when it runs"),
        What::DynamicScript(runner) => format!("what `{runner}` would run{at} is known only when it runs"),
        What::WrapperOption { program, option } => {
            format!("it is not known which command `{program}` would run with `{option}`{at}")
        }
        _ => format!("it cannot be known what would run{at}"),
    };
    let hint = match &unknown.what {
        What::Dialect(_) => "Write it the POSIX way, or run it as `bash -c '…'`.",
        what => instead(what),
    };
    not_known(settings, message, hint, unknown.span)
}
