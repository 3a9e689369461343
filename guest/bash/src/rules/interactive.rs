//! Programs that wait for a person: a call has no terminal and nobody at it.

use super::{Case, Objection, Rule};
use crate::rules::lists::List;
use shellward_syntax::Script;
use shellward_syntax::facts::{self, INTERACTIVE, When};

/// What to do instead, where nothing better is known.
pub const INSTEAD: &str = "Nobody can answer it here; use a form that asks nothing.";

/// Tells whether a program is on the list, in some form.
#[must_use]
pub fn holds(program: &str) -> bool {
    listed().any(|(name, _)| *name == program)
}

/// Gives the programs on the list.
#[must_use]
pub fn names() -> Vec<&'static str> {
    let mut names: Vec<&str> = listed().map(|(name, _)| *name).collect();
    names.dedup();
    names
}

/// Shells and interpreters without arguments are not on it: with nothing to read they end at once.
fn listed() -> impl Iterator<Item = &'static (&'static str, When)> {
    INTERACTIVE.iter().filter(|(_, when)| !matches!(when, When::Bare))
}

/// Finds every command that waits for a person.
pub fn check(case: &Case<'_>, found: &mut Vec<Objection>) {
    let relaxed = case.settings.allowed(List::Interactive);
    for (index, command) in case.script.commands.iter().enumerate() {
        let Some(program) = facts::program(command) else { continue };
        if relaxed.iter().any(|name| name == program) {
            continue;
        }
        let list: Vec<(&str, When)> = listed().filter(|(name, _)| *name == program).copied().collect();
        if list.is_empty() {
            continue;
        }
        // The fact gives a script's first such command; each is judged alone, so that each gets its verdict.
        let alone = Script { commands: vec![command.clone()], ..Script::default() };
        if let Some(finding) = facts::interactive(&alone, &list) {
            let message = format!("`{}` {}", case.excerpt(index), finding.rule);
            found.push(Objection::denied(Rule::Interactive, message, instead(program), finding.span).of(index));
        }
    }
}

fn instead(program: &str) -> &'static str {
    match program {
        "vim" | "vi" | "nvim" | "view" | "vimdiff" | "nano" | "pico" | "emacs" | "micro" | "joe" | "hx" => {
            "Use your file editing tool, or `sed -i`."
        }
        "less" | "more" | "most" => "Run the command without a pager: its whole output is captured.",
        "top" | "htop" | "btop" | "atop" => "Use `ps aux --sort=-%cpu`.",
        "watch" => "Run the command once, or in a loop with an end.",
        "tmux" | "screen" | "zellij" => "Run the command itself, with timeout_ms as long as it needs.",
        "ssh" | "scp" | "sftp" | "ftp" | "telnet" | "mosh" => "Sessions on other machines are the user's; ask them.",
        "git" => "Use the form without questions, such as `git add FILE` or `git rebase BRANCH`.",
        _ => INSTEAD,
    }
}
