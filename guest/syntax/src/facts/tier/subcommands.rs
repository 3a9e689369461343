//! Programs whose subcommand decides what they change.

use super::Rule::{self, Always, Letters, Reads, ReadsIf, ReadsUnless, ReadsUpTo, Sub};
use super::Tier::{self, Admin, ReadOnly, ReadWrite};
use super::{Verdict, apply, git};
use crate::script::Word;
use crate::text::holds;
use crate::unwrap::words::{among, lead, text};

/// A program's subcommands.
#[derive(Debug)]
pub(crate) struct Subcommands {
    /// Options before the subcommand that stand alone; `+` for a first word such as `+nightly`.
    flags: &'static str,
    /// Options before the subcommand whose value is the next word, or follows `=`.
    valued: &'static str,
    /// Subcommands by name, several with one rule.
    table: &'static [(&'static str, Rule)],
    /// The tier of every other subcommand.
    otherwise: Tier,
    /// The tier without a subcommand.
    bare: Tier,
}

const PLAIN: Subcommands = Subcommands { flags: "", valued: "", table: &[], otherwise: ReadWrite, bare: ReadOnly };

/// Judges a program by its subcommand.
pub(crate) fn judge(table: &Subcommands, arguments: &[Word]) -> Verdict {
    let mut at = 0;
    while let Some(word) = arguments.get(at) {
        let lead = lead(word);
        if at == 0 && lead.starts_with('+') && !holds(lead, "/") && among(table.flags, "+") {
            at += 1;
            continue;
        }
        let Some(name) = text(word).filter(|name| !name.starts_with('-')) else {
            match lead.split('=').next().unwrap_or(lead) {
                "--version" | "--help" | "-h" if text(word).is_some() && at + 1 == arguments.len() => {
                    return (ReadOnly, None, "says its version or usage");
                }
                option if among(table.flags, option) && text(word).is_some() => at += 1,
                option if among(table.valued, option) => at += if lead.contains('=') { 1 } else { 2 },
                _ => return (table.otherwise, Some(at), "an option that no table says leaves it reading"),
            }
            continue;
        };
        let rule = table.table.iter().find(|(names, _)| among(names, name));
        return match rule {
            None => (table.otherwise, Some(at), "this subcommand writes, or no table says that it only reads"),
            Some((_, rule)) => {
                let (tier, argument, why) = apply(*rule, &arguments[at + 1..]);
                (tier, Some(argument.map_or(at, |argument| argument + at + 1)), why)
            }
        };
    }
    (table.bare, None, "without a subcommand")
}

/// Subcommands that list and show.
const LISTS: Subcommands = Subcommands {
    table: &[("list ls show inspect view status info get history df version", Reads)],
    bare: ReadWrite,
    ..PLAIN
};
const LISTS_ADMIN: Subcommands = Subcommands { otherwise: Admin, ..LISTS };
const FILES: &str = "-o --output --out";

pub(crate) const STASH: Subcommands =
    Subcommands { table: &[("list show", ReadsUnless(git::FILES))], bare: ReadWrite, ..PLAIN };

pub(crate) const CARGO: Subcommands = Subcommands {
    flags: "+ -q --quiet -v -vv --verbose --locked --offline --frozen --list -V",
    valued: "--color",
    table: &[
        ("tree metadata search version locate-project pkgid read-manifest help verify-project info", Reads),
        ("fmt", ReadsIf("--check", ReadWrite)),
    ],
    ..PLAIN
};

pub(crate) const NPM: Subcommands = Subcommands {
    flags: "-v -g --global --silent -s --json --no-color",
    valued: "--prefix -C --workspace -w --loglevel",
    table: &[
        (
            "ls list ll la view info show v outdated search ping whoami root prefix bin help fund explain why query",
            Reads,
        ),
        ("audit", ReadsUnless("fix --fix")),
        ("config c", Sub(&Subcommands { table: &[("get list ls", Reads)], ..PLAIN })),
        ("get", Reads),
        ("version", ReadsUpTo(0, "")),
    ],
    ..PLAIN
};

pub(crate) const YARN: Subcommands = Subcommands {
    flags: "-v -s --silent",
    table: &[
        ("list ls ll why info outdated licenses view help", Reads),
        ("audit", ReadsUnless("--fix fix")),
        ("config", Sub(&Subcommands { table: &[("get list ls", Reads)], ..PLAIN })),
        ("pm", Sub(&Subcommands { table: &[("ls bin hash", Reads)], ..PLAIN })),
    ],
    // Alone it installs.
    bare: ReadWrite,
    ..PLAIN
};

