//! Options of other programs whose value is a line for a shell, and words behind which a program stands.

use super::options::unknown;
use super::remote;
use super::stdin::{Source, Stdin, dynamic};
use super::words::{among, any_in, any_in_word, cut, is, lead};
use super::{Found, Looked};
use crate::script::{Command, Word};
use crate::text::{before, find, halves, holds, pieces};

/// Programs with such options, and their letters that take a value: what follows these in a word is no letter. A
/// long option's value may follow `=` or be the next word.
const LINES: &[(&str, &str, &str)] = &[
    ("tar", TAR, "IF"),
    ("gtar", TAR, "IF"),
    ("bsdtar", "--use-compress-program", ""),
    ("rsync", "-e --rsh --rsync-path", "BTfM@"),
    ("sort", "--compress-program", ""),
    ("split", "--filter", ""),
    ("rg", "--pre --hostname-bin", ""),
    ("fzf", "--preview --execute", ""),
    ("man", "-P --pager -H --html", "PHCRLmMSseprETXZ"),
    ("scp", "-S -o", "SocDFiJlPX"),
    ("sftp", "-S -o", "SoBbcDFiJlPRsX"),
    ("cargo-watch", "-s --shell", "xwidBCE"),
    ("cargo watch", "-s --shell", "xwidBCE"),
    ("nodemon", "-x --exec", ""),
    ("mise exec", "-c --command", "Cj"),
    ("mise x", "-c --command", "Cj"),
    ("go", "-exec -toolexec -vettool", ""),
    ("zip", "-TT --unzip-command", ""),
];
const TAR: &str = "--to-command --use-compress-program -I --info-script --new-volume-script -F --rsh-command";

/// Programs, their subcommands, and the word behind which the program stands that these run.
const RESTS: &[(&str, &str, &str)] =
    &[("nix", "shell develop env", "-c --command"), ("mise", "exec x", "--"), ("npm", "explore", "--")];

/// Programs that run a line where such a text stands in a word or a script of theirs, in languages that are not read.
const SCRIPTED: &[(&str, &str)] = &[
    ("ed red ex vi vim nvim view", "!"),
    ("sqlite3", ".shell .system"),
    ("psql mysql mariadb", "\\!"),
    ("gdb", "shell !"),
    ("fzf", "execute become reload transform"),
    ("start-stop-daemon", "-"),
];

/// `tar --checkpoint-action=exec=line`.
fn is_checkpoint(lead: &str) -> bool {
    let (name, value) = halves(lead, b'=').unwrap_or((lead, ""));
    name.len() > "--checkpoint".len() && "--checkpoint-action".starts_with(name) && value.starts_with("exec=")
}

/// Looks into a program's options; a program that is in no table runs nothing known.
pub(crate) fn look(name: &str, command: &Command, source: &Source<'_>, found: &mut Found) -> Looked {
    scripted(name, command, source)?;
    if let Some((_, subcommands, signs)) = RESTS.iter().find(|(program, ..)| *program == name)
        && let Some(at) = command.words.iter().position(|word| is(word, signs) || is(word, "--"))
        && is(&command.words[at], signs)
        && command.words[..at].iter().any(|word| is(word, subcommands))
    {
        found.program(name, command.words[at + 1..].to_vec());
        return Ok(());
    }
    let is_it = |entry: &&(&str, &str, &str)| {
        let mut names = pieces(entry.0, b' ');
        entry.0.starts_with(name)
            && names.next() == Some(name)
            && names.zip(1..).all(|(name, at)| command.words.get(at).is_some_and(|word| is(word, name)))
    };
    let Some((_, options, valued)) = LINES.iter().find(is_it) else { return Ok(()) };
    let mut words = command.words.iter().skip(1);
    while let Some(word) = words.next() {
        let lead = lead(word);
        if bundled(name, lead, word.span == command.words[1].span) {
            return Err(unknown(name, word));
        }
        let value = match carried(lead, options, valued) {
            Some((option, at)) => match attached(word, option, at).or_else(|| words.next().cloned()) {
                Some(value) if option == "-o" => {
                    remote::setting(&value, found)?;
                    continue;
                }
                value => value,
            },
            None if is_checkpoint(lead) => Some(cut(word, find(lead, "exec=").map_or(0, |at| at + "exec=".len()))),
            None => continue,
        };
        let Some(value) = value else { break };
        found.word(name, &value)?;
    }
    Ok(())
}

fn scripted(name: &str, command: &Command, source: &Source<'_>) -> Looked {
    let Some((_, signs)) = SCRIPTED.iter().find(|(programs, _)| among(programs, name)) else { return Ok(()) };
    let words = command.words.iter().skip(1).any(|word| any_in_word(word, signs));
    // What many commands share is not looked through for each.
    let read = || matches!(source.stdin(), Stdin::Known(text, _) if source.is_inherited() || any_in(&text, signs));
    if words || read() { Err(dynamic(name)) } else { Ok(()) }
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

/// Returns the option of a list that a word carries, and where in the word its value stands if it is there: a letter
/// behind others that take no value, or a long option, which may be abbreviated.
#[inline(never)]
pub(super) fn carried<'o>(lead: &str, options: &'o str, valued: &str) -> Option<(&'o str, usize)> {
    pieces(options, b' ').find_map(|option| Some((option, value_at(lead, option, valued)?)))
}

fn value_at(lead: &str, option: &str, valued: &str) -> Option<usize> {
    let name = before(lead, b'=');
    if option.len() > 2 {
        // Go takes a long option with one dash or two; `git send-email` has options of these names.
        let abbreviated = option.starts_with("--") && name.len() > 3 && option.starts_with(name);
        let abbreviated = abbreviated && !among("--to --cc --header", name);
        return (abbreviated || name == option || name.strip_prefix('-') == Some(option)).then_some(name.len() + 1);
    }
    let letters = lead.strip_prefix('-').filter(|letters| !letters.starts_with('-'))?;
    let letter = *option.as_bytes().get(1)?;
    let at = letters.bytes().position(|other| other == letter || valued.as_bytes().contains(&other))?;
    (letters.as_bytes().get(at) == Some(&letter)).then_some(at + 2)
}

/// Returns the value that stands in one word with its option, after `=` or attached to a letter.
#[inline(never)]
pub(super) fn attached(word: &Word, option: &str, at: usize) -> Option<Word> {
    let length = lead(word).len();
    let is_long = option.len() > 2;
    (length > at || word.parts.len() > 1 || is_long && length == at).then(|| cut(word, at))
}
