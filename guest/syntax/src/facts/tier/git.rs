//! What a git command changes.

use super::Rule::{self, Letters, Reads, ReadsUnless, ReadsUpTo, Sub};
use super::Tier::{self, ReadOnly, ReadWrite};
use super::subcommands::STASH;
use super::{Verdict, apply, behind, is_any};
use crate::script::Word;
use crate::unwrap::git::OPTIONS;
use crate::unwrap::options::scan;
use crate::unwrap::words::{among, is, lead, text};

/// Options of listing commands that write a file.
pub(super) const FILES: &str = "--output --ext-diff --textconv";

/// Subcommands by name; one that is not here writes.
const SUBCOMMANDS: &[(&str, Rule)] = &[
    (
        "status rev-parse rev-list ls-files ls-tree merge-base for-each-ref show-ref count-objects var check-ignore",
        Reads,
    ),
    ("check-attr check-mailmap cherry name-rev describe verify-commit verify-tag verify-pack help version", Reads),
    ("ls-remote get-tar-commit-id merge-tree stripspace column", Reads),
    (
        "log diff show shortlog blame annotate diff-tree diff-index diff-files range-diff whatchanged",
        ReadsUnless(FILES),
    ),
    ("cat-file", ReadsUnless("--textconv --filters")),
    ("grep", ReadsUnless("-O --open-files-in-pager --ext-grep --textconv")),
    ("fsck", ReadsUnless("--lost-found")),
    ("archive", ReadsUnless("-o --output")),
    ("format-patch", Letters("", "0123456789", "--stdout")),
    ("symbolic-ref", ReadsUpTo(1, "-d --delete -m")),
    ("bisect", Rule::Special(bisect)),
    ("branch", Rule::Special(branch)),
    ("tag", Rule::Special(tag)),
    ("config", Rule::Special(config)),
    ("remote", Rule::Special(remote)),
    ("stash", Sub(&STASH)),
    ("reflog", ReadsUnless("--output --ext-diff --textconv expire delete drop write")),
    ("worktree sparse-checkout", Rule::Special(lists)),
    ("notes", Rule::Special(notes)),
    ("submodule", Rule::Special(submodule)),
    ("bundle", Rule::Special(bundle)),
    ("lfs", Rule::Special(lfs)),
    ("rerere", Rule::Special(rerere)),
    ("clean", Letters("n", "ndfxXq", "--dry-run")),
];

/// Settings that `-c` may set without making git run or write something.
const HARMLESS: &str = "color. core.quotepath core.pager core.abbrev core.precomposeunicode core.ignorecase core.autocrlf \
    core.editor advice. user. log. column. status. i18n. init.defaultbranch pager. safe.directory diff.renames \
    diff.renamelimit diff.mnemonicprefix diff.noprefix diff.algorithm diff.context protocol.version \
    http.lowspeed gc.auto commit.gpgsign tag.gpgsign sequence.editor core.longpaths alias.";

/// Judges a git command.
pub(crate) fn git(arguments: &[Word]) -> Verdict {
    let words = behind("git", arguments);
    let Ok(given) = scan("git", &OPTIONS, &words, 1) else {
        return (ReadWrite, None, "an option that no table says leaves it reading");
    };
    let at = given.rest - 1;
    for option in &given.options {
        let harmless = match option.name {
            "c" => option.value.as_ref().is_some_and(is_harmless),
            "exec-path" => option.value.is_none(),
            "config-env" => false,
            _ => true,
        };
        if !harmless {
            let word = arguments.iter().position(|word| lead(word).starts_with("-c") || lead(word).starts_with("--"));
            return (ReadWrite, word, "this setting may make git write, or run another program");
        }
    }
    let Some(subcommand) = arguments.get(at) else { return (ReadOnly, None, "without a subcommand") };
    let name = text(subcommand).unwrap_or_default();
    let rest = &arguments[at + 1..];
    let rule = SUBCOMMANDS.iter().find(|(names, _)| among(names, name));
    match rule {
        None => (ReadWrite, Some(at), "this subcommand writes, or no table says that it only reads"),
        Some((_, rule)) => {
            let (tier, argument, why) = apply(*rule, rest);
            (tier, Some(argument.map_or(at, |argument| argument + at + 1)), why)
        }
    }
}

fn is_harmless(setting: &Word) -> bool {
    let name = lead(setting).split('=').next().unwrap_or_default().to_ascii_lowercase();
    // `alias.x=…` that is called is unwrapped, and the command it stands for is judged.
    HARMLESS.split(' ').any(|known| name.starts_with(known))
}

const LISTING: &str = "lists";
const CHANGING: &str = "changes the repository";

