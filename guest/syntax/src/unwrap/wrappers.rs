//! Wrappers that the table describes.

use super::options::{Scan, scan, unknown};
use super::stdin::{Source, dynamic};
use super::table::{OWN, Runs, WRAPPERS, Wrapper};
use super::words::{among, begins, cut, is, is_one, lead, literal, may_be_option, text};
use super::{Found, Looked};
use crate::script::{Assignment, Command, Language, Word};
use crate::text::{after_last, halves, holds, pieces, starts};

/// Looks into a command by the table; says whether the program is in it.
pub(crate) fn look(name: &str, command: &Command, source: &Source<'_>, found: &mut Found) -> Looked<bool> {
    let words = command.words.as_slice();
    if name == "su" || name == "runuser" && !has_user(words) {
        su(name, words, source, found)?;
        return Ok(true);
    }
    let name = if name.starts_with("ld-linux") || name.starts_with("ld-musl") { "ld.so" } else { name };
    let mut known = false;
    let mut from = 1;
    let first = name.bytes().next();
    for entry in WRAPPERS.iter().filter(|(names, ..)| names.bytes().next() == first && names.starts_with(name)) {
        let mut names = pieces(entry.0, b' ');
        if names.next() != Some(name) {
            continue;
        }
        let subcommands = names.clone().count();
        if subcommands > 0 && !known {
            known = true;
            from = before(name, words);
        }
        if names.zip(from..).all(|(name, at)| words.get(at).is_some_and(|word| text(word) == Some(name))) {
            read(&Wrapper::read(entry), from + subcommands, words, source, found)?;
            return Ok(true);
        }
    }
    if known { hidden(name, words, from) } else { Ok(false) }
}

/// Skips the options of the program itself that stand before its subcommand; with those of no table it is not known.
fn before(name: &str, words: &[Word]) -> usize {
    let Some(entry) = OWN.iter().find(|(program, ..)| among(program, name)) else { return 1 };
    // One that is in no table, of a subcommand that runs nothing, is for `hidden` to judge.
    scan(name, &Wrapper::read(entry).options, words, 1).map_or(1, |given| given.rest)
}

/// A wrapper's subcommand behind options of the program itself, or computed, is not known.
fn hidden(name: &str, words: &[Word], from: usize) -> Looked<bool> {
    let Some(first) = words.get(from) else { return Ok(false) };
    let runs = |word: &Word| {
        WRAPPERS.iter().any(|(names, ..)| {
            let mut names = pieces(names, b' ');
            names.next() == Some(name) && names.next().is_some_and(|sub| text(word).is_none_or(|text| text == sub))
        })
    };
    if text(first).is_none() || may_be_option(first) && words.iter().skip(from + 1).any(runs) {
        return Err(unknown(name, first));
    }
    Ok(false)
}

fn read(wrapper: &Wrapper, from: usize, words: &[Word], source: &Source<'_>, found: &mut Found) -> Looked {
    let name = wrapper.name;
    // `setarch x86_64 -R program`.
    let late = wrapper.late && words.get(from).is_some_and(|word| is_one(word) && !may_be_option(word));
    let mut given = scan(name, &wrapper.options, words, from + usize::from(late))?;
    if given.has(wrapper.idle) {
        return Ok(());
    }
    let mut rest = operands(wrapper, words, &given)?;
    // `flock file -c line` and `script file -c line` take the option after the operand.
    if !wrapper.line.is_empty() && wrapper.operands > 0 && words.get(rest).is_some_and(may_be_option) {
        let mut after = scan(name, &wrapper.options, words, rest)?;
        given.options.append(&mut after.options);
        rest = after.rest;
    }
    lines(wrapper, &given, found)?;
    let rest_words = words.get(rest..).unwrap_or_default();
    let shell = wrapper.shell == "*" || given.has(wrapper.shell);
    if rest_words.is_empty() {
        let reads = shell && !given.has(wrapper.line);
        return if reads { found.stdin(name, name, Language::Sh, false, source) } else { Ok(()) };
    }
    // `sudo -s` leaves `$` to the shell.
    let expands = |word: &Word| text(word).is_none_or(|text| holds(text, "$"));
    if name == "sudo" && shell && rest_words.iter().any(expands) {
        return Err(dynamic("sudo -s"));
    }
    match wrapper.runs {
        Runs::Line if !given.has("x exec") => found.joined(name, rest_words),
        Runs::Lines => rest_words.iter().try_for_each(|word| found.word(name, word)),
        Runs::Program | Runs::Line => program(name, words, rest, wrapper.assigns, wrapper.here, found),
    }
}

