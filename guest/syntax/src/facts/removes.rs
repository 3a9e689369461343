//! Removing the root, the home or a directory of the system with all that is in it.

use super::directories::{Change, Directory, Walker, is_loose, seen_in};
use super::flags::{computed, has_long, has_short, operands};
use super::{Finding, program};
use crate::paths::normal;
use crate::script::{Command, Part, Script, Word};
use crate::text::{pieces, starts};
use crate::unwrap::words::{among, is, lead, text};

/// What is removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Removed {
    /// The root of the file system.
    Root,
    /// A home directory, or what holds it.
    Home,
    /// A directory without which the system does not run, such as `/etc`.
    System,
}

/// Directories directly under the root that belong to the system.
const SYSTEM: &str =
    "bin boot dev etc lib lib32 lib64 opt proc sbin srv sys usr var System Library Applications private";

/// Returns every command that removes the root, a home or a directory of the system recursively.
#[must_use]
pub fn removes(script: &Script) -> Vec<(Removed, Finding)> {
    let mut walker = Walker::new(script);
    let mut found = Vec::new();
    let mut roots = None;
    for (index, command) in script.commands.iter().enumerate() {
        let victims = victims(command);
        if !victims.is_empty() {
            let here = place(script, &mut walker, &mut roots, index, command);
            for word in victims {
                if let Some(removed) = judge(word, &here) {
                    found.push((removed, Finding::new(index, command, word, rule(removed))));
                }
            }
        }
        walker.step(index, command);
    }
    found
}

fn rule(removed: Removed) -> &'static str {
    match removed {
        Removed::Root => "removes the root of the file system",
        Removed::Home => "removes a home directory",
        Removed::System => "removes a directory of the system",
    }
}

/// The directory in which the command runs; where that is not known, the root or the home if the text goes there.
fn place(
    script: &Script,
    walker: &mut Walker<'_>,
    roots: &mut Option<Vec<Change>>,
    index: usize,
    command: &Command,
) -> Directory {
    let known = walker.directory(command.scope).from(&script.start);
    let loose = is_loose(command);
    let unknown = matches!(known, Directory::Unknown);
    if !unknown && !loose {
        return known;
    }
    let all = |to: &Directory| {
        matches!(to, Directory::Absolute(path) if path == "/") || matches!(to, Directory::Home(path) if path.is_empty())
    };
    let roots = roots.get_or_insert_with(|| {
        let changes = super::directories(script).into_iter();
        changes
            .map(|change| Change { to: change.to.from(&script.start), ..change })
            .filter(|change| all(&change.to))
            .collect()
    });
    if roots.len() > LOOKED_AT && (unknown || loose) {
        return Directory::Absolute("/".to_owned());
    }
    // What stands later in a loop runs before what stands earlier.
    let mut seen = roots.iter().filter(|change| {
        let before = change.command < index && unknown;
        (before || loose && change.repeated) && seen_in(script, change.scope, command.scope)
    });
    seen.next().map_or_else(|| known.clone(), |change| change.to.clone())
}

/// How many changes to the root or the home are compared with one command, to keep the cost linear; beyond, the worst
/// is assumed.
const LOOKED_AT: usize = 64;

/// The words that name what a command removes with all that is in it.
fn victims(command: &Command) -> Vec<&Word> {
    let Some(name) = program(command) else { return Vec::new() };
    let arguments = &command.words[1..];
    match name {
        "rm" | "grm" | "srm" => {
            let recursive = has_short(arguments, 'r')
                || has_short(arguments, 'R')
                || has_long(arguments, "recursive", 1)
                || arguments.iter().any(computed);
            if recursive { operands(arguments).collect() } else { Vec::new() }
        }
        "rimraf" => operands(arguments).collect(),
        "find" | "gfind" => found(arguments),
        _ => Vec::new(),
    }
}

/// The starting points of a `find` that deletes all it finds.
fn found(arguments: &[Word]) -> Vec<&Word> {
    // `-H`, `-L`, `-P` and `-O` stand before the starting points.
    let global = arguments.iter().take_while(|word| is(word, "-H -L -P -O3 -O2 -O1")).count();
    let (_, arguments) = arguments.split_at(global);
    let points = arguments.iter().take_while(|word| !starts(lead(word), "-(!")).count();
    let (points, tests) = arguments.split_at(points);
    let deletes = tests.iter().enumerate().any(|(at, word)| {
        is(word, "-delete")
            || is(word, "-exec -execdir")
                && tests[at + 1..].iter().take(6).any(|word| is(word, "rm /bin/rm /usr/bin/rm shred unlink"))
    });
    if deletes && !narrowed(tests) { points.iter().collect() } else { Vec::new() }
}

