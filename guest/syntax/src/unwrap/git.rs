//! Git: settings, options and subcommands that run programs.

use super::options::{Table, scan, unknown};
use super::stdin::dynamic;
use super::tools::{carries, option_value};
use super::words::{among, is, is_one, lead, literal, text};
use super::{Found, Looked};
use crate::script::{Command, Span, Word};
use crate::text::{halves, holds, pieces};

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
    sequence.editor diff.external gpg.program gpg.*.program pager.* diff.*.command diff.*.textconv \
    merge.*.driver filter.*.clean filter.*.smudge filter.*.process mergetool.*.cmd difftool.*.cmd \
    mergetool.*.path difftool.*.path browser.*.cmd man.*.cmd guitool.*.cmd credential.helper credential.*.helper \
    interactive.difffilter uploadpack.packobjectshook trailer.*.command trailer.*.cmd sendemail.smtpserver \
    sendemail.tocmd sendemail.cccmd remote.*.uploadpack remote.*.receivepack web.browser";

/// Looks into git.
pub(crate) fn look(command: &Command, found: &mut Found) -> Looked {
    let words = &command.words;
    let given = scan("git", &OPTIONS, words, 1)?;
    let subcommand = words.get(given.rest);
    for option in given.options.iter().filter(|option| option.name == "c") {
        let Some(value) = &option.value else { continue };
        let Some(setting) = text(value) else {
            // The name may be known though the value is not: `user.name=$NAME` runs nothing.
            match halves(lead(value), b'=') {
                Some((name, _)) if !is_program(name) && alias(name).is_none() => continue,
                _ => return Err(dynamic("git -c")),
            }
        };
        let (name, line) = halves(setting, b'=').unwrap_or((setting, ""));
        if let Some(alias) = alias(name) {
            let called = subcommand.is_some_and(|word| text(word).is_none_or(|text| text.eq_ignore_ascii_case(alias)));
            aliased(line, value.span, words.get(given.rest..).unwrap_or_default(), called, found)?;
        } else if is_program(name) && !line.is_empty() && !among(PLAIN, line) {
            found.line("git -c", line.strip_prefix('!').unwrap_or(line), value.span);
        }
    }
    match words.get(given.rest..).unwrap_or_default() {
        [subcommand, rest @ ..] => match text(subcommand) {
            Some(name) => subcommands(name, rest, found),
            None => Err(unknown("git", subcommand)),
        },
        [] => Ok(()),
    }
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
const PLAIN: &str = "true false cat less store cache manager osxkeychain";

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

/// Options of subcommands whose value is a line for a shell.
const LINES: &[(&str, &str)] = &[
    ("rebase", "-x --exec"),
    ("difftool", "-x --extcmd"),
    ("grep", "-O --open-files-in-pager"),
    ("clone", "-u --upload-pack"),
    ("fetch", "--upload-pack"),
    ("pull", "--upload-pack"),
    ("push", "--receive-pack --exec"),
    ("ls-remote", "--upload-pack --exec"),
    ("fetch-pack", "--upload-pack --exec"),
    ("send-pack", "--receive-pack --exec"),
    ("archive", "--exec"),
    (
        "filter-branch",
        "--setup --env-filter --tree-filter --index-filter --parent-filter --msg-filter --commit-filter \
            --tag-name-filter",
    ),
];

fn subcommands(name: &str, words: &[Word], found: &mut Found) -> Looked {
    match (name, words) {
        ("bisect", [run, program @ ..]) if is(run, "run") => found.program("git bisect run", program.to_vec()),
        ("submodule", _) => foreach(words, found)?,
        _ => {}
    }
    let Some((_, options)) = LINES.iter().find(|(subcommand, _)| *subcommand == name) else { return Ok(()) };
    let mut at = 0;
    while let Some(word) = words.get(at) {
        at += 1;
        let lead = lead(word);
        if is(word, "--") {
            break;
        }
        // A word that the shell computes may be such an option with its value.
        if lead.is_empty() && !word.parts.is_empty() && !is_one(word) {
            return Err(unknown("git", word));
        }
        let Some(option) = pieces(options, b' ').find(|option| carries(lead, option)) else { continue };
        let value = option_value(word, option, || {
            at += 1;
            words.get(at - 1).cloned()
        });
        let Some(value) = value else { break };
        let line = text(&value).ok_or_else(|| dynamic("git"))?;
        found.line(&["git ", name, " ", option].concat(), line, value.span);
    }
    Ok(())
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