/// The scripts in options such as `script -c`, and `strace -o '|line'`.
fn lines(wrapper: &Wrapper, given: &Scan, found: &mut Found) -> Looked {
    for option in &given.options {
        let Some(value) = &option.value else { continue };
        if among(wrapper.line, option.name) {
            found.word(wrapper.name, value)?;
        } else if starts(lead(value), "|!") {
            found.word(wrapper.name, &cut(value, 1))?;
        } else if begins(value, "Exec") && wrapper.name == "systemd-run" {
            return Err(dynamic(wrapper.name));
        }
    }
    Ok(())
}

/// Skips the words between options and program.
fn operands(wrapper: &Wrapper, words: &[Word], given: &Scan) -> Looked<usize> {
    let end = (given.rest + wrapper.operands).min(words.len());
    match words[given.rest..end].iter().find(|word| !is_one(word)) {
        Some(word) => Err(unknown(wrapper.name, word)),
        None => Ok(end),
    }
}

/// Takes the words from `from` on as a program, after the `NAME=value` words where the wrapper takes such.
pub(crate) fn program(via: &str, words: &[Word], from: usize, assigns: bool, here: bool, found: &mut Found) -> Looked {
    let mut assignments = Vec::new();
    let mut rest = words.get(from..).unwrap_or_default();
    while assigns && let [word, after @ ..] = rest {
        let Some((name, _)) = halves(lead(word), b'=') else { break };
        if !is_one(word) {
            return Err(unknown(via, word));
        }
        assignments.push(Assignment { name: name.to_owned(), value: cut(word, name.len() + 1), append: false });
        rest = after;
    }
    found.program_with(via, rest.to_vec(), assignments, here);
    Ok(())
}

fn has_user(words: &[Word]) -> bool {
    words.iter().skip(1).any(|word| begins(word, "-u") || begins(word, "--user"))
}

const SU: super::options::Table = super::options::Table {
    short: "c:flmpPs:g:G:hVTw:",
    long: "command: session-command: fast login group: supp-group: preserve-environment pty shell: \
        whitelist-environment: help version no-pty",
    path_ends: false,
};

/// `su [options] [-] [user [argument]…]`: options may stand after the user; the arguments are the shell's.
fn su(name: &str, words: &[Word], source: &Source<'_>, found: &mut Found) -> Looked {
    let (mut from, mut user, mut lines) = (1, false, false);
    loop {
        let given = scan(name, &SU, words, from)?;
        if given.has("h V help version") {
            return Ok(());
        }
        for option in &given.options {
            let Some(value) = &option.value else { continue };
            if among("c command session-command", option.name) {
                found.word(name, value)?;
                lines = true;
            } else if among("s shell", option.name) && text(value).is_none_or(|shell| !reads_sh(shell)) {
                return Err(unknown(name, &literal("-s", value.span)));
            }
        }
        match words.get(given.rest) {
            None => break,
            Some(word) if is(word, "-") => from = given.rest + 1,
            Some(word) if !user && is_one(word) => {
                user = true;
                from = given.rest + 1;
            }
            // Words after the user go to the shell, which has options of its own.
            Some(word) => return Err(unknown(name, word)),
        }
    }
    if lines { Ok(()) } else { found.stdin(name, name, Language::Sh, false, source) }
}

fn reads_sh(shell: &str) -> bool {
    super::shells::language(after_last(shell, b'/')).is_some()
}
