//! Finds the commands inside commands: programs that run the program, or the script, in their arguments.
//!
//! Each inner command is added after the one that runs it, with that one in [`Command::via`]. What cannot be known
//! is reported, never skipped: an option that is in no table, a script or a program's name that is computed.

pub(crate) mod builtins;
mod eval;
mod evaluated;
#[cfg(test)]
mod examples;
mod find;
mod found;
pub(crate) mod git;
pub(crate) mod options;
mod remote;
mod scripts;
pub(crate) mod shells;
mod stdin;
mod table;
mod tools;
pub(crate) mod words;
pub(crate) mod wrappers;
mod xargs;

use crate::script::{Command, Language, Nesting, Redirection, Scope, Script, Span, Target, Unknown, Via, What};
use found::{Found, Inner};
use stdin::{Level, Source};

/// How many programs may stand around a command before the analysis gives up.
const DEPTH: usize = 8;

/// How many bytes of inner scripts and words are looked at, in all: so many times the text, and so many more. They
/// stand in the text, once for each program around them, but what several programs inherit as their input is read by
/// each of them, and by each that these run.
const READ: (usize, usize) = (2 * DEPTH, 8 << 10);

/// Reads a text as a script.
pub(crate) type Parse = fn(&str, Language) -> Result<Script, Unknown>;

/// What is known of a text, and the places where something in it cannot be known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Survey {
    /// The commands that are known.
    pub script: Script,
    /// What is not, in the order of the text; with anything here, more commands may run than `script` holds.
    pub unknown: Vec<Unknown>,
}

/// Why it cannot be known what a command runs; in a box, so that results stay small.
pub(crate) type Doubt = Box<What>;

/// What looking into one command gives.
type Looked<T = ()> = Result<T, Doubt>;

/// Unwraps every command of a script that was parsed from a text of this length.
pub(crate) fn unwrap(raw: Script, length: usize, language: Language, parse: Parse) -> Survey {
    if !raw.scopes.is_empty() && is_plain(&raw, language) {
        return Survey { script: raw, unknown: Vec::new() };
    }
    let left = READ.0 * length + READ.1;
    let mut work = Unwrapper { parse, left, survey: Survey::default(), pipelines: 0, subscripts: false };
    work.survey.script.scopes = raw.scopes.clone();
    if raw.scopes.is_empty() {
        work.survey.script.scopes.push(Scope { parent: None });
    }
    let level = Level::text(&raw, language);
    work.script(&level, &Origin::default(), 0);
    work.survey
}

/// Tells whether no command of a script runs another, so that it can stay as it is.
fn is_plain(raw: &Script, language: Language) -> bool {
    let level = Level::text(raw, language);
    let mut commands = raw.commands.iter().enumerate();
    commands.all(|(index, command)| {
        matches!(look(command, &Source { level: &level, index }, language), Ok(found) if found.inner.is_empty())
    })
}

/// Where the commands of an inner script stand.
#[derive(Default)]
struct Origin {
    /// The command that runs them; none for the text itself.
    outer: Option<Command>,
    /// The bytes they were read from, when they are not of the text itself.
    span: Option<Span>,
    /// What to add to a scope's number; `None` in `first` keeps the outermost as it is.
    scopes: usize,
    /// The scope that the script's outermost one is.
    first: usize,
}

struct Unwrapper {
    parse: Parse,
    /// How many bytes of inner scripts and words may still be looked at. With 0 it has been said that not all are.
    left: usize,
    survey: Survey,
    pipelines: usize,
    /// Whether a word so far is a text such as `a[$(line)]`, which arithmetic in an inner script would run.
    subscripts: bool,
}

impl Unwrapper {
    fn script(&mut self, level: &Level<'_>, origin: &Origin, depth: usize) {
        let base = self.pipelines;
        self.pipelines += level.pipelines();
        self.survey.script.functions.extend(level.raw.functions.iter().cloned());
        for (index, raw) in level.raw.commands.iter().enumerate() {
            let mut command = raw.clone();
            if let Some(pipe) = command.pipe.as_mut() {
                pipe.pipeline += base;
            }
            origin.place(&mut command);
            self.command(command, &Source { level, index }, level.language, depth);
        }
    }

    fn command(&mut self, command: Command, source: &Source<'_>, language: Language, depth: usize) {
        if self.left == 0 {
            self.survey.script.commands.push(command);
            return;
        }
        let looked = look(&command, source, language);
        let span = place(&command, looked.as_ref().err());
        // Most commands run nothing more and need no copy of themselves.
        let outer = match &looked {
            Ok(found) if found.inner.is_empty() => None,
            Ok(_) => Some(command.clone()),
            Err(_) => None,
        };
        self.subscripts = self.subscripts || evaluated::holds_subscript(&command);
        self.survey.script.commands.push(command);
        match (looked, outer) {
            (Err(what), _) => self.doubt(*what, span),
            (Ok(found), Some(_)) if depth >= DEPTH => {
                self.doubt(What::TooDeep, span);
                self.count(&found.inner);
            }
            (Ok(found), Some(outer)) => {
                self.count(&found.inner);
                if self.left == 0 {
                    self.doubt(What::TooDeep, span);
                    return;
                }
                for inner in found.inner {
                    self.inner(inner, &outer, source, language, depth + 1);
                }
            }
            (Ok(_), None) => {}
        }
    }

