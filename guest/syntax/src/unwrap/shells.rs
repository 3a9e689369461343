//! Shells: `sh -c`, scripts on standard input, and script files.

use super::found::{Opened, opened};
use super::options::{Scan, Table, scan, unknown};
use super::stdin::{Source, Stdin, dynamic};
use super::words::{among, begins, is, is_one, may_be_option, text};
use super::{Doubt, Found, Looked};
use crate::script::{Command, Language, What, Word};

/// Shells whose language this crate reads, and with which reading.
///
/// `sh` is dash here; what other small shells read differently from dash is unknown in that reading.
const SHELLS: &[(&str, Language)] = &[
    ("sh", Language::Sh),
    ("bash", Language::Bash),
    ("dash", Language::Sh),
    ("zsh", Language::Zsh),
    ("ash", Language::Sh),
    ("rbash", Language::Bash),
    ("ksh", Language::Sh),
    ("ksh93", Language::Sh),
    ("mksh", Language::Sh),
    ("lksh", Language::Sh),
    ("yash", Language::Sh),
    ("rzsh", Language::Zsh),
];

/// Shells whose language it does not read.
const FOREIGN: &str = "fish csh tcsh pwsh powershell elvish xonsh rc es";

const OPTIONS: Table = Table {
    short: "abcefhiklmnprstuvxyBCDEHLPTo:O:",
    long: "norc noprofile posix login rcfile: init-file: verbose restricted noediting debugger no-rcs no-globalrcs \
        emulate: version help dump-strings dump-po-strings pretty-print",
    path_ends: true,
};

const NU_OPTIONS: Table = Table {
    short: "nhvc:m:",
    long: "no-config-file no-std-lib no-history no-newline stdin commands: table-mode: error-style: help version",
    path_ends: true,
};

/// Returns the reading of a shell of the `sh` family by its name.
pub(crate) fn language(name: &str) -> Option<Language> {
    let name = name.strip_prefix('-').unwrap_or(name);
    SHELLS.iter().find(|(shell, _)| *shell == name).map(|(_, language)| *language)
}

/// Tells whether a program is a shell, one that this crate cannot read included.
pub(crate) fn is_shell(name: &str) -> bool {
    language(name).is_some() || name == "nu" || among(FOREIGN, name)
}

/// Looks into a shell.
pub(crate) fn look(name: &str, command: &Command, source: &Source<'_>, found: &mut Found) -> Looked {
    match language(name) {
        Some(language) => read(name, language, &command.words, source, found),
        None if name == "nu" => nushell(&command.words, source, found),
        None => foreign(name, &command.words, source),
    }
}

fn foreign(name: &str, words: &[Word], source: &Source<'_>) -> Looked {
    match words {
        [_, word] if is(word, "--version --help -v -h") => Ok(()),
        // A script file is a program like any other.
        [_, word, ..] if !may_be_option(word) && is_one(word) && opened(word) == Opened::File => Ok(()),
        [_] if matches!(source.stdin(), Stdin::Inherited) => Ok(()),
        _ => Err(dynamic(name)),
    }
}

/// A computed word in place of an option or a file is a script that nobody has seen.
fn unseen(doubt: Doubt, name: &str) -> Doubt {
    if matches!(*doubt, What::DynamicProgram) { dynamic(name) } else { doubt }
}

/// `nu [options] -c line` and `nu [options] file`; from standard input alone it reads nothing.
fn nushell(words: &[Word], source: &Source<'_>, found: &mut Found) -> Looked {
    let given = scan("nu", &NU_OPTIONS, words, 1).map_err(|doubt| unseen(doubt, "nu"))?;
    if given.has("h v help version") {
        return Ok(());
    }
    let lines = given.options.iter().filter(|option| among("c commands", option.name)).count();
    match (lines, given.value("c commands"), words.get(given.rest)) {
        (1, Some(line), None) => {
            let text = text(line).ok_or_else(|| dynamic("nu"))?;
            found.script("nu -c", text, line.span, Language::Nu, false);
            Ok(())
        }
        (0, _, None) => Ok(()),
        (0, _, Some(file)) if is_one(file) => found.file(("nu", "nu <"), file, Language::Nu, false, source),
        // Options may stand after a line or a file, and of several lines it runs one.
        _ => Err(dynamic("nu")),
    }
}

fn read(name: &str, language: Language, words: &[Word], source: &Source<'_>, found: &mut Found) -> Looked {
    let given = options(name, words).map_err(|doubt| unseen(doubt, name))?;
    if given.has("version help") {
        return Ok(());
    }
    if given.value("rcfile init-file").is_some_and(|file| opened(file) != Opened::File) {
        return Err(dynamic(name));
    }
    match words.get(given.rest) {
        None if given.has("c") => Ok(()),
        Some(script) if given.has("c") => {
            let text = text(script).ok_or_else(|| dynamic(name))?;
            found.script(&[name, " -c"].concat(), text, script.span, language, false);
            Ok(())
        }
        Some(file) if !given.has("s") => found.file((name, &[name, " <"].concat()), file, language, false, source),
        _ => found.stdin(name, &[name, " <"].concat(), language, false, source),
    }
}

/// Reads a shell's options: `+x` is one too.
pub(crate) fn options(name: &str, words: &[Word]) -> Looked<Scan> {
    let mut given = Scan { options: Vec::new(), rest: 1 };
    loop {
        let before = given.rest;
        let mut found = scan(name, &OPTIONS, words, given.rest)?;
        given.options.append(&mut found.options);
        given.rest = found.rest;
        let ended = given.rest > before && is(&words[given.rest - 1], "--");
        let Some(word) = words.get(given.rest).filter(|_| !ended) else { return Ok(given) };
        match text(word) {
            Some("-") => {
                given.rest += 1;
                return Ok(given);
            }
            Some("+o" | "+O") => given.rest += 2,
            Some(text) if text.len() > 1 && text.starts_with('+') => {
                if !text.bytes().skip(1).all(|letter| b"abefhkmnptuvxBCEHPT".contains(&letter)) {
                    return Err(unknown(name, word));
                }
                given.rest += 1;
            }
            None if begins(word, "+") => return Err(unknown(name, word)),
            _ => return Ok(given),
        }
    }
}
