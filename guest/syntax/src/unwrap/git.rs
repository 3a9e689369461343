//! Git: settings, options and subcommands that run programs.

use super::options::{Table, scan, unknown};
use super::stdin::dynamic;
use super::tools::{attached, carried};
use super::words::{among, begins, cut, is, is_one, lead, literal, text};
use super::{Found, Looked};
use crate::script::{Command, Span, Word};
use crate::text::{before, find, halves, holds, pieces};

/// Git's options before the subcommand.
pub(crate) const OPTIONS: Table = Table {
    short: "C:c:hvpP",
    long: "exec-path? html-path man-path info-path paginate no-pager git-dir: work-tree: namespace: super-prefix: \
        bare no-replace-objects literal-pathspecs glob-pathspecs noglob-pathspecs icase-pathspecs \
        no-optional-locks config-env: list-cmds: attr-source: no-lazy-fetch no-advice help version",
    path_ends: false,
};

/// Settings whose value git gives to a shell; `*` stands for any name.
const RUNS: &str = "core.pager core.editor core.sshcommand core.fsmonitor core.askpass core.alternaterefscommand core.gitproxy \
    sequence.editor diff.external gpg.program gpg.*.program gpg.ssh.defaultkeycommand pager.* diff.*.command \
    diff.*.textconv merge.*.driver filter.*.clean filter.*.smudge filter.*.process mergetool.*.cmd difftool.*.cmd \
    mergetool.*.path difftool.*.path browser.*.cmd man.*.cmd guitool.*.cmd credential.helper credential.*.helper \
    interactive.difffilter uploadpack.packobjectshook trailer.*.command trailer.*.cmd sendemail.smtpserver \
    sendemail.*cmd remote.*.uploadpack remote.*.receivepack web.browser tar.*.command submodule.*.update imap.tunnel \
    gc.recentobjectshook";

/// Looks into git.
pub(crate) fn look(command: &Command, found: &mut Found) -> Looked {
    let words = &command.words;
    let given = scan("git", &OPTIONS, words, 1)?;
    let call = words.get(given.rest..).unwrap_or_default();
    for option in &given.options {
        match (option.name, &option.value) {
            ("c", Some(value)) => assignment(value, call, found)?,
            // The value is in a variable: `--config-env=alias.x=NAME`.
            ("config-env", Some(value)) if halves(lead(value), b'=').is_none_or(|(name, _)| is_run(name)) => {
                return Err(dynamic("git --config-env"));
            }
            _ => {}
        }
    }
    match call {
        [subcommand, rest @ ..] => match text(subcommand) {
            Some(name) => subcommands(name, rest, found),
            None => Err(unknown("git", subcommand)),
        },
        [] => Ok(()),
    }
}

/// Tells whether git runs the value of a setting.
pub(super) fn is_run(name: &str) -> bool {
    is_program(name) || alias(name).is_some()
}

/// `name=value`, as `-c` takes it. The name may be known though the value is not: `user.name=$NAME` runs nothing.
fn assignment(word: &Word, call: &[Word], found: &mut Found) -> Looked {
    match halves(lead(word), b'=') {
        Some((name, _)) => setting(name, &cut(word, name.len() + 1), call, found),
        None if text(word).is_some() => Ok(()),
        None => Err(dynamic("git -c")),
    }
}

/// A setting, and the subcommand with its words for which it is made.
fn setting(name: &str, value: &Word, call: &[Word], found: &mut Found) -> Looked {
    if find(name, EXT).is_some() {
        return Err(dynamic("git -c"));
    }
    if !is_run(name) {
        return helper(value, found);
    }
    let line = text(value).ok_or_else(|| dynamic("git -c"))?;
    if let Some(alias) = alias(name) {
        let is_it = |word: &Word| text(word).is_none_or(|text| text.eq_ignore_ascii_case(alias));
        return aliased(line, value.span, call, call.first().is_some_and(is_it), found);
    }
    if !line.is_empty() && !among(PLAIN, line) {
        found.line("git -c", line.strip_prefix('!').unwrap_or(line), value.span);
    }
    Ok(())
}

/// What an address begins with for which git runs the program that it names.
const EXT: &str = "ext::";

/// An address such as `ext::program argument`: no shell reads it, and `%` is its sign.
fn helper(word: &Word, found: &mut Found) -> Looked {
    if !begins(word, EXT) {
        return Ok(());
    }
    let line = cut(word, EXT.len());
    if holds(lead(&line), "%") { Err(dynamic("git ext::")) } else { found.word("git ext::", &line) }
}

/// Returns the name of an alias from that of its setting.
fn alias(name: &str) -> Option<&str> {
    name.get(..6).filter(|prefix| prefix.eq_ignore_ascii_case("alias.")).and_then(|_| name.get(6..))
}

fn is_program(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    pieces(RUNS, b' ').any(|pattern| match halves(pattern, b'*') {
        None => pattern == name,
        Some((head, tail)) => name.len() > head.len() + tail.len() && name.starts_with(head) && name.ends_with(tail),
    })
}

/// Values that are no program: what such a setting takes besides one.
const PLAIN: &str = "true false cat less store cache manager osxkeychain checkout rebase merge none";

