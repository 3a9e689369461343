//! Shells: `sh -c`, scripts on standard input, and script files.

use super::options::{Found, Table, scan, unknown};
use super::stdin::{Source, Stdin, dynamic};
use super::words::{among, is_one, lead, may_be_option, text};
use super::{Inner, Looked};
use crate::script::{Command, Language, What, Word};

/// Shells whose language this crate reads, and with which reading.
///
/// `sh` is dash here; what other small shells read differently from dash is unknown in that reading.
const SHELLS: &[(&str, Language)] = &[
    ("sh", Language::Sh),
    ("bash", Language::Bash),
    ("dash", Language::Sh),
    ("zsh", Language::Zsh),
    ("ash", Language::Sh),
    ("rbash", Language::Bash),
    ("ksh", Language::Sh),
    ("ksh93", Language::Sh),
    ("mksh", Language::Sh),
    ("lksh", Language::Sh),
    ("yash", Language::Sh),
    ("rzsh", Language::Zsh),
];

/// Shells whose language it does not read.
const FOREIGN: &str = "fish csh tcsh pwsh powershell elvish xonsh rc es";

const OPTIONS: Table = Table {
    short: "abcefhiklmnprstuvxyBCDEHLPTo:O:",
    long: "norc noprofile posix login rcfile: init-file: verbose restricted noediting debugger no-rcs no-globalrcs \
        emulate: version help dump-strings dump-po-strings pretty-print",
    path_ends: true,
};

const NU_OPTIONS: Table = Table {
    short: "nhvc:m:",
    long: "no-config-file no-std-lib no-history no-newline stdin commands: table-mode: error-style: help version",
    path_ends: true,
};

/// Returns the reading of a shell of the `sh` family by its name.
pub(crate) fn language(name: &str) -> Option<Language> {
    let name = name.strip_prefix('-').unwrap_or(name);
    SHELLS.iter().find(|(shell, _)| *shell == name).map(|(_, language)| *language)
}

/// Tells whether a program is a shell, one that this crate cannot read included.
pub(crate) fn is_shell(name: &str) -> bool {
    language(name).is_some() || name == "nu" || among(FOREIGN, name)
}

/// Looks into a shell; none when the program is no shell.
pub(crate) fn look(name: &str, command: &Command, source: &Source<'_>) -> Option<Looked> {
    if name == "nu" {
        return Some(nushell(&command.words, source));
    }
    if among(FOREIGN, name) {
        return Some(foreign(name, command, source));
    }
    let language = language(name)?;
    Some(read(name, language, &command.words, source))
}

fn foreign(name: &str, command: &Command, source: &Source<'_>) -> Looked {
    let asks = |word: &Word| matches!(text(word), Some("--version" | "--help" | "-v" | "-h"));
    match command.words.get(1) {
        Some(word) if asks(word) && command.words.len() == 2 => Ok(Vec::new()),
        // A script file is a program like any other.
        Some(word) if !may_be_option(word) && is_one(word) && !is_stdin(word) => Ok(Vec::new()),
        None if source.stdin() == Stdin::Inherited => Ok(Vec::new()),
        _ => Err(dynamic(name)),
    }
}

/// `nu [options] -c line` and `nu [options] file`; from standard input alone it reads nothing.
fn nushell(words: &[Word], source: &Source<'_>) -> Looked {
    let given = scan("nu", &NU_OPTIONS, words, 1)
        .map_err(|what| if what == What::DynamicProgram { dynamic("nu") } else { what })?;
    if given.has("h v help version") {
        return Ok(Vec::new());
    }
    let lines = given.options.iter().filter(|found| among("c commands", found.name)).count();
    match (lines, given.value("c commands"), words.get(given.rest)) {
        (1, Some(line), None) => {
            let Some(text) = text(line) else { return Err(dynamic("nu")) };
            let via = "nu -c".to_owned();
            Ok(vec![Inner::Script { text: text.to_owned(), language: Language::Nu, span: line.span, here: false, via }])
        }
        (0, _, None) => Ok(Vec::new()),
        (0, _, Some(file)) if is_stdin(file) => on_stdin("nu", Language::Nu, source),
        (0, _, Some(file)) if is_one(file) => Ok(Vec::new()),
        // Options may stand after a line or a file, and of several lines it runs one.
        _ => Err(dynamic("nu")),
    }
}

fn read(name: &str, language: Language, words: &[Word], source: &Source<'_>) -> Looked {
    // A computed word in place of an option or a file is a script that nobody has seen.
    let given = options(name, words).map_err(|what| if what == What::DynamicProgram { dynamic(name) } else { what })?;
    if given.has("version") || given.has("help") {
        return Ok(Vec::new());
    }
    let first = words.get(given.rest);
    if given.has("c") {
        let Some(script) = first else { return Ok(Vec::new()) };
        let Some(text) = text(script) else { return Err(dynamic(name)) };
        let via = format(name, " -c");
        return Ok(vec![Inner::Script { text: text.to_owned(), language, span: script.span, here: false, via }]);
    }
    match first {
        Some(file) if !given.has("s") && !is_stdin(file) => Ok(Vec::new()),
        _ => on_stdin(name, language, source),
    }
}

struct Given {
    options: Vec<Found>,
    rest: usize,
}

impl Given {
    fn has(&self, name: &str) -> bool {
        self.options.iter().any(|found| found.name == name)
    }
}

/// Reads a shell's options: `+x` is one too.
fn options(name: &str, words: &[Word]) -> Result<Given, What> {
    let mut given = Given { options: Vec::new(), rest: 1 };
    loop {
        let before = given.rest;
        let mut found = scan(name, &OPTIONS, words, given.rest)?;
        given.options.append(&mut found.options);
        given.rest = found.rest;
        let ended = given.rest > before && words.get(given.rest - 1).and_then(text) == Some("--");
        let Some(word) = words.get(given.rest) else { return Ok(given) };
        match (ended, text(word)) {
            (false, Some("-")) => {
                given.rest += 1;
                return Ok(given);
            }
            (false, Some("+o" | "+O")) => given.rest += 2,
            (false, Some(text)) if text.len() > 1 && text.starts_with('+') => {
                if !text[1..].chars().all(|letter| "abefhkmnptuvxBCEHPT".contains(letter)) {
                    return Err(unknown(name, word));
                }
                given.rest += 1;
            }
            (false, None) if lead(word).starts_with('+') => return Err(unknown(name, word)),
            _ => return Ok(given),
        }
    }
}

/// Names under which a script file is standard input.
fn is_stdin(file: &Word) -> bool {
    matches!(text(file), Some("/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0"))
}

fn on_stdin(name: &str, language: Language, source: &Source<'_>) -> Looked {
    match source.stdin() {
        Stdin::Inherited => Ok(Vec::new()),
        Stdin::Dynamic => Err(dynamic(name)),
        Stdin::Known(text, span) => {
            let via = format(name, " <");
            Ok(vec![Inner::Script { text, language, span, here: false, via }])
        }
    }
}

fn format(name: &str, suffix: &str) -> String {
    let mut out = String::with_capacity(name.len() + suffix.len());
    out.push_str(name);
    out.push_str(suffix);
    out
}
