//! Wrappers that the table describes.

use super::options::{Scan, scan, unknown};
use super::stdin::{Source, Stdin, dynamic};
use super::table::{Runs, WRAPPERS, Wrapper};
use super::words::{among, is_one, join, lead, literal, may_be_option, text};
use super::{Inner, Looked};
use crate::script::{Assignment, Command, Language, What, Word};

/// Looks into a command by the table; none when the program is not in it.
pub(crate) fn look(name: &str, command: &Command, source: &Source<'_>) -> Option<Looked> {
    if name == "su" || name == "runuser" && !has_user(&command.words) {
        return Some(su(name, &command.words, source));
    }
    let mut known = false;
    for wrapper in WRAPPERS {
        if !wrapper.name.starts_with(name) {
            continue;
        }
        let mut names = wrapper.name.split(' ');
        if names.next() != Some(name) {
            continue;
        }
        let subcommands = names.clone().count();
        if subcommands == 0 {
            return Some(read(wrapper, 1, &command.words, source));
        }
        known = true;
        let given = command.words.get(1..).unwrap_or_default();
        if names.eq(given.iter().take(subcommands).map(|word| text(word).unwrap_or_default())) {
            return Some(read(wrapper, 1 + subcommands, &command.words, source));
        }
    }
    if known { hidden(name, &command.words) } else { None }
}

/// A wrapper's subcommand behind options of the program itself, or computed, is not known.
fn hidden(name: &str, words: &[Word]) -> Option<Looked> {
    let first = words.get(1)?;
    if text(first).is_none() {
        return Some(Err(unknown(name, first)));
    }
    if !may_be_option(first) {
        return None;
    }
    let runs = |word: &Word| {
        WRAPPERS.iter().any(|wrapper| {
            let mut names = wrapper.name.split(' ');
            names.next() == Some(name) && names.next().is_some_and(|sub| text(word).is_none_or(|text| text == sub))
        })
    };
    words.iter().skip(2).any(runs).then(|| Err(unknown(name, first)))
}

fn read(wrapper: &Wrapper, from: usize, words: &[Word], source: &Source<'_>) -> Looked {
    let name = wrapper.name;
    let mut given = scan(name, &wrapper.options, words, from)?;
    if given.has(wrapper.idle) {
        return Ok(Vec::new());
    }
    let mut found = lines(wrapper, &given)?;
    let rest = operands(wrapper, words, &given)?;
    // `flock file -c line` and `script file -c line` take the option after the operand.
    if !wrapper.line.is_empty() && wrapper.operands > 0 && words.get(rest).is_some_and(may_be_option) {
        given = scan(name, &wrapper.options, words, rest)?;
        found.append(&mut lines(wrapper, &given)?);
        return Ok(found);
    }
    if rest >= words.len() {
        return if name == "sudo" || name == "doas" { shell_of(name, &given, source) } else { Ok(found) };
    }
    if name == "sudo" && given.has("s i login shell") && words[rest..].iter().any(expands) {
        return Err(dynamic("sudo -s"));
    }
    let runs = if name == "watch" && given.has("x exec") { Runs::Program } else { wrapper.runs };
    match runs {
        Runs::Program => found.append(&mut program(name, words, rest, wrapper.assigns, wrapper.here)?),
        Runs::Line => {
            let Some(text) = join(&words[rest..]) else { return Err(dynamic(name)) };
            found.push(script(name, text, &words[rest]));
        }
        Runs::Lines => {
            for word in &words[rest..] {
                let Some(text) = text(word) else { return Err(dynamic(name)) };
                found.push(script(name, text.to_owned(), word));
            }
        }
    }
    Ok(found)
}

/// `sudo -s` leaves `$` to the shell.
fn expands(word: &Word) -> bool {
    text(word).is_none_or(|text| text.contains('$'))
}

/// The scripts in options such as `script -c`.
fn lines(wrapper: &Wrapper, given: &Scan) -> Looked {
    let mut found = Vec::new();
    for option in given.options.iter().filter(|option| among(wrapper.line, option.name)) {
        let Some(value) = &option.value else { continue };
        let Some(text) = text(value) else { return Err(dynamic(wrapper.name)) };
        found.push(script(wrapper.name, text.to_owned(), value));
    }
    Ok(found)
}