fn aliased(line: &str, span: Span, rest: &[Word], called: bool, found: &mut Found) -> Looked {
    if let Some(line) = line.strip_prefix('!') {
        // Arguments of the call are added to the line as "$@" and run nothing by themselves.
        found.line("git alias", line, span);
    } else if called {
        if holds(line, "'\"\\") {
            return Err(dynamic("git alias"));
        }
        let mut words = vec![literal("git", span)];
        words.extend(line.split_ascii_whitespace().map(|word| literal(word, span)));
        words.extend_from_slice(rest.get(1..).unwrap_or_default());
        found.program("git alias", words);
    }
    Ok(())
}

/// Options of subcommands whose value is a line for a shell, and letters that take another value.
const LINES: &[(&str, &str, &str)] = &[
    ("rebase", "-x --exec", "CsX"),
    ("difftool", "-x --extcmd", "t"),
    ("grep", "-O --open-files-in-pager", "ABCefm"),
    ("clone", "-u --upload-pack", "bocj"),
    ("fetch", "--upload-pack", ""),
    ("pull", "--upload-pack", ""),
    ("push", "--receive-pack --exec", ""),
    ("ls-remote", "--upload-pack --exec", ""),
    ("fetch-pack", "--upload-pack --exec", ""),
    ("send-pack", "--receive-pack --exec", ""),
    ("archive", "--exec", ""),
    ("send-email", "--to-cmd --cc-cmd --header-cmd --sendmail-cmd", ""),
    (
        "filter-branch",
        "--setup --env-filter --tree-filter --index-filter --parent-filter --msg-filter --commit-filter \
            --tag-name-filter",
        "",
    ),
];

fn subcommands(name: &str, words: &[Word], found: &mut Found) -> Looked {
    match (name, words) {
        ("bisect", [run, program @ ..]) if is(run, "run") => found.program("git bisect run", program.to_vec()),
        ("submodule", _) => foreach(words, found)?,
        ("config", _) => return config(words, found),
        ("clone", _) => {
            each(name, words, "-c --config", "bouj", |_, value| assignment(value, &[], found))?;
        }
        _ => {}
    }
    for word in words {
        helper(word, found)?;
        if let Some((option, value)) = halves(lead(word), b'=')
            && value.starts_with(EXT)
        {
            helper(&cut(word, option.len() + 1), found)?;
        }
    }
    let Some((_, options, valued)) = LINES.iter().find(|(subcommand, ..)| *subcommand == name) else { return Ok(()) };
    each(name, words, options, valued, |option, value| {
        let line = text(value).ok_or_else(|| dynamic("git"))?;
        found.line(&["git ", name, " ", option].concat(), line, value.span);
        Ok(())
    })
}

/// Goes through the values of options.
fn each(
    name: &str,
    words: &[Word],
    options: &str,
    valued: &str,
    mut found: impl FnMut(&str, &Word) -> Looked,
) -> Looked {
    let mut words = words.iter().take_while(|word| !is(word, "--"));
    while let Some(word) = words.next() {
        // A word that the shell computes may be such an option with its value.
        if lead(word).is_empty() && !word.parts.is_empty() && !is_one(word) {
            return Err(unknown("git", word));
        }
        let Some((option, at)) = carried(lead(word), options, valued) else { continue };
        match attached(word, option, at) {
            Some(value) => found(option, &value)?,
            // `git grep -O` takes none but an attached one.
            None if name == "grep" => {}
            None => words.next().map_or(Ok(()), |value| found(option, value))?,
        }
    }
    Ok(())
}

/// Tells whether a line is an editor or a pager with options.
fn is_usual(line: &str) -> bool {
    among("vi vim nvim nano emacs micro hx less", before(line, b' ')) && !holds(line, "!|&;<>()$`\\\"'\n")
}

/// `git config [options] [set] name value`: later calls of git run it.
fn config(words: &[Word], found: &mut Found) -> Looked {
    let mut words = words.iter().filter(|word| !is(word, "set"));
    let mut operands = Vec::new();
    while let Some(word) = words.next() {
        if is(word, "-f --file --blob --type --default --comment --value --url") {
            words.next();
        } else if !begins(word, "-") {
            operands.push(word);
        }
    }
    match operands.as_slice() {
        // An editor or a pager is no danger while nobody calls it, and it is set up often.
        [_, value, ..] if text(value).is_some_and(is_usual) => Ok(()),
        [name, value, ..] => match text(name) {
            Some(name) => setting(name, value, &[], found),
            None => Err(unknown("git", name)),
        },
        _ => Ok(()),
    }
}

/// `git submodule foreach [--recursive] line-or-program`.
fn foreach(words: &[Word], found: &mut Found) -> Looked {
    let at = words.iter().position(|word| is(word, "foreach")).map_or(words.len(), |at| at + 1);
    let mut rest = words.get(at..).unwrap_or_default();
    while let [option, after @ ..] = rest
        && is(option, "--recursive --quiet -q")
    {
        rest = after;
    }
    found.joined("git submodule foreach", rest)
}