/// The verdict on a subcommand that lists with these words and changes something with others.
fn verdict(reads: bool, word: Option<usize>) -> Verdict {
    if reads { (Tier::ReadOnly, None, LISTING) } else { (Tier::ReadWrite, word, CHANGING) }
}

/// Returns the first word that is neither one of these options nor the value of one.
fn stranger(arguments: &[Word], flags: &str, valued: &str) -> Option<usize> {
    let mut at = 0;
    while let Some(word) = arguments.get(at) {
        let name = lead(word).split('=').next().unwrap_or_default();
        let known = text(word).is_some();
        if among(valued, name) {
            at += if lead(word).contains('=') { 1 } else { 2 };
        } else if among(flags, name) && known {
            at += 1;
        } else {
            return Some(at);
        }
    }
    None
}

const BRANCH_FLAGS: &str = "-a --all -r --remotes -v -vv -av -avv -rv -ra -ar -va -vva --verbose -l --list --show-current --no-color \
    --color --column --no-column -i --ignore-case -q --no-abbrev --abbrev --omit-empty";
const BRANCH_VALUED: &str = "--contains --no-contains --merged --no-merged --points-at --format --sort";

fn branch(arguments: &[Word]) -> Verdict {
    let word = stranger(arguments, BRANCH_FLAGS, BRANCH_VALUED);
    // With `--list` words are patterns.
    let lists = arguments.iter().any(|word| is_any(word, "--list -l") && lead(word).len() <= 6);
    let pattern =
        word.is_some_and(|at| arguments[at..].iter().all(|word| text(word).is_some_and(|text| !text.starts_with('-'))));
    verdict(word.is_none() || lists && pattern, word)
}

const TAG_FLAGS: &str = "-l --list -n -n1 -n5 -n9 -n99 --color --column --no-column -i --ignore-case";

fn tag(arguments: &[Word]) -> Verdict {
    let word = stranger(arguments, TAG_FLAGS, BRANCH_VALUED);
    let lists = arguments.iter().any(|word| is(word, "-l --list") || lead(word).starts_with("-n"));
    let verifies = matches!(arguments.first().and_then(text), Some("-v" | "--verify"));
    let pattern =
        word.is_some_and(|at| arguments[at..].iter().all(|word| text(word).is_some_and(|text| !text.starts_with('-'))));
    verdict(word.is_none() || lists && pattern || verifies, word)
}

fn config(arguments: &[Word]) -> Verdict {
    const PLACES: &str = "--global --system --local --worktree -z --null --name-only --show-origin --show-scope --includes \
        --no-includes --bool --int --path";
    const VALUED: &str = "-f --file --blob --type --default";
    const ASKS: &str = "--get --get-all --get-regexp --get-urlmatch --list -l --get-color --get-colorbool get list";
    let Some(at) = stranger(arguments, PLACES, VALUED) else { return verdict(true, None) };
    let asks = text(&arguments[at]).is_some_and(|text| among(ASKS, text));
    // A lone name asks for its value.
    let lone = at + 1 == arguments.len()
        && text(&arguments[at]).is_some_and(|text| text.contains('.') && !text.starts_with('-'));
    let changes = arguments.iter().any(|word| {
        is_any(word, "--unset --unset-all --add --replace-all --edit -e --remove-section --rename-section")
    });
    verdict((asks || lone) && !changes, Some(at))
}

/// Judges by the first word that is no option.
fn first(arguments: &[Word], names: &str, bare: bool) -> Verdict {
    let at = stranger(arguments, "-v --verbose -q --quiet", "");
    match at.and_then(|at| text(&arguments[at])) {
        Some(name) => verdict(among(names, name), at),
        None => verdict(bare && at.is_none(), at),
    }
}

fn remote(arguments: &[Word]) -> Verdict {
    first(arguments, "show get-url", true)
}

fn lists(arguments: &[Word]) -> Verdict {
    first(arguments, "list", false)
}

fn notes(arguments: &[Word]) -> Verdict {
    first(arguments, "list show get-ref", true)
}

fn submodule(arguments: &[Word]) -> Verdict {
    // What `foreach` runs is a command of its own.
    first(arguments, "status summary foreach", true)
}

fn bundle(arguments: &[Word]) -> Verdict {
    first(arguments, "verify list-heads", false)
}

fn lfs(arguments: &[Word]) -> Verdict {
    first(arguments, "ls-files status env version locks", true)
}

fn rerere(arguments: &[Word]) -> Verdict {
    first(arguments, "status diff remaining", false)
}

fn bisect(arguments: &[Word]) -> Verdict {
    // What `view` is given may be any command of git.
    first(arguments, "log terms", false)
}
