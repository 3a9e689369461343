//! The directory each command runs in, as far as the text says: `cd`, `pushd` and `popd`.

use super::program;
use crate::paths::normal;
use crate::script::{Command, Nesting, Part, Script, Span, Word};
use crate::text::{before, holds, pieces, starts};
use crate::unwrap::words::{among, text};

/// A directory, with `.` and `..` taken out of its path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Directory {
    /// Below, or with leading `..` above, the directory in which the text starts; empty for that directory itself.
    Start(String),
    /// An absolute path.
    Absolute(String),
    /// Below, or with leading `..` above, the home directory; empty for the home itself.
    Home(String),
    /// Known only when it runs.
    Unknown,
}

/// A command that changes the directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    /// `cd` or `pushd` with a target.
    To,
    /// `cd` without a target: to the home directory.
    Home,
    /// `cd -`, `popd`, and `pushd` without a target: to a directory that was left before.
    Back,
}

/// One change of directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The index of the command in [`Script::commands`].
    pub command: usize,
    /// The shell environment that it changes.
    pub scope: usize,
    /// What kind of change it is.
    pub kind: Move,
    /// The target as written; none for a change without one.
    pub target: Option<Word>,
    /// The bytes of the target, or of the command's name.
    pub span: Span,
    /// The directory before, to which a relative target is relative.
    pub from: Directory,
    /// The directory after, when the change succeeds and so did those before.
    pub to: Directory,
    /// Whether `CDPATH` may decide where it leads: a relative target that does not begin with `.` or `..`.
    pub searched: bool,
    /// Whether it may run never or more than once: in a condition, a body, a function, a trap.
    pub repeated: bool,
}

impl Directory {
    /// Returns the directory that a word names when this is the working directory.
    #[must_use]
    pub fn join(&self, word: &Word) -> Self {
        match word.parts.as_slice() {
            [] => self.clone(),
            [Part::Text(path)] => self.join_text(path),
            [Part::Home] => Self::Home(String::new()),
            [Part::Home, Part::Text(path)] if path.starts_with('/') => Self::Home(normal(path, false)),
            _ => Self::Unknown,
        }
    }

    /// Returns the directory of a path when this is the working directory; unknown when it is longer than the kernel
    /// takes.
    #[must_use]
    pub fn join_text(&self, path: &str) -> Self {
        if path.len() + self.len() > LONGEST {
            return Self::Unknown;
        }
        if path.starts_with('/') {
            return Self::Absolute(normal(path, true));
        }
        let joined = |base: &str| [base, "/", path].concat();
        match self {
            Self::Start(base) => Self::Start(normal(&joined(base), false)),
            Self::Home(base) => Self::Home(normal(&joined(base), false)),
            Self::Absolute(base) => Self::Absolute(normal(&joined(base), true)),
            Self::Unknown => Self::Unknown,
        }
    }

    /// The same with an absolute path, where it is known in which directory the text starts.
    #[must_use]
    pub(super) fn from(&self, start: &str) -> Self {
        match self {
            Self::Start(path) if !start.is_empty() => Self::Absolute(start.to_owned()).join_text(path),
            known => known.clone(),
        }
    }

    /// The length of its path.
    fn len(&self) -> usize {
        match self {
            Self::Start(path) | Self::Absolute(path) | Self::Home(path) => path.len(),
            Self::Unknown => 0,
        }
    }
}

/// The longest path, as the kernel has it.
const LONGEST: usize = 4096;

/// The most directories that `pushd` is followed to.
const DEEPEST: usize = 64;

/// How many bytes of paths are copied in one text. Each relative change makes a path that may be longer than its word:
/// beyond this, directories that are not written out are unknown, so that the cost stays linear.
const BUDGET: usize = 256 << 10;

/// The directories of one shell environment.
#[derive(Clone)]
struct State {
    now: Directory,
    before: Directory,
    /// The stack below the current directory; none when it cannot be known.
    stack: Option<Vec<Directory>>,
}

/// Returns every change of directory in the order of the text, each with the directories before and after it.
#[must_use]
pub fn directories(script: &Script) -> Vec<Change> {
    let mut walker = Walker::new(script);
    let steps = script.commands.iter().enumerate();
    steps.filter_map(|(index, command)| walker.step(index, command)).collect()
}

