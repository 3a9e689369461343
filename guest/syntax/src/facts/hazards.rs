//! What changes the meaning of later words: variables, aliases, sourced files, shell options.

use super::{Finding, each, tier};
use crate::script::{Command, Nesting, Script};
use crate::text::{holds, pieces, starts};
use crate::unwrap::words::{among, lead, text};

/// How far a hazard reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reach {
    /// Programs that are started behave differently: `LD_PRELOAD`, `PYTHONPATH`, `GIT_DIR`.
    Programs,
    /// Words of this text and of later ones mean something else: `PATH`, `IFS`, `alias`, `source`, `enable`.
    Words,
}

/// Variables that decide what words of the shell mean.
const WORDS: &str = "PATH IFS BASH_ENV ENV SHELLOPTS BASHOPTS PROMPT_COMMAND PS0 PS1 PS2 PS4 CDPATH HOME OLDPWD PWD DIRSTACK \
    GLOBIGNORE POSIXLY_CORRECT BASH_ALIASES BASH_CMDS BASH_LOADABLES_PATH FPATH ZDOTDIR HISTFILE EXECIGNORE \
    TMOUT SHELL";

/// Variables that make programs load or run what they would not; a trailing `*` stands for any ending.
const PROGRAMS: &str = "LD_* DYLD_* GIT_* PYTHON* PERL5* RUBYOPT RUBYLIB NODE_OPTIONS NODE_PATH JAVA_TOOL_OPTIONS _JAVA_OPTIONS \
    JDK_JAVA_OPTIONS CLASSPATH GCONV_PATH LESSOPEN LESSCLOSE PAGER MANPAGER EDITOR VISUAL BROWSER XDG_CONFIG_* \
    RUSTC RUSTC_WRAPPER CARGO_* MAKEFLAGS CC CXX TAR_OPTIONS GREP_OPTIONS RIPGREP_CONFIG_PATH SSH_* SUDO_* \
    RSYNC_RSH KUBECONFIG DOCKER_* PERLLIB TERMINFO INPUTRC CURL_HOME WGETRC npm_config_* PIP_* http_proxy \
    https_proxy HTTP_PROXY HTTPS_PROXY";

/// Git's variables that only say who and when, or how to talk.
const HARMLESS: &str = "GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_AUTHOR_DATE GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL GIT_COMMITTER_DATE \
    GIT_TERMINAL_PROMPT GIT_OPTIONAL_LOCKS GIT_MERGE_AUTOEDIT GIT_ADVICE GIT_LFS_SKIP_SMUDGE GIT_REFLOG_ACTION \
    PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYTHONHASHSEED PYTHONWARNINGS PYTHONIOENCODING PYTHONUTF8 \
    CARGO_TERM_COLOR CARGO_INCREMENTAL CARGO_NET_OFFLINE PIP_DISABLE_PIP_VERSION_CHECK SSH_AUTH_SOCK \
    PYTHONFAULTHANDLER PYTHONASYNCIODEBUG CARGO_PROFILE_RELEASE_DEBUG CARGO_BUILD_JOBS";

/// Returns how far setting a variable reaches; none for an ordinary one.
#[must_use]
pub fn reach(variable: &str) -> Option<Reach> {
    if among(WORDS, variable) {
        return Some(Reach::Words);
    }
    let matches = |pattern: &str| match pattern.strip_suffix('*') {
        Some(prefix) => variable.starts_with(prefix),
        None => pattern == variable,
    };
    // A pager or an editor that is set is listed as a command of its own and judged as such.
    let listed = crate::unwrap::builtins::is_line(variable);
    (pieces(PROGRAMS, b' ').any(matches) && !among(HARMLESS, variable) && !listed).then_some(Reach::Programs)
}

/// Returns everything that changes what later words or programs mean, in the order of the text; functions come last.
#[must_use]
pub fn hazards(script: &Script) -> Vec<(Reach, Finding)> {
    let mut found = Vec::new();
    for (index, command) in script.commands.iter().enumerate() {
        for assignment in &command.assignments {
            if let Some(reach) = reach(&assignment.name) {
                found.push((reach, variable(index, command, &assignment.name, assignment.value.span)));
            }
        }
        let Some(program) = super::program(command) else { continue };
        for name in declares(command, program) {
            if let Some(reach) = reach(name) {
                found.push((reach, variable(index, command, name, command.words[0].span)));
            }
        }
        if let Some((word, rule)) = builtin(command, program) {
            found.push((Reach::Words, Finding::new(index, command, &command.words[word], rule)));
        }
    }
    shadowed(script, &mut found);
    found
}