pub(crate) const PIP: Subcommands = Subcommands {
    flags: "-q -v --quiet --verbose --isolated --no-color --disable-pip-version-check -V",
    table: &[
        ("list show freeze check search index help inspect debug hash", ReadsUnless("--log")),
        ("config", Sub(&Subcommands { table: &[("list get debug", Reads)], ..PLAIN })),
        ("cache", Sub(&Subcommands { table: &[("list info dir", Reads)], ..PLAIN })),
    ],
    ..PLAIN
};

pub(crate) const UV: Subcommands = Subcommands {
    flags: "-q -v --quiet --verbose --offline -V",
    table: &[
        ("version help", ReadsUpTo(0, "--bump")),
        // It brings the lock file up to date.
        ("tree", ReadsIf("--frozen", ReadWrite)),
        ("pip", Sub(&Subcommands { table: &[("list show freeze check tree", Reads)], ..PLAIN })),
        ("python", Sub(&Subcommands { table: &[("list find dir", Reads)], ..PLAIN })),
        ("tool", Sub(&Subcommands { table: &[("list dir", Reads)], ..PLAIN })),
        ("cache", Sub(&Subcommands { table: &[("dir", Reads)], ..PLAIN })),
    ],
    ..PLAIN
};

pub(crate) const GO: Subcommands = Subcommands {
    table: &[
        ("version help doc", Reads),
        ("list", ReadsUnless("-mod -toolexec -exec -overlay -modfile -export")),
        ("env", ReadsUnless("-w -u --w --u")),
        ("mod", Sub(&Subcommands { table: &[("graph why verify", Reads)], ..PLAIN })),
        ("tool", ReadsUpTo(0, "")),
    ],
    ..PLAIN
};

pub(crate) const RUSTUP: Subcommands = Subcommands {
    flags: "-v -q -V",
    table: &[("show which check help doc", Reads), ("toolchain target component override", Sub(&LISTS))],
    ..PLAIN
};

pub(crate) const COMPOSE: Subcommands = Subcommands {
    flags: "--verbose",
    valued: "-f --file -p --project-name --profile --env-file --project-directory --ansi",
    table: &[("ps logs images ls top version port events stats", Reads), ("config", ReadsUnless(FILES))],
    ..PLAIN
};

pub(crate) const DOCKER: Subcommands = Subcommands {
    flags: "-D --debug -v",
    valued: "-c --context -H --host -l --log-level",
    table: &[
        ("ps images inspect logs top stats version info history port diff events search help", Reads),
        ("container", Sub(&Subcommands { table: &[("ls list ps inspect logs top stats port diff", Reads)], ..PLAIN })),
        ("image volume network context plugin node service stack secret config manifest", Sub(&LISTS)),
        ("system", Sub(&Subcommands { table: &[("df info events", Reads), ("prune", Always(Admin))], ..PLAIN })),
        (
            "buildx builder",
            Sub(&Subcommands { table: &[("ls du version", Reads), ("inspect", ReadsUnless("--bootstrap"))], ..PLAIN }),
        ),
        ("compose", Sub(&COMPOSE)),
    ],
    ..PLAIN
};

pub(crate) const KUBECTL: Subcommands = Subcommands {
    valued: "-n --namespace --context --cluster --kubeconfig -s --server --user --request-timeout -v",
    table: &[
        ("get describe logs top explain version api-resources api-versions events options help completion", Reads),
        ("kustomize", ReadsUnless("-o --output --enable-exec --enable-alpha-plugins --enable-helm --helm-command")),
        ("diff", Always(ReadWrite)),
        ("cluster-info", ReadsUnless("--output-directory dump")),
        (
            "config",
            Sub(&Subcommands {
                table: &[("view get-contexts current-context get-clusters get-users", Reads)],
                ..PLAIN
            }),
        ),
        ("auth", Sub(&Subcommands { table: &[("can-i whoami", Reads)], otherwise: Admin, ..PLAIN })),
        ("rollout", Sub(&Subcommands { table: &[("status history", Reads)], otherwise: Admin, ..PLAIN })),
        ("exec cp port-forward attach proxy debug", Always(ReadWrite)),
    ],
    otherwise: Admin,
    ..PLAIN
};

pub(crate) const HELM: Subcommands = Subcommands {
    flags: "--debug",
    valued: "-n --namespace --kube-context --kubeconfig",
    table: &[
        ("list ls status get history show inspect search version env help verify", Reads),
        ("template lint", ReadsUnless("--output-dir --post-renderer")),
        ("repo dependency plugin", Sub(&LISTS)),
        ("create package pull fetch", Always(ReadWrite)),
    ],
    otherwise: Admin,
    ..PLAIN
};