/// Tells whether tests restrict what is found to some names, sizes or ages.
fn narrowed(tests: &[Word]) -> bool {
    const NARROW: &str = "-name -iname -path -ipath -wholename -regex -iregex -mtime -mmin -atime -ctime -newer -size -empty -user \
        -group -inum -perm -lname -samefile";
    let loosened = tests.iter().any(|word| is(word, "-o -or ,"));
    let mut previous = None;
    let narrow = tests.iter().enumerate().any(|(at, word)| {
        let test = text(word);
        let negated = matches!(previous, Some("!" | "-not"));
        previous = test;
        let all = tests.get(at + 1).and_then(text).is_some_and(|pattern| pattern.bytes().all(|byte| byte == b'*'));
        test.is_some_and(|test| among(NARROW, test)) && !negated && !all
    });
    narrow && !loosened
}

/// Tells what a word names when it is removed from a directory.
fn judge(word: &Word, here: &Directory) -> Option<Removed> {
    let (base, path) = flatten(word, here)?;
    let path = normal(&path, base == Base::Root);
    match base {
        Base::Root => judge_absolute(&path),
        // Above the home is what holds it.
        Base::Home => {
            pieces(&path, b'/').all(|component| component == ".." || is_wild(component)).then_some(Removed::Home)
        }
    }
}

fn judge_absolute(path: &str) -> Option<Removed> {
    let mut components: Vec<&str> = pieces(path, b'/').filter(|component| !component.is_empty()).collect();
    while components.last().is_some_and(|component| is_wild(component)) {
        components.pop();
    }
    match components.as_slice() {
        [] => Some(Removed::Root),
        ["home" | "Users" | "root"] | ["home" | "Users", _] | ["var", "root"] => Some(Removed::Home),
        [name] if among(SYSTEM, name) => Some(Removed::System),
        ["usr", "bin" | "lib" | "sbin" | "local" | "share" | "lib64"] | ["var", "lib" | "log"] => Some(Removed::System),
        _ => None,
    }
}

/// Tells whether a component of a path matches everything: `*`, `.*`, `?*`, `.[!.]*`.
fn is_wild(component: &str) -> bool {
    if component.is_empty() {
        return true;
    }
    let mut inside = false;
    let mut wild = false;
    for letter in component.chars() {
        match letter {
            GLOB => wild = true,
            '[' if wild || component.starts_with(GLOB) => inside = true,
            ']' => inside = false,
            '*' | '?' | '.' => {}
            _ if inside => {}
            _ => return false,
        }
    }
    wild
}

/// Marks a part of a path that is a pattern and not a text that looks like one.
const GLOB: char = '\u{1}';

#[derive(Clone, Copy, PartialEq, Eq)]
enum Base {
    Root,
    Home,
}

/// Returns what a word's path is relative to, and the path with its patterns marked.
fn flatten(word: &Word, here: &Directory) -> Option<(Base, String)> {
    let mut path = String::new();
    let mut parts = word.parts.iter();
    let home = matches!(word.parts.first(), Some(Part::Home | Part::User(_)));
    if home {
        parts.next();
    }
    for part in parts {
        match part {
            Part::Text(text) => path.push_str(text),
            Part::Glob(glob) => {
                path.push(GLOB);
                path.push_str(glob);
            }
            Part::Variable(name) if name == "PWD" && path.is_empty() && !home => path.push('.'),
            Part::Home if path.is_empty() => {}
            Part::Home | Part::User(_) | Part::Variable(_) | Part::Dynamic => return None,
        }
    }
    if home {
        return Some((Base::Home, path));
    }
    if path.starts_with('/') {
        return Some((Base::Root, path));
    }
    let joined = |base: &str| [base, "/", &path].concat();
    match here {
        _ if word.parts.is_empty() => None,
        Directory::Absolute(base) => Some((Base::Root, joined(base))),
        Directory::Home(base) => Some((Base::Home, joined(base))),
        Directory::Start(_) | Directory::Unknown => None,
    }
}
