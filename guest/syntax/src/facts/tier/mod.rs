//! How much a script may change: it reads only, it reads and writes, or it administers the machine.
//!
//! Tables say which programs read only, and with which options they do not. Whatever no table names is never
//! read-only: an unknown program, an unknown subcommand, a word in an option's place that is computed.

mod awk;
mod git;
mod programs;
pub(crate) mod sed;
mod special;
mod subcommands;

use super::{Finding, devices, flags, hazards, program, removes};
use crate::script::{Command, Nesting, Script, Span, Word};
use crate::text::{before, holds};
use crate::unwrap::words::{among, is, lead, literal, text};
use programs::PROGRAMS;

/// How much a command may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Tier {
    /// Reads files and states, and prints.
    ReadOnly,
    /// Writes files, or runs a program that may.
    ReadWrite,
    /// Changes the machine: users, services, disks, packages, or whatever the superuser may.
    Admin,
}

/// What a program's words ask for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Rule {
    /// It only reads, whatever its words are.
    Reads,
    /// It only reads, unless one of these options is there; a computed word may be one.
    ReadsUnless(&'static str),
    /// It only reads when one of these options is there, and else has the tier.
    ReadsIf(&'static str, Tier),
    /// It only reads when its first word is one of these options, or a word such as `list`, and else has the tier.
    ReadsFirst(&'static str, Tier),
    /// It only reads when its options are all among these; a value may follow `=`.
    ReadsWith(&'static str),
    /// It only reads with at most so many operands, and without these options.
    ReadsUpTo(usize, &'static str),
    /// It only reads when its clusters hold one of the first letters, none but the second, and of long options only
    /// the third, one of which also makes it read.
    Letters(&'static str, &'static str, &'static str),
    /// It only reads when one of these options is its only word.
    Alone(&'static str),
    /// It always has this tier.
    Always(Tier),
    /// Its subcommand decides.
    Sub(&'static subcommands::Subcommands),
    /// A function of its own decides.
    Special(fn(&[Word]) -> Verdict),
}

/// The tier of a command, the argument that decided it by its index if one did, and why.
pub(crate) type Verdict = (Tier, Option<usize>, &'static str);

const READS: &str = "only reads";
const OPTION: &str = "this option writes, or runs another program";
const COMPUTED: &str = "this word is computed and may be an option that writes";
const UNKNOWN: &str = "no table says that this program only reads";

/// Returns the tier of a whole script, and the command and word that first reach it.
#[must_use]
pub fn tier(script: &Script) -> (Tier, Option<Finding>) {
    let mut highest: (Tier, Option<Finding>) = (Tier::ReadOnly, None);
    let mut raise = |tier: Tier, finding: &dyn Fn() -> Option<Finding>| {
        if tier > highest.0 {
            highest = (tier, finding());
        }
    };
    let functions = Functions::new(script);
    for (index, command) in script.commands.iter().enumerate() {
        let (tier, finding) = whole(&functions, command, index);
        raise(tier, &|| finding.clone());
    }
    for (_, finding) in removes(script) {
        raise(Tier::Admin, &|| Some(finding.clone()));
    }
    if let Some(finding) = devices::writes_device(script) {
        raise(Tier::Admin, &|| Some(finding.clone()));
    }
    highest
}

/// Returns the tier of one command by its index, and the word that decided it when it is more than reading.
#[must_use]
pub fn tier_of(script: &Script, index: usize) -> (Tier, Option<Finding>) {
    match script.commands.get(index) {
        Some(command) => whole(&Functions::new(script), command, index),
        None => (Tier::ReadOnly, None),
    }
}

/// Judges a command with its redirections and assignments.
fn whole(functions: &Functions<'_>, command: &Command, index: usize) -> (Tier, Option<Finding>) {
    let mut highest = judge(functions, command, index);
    let mut raise = |tier: Tier, finding: Finding| {
        if tier > highest.0 {
            highest = (tier, Some(finding));
        }
    };
    for redirection in &command.redirections {
        if let Some(file) = devices::written_file(redirection).filter(|file| !discards(file)) {
            raise(Tier::ReadWrite, Finding::new(index, command, file, "a redirection writes to this file"));
        }
    }
    for assignment in &command.assignments {
        if hazards::reach(&assignment.name).is_some() {
            let word = &assignment.value;
            raise(Tier::ReadWrite, Finding::new(index, command, word, "sets a variable that changes what programs do"));
        }
    }
    highest
}

/// Tells whether a program is in the tables.
pub(crate) fn is_known(name: &str) -> bool {
    NAMES.iter().any(|names| among(names, name))
}

/// The names of [`PROGRAMS`] alone: who asks only for names does not carry what judges their words.
static NAMES: [&str; PROGRAMS.len()] = {
    let mut names = [""; PROGRAMS.len()];
    let mut at = 0;
    while at < names.len() {
        names[at] = PROGRAMS[at].0;
        at += 1;
    }
    names
};

fn rule(name: &str) -> Option<Rule> {
    PROGRAMS.iter().find(|(names, _)| among(names, name)).map(|(_, rule)| *rule)
}

fn judge(functions: &Functions<'_>, command: &Command, index: usize) -> (Tier, Option<Finding>) {
    let Some(first) = command.words.first() else { return (Tier::ReadOnly, None) };
    let Some(name) = program(command) else {
        return (Tier::ReadWrite, Some(Finding::new(index, command, first, "the program is known only when it runs")));
    };
    if functions.is_call(command, name) {
        return (Tier::ReadOnly, None);
    }
    // A program at a place of its own is not the one that the tables know.
    let elsewhere = text(first).is_none_or(|path| path.contains('/') && !is_system(path));
    let (tier, argument, why) = match rule(name) {
        None if name.starts_with("mkfs.") || name.starts_with("fsck") => (Tier::Admin, None, "administers disks"),
        None => (Tier::ReadWrite, None, UNKNOWN),
        Some(_) if says_usage(&command.words[1..]) => (Tier::ReadOnly, None, READS),
        Some(rule) => apply(rule, &command.words[1..]),
    };
    if let Some((word, why)) = hazards::builtin(command, name).filter(|_| tier == Tier::ReadOnly) {
        return (Tier::ReadWrite, Some(Finding::new(index, command, &command.words[word], why)));
    }
    if tier == Tier::ReadOnly && elsewhere {
        return (Tier::ReadWrite, Some(Finding::new(index, command, first, "a program at a place of its own")));
    }
    if tier == Tier::ReadOnly {
        let set = hazards::declares(command, name).find(|name| hazards::reach(name).is_some());
        if set.is_some() {
            return (
                Tier::ReadWrite,
                Some(Finding::new(index, command, first, "sets a variable that changes what programs do")),
            );
        }
        return (tier, None);
    }
    let word = argument.and_then(|argument| command.words.get(argument + 1)).unwrap_or(first);
    (tier, Some(Finding::new(index, command, word, why)))
}

/// A program of the tables that is asked for nothing but its usage.
fn says_usage(arguments: &[Word]) -> bool {
    matches!(arguments, [word] if is(word, "--help --version"))
}

/// Directories in which a known name is the known program.
fn is_system(path: &str) -> bool {
    const DIRECTORIES: &str = "/bin/ /usr/bin/ /usr/local/bin/ /sbin/ /usr/sbin/ /opt/homebrew/bin/";
    DIRECTORIES.split(' ').any(|directory| path.strip_prefix(directory).is_some_and(|name| !name.contains('/')))
}

/// The functions that a script has surely defined, and from where on.
///
/// Their bodies are in the script and judged there. Where a definition may come later, in another environment or
/// under a condition, the name may still be a program's.
#[derive(Default)]
struct Functions<'a> {
    names: &'a [String],
    /// The end of the last body; none when a name may be a program's everywhere.
    from: Option<usize>,
}

impl<'a> Functions<'a> {
    fn new(script: &'a Script) -> Self {
        // So many functions are no everyday text; not knowing them keeps the cost linear.
        if script.functions.is_empty() || script.functions.len() > 64 {
            return Self::default();
        }
        let mut bodies = script.commands.iter().filter(|command| command.nesting.contains(&Nesting::Function));
        let from = bodies.try_fold(0, |from, body| {
            (body.nesting.first() == Some(&Nesting::Function)).then(|| body.span.end.max(from))
        });
        Self { names: &script.functions, from }
    }

    fn is_call(&self, command: &Command, name: &str) -> bool {
        let direct = command.via.iter().all(|via| via.wrapper == "eval");
        let inside = command.nesting.contains(&Nesting::Function);
        let defined = self.from.is_some_and(|from| inside || from <= command.span.start);
        direct && defined && self.names.iter().any(|known| known == name)
    }
}

/// Files that keep nothing.
fn discards(file: &Word) -> bool {
    match text(file) {
        Some("/dev/null" | "/dev/stdout" | "/dev/stderr" | "/dev/tty" | "/dev/zero" | "/dev/full") => true,
        Some(path) => path.strip_prefix("/dev/fd/").is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit())),
        None => false,
    }
}

/// Applies a rule to the words after a program, or after its subcommand.
pub(crate) fn apply(rule: Rule, arguments: &[Word]) -> Verdict {
    match rule {
        Rule::Reads => (Tier::ReadOnly, None, READS),
        Rule::ReadsUnless(options) => match option(arguments, options) {
            Some((at, why)) => (Tier::ReadWrite, Some(at), why),
            None => (Tier::ReadOnly, None, READS),
        },
        Rule::ReadsWith(options) => {
            let other = |word: &&Word| lead(word).starts_with('-') && !among(options, before(lead(word), b'='));
            match arguments.iter().position(|word| flags::computed(word) || other(&word)) {
                Some(at) => (Tier::ReadWrite, Some(at), "this option writes, or no table says that it only reads"),
                None => (Tier::ReadOnly, None, READS),
            }
        }
        Rule::ReadsIf(options, tier) | Rule::ReadsFirst(options, tier) => {
            let first = matches!(rule, Rule::ReadsFirst(..));
            let asks = |word: &Word| is_any(word, options) && !holds(lead(word), "=");
            if arguments.iter().take(if first { 1 } else { arguments.len() }).any(asks) {
                (Tier::ReadOnly, None, READS)
            } else {
                (tier, None, "does not only read without an option that says so")
            }
        }
        Rule::ReadsUpTo(operands, options) => match (option(arguments, options), nth(arguments, operands)) {
            (Some((at, why)), _) => (Tier::ReadWrite, Some(at), why),
            (None, Some(at)) => (Tier::ReadWrite, Some(at), "this word names something to write"),
            (None, None) => (Tier::ReadOnly, None, READS),
        },
        Rule::Letters(needed, allowed, long) => letters(arguments, needed, allowed, long),
        Rule::Alone(options) => match arguments {
            [word] if is(word, options) => (Tier::ReadOnly, None, "says its version or usage"),
            _ => (Tier::ReadWrite, None, "may do anything"),
        },
        Rule::Always(tier) => (tier, None, "writes, or may run anything"),
        Rule::Sub(table) => subcommands::judge(table, arguments),
        Rule::Special(judge) => judge(arguments),
    }
}

fn letters(arguments: &[Word], needed: &str, allowed: &str, long: &str) -> Verdict {
    let mut reads = false;
    for (at, word) in arguments.iter().enumerate() {
        let lead = lead(word);
        if flags::computed(word) {
            return (Tier::ReadWrite, Some(at), COMPUTED);
        }
        if lead.starts_with("--") && lead.len() > 2 {
            if !among(long, lead) {
                return (Tier::ReadWrite, Some(at), OPTION);
            }
            reads = true;
        } else if let Some(cluster) = lead.strip_prefix('-') {
            if !cluster.chars().all(|letter| allowed.contains(letter)) {
                return (Tier::ReadWrite, Some(at), OPTION);
            }
            reads |= cluster.chars().any(|letter| needed.contains(letter));
        }
    }
    if reads {
        (Tier::ReadOnly, None, READS)
    } else {
        (Tier::ReadWrite, None, "does not only read without an option that says so")
    }
}

/// Returns the first word that is, or may be, one of some options.
fn option(arguments: &[Word], options: &str) -> Option<(usize, &'static str)> {
    let mut ended = false;
    arguments.iter().enumerate().find_map(|(at, word)| {
        // Behind an option, `--` may be its value.
        ended = ended || is(word, "--") && arguments[..at].last().is_none_or(stands_alone);
        if ended {
            return None;
        }
        if flags::computed(word) {
            return Some((at, COMPUTED));
        }
        is_any(word, options).then_some((at, OPTION))
    })
}

/// Tells whether a word is surely no option whose value is the next word.
fn stands_alone(word: &Word) -> bool {
    const FLAGS: &str =
        "--stat --numstat --shortstat --name-only --name-status --oneline --graph --follow --cached --staged";
    match lead(word).strip_prefix('-') {
        None => true,
        Some(rest) => holds(rest, "=") || rest.bytes().all(|byte| byte.is_ascii_digit()) || is(word, FLAGS),
    }
}

/// Tells whether a word is one of some options: in a cluster of letters, abbreviated, or with a value.
///
/// An option that is written without a dash in the list is a whole word; one with a name behind a single dash may have
/// two of them.
pub(crate) fn is_any(word: &Word, options: &str) -> bool {
    let lead = lead(word);
    options.split(' ').any(|option| match option.strip_prefix("--") {
        Some(name) => lead.strip_prefix("--").is_some_and(|given| {
            let given = given.split('=').next().unwrap_or(given);
            !given.is_empty() && name.starts_with(given)
        }),
        None => match option.strip_prefix('-') {
            Some(letter) if letter.len() == 1 => {
                lead.starts_with('-') && !lead.starts_with("--") && lead[1..].contains(letter)
            }
            Some(name) => lead
                .strip_prefix('-')
                .is_some_and(|given| before(given.strip_prefix('-').unwrap_or(given), b'=') == name),
            None => !option.is_empty() && text(word) == Some(option),
        },
    })
}

/// Returns words with a program's name in front, as what reads options wants them.
fn behind(program: &str, arguments: &[Word]) -> Vec<Word> {
    let mut words = vec![literal(program, Span::default())];
    words.extend_from_slice(arguments);
    words
}

/// Returns the index of the operand with a number, from 0.
fn nth(arguments: &[Word], number: usize) -> Option<usize> {
    let mut ended = false;
    let operands = arguments.iter().enumerate().filter(|(_, word)| {
        if !ended && is(word, "--") {
            ended = true;
            return false;
        }
        ended || !lead(word).starts_with('-') || is(word, "-")
    });
    operands.map(|(at, _)| at).nth(number)
}
