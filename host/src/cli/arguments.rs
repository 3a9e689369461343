//! What can be typed.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use serde::Deserialize;
use shellward::contract;

/// The shell tool for AI agents whose rules are a WebAssembly component.
///
/// A policy decides what an agent's command may do, starts it through this program, and words the answer. Try:
///
///   shellward run -- 'echo hello'
///   shellward check -- 'sudo rm -rf /'
///   shellward call Bash '{"command": "cargo test"}'
#[derive(Debug, Parser)]
#[command(version, verbatim_doc_comment, arg_required_else_help = true)]
pub(super) struct Arguments {
    #[command(flatten)]
    pub shared: Shared,
    #[command(subcommand)]
    pub command: Command,
}

/// What all commands take.
#[derive(Args, Debug)]
pub(super) struct Shared {
    /// The policy: a built-in name (`shellward policy list`) or the path of a component [default: the settings'
    /// `policy`, else bash].
    #[arg(long, global = true, value_name = "NAME|FILE")]
    pub policy: Option<String>,
    /// The project's root: where commands run and paths are judged from.
    #[arg(long, global = true, value_name = "DIR", default_value = ".")]
    pub project: PathBuf,
    /// A guard: a component that judges every command on top of the policy, behind those that the settings name. May be
    /// repeated.
    #[arg(long, global = true, value_name = "FILE")]
    pub guard: Vec<PathBuf>,
    /// A setting of the policy, above all settings files; the value is JSON, or a plain text. May be repeated.
    #[arg(long = "set", global = true, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Compile the policy anew instead of taking it from the cache.
    #[arg(long, global = true)]
    pub no_cache: bool,
    /// What to log to standard error: error, warn, info, debug, trace, or directives such as `shellward=debug`
    /// [default: warn, or the variable SHELLWARD_LOG].
    #[arg(long, global = true, value_name = "LEVEL")]
    pub log: Option<String>,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Run one command line, and print the policy's answer.
    ///
    /// Exits with the command's own code: 124 if it took too long, 128 and the signal's number if a signal ended it,
    /// 1 if the policy refused it, 2 for wrong usage or settings, 3 if the policy failed.
    Run(Run),
    /// Make one tool call, and print the answer as an agent would get it.
    ///
    /// Exits with 0 if the tool answered, 1 if its answer is an error, 2 for wrong usage or settings, 3 if the policy
    /// failed.
    Call(Call),
    /// Judge a command line without running anything.
    ///
    /// Exits with 0 if it may run, 1 if it may not, 4 if a human would be asked, 2 for wrong usage or settings, 3 if
    /// the policy failed.
    Check(Check),
    /// Print the tools' definitions, ready for an agent.
    Tools(Tools),
    /// Say what this machine offers for keeping hold of processes, which shells it has, and what is missing.
    ///
    /// Exits with 0 if nothing that matters is missing, else with 1.
    Doctor(Doctor),
    /// Serve the policy's tools to a client that speaks MCP: on standard input and output, or over HTTP.
    ///
    /// Each client is a session of its own, whose jobs end with it; durable runs of a session that has a name do not.
    /// Exits with 0 when the client has closed the
    /// connection or a signal came.
    Mcp(Mcp),
    /// List durable runs, those that run now and those that have ended, the newest last.
    Jobs(Jobs),
    /// Print what a durable run has printed: its output where it was printed, its events on standard error.
    Logs(Logs),
    /// End a durable run, whichever host runs it, and wait until it has ended.
    ///
    /// Exits with 0 when nothing of it runs any more.
    Kill(Kill),
    /// Look at policies and guards, make them, try them, and swap them.
    #[command(subcommand)]
    Policy(Policy),
}

#[derive(Args, Debug)]
pub(super) struct Run {
    /// The longest the command may run, in seconds [default: the policy's].
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub timeout: Option<f64>,
    /// The directory to run in, from the project's root.
    #[arg(long, value_name = "DIR")]
    pub directory: Option<String>,
    /// Print the whole reply as JSON: text, structured answer, how the command ended, who decided.
    #[arg(long)]
    pub json: bool,
    /// The command line. Several words are joined, each quoted where a shell would need it.
    #[arg(required = true, last = true, value_name = "COMMAND")]
    pub command: Vec<String>,
}