/// Skips the words between options and program.
fn operands(wrapper: &Wrapper, words: &[Word], given: &Scan) -> Result<usize, What> {
    let end = (given.rest + wrapper.operands).min(words.len());
    match words[given.rest..end].iter().find(|word| !is_one(word)) {
        Some(word) => Err(unknown(wrapper.name, word)),
        None => Ok(end),
    }
}

fn script(name: &str, text: String, word: &Word) -> Inner {
    Inner::Script { text, language: Language::Sh, span: word.span, here: false, via: name.to_owned() }
}

/// Takes the words from `from` on as a program, after the `NAME=value` words where the wrapper takes such.
pub(crate) fn program(via: &str, words: &[Word], mut from: usize, assigns: bool, here: bool) -> Looked {
    let mut assignments = Vec::new();
    while assigns && let Some(word) = words.get(from) {
        let lead = lead(word);
        let Some(at) = lead.find('=') else { break };
        if !is_one(word) {
            return Err(unknown(via, word));
        }
        let value = super::words::cut(word, at + 1);
        assignments.push(Assignment { name: lead[..at].to_owned(), value, append: false });
        from += 1;
    }
    let words = words.get(from..).unwrap_or_default().to_vec();
    if words.is_empty() {
        return Ok(Vec::new());
    }
    Ok(vec![Inner::Program { words, assignments, here, via: via.to_owned() }])
}

/// `sudo -s` or `-i` without a program is a shell on standard input.
fn shell_of(name: &str, given: &Scan, source: &Source<'_>) -> Looked {
    if given.has("s i shell login") { stdin_shell(name, source) } else { Ok(Vec::new()) }
}

fn stdin_shell(name: &str, source: &Source<'_>) -> Looked {
    match source.stdin() {
        Stdin::Inherited => Ok(Vec::new()),
        Stdin::Dynamic => Err(dynamic(name)),
        Stdin::Known(text, span) => {
            Ok(vec![Inner::Script { text, language: Language::Sh, span, here: false, via: name.to_owned() }])
        }
    }
}

fn has_user(words: &[Word]) -> bool {
    words.iter().skip(1).any(|word| lead(word).starts_with("-u") || lead(word).starts_with("--user"))
}

const SU: super::options::Table = super::options::Table {
    short: "c:flmpPs:g:G:hVTw:",
    long: "command: session-command: fast login group: supp-group: preserve-environment pty shell: \
        whitelist-environment: help version no-pty",
    path_ends: false,
};

/// `su [options] [-] [user [argument]…]`: options may stand after the user; the arguments are the shell's.
fn su(name: &str, words: &[Word], source: &Source<'_>) -> Looked {
    let mut from = 1;
    let mut found = Vec::new();
    let mut user = false;
    loop {
        let given = scan(name, &SU, words, from)?;
        if given.has("h V help version") {
            return Ok(Vec::new());
        }
        for option in given.options {
            match (option.name, option.value) {
                ("c" | "command" | "session-command", Some(value)) => {
                    let Some(text) = text(&value) else { return Err(dynamic(name)) };
                    found.push(script(name, text.to_owned(), &value));
                }
                ("s" | "shell", Some(value)) if text(&value).is_none_or(|shell| !reads_sh(shell)) => {
                    return Err(unknown(name, &literal("-s", value.span)));
                }
                _ => {}
            }
        }
        match words.get(given.rest) {
            None => break,
            Some(word) if text(word) == Some("-") => from = given.rest + 1,
            Some(word) if !user && is_one(word) => {
                user = true;
                from = given.rest + 1;
            }
            // Words after the user go to the shell, which has options of its own.
            Some(word) => return Err(unknown(name, word)),
        }
    }
    if found.is_empty() { stdin_shell(name, source) } else { Ok(found) }
}

fn reads_sh(shell: &str) -> bool {
    super::shells::language(shell.rsplit('/').next().unwrap_or(shell)).is_some()
}
