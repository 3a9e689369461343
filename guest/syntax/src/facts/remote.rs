//! The network, and scripts that come from it.

use super::{Finding, each};
use crate::script::{Command, Nesting, Script, Target, Word};
use crate::text::holds;
use crate::unwrap::shells::is_shell;
use crate::unwrap::words::{among, is, lead, program, text};

/// Programs that fetch what an address names and can print it.
const FETCHERS: &str = "curl wget wget2 fetch aria2c http https xh lynx w3m links curlie";

/// Programs that run a script from standard input or a file. Wrappers are not here: what they run is a command of
/// its own.
const RUNNERS: &str = "python python2 python3 perl ruby node nodejs deno bun php lua osascript source . eval tclsh Rscript R at \
    batch su parallel";

/// Other programs whose purpose is the network.
const NETWORK: &str = "ssh scp sftp ftp tftp telnet nc ncat netcat socat rsync ping ping6 traceroute tracepath mtr dig nslookup \
    host whois nmap mosh rclone gh glab aws gcloud az lftp axel youtube-dl yt-dlp ab wrk hey openssl";

/// Returns the first command that runs what another fetched from the network.
///
/// Works on a survey with unknown places: those scripts are what it looks for.
#[must_use]
pub fn remote_script(script: &Script) -> Option<Finding> {
    let mut runners = None;
    each(script).find_map(|(index, command, name, _)| {
        if !fetches(name) {
            return None;
        }
        let runners = runners.get_or_insert_with(|| Runners::new(script));
        let rule = if runners.piped(command) {
            "runs what it fetches, through a pipe"
        } else if runners.substituted(command) {
            "runs what it fetches, through a substitution"
        } else {
            return None;
        };
        Some(Finding::new(index, command, &command.words[0], rule))
    })
}

/// Where a script runs what it is given, found once for all commands.
struct Runners {
    /// The last place in each pipeline of a program that runs its input: `curl … | … | bash`.
    pipes: Vec<usize>,
    /// The words that are run, by how deep their command is nested: `bash -c "$(curl …)"`.
    ///
    /// Each has its start and the furthest end of it and all before it.
    words: Vec<Vec<(usize, usize)>>,
}

impl Runners {
    fn new(script: &Script) -> Self {
        let mut runners = Self { pipes: Vec::new(), words: Vec::new() };
        for command in &script.commands {
            if let (Some(pipe), Some(name)) = (command.pipe, program(command))
                && runs(name)
                && reads_input(command, name)
            {
                if runners.pipes.len() <= pipe.pipeline {
                    runners.pipes.resize(pipe.pipeline + 1, 0);
                }
                runners.pipes[pipe.pipeline] = pipe.position.max(runners.pipes[pipe.pipeline]);
            }
            let depth = command.nesting.len();
            for word in run_words(command).filter(|word| text(word).is_none()) {
                if runners.words.len() <= depth {
                    runners.words.resize_with(depth + 1, Vec::new);
                }
                let words = &mut runners.words[depth];
                // Commands stand in the order of the text, so that this is nearly always the end.
                let at = words.partition_point(|before| before.0 <= word.span.start);
                words.insert(at, (word.span.start, word.span.end));
            }
        }
        for words in &mut runners.words {
            let mut furthest = 0;
            for word in words {
                furthest = word.1.max(furthest);
                word.1 = furthest;
            }
        }
        runners
    }

    fn piped(&self, command: &Command) -> bool {
        command.pipe.is_some_and(|pipe| self.pipes.get(pipe.pipeline).is_some_and(|last| *last > pipe.position))
    }

    /// `bash <(curl …)`, `bash -c "$(curl …)"`, `eval "$(curl …)"`, `source <(curl …)`, `bash <<< "$(curl …)"`.
    fn substituted(&self, command: &Command) -> bool {
        let inside = |nesting: &Nesting| matches!(nesting, Nesting::CommandSubstitution | Nesting::ProcessSubstitution);
        command.nesting.iter().any(inside)
            && self.words.iter().take(command.nesting.len()).any(|words| {
                let before = words.partition_point(|word| word.0 <= command.span.start);
                before > 0 && words[before - 1].1 >= command.span.end
            })
    }
}

