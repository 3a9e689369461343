//! The network, and scripts that come from it.

use super::{Finding, each};
use crate::script::{Command, Nesting, Script, Target, Word};
use crate::unwrap::shells::is_shell;
use crate::unwrap::words::{lead, program, text};

/// Programs that fetch what an address names and can print it.
const FETCHERS: &[&str] =
    &["curl", "wget", "wget2", "fetch", "aria2c", "http", "https", "xh", "lynx", "w3m", "links", "curlie"];

/// Programs that run a script from standard input or a file. Wrappers are not here: what they run is a command of
/// its own.
const RUNNERS: &[&str] = &[
    "python",
    "python2",
    "python3",
    "perl",
    "ruby",
    "node",
    "nodejs",
    "deno",
    "bun",
    "php",
    "lua",
    "osascript",
    "source",
    ".",
    "eval",
    "tclsh",
    "Rscript",
    "R",
    "at",
    "batch",
    "su",
    "parallel",
];

/// Other programs whose purpose is the network.
const NETWORK: &[&str] = &[
    "ssh",
    "scp",
    "sftp",
    "ftp",
    "tftp",
    "telnet",
    "nc",
    "ncat",
    "netcat",
    "socat",
    "rsync",
    "ping",
    "ping6",
    "traceroute",
    "tracepath",
    "mtr",
    "dig",
    "nslookup",
    "host",
    "whois",
    "nmap",
    "mosh",
    "rclone",
    "gh",
    "glab",
    "aws",
    "gcloud",
    "az",
    "lftp",
    "axel",
    "youtube-dl",
    "yt-dlp",
    "ab",
    "wrk",
    "hey",
    "openssl",
];

/// Returns the first command that runs what another fetched from the network.
///
/// Works on a survey with unknown places: those scripts are what it looks for.
#[must_use]
pub fn remote_script(script: &Script) -> Option<Finding> {
    each(script).find_map(|(index, command, name, _)| {
        if !fetches(name) {
            return None;
        }
        let rule = piped(script, command).or_else(|| substituted(script, index, command))?;
        Some(Finding::new(index, command, &command.words[0], rule))
    })
}

fn fetches(name: &str) -> bool {
    FETCHERS.contains(&name)
}

fn runs(name: &str) -> bool {
    is_shell(name) || RUNNERS.iter().any(|runner| *runner == name) || name.starts_with("python3.")
}

/// `curl … | … | bash`: a program that runs its input, later in the same pipeline.
fn piped(script: &Script, command: &Command) -> Option<&'static str> {
    let pipe = command.pipe?;
    let after = |other: &&Command| {
        other.pipe.is_some_and(|place| place.pipeline == pipe.pipeline && place.position > pipe.position)
    };
    let mut later = script.commands.iter().filter(after);
    later
        .any(|other| program(other).is_some_and(|name| runs(name) && reads_input(other, name)))
        .then_some("runs what it fetches, through a pipe")
}

/// An interpreter with a program of its own (`python3 -m json.tool`, `node -e …`) only reads its input as data.
fn reads_input(command: &Command, name: &str) -> bool {
    let arguments = command.words.get(1..).unwrap_or_default();
    let operand = || arguments.iter().find(|word| !matches!(text(word), Some("-u" | "run" | "-s")));
    match name {
        "su" => !arguments.iter().any(|word| lead(word).starts_with("-c")),
        "eval" | "source" | "parallel" => false,
        _ if is_shell(name) => {
            let cluster = |word: &Word| lead(word).starts_with('-') && !lead(word).starts_with("--");
            !arguments.iter().any(|word| cluster(word) && lead(word).contains('c'))
        }
        _ => operand().is_none_or(|word| matches!(text(word), Some("-" | "/dev/stdin" | "/dev/fd/0"))),
    }
}

/// `bash <(curl …)`, `bash -c "$(curl …)"`, `eval "$(curl …)"`, `source <(curl …)`, `bash <<< "$(curl …)"`.
fn substituted(script: &Script, index: usize, command: &Command) -> Option<&'static str> {
    let substitution =
        |nesting: &Nesting| matches!(nesting, Nesting::CommandSubstitution | Nesting::ProcessSubstitution);
    if !command.nesting.iter().any(substitution) {
        return None;
    }
    let holds = |word: &Word| {
        text(word).is_none() && word.span.start <= command.span.start && command.span.end <= word.span.end
    };
    let around = |(other, outer): (usize, &Command)| {
        other != index && outer.nesting.len() < command.nesting.len() && runs_word(outer, holds)
    };
    script.commands.iter().enumerate().any(around).then_some("runs what it fetches, through a substitution")
}

/// Tells whether a command runs what one of its words or redirections holds.
fn runs_word(command: &Command, holds: impl Fn(&Word) -> bool) -> bool {
    let Some((first, arguments)) = command.words.split_first() else { return false };
    let Some(name) = program(command) else { return holds(first) };
    if !runs(name) {
        return false;
    }
    let redirected = command.redirections.iter().any(|redirection| match &redirection.target {
        Target::File(word) | Target::Body(word) => holds(word),
        Target::Descriptor(_) => false,
    });
    let given = match name {
        "eval" => arguments.iter().any(holds),
        // The script is the first word that is no option, or stands after `-c` or `-e`; later words are its arguments.
        _ => arguments.iter().find(|word| !lead(word).starts_with('-')).is_some_and(holds),
    };
    redirected || given
}

/// Returns the first command whose purpose is the network, or that fetches through a tool such as git.
#[must_use]
pub fn network(script: &Script) -> Option<Finding> {
    each(script).find_map(|(index, command, name, _)| {
        let rule = if fetches(name) {
            "fetches from the network"
        } else if NETWORK.contains(&name) {
            "talks to another machine"
        } else {
            return None;
        };
        Some(Finding::new(index, command, &command.words[0], rule))
    })
}