/// Tells whether what one shell environment does is seen in another: it is the same or one the other was copied from.
pub(super) fn seen_in(script: &Script, of: usize, scope: usize) -> bool {
    let mut at = Some(scope);
    let mut steps = script.scopes.len() + 1;
    while let Some(here) = at.filter(|_| steps > 0) {
        if here == of {
            return true;
        }
        at = script.scopes.get(here).and_then(|scope| scope.parent);
        steps -= 1;
    }
    false
}

/// Follows the changes of a script command by command.
pub(crate) struct Walker<'a> {
    script: &'a Script,
    /// By scope, copied from the parent when a scope is first seen.
    states: Vec<Option<State>>,
    /// What is left of [`BUDGET`].
    budget: usize,
    /// Variables of `cd` that the text sets, so that what they hold is not known.
    home_set: bool,
    old_set: bool,
    path_set: bool,
}

impl<'a> Walker<'a> {
    pub(crate) fn new(script: &'a Script) -> Self {
        let sets = |name: &str| super::hazards::sets(script, name);
        Self {
            script,
            states: Vec::new(),
            budget: BUDGET,
            home_set: sets("HOME"),
            old_set: sets("OLDPWD") || sets("PWD") || sets("DIRSTACK"),
            path_set: sets("CDPATH"),
        }
    }

    /// Returns the state of a scope, copied from its parent when it is first seen.
    fn state(&mut self, scope: usize) -> &mut State {
        if self.states.len() <= scope {
            self.states.resize(scope + 1, None);
        }
        let copied = if self.states[scope].is_none() { self.nearest(scope) } else { None };
        let copied = copied.map(|state| self.paid(state));
        self.states[scope].get_or_insert_with(|| {
            copied.unwrap_or(State {
                now: Directory::Start(String::new()),
                before: Directory::Unknown,
                stack: Some(Vec::new()),
            })
        })
    }

    /// Returns the state of the nearest scope around this one that has been seen.
    fn nearest(&self, scope: usize) -> Option<State> {
        let mut parent = self.script.scopes.get(scope)?.parent;
        for _ in 0..self.script.scopes.len() {
            let at = parent?;
            if let Some(state) = self.states.get(at).and_then(Option::as_ref) {
                return Some(state.clone());
            }
            parent = self.script.scopes.get(at)?.parent;
        }
        None
    }

    /// Pays for a copy of a state; where that cannot be, nothing is known.
    fn paid(&mut self, state: State) -> State {
        let stack: usize = state.stack.iter().flatten().map(Directory::len).sum();
        if self.pay(stack + state.now.len() + state.before.len()) {
            return state;
        }
        State { now: Directory::Unknown, before: Directory::Unknown, stack: None }
    }

    fn pay(&mut self, bytes: usize) -> bool {
        self.budget = self.budget.saturating_sub(bytes);
        self.budget > 0
    }

    /// Returns the directory in which a command of a scope runs.
    pub(crate) fn directory(&mut self, scope: usize) -> &Directory {
        &self.state(scope).now
    }

    /// Takes a command into account, and returns how it changes the directory.
    pub(crate) fn step(&mut self, index: usize, command: &Command) -> Option<Change> {
        let name = program(command)?;
        if !among("cd chdir pushd popd", name) {
            return None;
        }
        let repeated = is_loose(command);
        let scope = command.scope;
        let from = self.state(scope).now.clone();
        // It is copied three times at most: joined, kept as the one before, and pushed.
        let from = if self.pay(3 * from.len()) { from } else { Directory::Unknown };
        let (kind, target, lost) = read(name, &command.words[1..]);
        let searched = kind == Move::To && target.is_some_and(is_searched);
        let lost = lost || searched && self.path_set;
        let to = self.target(name, kind, target, &from, command, lost, repeated);
        let state = self.state(scope);
        if let ("pushd", Move::To, Some(stack)) = (name, kind, state.stack.as_mut()) {
            stack.push(from.clone());
            if stack.len() > DEEPEST {
                state.stack = None;
            }
        }
        state.before = from.clone();
        state.now = to.clone();
        // What runs later may find it done, not done, or done many times.
        if repeated {
            *state = State { now: Directory::Unknown, before: Directory::Unknown, stack: None };
        }
        let word = target.or(command.words.first());
        Some(Change {
            command: index,
            scope,
            kind,
            target: target.cloned(),
            span: word.map_or(command.span, |word| word.span),
            from,
            to,
            searched,
            repeated,
        })
    }