#[derive(Args, Debug)]
pub(super) struct Call {
    /// The tool's name (`shellward tools`).
    pub tool: String,
    /// The arguments as JSON; `-` reads them from standard input.
    #[arg(default_value = "{}")]
    pub json: String,
    /// The session that the call belongs to.
    #[arg(long, default_value = "cli")]
    pub session: String,
    /// After the answer, wait for jobs that run in the background, and print the events they publish, one JSON object
    /// a line. Without it they are ended with the program, and durable runs are left to the next host that stays.
    #[arg(long)]
    pub events: bool,
}

#[derive(Args, Debug)]
pub(super) struct Check {
    /// Print the verdict as JSON.
    #[arg(long)]
    pub json: bool,
    /// The command line. Several words are joined, each quoted where a shell would need it.
    #[arg(required = true, last = true, value_name = "COMMAND")]
    pub command: Vec<String>,
}

#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true)]
pub(super) struct Jobs {
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
    /// The newest so many.
    #[arg(long, default_value_t = 100)]
    pub limit: usize,
    #[command(subcommand)]
    pub command: Option<JobsCommand>,
}

#[derive(Clone, Copy, Debug, Subcommand)]
pub(super) enum JobsCommand {
    /// Delete ended runs beyond what the [host] settings keep (`kept_runs`, `kept_runs_days`, `kept_runs_bytes`), and
    /// make the file smaller. Hosts do the same by and by.
    Prune,
}

#[derive(Args, Debug)]
pub(super) struct Logs {
    /// The run's id (`shellward jobs`).
    pub id: String,
    /// Go on until the run has ended.
    #[arg(short, long)]
    pub follow: bool,
    /// Begin after the item of this number.
    #[arg(long, value_name = "SEQ", default_value_t = 0)]
    pub since: u64,
    /// One stream only.
    #[arg(long, value_enum)]
    pub stream: Option<Stream>,
    /// Print the items as JSON, one a line.
    #[arg(long)]
    pub json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum Stream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

#[derive(Args, Debug)]
pub(super) struct Kill {
    /// The run's id (`shellward jobs`).
    pub id: String,
}

#[derive(Args, Debug)]
pub(super) struct Tools {
    /// Whose format.
    #[arg(long, value_enum, default_value_t = Format::Mcp)]
    pub format: Format,
}

#[derive(Args, Debug)]
pub(super) struct Doctor {
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Args, Debug)]
pub(super) struct Mcp {
    /// Put in place whatever is written to the policy's file while the server runs; what is no policy is refused, and
    /// the one before stays.
    #[arg(long)]
    pub watch: bool,
    /// A name for the client's session, by which it finds again the durable runs of an earlier session of that name.
    #[arg(long, conflicts_with = "http", value_name = "NAME")]
    pub session: Option<String>,
    /// Serve over HTTP, at http://ADDRESS/mcp, instead of standard input and output; port 0 takes any.
    #[arg(long, value_name = "ADDRESS", value_parser = address)]
    pub http: Option<SocketAddr>,
    /// Let an address be listened on that other machines can reach.
    #[arg(long, requires = "http")]
    pub remote: bool,
    /// A file with the token that clients must show [default: the variable SHELLWARD_MCP_TOKEN, else a new one,
    /// printed to standard error].
    #[arg(long, requires = "http", value_name = "FILE")]
    pub token_file: Option<PathBuf>,
    /// A page from which a browser may call, such as https://app.example.com:443; none may unless said. May be
    /// repeated.
    #[arg(long = "origin", requires = "http", value_name = "ORIGIN")]
    pub origins: Vec<String>,
    /// A name under which the server may be called besides this machine's own. May be repeated.
    #[arg(long = "host", requires = "http", value_name = "NAME")]
    pub hosts: Vec<String>,
    /// How many seconds a client may be away, with no request and no stream open, before its session is ended.
    #[arg(long, requires = "http", value_name = "SECONDS", default_value = "300", value_parser = seconds)]
    pub idle: f64,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum Format {
    /// The Model Context Protocol's `tools/list`.
    Mcp,
    /// OpenAI's function tools.
    Openai,
    /// Anthropic's tools.
    Anthropic,
}

/// What a guard may be written in.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum Language {
    /// Rust; needs cargo and the target wasm32-wasip2.
    Rust,
    /// JavaScript; needs node and npm.
    Js,
    /// Python; needs python3.
    Python,
    /// C; needs clang with what builds WebAssembly, and wasm-tools or npm.
    C,
}

