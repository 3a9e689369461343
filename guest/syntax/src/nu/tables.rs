//! Names of nu's own commands, by what they do to the reading.

use crate::unwrap::words::among;

/// Commands that only compute on what they are given: part of the language, not listed.
///
/// The blocks they take are read; nothing else in their words runs.
const PURE: &str = "all any append ast bits break bytes cal char chunk-by chunks clear collect columns combinations compact \
    complete continue date debug decode default describe detect difference do drop each encode enumerate error every \
    explain fill filter find first flatten format from generate get grid group-by hash headers help histogram ignore \
    insert inspect interleave intersect into is-admin is-empty is-not-empty is-redirected is-terminal items join last \
    length lines math matrix merge metadata move nu-highlight panic par-each parse path permutations prepend print \
    random reduce reject rename return reverse roll rotate scope select semver seq shuffle skip slice sort sort-by \
    split str table take tee term timeit to transpose union uniq uniq-by unlet update upsert url values version view \
    where window wrap zip ansi";

/// Commands that read or change something outside, or run something: listed.
const LISTED: &str = "banner cd cp du echo exec exit explore glob history http idx input job kill load-env ls mkdir mktemp mv \
    nu-check open peek port ps pwd query rm run-external save schema sleep start stor sys touch ulimit umask uname \
    watch which whoami with-env";

/// Commands that change what later words mean, or run what is not in the text.
const REFUSED: &str = "abbr alias attr commandline config export extern hide hide-env keybindings let-env module overlay plugin \
    register run run-internal source source-env tutor use";

/// Subcommands of pure commands that are not pure.
const EXCEPTIONS: &[(&str, &str)] = &[("into", "sqlite")];

/// Whether a name is refused.
pub(super) fn is_refused(name: &str) -> bool {
    among(REFUSED, name)
}

/// Whether a name is one of nu's commands.
pub(super) fn is_command(name: &str) -> bool {
    among(PURE, name) || among(LISTED, name)
}

/// Whether a command only computes, given the bare word after it.
pub(super) fn is_pure(name: &str, next: &str) -> bool {
    among(PURE, name) && !EXCEPTIONS.contains(&(name, next))
}