/// The words and redirections of a command that it runs.
fn run_words(command: &Command) -> impl Iterator<Item = &Word> {
    let name = program(command);
    let arguments = command.words.get(1..).unwrap_or_default();
    let runner = name.is_some_and(runs);
    // The script is the first word that is no option, or stands after `-c` or `-e`; later words are its arguments.
    let script = arguments.iter().position(|word| !lead(word).starts_with('-'));
    let given = match (name, script) {
        (Some("eval"), _) => arguments,
        (Some(_), Some(at)) if runner => &arguments[at..=at],
        _ => &[],
    };
    let computed = command.words.first().filter(|_| name.is_none());
    let redirected =
        command.redirections.iter().filter(move |_| runner).filter_map(|redirection| match &redirection.target {
            Target::File(word) | Target::Body(word) => Some(word),
            Target::Descriptor(_) => None,
        });
    computed.into_iter().chain(given).chain(redirected)
}

fn fetches(name: &str) -> bool {
    among(FETCHERS, name)
}

fn runs(name: &str) -> bool {
    is_shell(name) || among(RUNNERS, name) || name.starts_with("python3.")
}

/// An interpreter with a program of its own (`python3 -m json.tool`, `node -e …`) only reads its input as data.
fn reads_input(command: &Command, name: &str) -> bool {
    let arguments = command.words.get(1..).unwrap_or_default();
    let operand = || arguments.iter().find(|word| !is(word, "-u run -s"));
    match name {
        "su" => !arguments.iter().any(|word| lead(word).starts_with("-c")),
        "eval" | "source" | "parallel" => false,
        _ if is_shell(name) => {
            let cluster = |word: &Word| lead(word).starts_with('-') && !lead(word).starts_with("--");
            !arguments.iter().any(|word| cluster(word) && holds(lead(word), "c"))
        }
        _ => operand().is_none_or(|word| is(word, "- /dev/stdin /dev/fd/0")),
    }
}

/// Tools that use the network with some subcommands; an empty list stands for all of them.
const SUBCOMMANDS: &[(&str, &str)] = &[
    ("git", "push fetch pull clone ls-remote send-email remote-http fetch-pack send-pack"),
    ("npm", "install i ci add update publish view search audit outdated exec login"),
    ("pnpm", "install i add update publish dlx"),
    ("yarn", "install add upgrade publish dlx"),
    ("bun", "install add update publish x"),
    ("pip", "install download index search"),
    ("pip3", "install download index search"),
    ("uv", "sync add lock publish"),
    ("cargo", "install add fetch update publish search"),
    ("go", "get install"),
    ("gem", "install update push fetch"),
    ("docker", "pull push login search"),
    ("podman", "pull push login search"),
    ("apt", "install update upgrade"),
    ("apt-get", "install update upgrade"),
    ("brew", "install update upgrade"),
    ("npx", ""),
    ("uvx", ""),
    ("bunx", ""),
    ("kubectl", ""),
    ("helm", ""),
];

/// Returns the first command that uses the network: one made for it, or a tool with a subcommand that does.
#[must_use]
pub fn network(script: &Script) -> Option<Finding> {
    each(script).find_map(|(index, command, name, arguments)| {
        if fetches(name) {
            return Some(Finding::new(index, command, &command.words[0], "fetches from the network"));
        }
        if among(NETWORK, name) {
            return Some(Finding::new(index, command, &command.words[0], "talks to another machine"));
        }
        let (_, subcommands) = SUBCOMMANDS.iter().find(|(tool, _)| *tool == name)?;
        let at = match name {
            "git" => super::git::subcommand(&command.words)?.checked_sub(1)?,
            _ => arguments.iter().position(|word| !lead(word).starts_with('-'))?,
        };
        let word = arguments.get(at)?;
        let uses = subcommands.is_empty() || text(word).is_none_or(|text| among(subcommands, text));
        uses.then(|| Finding::new(index, command, word, "uses the network with this subcommand"))
    })
}
