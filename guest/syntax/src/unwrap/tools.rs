//! Options of other programs whose value is a line for a shell.

use super::options::unknown;
use super::words::{cut, lead};
use super::{Found, Looked};
use crate::script::{Command, Word};
use crate::text::{at, before, find, halves, holds, pieces};

/// Programs with such options; a long option's value may follow `=` or be the next word.
const LINES: &[(&str, &str)] = &[
    ("tar", "--to-command --use-compress-program -I --info-script --new-volume-script -F --rsh-command"),
    ("gtar", "--to-command --use-compress-program -I --info-script --new-volume-script -F --rsh-command"),
    ("bsdtar", "--use-compress-program"),
    ("rsync", "-e --rsh --rsync-path"),
    ("sort", "--compress-program"),
    ("split", "--filter"),
    ("rg", "--pre --hostname-bin"),
    ("fzf", "--preview --execute"),
    ("man", "-P --pager -H --html"),
    ("scp", "-S"),
    ("sftp", "-S"),
    ("nix", "--command"),
    ("cargo-watch", "-s --shell"),
    ("nodemon", "-x --exec"),
];

/// `tar --checkpoint-action=exec=line`.
fn is_checkpoint(lead: &str) -> bool {
    let (name, value) = halves(lead, b'=').unwrap_or((lead, ""));
    name.len() > "--checkpoint".len() && "--checkpoint-action".starts_with(name) && value.starts_with("exec=")
}

/// Looks into a program's options; a program that is not in the table runs nothing known.
pub(crate) fn look(name: &str, command: &Command, found: &mut Found) -> Looked {
    let Some((_, options)) = LINES.iter().find(|(program, _)| *program == name) else { return Ok(()) };
    let mut words = command.words.iter().skip(1);
    while let Some(word) = words.next() {
        let lead = lead(word);
        if bundled(name, lead, word.span == command.words[1].span) {
            return Err(unknown(name, word));
        }
        let value = match pieces(options, b' ').find(|option| carries(lead, option)) {
            Some(option) => option_value(word, option, || words.next().cloned()),
            None if is_checkpoint(lead) => Some(cut(word, find(lead, "exec=").map_or(0, |at| at + "exec=".len()))),
            None => continue,
        };
        let Some(value) = value else { break };
        found.word(name, &value)?;
    }
    Ok(())
}

/// Letters of tar whose value is a line, behind others in one word: `-cIf`, or `cIf` as the first word.
fn bundled(name: &str, lead: &str, first: bool) -> bool {
    if !name.ends_with("tar") || lead.starts_with("--") {
        return false;
    }
    match lead.strip_prefix('-') {
        Some(letters) => !holds(letters.get(..1).unwrap_or_default(), "IFCf") && holds(letters, "IF"),
        None => first && holds(lead, "IF"),
    }
}

/// Tells whether a word is the option, alone or with its value; long options may be abbreviated.
pub(super) fn carries(lead: &str, option: &str) -> bool {
    if !option.starts_with("--") {
        return lead.starts_with(option);
    }
    let name = before(lead, b'=');
    name.len() > 3 && option.starts_with(name)
}

/// Returns the value of an option that a word carries: after `=`, attached to a letter, or the next word.
pub(super) fn option_value(word: &Word, option: &str, next: impl FnOnce() -> Option<Word>) -> Option<Word> {
    let lead = lead(word);
    match (option.starts_with("--"), at(lead, b'=')) {
        (true, Some(at)) => Some(cut(word, at + 1)),
        (false, _) if lead.len() > option.len() || word.parts.len() > 1 => Some(cut(word, option.len())),
        _ => next(),
    }
}
