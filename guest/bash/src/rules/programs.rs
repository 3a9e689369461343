//! Programs that do not run: those of the lists, wherever in a line they would be started.

use super::lists::{Entry, List};
use super::{Case, Objection};
use shellward_syntax::facts;
use shellward_syntax::{Command, Operator, Redirection, Target};

/// Finds every command whose program is on a list.
pub fn check(case: &Case<'_>, found: &mut Vec<Objection>) {
    for (index, command) in case.script.commands.iter().enumerate() {
        let (Some(program), Some(word)) = (facts::program(command), command.words.first()) else { continue };
        let Some(entry) = List::ALL.iter().find_map(|list| listed(case, *list, program, command)) else { continue };
        let via = command.via.last().map(|via| format!(", run by `{}`,", via.wrapper)).unwrap_or_default();
        let message = format!("`{program}`{via} {}", entry.does);
        found.push(Objection::denied(entry.rule, message, entry.instead, word.span).of(index));
    }
}

/// Gives the entry of a list that forbids a command.
fn listed(case: &Case<'_>, list: List, program: &str, command: &Command) -> Option<Entry> {
    let settings = case.settings;
    if list == List::Network && settings.allow_network {
        return None;
    }
    if settings.extra(list).iter().any(|name| name == program) {
        return Some(list.added());
    }
    let entry = list.entries().iter().find(|entry| entry.is(program)).copied()?;
    let relaxed = settings.allowed(list).iter().any(|name| name == program)
        || list == List::Readers && is_fed(command, settings.allow_filters_in_pipes) && filters(program, command);
    (!relaxed).then_some(entry)
}

/// Tells whether a program's input is no file: a text in the command line, what git gives its pager, or, where pipes
/// count, what another prints.
fn is_fed(command: &Command, pipes: bool) -> bool {
    let is_text = |operator| matches!(operator, Operator::HereDocument | Operator::HereString);
    // `>&2` is one that is written.
    let reads = |redirection: &Redirection| match redirection.operator {
        Operator::Read | Operator::ReadWrite => true,
        Operator::Duplicate => !matches!(redirection.target, Target::Descriptor(Some(1 | 2))),
        _ => false,
    };
    let given = command.redirections.iter().any(|redirection| is_text(redirection.operator));
    let pages = command.via.last().is_some_and(|via| via.wrapper.ends_with("PAGER"));
    pages
        || given && !command.redirections.iter().any(reads)
        || pipes && command.pipe.is_some_and(|pipe| pipe.position > 0)
}

/// Tells whether a program only filters its input, naming no file.
fn filters(program: &str, command: &Command) -> bool {
    // Options that take the next word, options that read files, and how many operands are no files.
    let (valued, reading, own) = match program {
        "cat" => ("", "", 0),
        "head" | "tail" => ("nc", "", 0),
        "grep" | "egrep" | "fgrep" | "rg" => ("eABCm", "rRf", 1),
        _ => return false,
    };
    let mut operands = 0;
    let mut pattern_given = false;
    let mut words = command.words.iter().skip(1);
    while let Some(word) = words.next() {
        let Some(text) = word.literal() else { return false };
        match text.strip_prefix('-') {
            None | Some("") => operands += usize::from(text != "-"),
            Some("-") => operands += words.by_ref().count(),
            Some(long) if long.starts_with('-') => {
                pattern_given |= long.starts_with("-regexp");
                if ["-recursive", "-dereference-recursive", "-file", "-follow", "-pre"]
                    .iter()
                    .any(|name| long.starts_with(name))
                {
                    return false;
                }
            }
            Some(short) => {
                let digits = short.chars().all(|letter| letter.is_ascii_digit());
                if !digits && short.contains(|letter| reading.contains(letter)) {
                    return false;
                }
                pattern_given |= program != "head" && program != "tail" && short.contains('e');
                if short.ends_with(|letter| valued.contains(letter))
                    && words.next().is_none_or(|word| word.literal().is_none())
                {
                    return false;
                }
            }
        }
    }
    operands <= if pattern_given { 0 } else { own }
}
