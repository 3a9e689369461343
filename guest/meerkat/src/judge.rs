//! The one judgement of a command line, for `review` and `call` alike.
//!
//! The specification blocks four texts. Served here is what they are for, by [`shellward_judge::basic`]: nothing
//! removes the root, a home or the system, and nothing writes over a disk.

use shellward_judge::basic::{Judge, Judgement};

use crate::failure::Failure;
use crate::settings::{Settings, TABLE};
use crate::shells::Chosen;

/// Judges a command line as the shell would read it that runs it, in the directory of this absolute path.
#[must_use]
pub fn judge(settings: &Settings, shell: &Chosen, text: &str, directory: &str) -> Judgement {
    Judge { on_unknown: settings.on_unknown, table: TABLE }.judge_in(text, shell.reads, &shell.name, directory)
}

/// Gives the failure of a call that is not let through, for the strictest reason.
#[must_use]
pub fn failure(judgement: &Judgement) -> Option<Failure> {
    let first = judgement.first()?;
    Some(Failure::Blocked { contains: first.contains.clone(), why: first.why() })
}
