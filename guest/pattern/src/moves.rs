//! In which directories each command of a line may run.
//!
//! A change of directory that cannot fail leads from one place to another. After one that can fail the line may be in
//! either, unless what follows is tied to it with `&&`. What may happen never or more than once counts as both.

use std::collections::{BTreeMap, BTreeSet};

use shellward_kit::Host;
use shellward_kit::contract::Kind;
use shellward_kit::path::joined;
use shellward_syntax::facts::{self, Change, Directory, Move};
use shellward_syntax::{Part, Script, Span, Word};

/// The most directories that a line may be in at once.
const MOST: usize = 12;

/// A change of directory that leads somewhere: the places, or why they cannot be known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Led {
    /// The command, by its place in the script.
    pub command: usize,
    /// The bytes of the target.
    pub span: Span,
    /// Where it leads, links followed; an error where only the shell knows.
    pub to: Result<BTreeSet<String>, &'static str>,
}

/// Where each command may run.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// Every change, in order.
    pub led: Vec<Led>,
    starts: BTreeMap<usize, BTreeSet<String>>,
    start: String,
}

impl Places {
    /// Follows a line from a directory.
    #[must_use]
    pub fn follow<H: Host>(host: &H, text: &str, script: &Script, start: &str) -> Self {
        let changes = facts::directories(script);
        let mut walk = Walk { host, text, script, states: BTreeMap::new(), start: start.to_owned() };
        let mut places = Self { start: start.to_owned(), ..Self::default() };
        let mut changes = changes.iter().peekable();
        for index in 0..script.commands.len() {
            let scope = script.commands[index].scope;
            let here = walk.enter(scope, index);
            if here.len() != 1 || !here.contains(start) {
                places.starts.insert(index, here);
            }
            while let Some(change) = changes.next_if(|change| change.command == index) {
                places.led.push(walk.change(change));
            }
        }
        places
    }

    /// Gives the directories in which a command may run.
    #[must_use]
    pub fn of(&self, command: usize) -> BTreeSet<String> {
        self.starts.get(&command).cloned().unwrap_or_else(|| BTreeSet::from([self.start.clone()]))
    }
}

/// Where a shell environment may be.
#[derive(Clone, Debug, Default)]
struct State {
    now: BTreeSet<String>,
    /// Where it is if a change from command `since` on has failed.
    fallback: BTreeSet<String>,
    since: Option<usize>,
    /// Everywhere it has been, to which `cd -` and `popd` lead.
    seen: BTreeSet<String>,
}

struct Walk<'a, H> {
    host: &'a H,
    text: &'a str,
    script: &'a Script,
    states: BTreeMap<usize, State>,
    start: String,
}

impl<H: Host> Walk<'_, H> {
    fn enter(&mut self, scope: usize, command: usize) -> BTreeSet<String> {
        let mut state = match self.states.get(&scope) {
            Some(state) => state.clone(),
            None => {
                let parent = self.script.scopes.get(scope).and_then(|scope| scope.parent);
                let now = match parent.filter(|parent| *parent < scope) {
                    Some(parent) => self.enter(parent, command),
                    None => BTreeSet::from([self.start.clone()]),
                };
                State { seen: now.clone(), now, ..State::default() }
            }
        };
        if state.since.is_some_and(|since| !self.tied(since, command)) {
            state.now.append(&mut state.fallback);
            state.since = None;
        }
        let now = state.now.clone();
        self.states.insert(scope, state);
        now
    }

    fn change(&mut self, change: &Change) -> Led {
        let here = self.enter(change.scope, change.command);
        let seen = self.states.get(&change.scope).map(|state| state.seen.clone()).unwrap_or_default();
        let mut sure = !change.repeated;
        let to = self.reach(change, &here, &seen, &mut sure);
        if let (Ok(to), Some(state)) = (&to, self.states.get_mut(&change.scope)) {
            if change.repeated {
                state.now.extend(to.iter().cloned());
            } else {
                if !sure {
                    state.fallback.extend(here);
                    state.since = state.since.or(Some(change.command));
                }
                state.now = to.clone();
            }
            state.seen.extend(to.iter().cloned());
        }
        Led { command: change.command, span: change.span, to }
    }

    fn reach(
        &self,
        change: &Change,
        here: &BTreeSet<String>,
        seen: &BTreeSet<String>,
        sure: &mut bool,
    ) -> Result<BTreeSet<String>, &'static str> {
        const SHELL: &str = "leads where only the shell knows";
        let path = match (change.kind, change.target.as_ref().map(|word| word.parts.as_slice())) {
            (Move::Home, _) if change.to != Directory::Unknown => self.host.home().ok_or(SHELL)?,
            (Move::Home, _) => return Err(SHELL),
            // Every place it has been to was looked at when it went there.
            (Move::Back, _) => return Ok(seen.clone()),
            (Move::To, None | Some([])) => return Ok(here.clone()),
            (Move::To, Some([Part::Text(path)])) if path.starts_with(['+', '-']) && path.len() > 1 => {
                return Ok(seen.clone());
            }
            (Move::To, Some(_)) if change.searched && change.to == Directory::Unknown => return Err(SHELL),
            (Move::To, Some(_)) => match change.target.as_ref().and_then(|word| spelled(self.host, word)) {
                Some(path) => path,
                None => return Err(SHELL),
            },
        };
        let mut reached = BTreeSet::new();
        for from in here {
            // By name, as shells go, and by place, as `cd -P` and links beside `..` may.
            for (path, base) in [(joined(from, &path), None), (path.clone(), Some(from.as_str()))] {
                let place = self.host.resolve(&path, base).map_err(|_| "leads where the system does not go")?;
                *sure &= place.kind == Kind::Directory && place.access.enter;
                reached.insert(place.absolute);
            }
        }
        if reached.len() > MOST { Err("leads to more places than can be followed") } else { Ok(reached) }
    }

    /// Tells whether a command only runs when one before it, and all between, went well: they are tied with `&&`.
    fn tied(&self, from: usize, to: usize) -> bool {
        let commands = &self.script.commands;
        let (Some(first), Some(_)) = (commands.get(from), commands.get(to)) else { return false };
        let negated = self.text.get(..first.span.start).is_none_or(|before| before.trim_end().ends_with('!'));
        if from >= to || negated || !first.via.is_empty() || !commands[to].via.is_empty() {
            return from == to;
        }
        let mut end = first.span.end;
        for command in &commands[from + 1..=to] {
            // What stands inside the command before, as substitutions do, is tied as that is.
            if command.span.start >= end {
                let between = self.text.get(end..command.span.start).unwrap_or_default();
                let tie = between.trim_matches([' ', '\t', '\n']).trim_end_matches(['(', '{', ' ', '\t', '\n']);
                if !matches!(tie, "&&" | "|" | "|&") {
                    return false;
                }
                end = command.span.end;
            }
        }
        true
    }
}

/// Gives the path that a word names, where it is known without running anything.
pub(crate) fn spelled<H: Host>(host: &H, word: &Word) -> Option<String> {
    let mut path = String::new();
    for part in &word.parts {
        match part {
            Part::Text(text) => path.push_str(text),
            Part::Home => path.push_str(&host.home()?),
            Part::Variable(name) if name == "PWD" && path.is_empty() => path.push('.'),
            Part::User(_) | Part::Glob(_) | Part::Variable(_) | Part::Dynamic => return None,
        }
    }
    Some(path)
}