pub(crate) const TERRAFORM: Subcommands = Subcommands {
    valued: "-chdir",
    table: &[
        ("version show output graph help validate", Reads),
        ("providers", ReadsUnless("lock mirror")),
        ("fmt", ReadsIf("-check", ReadWrite)),
        (
            "state workspace",
            Sub(&Subcommands { table: &[("list show pull", Reads)], otherwise: Admin, bare: ReadOnly, ..PLAIN }),
        ),
        ("plan init get console test refresh", Always(ReadWrite)),
    ],
    otherwise: Admin,
    ..PLAIN
};

pub(crate) const SYSTEMCTL: Subcommands = Subcommands {
    flags: "--user --system --no-pager -l --full -a --all -q --quiet --failed --no-legend --plain",
    valued: "-t --type --state -p --property -n --lines -o --output",
    table: &[
        (
            "status show cat list-units list-unit-files list-timers list-sockets list-dependencies list-jobs list-machines",
            Reads,
        ),
        (
            "is-active is-enabled is-failed is-system-running help get-default show-environment list-automounts list-paths",
            Reads,
        ),
    ],
    otherwise: Admin,
    ..PLAIN
};

pub(crate) const CTL: Subcommands = Subcommands {
    flags: "--no-pager -a --all",
    table: &[
        (
            "status show list list-sessions list-users list-seats session-status user-status show-session show-user",
            Reads,
        ),
        ("list-timezones show-timesync timesync-status list-locales list-keymaps query statistics", Reads),
    ],
    otherwise: Admin,
    ..PLAIN
};

/// macOS: disks, services, settings, images.
pub(crate) const MAC: Subcommands = Subcommands {
    table: &[(
        "list info print read read-type find domains help version activity apfs-list verify imageinfo checksum",
        Reads,
    )],
    otherwise: Admin,
    ..PLAIN
};

pub(crate) const APT: Subcommands = Subcommands {
    flags: "-q -qq --quiet",
    table: &[
        (
            "list show search policy depends rdepends help changelog showpkg showsrc madison pkgnames stats unmet dump",
            ReadsUnless("-o --option -c --config-file"),
        ),
        ("download source", Always(ReadWrite)),
    ],
    otherwise: Admin,
    ..PLAIN
};

pub(crate) const DNF: Subcommands = Subcommands {
    flags: "-q -y --quiet",
    table: &[("list info search repolist check-update provides whatprovides repoquery deplist help se if lr", Reads)],
    otherwise: Admin,
    ..PLAIN
};

pub(crate) const BREW: Subcommands = Subcommands {
    flags: "-v",
    table: &[
        (
            "list ls info search outdated deps uses config doctor dr leaves desc cat help formulae casks missing log",
            Reads,
        ),
        ("services", Sub(&LISTS_ADMIN)),
    ],
    ..PLAIN
};

pub(crate) const SNAP: Subcommands = Subcommands {
    table: &[("list info find search version help connections remotes history services", Reads)],
    otherwise: Admin,
    ..PLAIN
};

pub(crate) const APK: Subcommands =
    Subcommands { table: &[("list info search policy stats version dot", Reads)], otherwise: Admin, ..PLAIN };

const GH_API: Rule = ReadsUnless("-X --method -f --raw-field -F --field --input");
const GH_LISTS: Subcommands = Subcommands {
    valued: "-R --repo",
    table: &[("list ls view diff checks status watch show", ReadsUnless("-w --web"))],
    bare: ReadOnly,
    ..PLAIN
};

pub(crate) const GH: Subcommands = Subcommands {
    valued: "-R --repo",
    table: &[
        (
            "pr issue repo run workflow release gist label secret variable cache project org ruleset mr ci",
            Sub(&GH_LISTS),
        ),
        ("auth", Sub(&Subcommands { table: &[("status", ReadsUnless("-t --show-token"))], ..PLAIN })),
        ("api", GH_API),
        ("search status version help", Reads),
    ],
    ..PLAIN
};

pub(crate) const GEM: Subcommands = Subcommands {
    flags: "-v",
    table: &[("list search info which environment specification dependency contents outdated help show", Reads)],
    bare: ReadWrite,
    ..PLAIN
};

pub(crate) const CONDA: Subcommands = Subcommands {
    flags: "-V",
    table: &[
        ("list info search", Reads),
        ("env", Sub(&Subcommands { table: &[("list", Reads)], ..PLAIN })),
        ("config", Letters("", "", "--show --show-sources --get")),
    ],
    ..PLAIN
};
