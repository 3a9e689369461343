//! `ssh`: a line for the shell of another machine, and options that run programs on this one.

use super::options::{Table, scan, unknown};
use super::stdin::dynamic;
use super::words::{among, is_one, text};
use super::{Found, Looked};
use crate::script::{Command, Word};

const SSH: Table =
    Table { short: "46AaCfGgKkMNnqsTtVvXxYyB:b:c:D:E:e:F:I:i:J:L:l:m:O:o:P:p:Q:R:S:W:w:", long: "", path_ends: false };

/// Settings of `-o` whose value is a line for a local shell.
const RUNS: &str = "proxycommand localcommand knownhostscommand";

/// `ssh [options] host [options] [line]`.
pub(crate) fn ssh(command: &Command, found: &mut Found) -> Looked {
    let words = &command.words;
    let before = scan("ssh", &SSH, words, 1)?;
    let Some(host) = words.get(before.rest) else { return Ok(()) };
    if !is_one(host) {
        return Err(unknown("ssh", host));
    }
    let after = scan("ssh", &SSH, words, before.rest + 1)?;
    for option in before.options.iter().chain(&after.options).filter(|option| option.name == "o") {
        option.value.as_ref().map_or(Ok(()), |value| setting(value, found))?;
    }
    found.joined("ssh", words.get(after.rest..).unwrap_or_default())
}

/// The value of `-o`, which programs that start `ssh` take too.
pub(super) fn setting(value: &Word, found: &mut Found) -> Looked {
    let setting = text(value).ok_or_else(|| dynamic("ssh -o"))?;
    let at = setting.bytes().position(|byte| matches!(byte, b'=' | b' ')).unwrap_or(setting.len());
    let name = setting[..at].to_ascii_lowercase();
    if among(RUNS, &name) {
        found.line("ssh -o", setting.get(at + 1..).unwrap_or_default(), value.span);
    }
    Ok(())
}
