//! Changes of directory: each target, wherever the line may be when it gets there, must lie within the root.
//!
//! A change that cannot fail leads from one set of places to another. One that can fail leaves the line where it was,
//! unless what follows is tied to it with `&&`. In conditions, bodies and functions it may happen or not, and more than
//! once. Links are followed by the host; bash keeps the path by which it went to a directory, so that `cd ..` is
//! looked at both ways.

mod text;

use super::{Case, Objection, Rule, excerpt, not_known};
use shellward_kit::Host;
use shellward_kit::contract::{Kind, PathError, Place};
use shellward_kit::path::joined;
use shellward_syntax::facts::{self, Change, Directory, Move};
use shellward_syntax::{Part, Span, Word};
use std::collections::BTreeMap;
use text::{is_tie, sets};

/// The most places in which a line may be at once.
const MOST: usize = 12;

/// How often a change in a loop is followed.
const ROUNDS: usize = 8;

const WRITE_OUT: &str = "Write the directory out, relative to the project root, or give it as `directory`.";

/// Finds every change of directory that leads outside the root, or nobody knows where.
pub fn check<H: Host>(host: &H, case: &Case<'_>, start: &str, found: &mut Vec<Objection>) {
    let changes = facts::directories(case.script);
    if changes.is_empty() {
        return;
    }
    let start = Spot { logical: start.to_owned(), physical: start.to_owned() };
    let mut walk = Walk { host, case, start, states: BTreeMap::new() };
    for change in &changes {
        if let Err(objection) = walk.change(change) {
            found.push(objection.of(change.command));
        }
    }
}

const TIE: &str = "It may run where an earlier `cd` has failed: tie it to that with `&&`, or use `(cd DIR && …)`.";

/// A directory: by the path that leads there, and by where that is.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Spot {
    logical: String,
    physical: String,
}

/// Where a shell environment may be.
#[derive(Clone, Debug, Default)]
struct State {
    now: Vec<Spot>,
    /// Where it is if one of the changes from command `since` on has failed.
    fallback: Vec<Spot>,
    since: Option<usize>,
    /// Everywhere it has been, to which `cd -` and `popd` lead.
    seen: Vec<Spot>,
    /// Where it was before its last change, and the bytes of that.
    before: Vec<Spot>,
    last: Span,
}

struct Walk<'a, H> {
    host: &'a H,
    case: &'a Case<'a>,
    start: Spot,
    states: BTreeMap<usize, State>,
}

/// Where a change leads.
struct Reached {
    spots: Vec<Spot>,
    sure: bool,
}