/// How a command is read.
#[derive(Clone, Copy, Debug, Default, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(super) enum Reads {
    /// As POSIX sh does.
    Sh,
    /// As GNU bash does.
    #[default]
    Bash,
    /// As zsh does.
    Zsh,
    /// As Nushell does.
    Nu,
}

impl Reads {
    pub(super) fn language(self) -> contract::commands::Language {
        match self {
            Self::Sh => contract::commands::Language::Sh,
            Self::Bash => contract::commands::Language::Bash,
            Self::Zsh => contract::commands::Language::Zsh,
            Self::Nu => contract::commands::Language::Nu,
        }
    }
}

#[derive(Debug, Subcommand)]
pub(super) enum Policy {
    /// List the built-in policies.
    List {
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Make a project for a guard, with one rule and its cases to begin with.
    New {
        /// The language.
        #[arg(long, value_enum)]
        lang: Language,
        /// The directory to make; its name is the guard's: small letters, digits and hyphens.
        #[arg(value_name = "NAME")]
        directory: PathBuf,
    },
    /// Try a guard or policy on commands whose verdicts are known: its own cases, and those of a table.
    ///
    /// Exits with 0 if all come out as they must, 1 if one does not.
    Test {
        /// A built-in name or the path of a component.
        policy: String,
        /// A table: `[[case]]` with `command` and `expect`, which is allow, ask or deny.
        #[arg(long, value_name = "FILE")]
        cases: Option<PathBuf>,
        /// The shell's language in which a guard gets the table's commands, unless a case names its own as `language`
        /// [default: bash]. A policy reads commands as its own shell does.
        #[arg(long, value_enum)]
        language: Option<Reads>,
    },
    /// Print a component's SHA-256, or hold it to one.
    ///
    /// Exits with 1 if it has another.
    Verify {
        /// A built-in name or the path of a component.
        policy: String,
        /// The digest it must have.
        #[arg(long, value_name = "HEX")]
        sha256: Option<String>,
    },
    /// Show what a policy or guard is: versions of interfaces, tools, settings, imports, size, digest.
    Inspect {
        /// A built-in name or the path of a component.
        policy: String,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Have the running servers of this project (`shellward mcp`) go on with another policy.
    ///
    /// What runs goes on: calls that wait, and jobs, are the new policy's from then on. A policy that cannot be loaded
    /// or refuses the settings is not taken. Exits with 0 if every server took it, 1 if one did not, 2 if none runs.
    Swap {
        /// A built-in name or the path of a component.
        policy: String,
        /// Only the server with this process number.
        #[arg(long, value_name = "PID")]
        server: Option<u32>,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
}

fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| "an IP address and a port, such as 127.0.0.1:3920 or [::1]:3920".into())
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        // A number that is too large for a duration is no number of seconds either.
        Ok(number) if number > 0.0 && Duration::try_from_secs_f64(number).is_ok() => Ok(number),
        _ => Err("a number of seconds above 0, such as 90 or 0.5".into()),
    }
}

/// One command line from the words typed: one word as it is, several joined and quoted.
pub(super) fn command_line(words: &[String]) -> String {
    match words {
        [line] => line.clone(),
        words => words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" "),
    }
}

fn quoted(word: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./:=,@%+".contains(&byte);
    if !word.is_empty() && word.bytes().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_definition_is_sound() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn words_become_one_line() {
        let line = |words: &[&str]| command_line(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>());
        assert_eq!(line(&["echo a | wc"]), "echo a | wc");
        assert_eq!(line(&["echo", "a b", "it's", "", "x=1"]), r"echo 'a b' 'it'\''s' '' x=1");
    }
}