    fn inner(&mut self, inner: Inner, outer: &Command, source: &Source<'_>, language: Language, depth: usize) {
        match inner {
            Inner::Program { words, assignments, here, via } => {
                let scope = if here { outer.scope } else { self.scope(outer.scope) };
                let command = Command { words, assignments, redirections: Vec::new(), scope, ..within(outer, via) };
                self.command(command, source, language, depth);
            }
            Inner::Script { text, language, span, .. } if self.subscripts && evaluated::evaluates(&text, language) => {
                self.doubt(What::Construct(evaluated::WHY), span);
            }
            Inner::Script { text, language, span, here, via } => match (self.parse)(&text, language) {
                Err(unknown) => self.doubt(unknown.what, span),
                Ok(raw) => {
                    let first = if here { outer.scope } else { self.scope(outer.scope) };
                    let scopes = self.survey.script.scopes.len();
                    let moved = |scope: usize| if scope == 0 { first } else { scope - 1 + scopes };
                    let added = raw.scopes.iter().skip(1).map(|scope| Scope { parent: scope.parent.map(moved) });
                    self.survey.script.scopes.extend(added);
                    let trap = via == "trap";
                    let mut outer = within(outer, via);
                    if trap {
                        outer.nesting.push(Nesting::Trap);
                    }
                    let origin = Origin { outer: Some(outer), span: Some(span), scopes, first };
                    let level = Level::inner(&raw, language, source, span);
                    self.script(&level, &origin, depth);
                }
            },
        }
    }

    #[inline(never)]
    fn doubt(&mut self, what: What, span: Span) {
        self.survey.unknown.push(Unknown { what, span });
    }

    /// Counts what stands inside a command. Where it is too much it is not looked at, and no command after it.
    fn count(&mut self, inner: &[Inner]) {
        let bytes = |inner: &Inner| match inner {
            Inner::Program { words, .. } => {
                words.iter().map(|word| 1 + word.literal().map_or(0, |text| text.len())).sum()
            }
            Inner::Script { text, .. } => text.len(),
        };
        // An empty one costs something too.
        let bytes: usize = inner.iter().map(|inner| 1 + bytes(inner)).sum();
        self.left = self.left.saturating_sub(bytes);
    }

    fn scope(&mut self, parent: usize) -> usize {
        self.survey.script.scopes.push(Scope { parent: Some(parent) });
        self.survey.script.scopes.len() - 1
    }
}

/// Returns the place of a command inside another: without words of its own yet.
fn within(outer: &Command, wrapper: String) -> Command {
    let mut via = outer.via.clone();
    via.push(Via { wrapper });
    Command {
        span: outer.span,
        nesting: outer.nesting.clone(),
        scope: outer.scope,
        pipe: outer.pipe,
        via,
        ..Command::default()
    }
}

impl Origin {
    /// Moves a command of an inner script to its place in the whole.
    fn place(&self, command: &mut Command) {
        let Some(outer) = &self.outer else { return };
        command.scope = if command.scope == 0 { self.first } else { command.scope - 1 + self.scopes };
        command.pipe = command.pipe.or(outer.pipe);
        command.via = outer.via.clone();
        command.nesting = [outer.nesting.as_slice(), &command.nesting].concat();
        if let Some(span) = self.span {
            respan(command, span);
        }
    }
}

fn respan(command: &mut Command, span: Span) {
    command.span = span;
    command.words.iter_mut().for_each(|word| word.span = span);
    command.assignments.iter_mut().for_each(|assignment| assignment.value.span = span);
    for Redirection { target, span: own, .. } in &mut command.redirections {
        *own = span;
        if let Target::File(word) | Target::Body(word) = target {
            word.span = span;
        }
    }
}

/// Returns where a doubt about a command is: at the option that it names, and else at the program.
fn place(command: &Command, doubt: Option<&Doubt>) -> Span {
    let named = match doubt.map(|what| &**what) {
        Some(What::WrapperOption { option, .. }) => command.words.iter().find(|word| words::shown(word) == *option),
        _ => None,
    };
    named.or(command.words.first()).map_or(command.span, |word| word.span)
}

/// Looks into one command for what it runs.
#[inline(never)]
fn look(command: &Command, source: &Source<'_>, language: Language) -> Looked<Found> {
    let mut found = Found::default();
    builtins::variables(command, &mut found)?;
    look_words(command, source, language, &mut found)?;
    Ok(found)
}

fn look_words(command: &Command, source: &Source<'_>, language: Language, found: &mut Found) -> Looked {
    let Some(first) = command.words.first() else { return Ok(()) };
    let Some(name) = words::name(first) else { return Err(Box::new(What::DynamicProgram)) };
    match name {
        "eval" => eval::look(command, language, found),
        "trap" => builtins::trap(command, source, language, found),
        "env" => eval::env(command, found),
        "parallel" => xargs::parallel(command, source, found),
        "git" => git::look(command, found),
        "ssh" => remote::ssh(command, found),
        _ if words::among("make gmake", name) => scripts::make(name, &command.words),
        _ if words::among("sed gsed", name) => scripts::sed(name, &command.words),
        _ if words::among("awk gawk mawk nawk", name) => scripts::awk(name, &command.words, found),
        _ if words::among("at batch", name) => eval::at(name, command, source, found),
        _ if words::among("source .", name) => builtins::sourced(name, command, source, language, found),
        _ if words::among("find gfind", name) => find::look(name, &command.words, found),
        _ if words::among("fd fdfind", name) => find::fd(name, &command.words, found),
        _ if words::among("xargs gxargs", name) => xargs::look(command, source, found),
        _ if words::among("busybox toybox", name) => eval::busybox(name, command, found),
        _ if shells::is_shell(name) => shells::look(name, command, source, found),
        _ if wrappers::look(name, command, source, found)? => Ok(()),
        _ => tools::look(name, command, source, found),
    }
}