impl<H: Host> Walk<'_, H> {
    fn change(&mut self, change: &Change) -> Result<(), Objection> {
        let mut state = self.enter(change.scope, change.command);
        let mut reached = self.reach(change, &state.now, &state.seen)?;
        if change.repeated {
            self.repeat(change, &state, &mut reached)?;
            add(&mut reached.spots, &state.now);
            reached.sure = true;
        }
        if reached.spots.len() > MOST {
            return Err(self.unknown(change, "leads to more places than can be followed"));
        }
        if !reached.sure {
            add(&mut state.fallback, &state.now);
            state.since = state.since.or(Some(change.command));
        }
        add(&mut state.seen, &reached.spots);
        state.last = self.span(change.command);
        state.before = std::mem::replace(&mut state.now, reached.spots);
        self.states.insert(change.scope, state);
        Ok(())
    }

    /// Gives the state of an environment when a command of it begins.
    fn enter(&mut self, scope: usize, command: usize) -> State {
        let mut state = match self.states.get(&scope) {
            Some(state) => state.clone(),
            None => self.inherit(scope, command),
        };
        if let Some(since) = state.since
            && !self.tied(since, command)
        {
            let fallback = std::mem::take(&mut state.fallback);
            add(&mut state.now, &fallback);
            state.since = None;
        }
        state
    }

    /// An environment begins where its parent is when its first command begins.
    fn inherit(&mut self, scope: usize, command: usize) -> State {
        let parent = self.case.script.scopes.get(scope).and_then(|scope| scope.parent);
        let Some(parent) = parent.filter(|parent| *parent < scope) else {
            let start = vec![self.start.clone()];
            return State { now: start.clone(), seen: start, ..State::default() };
        };
        let mut state = self.enter(parent, command);
        // In `X=$(cd ..) cd src` the inner command runs before the outer one.
        let inner = self.span(command);
        if state.last.start <= inner.start && inner.end <= state.last.end {
            let before = std::mem::take(&mut state.before);
            add(&mut state.now, &before);
        }
        state
    }

    /// Follows a change that happens again and again, as long as that leads to places that exist.
    fn repeat(&self, change: &Change, state: &State, reached: &mut Reached) -> Result<(), Objection> {
        let mut last = reached.spots.clone();
        for _ in 0..ROUNDS {
            let next = self.reach(change, &last, &state.seen)?;
            let new: Vec<Spot> = next.spots.into_iter().filter(|spot| !reached.spots.contains(spot)).collect();
            if new.is_empty() || !next.sure {
                return Ok(());
            }
            add(&mut reached.spots, &new);
            last = new;
        }
        Err(self.unknown(change, "leads further with every round of its loop"))
    }

    fn reach(&self, change: &Change, from: &[Spot], seen: &[Spot]) -> Result<Reached, Objection> {
        let path = match self.target(change)? {
            Target::Nowhere => return Ok(Reached { spots: from.to_vec(), sure: true }),
            // Every place it has been to was looked at when it went there.
            Target::Back => return Ok(Reached { spots: seen.to_vec(), sure: true }),
            Target::Path(path) => path,
        };
        let mut reached = Reached { spots: Vec::new(), sure: !is_stack_only(self.words(change)) };
        for spot in from {
            match self.follow(change, spot, &path, &mut reached.sure) {
                Ok(spots) => add(&mut reached.spots, &spots),
                Err(objection) if from.len() > 1 && objection.rule == Rule::OutsideRoot => {
                    let message = objection.message.replacen(" leads to ", " may lead to ", 1);
                    return Err(Objection { message, hint: TIE.to_owned(), ..objection });
                }
                Err(objection) => return Err(objection),
            }
        }
        Ok(reached)
    }

    /// Follows a path from a directory, by name and by place.
    fn follow(&self, change: &Change, from: &Spot, path: &str, sure: &mut bool) -> Result<Vec<Spot>, Objection> {
        let logical = joined(&from.logical, path);
        let by_name = self.resolve(change, &logical, None)?;
        // Only `..` behind a link leads elsewhere by place than by name.
        let same = from.logical == from.physical && !path.split('/').any(|name| name == "..");
        let by_place = if same { by_name.clone() } else { self.resolve(change, path, Some(&from.physical))? };
        for place in [&by_name, &by_place] {
            *sure &= place.kind == Kind::Directory && place.access.enter;
            if place.kind == Kind::Missing && self.makes_links() {
                return Err(self.unknown(change, "may lead through a link that the same line makes"));
            }
        }
        let mut spots = vec![Spot { logical, physical: by_name.absolute.clone() }];
        if by_place.absolute != by_name.absolute {
            spots.push(Spot { logical: by_place.absolute.clone(), physical: by_place.absolute });
        }
        Ok(spots)
    }

    fn resolve(&self, change: &Change, path: &str, base: Option<&str>) -> Result<Place, Objection> {
        let place = self.host.resolve(path, base).map_err(|error| {
            let message = match error {
                PathError::Nul => "holds a NUL".to_owned(),
                PathError::TooLong => "is longer than the system takes".to_owned(),
                PathError::Circular => "leads through links that go in circles".to_owned(),
                PathError::PermissionDenied => "leads through a directory that may not be entered".to_owned(),
                PathError::Other(message) => format!("cannot be followed: {message}"),
            };
            self.unknown(change, &message)
        })?;
        if place.relative.is_none() {
            let message = format!("`{}` leads to '{}', outside the project root", self.shown(change), place.absolute);
            let hint = "Stay within the root; commands can name files elsewhere without going there.";
            return Err(Objection::denied(Rule::OutsideRoot, message, hint, change.span));
        }
        Ok(place)
    }

    fn target(&self, change: &Change) -> Result<Target, Objection> {
        let lost = |name: &str| Err(self.unknown(change, &format!("depends on {name}, which the line sets")));
        let text = self.case.text;
        let home = |rest: &str| match self.host.home() {
            _ if change.to == Directory::Unknown => lost("HOME"),
            Some(home) => Ok(Target::Path([home.as_str(), rest].concat())),
            None => Err(self.unknown(change, "leads home, and where that is is not known")),
        };
        let program = self.words(change).first().and_then(Word::literal).unwrap_or_default();
        match (change.kind, change.target.as_ref().map(|word| word.parts.as_slice())) {
            (Move::Home, _) => home(""),
            (Move::Back, _) if sets(text, "OLDPWD") || sets(text, "DIRSTACK") => lost("OLDPWD or DIRSTACK"),
            (Move::Back, _) => Ok(Target::Back),
            (Move::To, None | Some([])) => Ok(Target::Nowhere),
            (Move::To, Some([Part::Text(path)])) => match program.as_ref() {
                "popd" => Ok(Target::Back),
                "pushd" if path.starts_with(['+', '-']) => Ok(Target::Back),
                _ if change.searched && sets(text, "CDPATH") => lost("CDPATH"),
                _ => Ok(Target::Path(path.clone())),
            },
            (Move::To, Some([Part::Home])) => home(""),
            (Move::To, Some([Part::Home, Part::Text(rest)])) if rest.starts_with('/') => home(rest),
            (Move::To, Some([Part::Variable(name), rest @ ..])) if name == "PWD" && !sets(text, "PWD") => match rest {
                [] => Ok(Target::Nowhere),
                [Part::Text(rest)] if rest.starts_with('/') => Ok(Target::Path([".", rest].concat())),
                _ => Err(self.unknown(change, "leads where only the shell knows")),
            },
            (Move::To, Some([Part::Variable(name)])) if name == "OLDPWD" && !sets(text, "OLDPWD") => Ok(Target::Back),
            (Move::To, Some(_)) => Err(self.unknown(change, "leads where only the shell knows")),
        }
    }

    fn unknown(&self, change: &Change, problem: &str) -> Objection {
        let message = format!("`{}` {problem}", self.shown(change));
        not_known(self.case.settings, message, WRITE_OUT, change.span)
    }

    fn shown(&self, change: &Change) -> String {
        excerpt(self.case.text, self.span(change.command))
    }

    fn span(&self, command: usize) -> Span {
        self.case.script.commands.get(command).map(|command| command.span).unwrap_or_default()
    }

    fn words(&self, change: &Change) -> &[Word] {
        self.case.script.commands.get(change.command).map_or(&[], |command| &command.words)
    }

    fn makes_links(&self) -> bool {
        self.case.script.commands.iter().any(|command| matches!(facts::program(command), Some("ln" | "link")))
    }

    /// Tells whether a command only runs when one before it, and all between, went well: they are tied with `&&`.
    fn tied(&self, from: usize, to: usize) -> bool {
        let (commands, text) = (&self.case.script.commands, self.case.text);
        let inner = |index: usize| commands.get(index).is_none_or(|command| !command.via.is_empty());
        let mut end = self.span(from).end;
        let negated = text.get(..self.span(from).start).is_none_or(|before| before.trim_end().ends_with('!'));
        if from >= to || negated || inner(from) || inner(to) {
            return false;
        }
        for command in commands.iter().take(to + 1).skip(from + 1) {
            // What stands inside the command before, as substitutions do, is tied as that is.
            if command.span.start >= end {
                if !text.get(end..command.span.start).is_some_and(is_tie) {
                    return false;
                }
                end = command.span.end;
            }
        }
        true
    }
}

enum Target {
    Path(String),
    Back,
    Nowhere,
}

/// `pushd -n` changes nothing but the stack.
fn is_stack_only(words: &[Word]) -> bool {
    words.iter().skip(1).any(|word| word.literal().is_some_and(|text| text.starts_with('-') && text.contains('n')))
}

fn add(spots: &mut Vec<Spot>, more: &[Spot]) {
    for spot in more {
        if !spots.contains(spot) {
            spots.push(spot.clone());
        }
    }
}
