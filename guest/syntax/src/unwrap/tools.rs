//! Options of other programs whose value is a line for a shell.

use super::options::unknown;
use super::stdin::dynamic;
use super::words::{cut, lead, text};
use super::{Inner, Looked};
use crate::script::{Command, Language};

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
const CHECKPOINT: &str = "--checkpoint-action=exec=";

/// Looks into a program's options; a program that is not in the table runs nothing known.
pub(crate) fn look(name: &str, command: &Command) -> Looked {
    let mut found = Vec::new();
    let Some((_, options)) = LINES.iter().find(|(program, _)| *program == name) else { return Ok(found) };
    let mut words = command.words.iter().skip(1);
    while let Some(word) = words.next() {
        let lead = lead(word);
        if bundled(name, lead) {
            return Err(unknown(name, word));
        }
        let value = match options.split(' ').find(|option| carries(lead, option)) {
            Some(option) if lead.len() > option.len() || word.parts.len() > 1 => {
                Some(cut(word, option.len() + usize::from(option.starts_with("--"))))
            }
            Some(_) => words.next().cloned(),
            None if lead.starts_with(CHECKPOINT) => Some(cut(word, CHECKPOINT.len())),
            None => continue,
        };
        let Some(value) = value else { break };
        let Some(text) = text(&value) else { return Err(dynamic(name)) };
        let via = name.to_owned();
        found.push(Inner::Script { text: text.to_owned(), language: Language::Sh, span: value.span, here: false, via });
    }
    Ok(found)
}

/// Letters of tar whose value is a line, behind others in one word: `-cIf`, or `cIf` as the first word.
fn bundled(name: &str, lead: &str) -> bool {
    let letters = lead.strip_prefix('-').unwrap_or_default();
    name.ends_with("tar")
        && !letters.starts_with('-')
        && letters.len() > 1
        && letters[1..].contains(['I', 'F'])
        && !letters.starts_with(['I', 'F', 'C', 'f'])
}

/// Tells whether a word is the option, alone or with its value.
fn carries(lead: &str, option: &str) -> bool {
    match lead.strip_prefix(option) {
        Some("") => true,
        Some(rest) => !option.starts_with("--") || rest.starts_with('='),
        None => false,
    }
}