fn variable(index: usize, command: &Command, name: &str, span: crate::script::Span) -> Finding {
    Finding {
        command: index,
        program: super::program(command).unwrap_or_default().to_owned(),
        word: name.to_owned(),
        span,
        rule: "sets a variable that changes what later words or programs mean",
    }
}

/// Functions with the name of a program that the tables know.
fn shadowed(script: &Script, found: &mut Vec<(Reach, Finding)>) {
    for name in &script.functions {
        let special = name == "command_not_found_handle" || holds(name, "/");
        if !special && !tier::is_known(name) {
            continue;
        }
        let body = script.commands.iter().position(|command| command.nesting.contains(&Nesting::Function));
        let index = body.unwrap_or(0);
        let span = script.commands.get(index).map(|command| command.span).unwrap_or_default();
        let rule = "defines a function that takes a program's name";
        found.push((Reach::Words, Finding { command: index, program: name.clone(), word: name.clone(), span, rule }));
    }
}

/// Returns the word of a builtin that makes it a hazard, by its index, and the rule.
pub(crate) fn builtin(command: &Command, program: &str) -> Option<(usize, &'static str)> {
    let first = command.words.get(1);
    let at = usize::from(first.is_some());
    let flagged = |letters: &str| {
        command.words.iter().skip(1).position(|word| {
            let lead = lead(word);
            (starts(lead, "-+") && holds(lead, letters)) || text(word).is_none()
        })
    };
    match program {
        _ if among("source .", program) => {
            Some((at, "runs a file in this shell, which may change what every later word means"))
        }
        "alias" if command.words.iter().skip(1).any(|word| text(word).is_none_or(|text| holds(text, "="))) => {
            Some((at, "gives a word another meaning"))
        }
        "enable" => Some((at, "switches builtins on or off, or loads one")),
        "hash" => flagged("p").map(|word| (word + 1, "binds a name to another program")),
        "shopt" => flagged("su").map(|word| (word + 1, "changes how the shell reads later words")),
        "set" => command
            .words
            .iter()
            .skip(1)
            .position(reads_otherwise)
            .map(|word| (word + 1, "changes how the shell reads later words")),
        _ if among("setopt unsetopt emulate autoload zmodload bind complete", program) => {
            Some((at, "changes how the shell reads later words"))
        }
        _ if among("export declare typeset local readonly read mapfile readarray", program) => {
            let words = command.words.iter().skip(1);
            let mut computed = words.enumerate().filter(|(_, word)| lead(word).is_empty() && !word.parts.is_empty());
            computed.next().map(|(word, _)| (word + 1, "sets a variable whose name is computed"))
        }
        _ => None,
    }
}

/// `set -P`, `set -k`, `set -o posix`, `set +B`, `set -f`: what they change is the meaning of words.
fn reads_otherwise(word: &crate::script::Word) -> bool {
    const NAMES: &str = "posix physical keyword history histexpand noglob braceexpand allexport";
    match text(word) {
        Some(text) if starts(text, "-+") && text != "-" && text != "--" && !text.starts_with("--") => {
            holds(text, "PkHfBa")
        }
        Some(text) => among(NAMES, text),
        None => true,
    }
}

/// Tells whether a script sets a variable of the shell itself, in any scope and by any means.
pub(crate) fn sets(script: &Script, name: &str) -> bool {
    script.commands.iter().any(|command| command.assignments.iter().any(|assignment| assignment.name == name))
        || each(script).any(|(_, command, program, _)| declares(command, program).any(|declared| declared == name))
}

/// The variables that a builtin's words set.
pub(crate) fn declares<'a>(command: &'a Command, program: &str) -> impl Iterator<Item = &'a str> {
    let declares = among("export declare typeset local readonly", program);
    let reads = among("read unset mapfile readarray getopts", program);
    let prints = program == "printf" && command.words.get(1).is_some_and(|word| lead(word).starts_with("-v"));
    let words = match () {
        () if declares || reads => command.words.get(1..).unwrap_or_default(),
        () if prints => command.words.get(2..3).unwrap_or_default(),
        () => &[],
    };
    words.iter().filter_map(move |word| {
        let known = text(word).unwrap_or_else(|| lead(word));
        let end = known.bytes().position(|byte| matches!(byte, b'=' | b'[' | b'+'));
        let name = end.map_or(known, |end| &known[..end]);
        // `export PATH` sets nothing.
        let assigned = !declares || known.len() > name.len();
        (assigned && !name.is_empty() && !name.starts_with('-')).then_some(name)
    })
}
