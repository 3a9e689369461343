//! Programs that wait for a person at a terminal.

use super::{Finding, each, flags};
use crate::script::{Command, Operator, Script, Word};
use crate::text::find;
use crate::unwrap::words::{among, is, lead, text};

/// When a program of the table is interactive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// Always.
    Always,
    /// When it has no operand and nothing feeds its input.
    Bare,
    /// With this subcommand and one of these flags.
    With(&'static str, &'static [&'static str]),
}

/// The programs that policies refuse as interactive unless they bring a list of their own.
pub const INTERACTIVE: &[(&str, When)] = &[
    ("vim", When::Always),
    ("vi", When::Always),
    ("nvim", When::Always),
    ("view", When::Always),
    ("vimdiff", When::Always),
    ("nano", When::Always),
    ("pico", When::Always),
    ("emacs", When::Always),
    ("micro", When::Always),
    ("joe", When::Always),
    ("hx", When::Always),
    ("ed", When::Bare),
    ("less", When::Always),
    ("more", When::Always),
    ("most", When::Always),
    ("top", When::Always),
    ("htop", When::Always),
    ("btop", When::Always),
    ("atop", When::Always),
    ("watch", When::Always),
    ("tmux", When::Always),
    ("screen", When::Always),
    ("zellij", When::Always),
    ("ssh", When::Always),
    ("scp", When::Always),
    ("sftp", When::Always),
    ("ftp", When::Always),
    ("telnet", When::Always),
    ("mosh", When::Always),
    ("visudo", When::Always),
    ("sudoedit", When::Always),
    ("crontab", When::With("", &["-e"])),
    ("fdisk", When::Bare),
    ("passwd", When::Always),
    ("su", When::Bare),
    ("git", When::With("rebase", &["-i", "--interactive", "--edit-todo"])),
    ("git", When::With("add", &["-i", "-p", "--interactive", "--patch", "-e", "--edit"])),
    ("git", When::With("checkout", &["-p", "--patch"])),
    ("git", When::With("restore", &["-p", "--patch"])),
    ("git", When::With("reset", &["-p", "--patch"])),
    ("git", When::With("stash", &["-p", "--patch"])),
    ("git", When::With("commit", &["-p", "--patch", "--interactive"])),
    ("git", When::With("clean", &["-i", "--interactive"])),
    ("git", When::With("mergetool", &[])),
    ("git", When::With("difftool", &[])),
    ("git", When::With("citool", &[])),
    ("git", When::With("gui", &[])),
    ("python", When::Bare),
    ("python3", When::Bare),
    ("ipython", When::Bare),
    ("node", When::Bare),
    ("irb", When::Bare),
    ("psql", When::Bare),
    ("mysql", When::Bare),
    ("sqlite3", When::Bare),
    ("redis-cli", When::Bare),
    ("bash", When::Bare),
    ("sh", When::Bare),
    ("zsh", When::Bare),
    ("dash", When::Bare),
    ("fish", When::Bare),
    ("nu", When::Bare),
    ("ghci", When::Bare),
    ("gdb", When::Bare),
    ("lldb", When::Bare),
    ("bc", When::Bare),
];

/// Returns the first command that waits for a person, by a list such as [`INTERACTIVE`].
#[must_use]
pub fn interactive(script: &Script, list: &[(&str, When)]) -> Option<Finding> {
    each(script).filter(|(_, command, ..)| !carries(command)).find_map(|(index, command, program, arguments)| {
        let mut entries = list.iter().filter(|(name, _)| *name == program);
        entries.find_map(|(_, when)| {
            let (word, rule) = applies(*when, command, arguments)?;
            Some(Finding::new(index, command, word.unwrap_or(&command.words[0]), rule))
        })
    })
}

/// Tells whether a program is run by another that talks through it, as rsync and git do through `ssh`: what it asks
/// there is asked of nobody.
fn carries(command: &Command) -> bool {
    command.via.last().is_some_and(|via| among("rsync RSYNC_RSH GIT_SSH GIT_SSH_COMMAND", &via.wrapper))
}

/// Returns the word that makes the program interactive, none for the program itself.
fn applies<'c>(when: When, command: &'c Command, arguments: &'c [Word]) -> Option<(Option<&'c Word>, &'static str)> {
    let asks = |word: &Word| is(word, "--version --help -V -h --list");
    match when {
        When::Always if arguments.len() == 1 && arguments.first().is_some_and(asks) => None,
        When::Always => Some((None, "waits for a person at a terminal")),
        When::Bare => {
            let fed = command.pipe.is_some_and(|pipe| pipe.position > 0)
                || command.redirections.iter().any(|redirection| {
                    matches!(redirection.operator, Operator::Read | Operator::HereDocument | Operator::HereString)
                });
            let bare = arguments.iter().all(|word| is(word, "-i -q -l -s"));
            (bare && !fed).then_some((None, "waits for a person when nothing is given to run"))
        }
        When::With(subcommand, wanted) => {
            let arguments = if subcommand.is_empty() { arguments } else { after(command, subcommand)? };
            if wanted.is_empty() {
                return Some((None, "waits for a person at a terminal"));
            }
            let word = arguments.iter().take_while(|word| !is(word, "--")).find(|word| flagged(word, wanted))?;
            Some((Some(word), "asks a person what to do"))
        }
    }
}

/// Returns the words after git's subcommand, when it is this one.
fn after<'c>(command: &'c Command, subcommand: &str) -> Option<&'c [Word]> {
    let at = super::git::subcommand(&command.words)?;
    (text(&command.words[at]) == Some(subcommand)).then(|| &command.words[at + 1..])
}

/// Tells whether a word is one of the flags, or a cluster that holds a short one before any value.
fn flagged(word: &Word, wanted: &[&str]) -> bool {
    let lead = lead(word);
    wanted.iter().any(|flag| match flag.strip_prefix("--") {
        Some(name) => flags::has_long(std::slice::from_ref(word), name, 4),
        None => {
            let cluster = lead.strip_prefix('-').filter(|rest| !rest.starts_with('-') && rest.len() <= 3);
            // In `-mfix` the letters after m are its value.
            cluster.is_some_and(|letters| {
                let own = letters.bytes().position(|byte| b"mFCx".contains(&byte)).unwrap_or(letters.len());
                find(&letters[..own], &flag[1..]).is_some()
            })
        }
    })
}