    #[expect(clippy::too_many_arguments, reason = "each is one condition of where a change leads")]
    fn target(
        &mut self,
        name: &str,
        kind: Move,
        target: Option<&Word>,
        from: &Directory,
        command: &Command,
        lost: bool,
        repeated: bool,
    ) -> Directory {
        let home_set = self.home_set;
        let old_set = self.old_set;
        let state = self.state(command.scope);
        let to = match (kind, name) {
            (Move::To, _) => match target {
                Some(target) => from.join(target),
                None => Directory::Unknown,
            },
            (Move::Home, _) => Directory::Home(String::new()),
            (Move::Back, "popd") => state.stack.as_mut().and_then(Vec::pop).unwrap_or(Directory::Unknown),
            (Move::Back, "pushd") => match state.stack.as_mut() {
                Some(stack) => match stack.pop() {
                    Some(top) => {
                        stack.push(from.clone());
                        top
                    }
                    None => Directory::Unknown,
                },
                None => Directory::Unknown,
            },
            (Move::Back, _) if old_set => Directory::Unknown,
            (Move::Back, _) => state.before.clone(),
        };
        match to {
            _ if lost => Directory::Unknown,
            Directory::Home(_) if home_set => Directory::Unknown,
            // Run twice, a step upwards leads higher than it seems, unless it is at the root.
            to if repeated && matches!(to.from(&self.script.start), Directory::Absolute(path) if path == "/") => to,
            _ if repeated && target.and_then(text).is_some_and(|path| !path.starts_with('/') && climbs(path)) => {
                Directory::Unknown
            }
            to => to,
        }
    }
}

fn climbs(path: &str) -> bool {
    pieces(path, b'/').any(|component| component == "..")
}

/// Tells whether `CDPATH` is searched for a target.
fn is_searched(target: &Word) -> bool {
    match target.parts.first() {
        Some(Part::Text(path)) => !path.starts_with('/') && !among(". ..", before(path, b'/')),
        Some(Part::Home) | None => false,
        Some(_) => true,
    }
}

/// Reads the words of `cd`, `pushd` or `popd`: what kind of change, its target, whether links are resolved.
fn read<'w>(name: &str, words: &'w [Word]) -> (Move, Option<&'w Word>, bool) {
    let mut physical = false;
    let mut rest = words;
    while let Some((first, after)) = rest.split_first() {
        match text(first) {
            Some("--") => {
                rest = after;
                break;
            }
            Some(option)
                if option.len() > 1
                    && option.starts_with('-')
                    && option.bytes().skip(1).all(|byte| b"LPe@nq".contains(&byte)) =>
            {
                // `pushd -n` and `popd -n` change the stack and not the directory: not followed.
                physical |= holds(option, "Pn");
                rest = after;
            }
            _ => break,
        }
    }
    let target = rest.first();
    let kind = match (name, target.map(text)) {
        ("popd", None) => Move::Back,
        ("pushd", None) => Move::Back,
        (_, None) => Move::Home,
        (_, Some(Some("-"))) => Move::Back,
        (_, Some(Some(_) | None)) => Move::To,
    };
    // `popd +1` and `pushd -2` turn the stack, and `cd a b` is an error or, in zsh, a substitution: not followed.
    let turned =
        among("pushd popd", name) && target.is_some_and(|word| text(word).is_none_or(|text| starts(text, "+-")));
    (kind, target, physical || turned || rest.len() > 1 || (name == "popd" && target.is_some()))
}

/// Tells whether a command may run never or more than once.
pub(super) fn is_loose(command: &Command) -> bool {
    command
        .nesting
        .iter()
        .any(|nesting| matches!(nesting, Nesting::Function | Nesting::Condition | Nesting::Body | Nesting::Trap))
}
