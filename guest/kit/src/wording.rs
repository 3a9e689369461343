//! Words for what the host says, where a policy's specification has none of its own.

use crate::contract::{Refusal, StartError};

/// Says why a process could not be started, as in "could not start: …".
pub fn start_error(error: &StartError) -> String {
    match error {
        StartError::ProgramMissing(path) => format!("there is no program {path}"),
        StartError::DirectoryMissing(path) => format!("there is no directory {path}"),
        StartError::PermissionDenied(what) => format!("permission denied: {what}"),
        StartError::TooMany(ceiling) => {
            format!("{ceiling} commands are running already, which is the most; wait for one to end")
        }
        StartError::TooLong(what) => {
            format!("the command is too long ({what}); put what is long into a file and run that")
        }
        StartError::Resources(what) => format!("the system is short of resources: {what}"),
        StartError::WatchInvalid(watch) => {
            format!("the pattern of watch {} is wrong at byte {}: {}", watch.index, watch.offset, watch.message)
        }
        StartError::Refused(given) => refusal(given),
        StartError::Unsupported(what) => format!("this host cannot do it: {what}"),
        StartError::Invalid(what) => format!("the launch is wrong: {what}"),
        StartError::Other(what) => what.clone(),
    }
}

/// Says why a guard, or the host, does not allow something.
pub fn refusal(refusal: &Refusal) -> String {
    let reasons: Vec<String> = refusal
        .findings
        .iter()
        .map(|finding| match &finding.hint {
            Some(hint) => format!("{} ({hint})", finding.message),
            None => finding.message.clone(),
        })
        .collect();
    match reasons.is_empty() {
        true => format!("refused by {}", refusal.by),
        false => format!("refused by {}: {}", refusal.by, reasons.join("; ")),
    }
}
