//! What a call asks for: its action, and the parameters that belong to it.

mod spawn;
mod typed;
mod watch;

use shellward_kit::arguments::{ArgumentError, Arguments};
use shellward_kit::contract::Stdstream;

use crate::failure::Failure;
use crate::settings::{LONGEST_SECS, MOST_STORED, Settings};

pub use spawn::{Input, Spawn};
pub use typed::SendKeys;

/// The actions, as agents name them.
const ACTIONS: &[&str] = &["spawn", "poll", "log", "kill", "send_keys"];

const ONE_SHOT: &[&str] = &["command", "timeout_secs", "max_output_bytes"];
const SPAWN: &[&str] =
    &["action", "command", "background", "pty", "stdin", "timeout_secs", "max_output_bytes", "watch", "session_id"];
const POLL: &[&str] = &["action", "run_id", "since_seq", "wait_ms"];
const LOG: &[&str] = &["action", "run_id", "since_seq", "limit", "stream"];
const KILL: &[&str] = &["action", "run_id", "wait_ms"];
const SEND_KEYS: &[&str] = &["action", "run_id", "text", "keys", "eof", "pty"];

/// Every parameter there is.
const ALL: &[&str] = &[
    "action",
    "command",
    "background",
    "pty",
    "stdin",
    "timeout_secs",
    "max_output_bytes",
    "watch",
    "session_id",
    "run_id",
    "since_seq",
    "wait_ms",
    "limit",
    "stream",
    "text",
    "keys",
    "eof",
];

/// How long `kill` waits for the end, where the call does not say, in milliseconds.
const KILL_WAIT: u64 = 500;

/// What a call asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    /// One command, whose end is waited for.
    OneShot(OneShot),
    /// A run.
    Spawn(Spawn),
    /// How a run stands, and what is new.
    Poll(Poll),
    /// A page of a run's items.
    Log(Log),
    /// A run's end.
    Kill(Kill),
    /// Input to a run.
    SendKeys(SendKeys),
}

/// One command, whose end is waited for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OneShot {
    /// The command as the agent wrote it.
    pub command: String,
    /// The timeout in seconds.
    pub timeout_secs: u64,
    /// How many bytes of each stream are answered.
    pub max_output_bytes: u64,
}

/// How a run stands, and what is new.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Poll {
    /// The run.
    pub run_id: String,
    /// The newest item that the agent has seen.
    pub since_seq: u64,
    /// How long to wait for something new, in milliseconds.
    pub wait_ms: u64,
}

/// A page of a run's items.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Log {
    /// The run.
    pub run_id: String,
    /// The newest item that the agent has seen.
    pub since_seq: u64,
    /// How many items at most; none is as many as may be.
    pub limit: Option<u32>,
    /// Only what this stream brought.
    pub stream: Option<Stdstream>,
}

/// A run's end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kill {
    /// The run.
    pub run_id: String,
    /// How long to wait for its end, in milliseconds.
    pub wait_ms: u64,
}

impl Request {
    /// Reads the arguments.
    ///
    /// # Errors
    /// The first parameter that is missing, wrong or belongs to another action.
    pub fn read(text: &str, settings: &Settings) -> Result<Self, Failure> {
        let arguments = Arguments::parse(text)?;
        let action = arguments.choice("action", ACTIONS)?;
        belong(&arguments, action)?;
        Ok(match action {
            None => Self::OneShot(OneShot::read(&arguments, settings)?),
            Some("spawn") => Self::Spawn(Spawn::read(&arguments, settings)?),
            Some("poll") => Self::Poll(Poll {
                run_id: run_id(&arguments)?,
                since_seq: since_seq(&arguments)?,
                wait_ms: wait_ms(&arguments, settings)?.unwrap_or(0),
            }),
            Some("log") => Self::Log(Log {
                run_id: run_id(&arguments)?,
                since_seq: since_seq(&arguments)?,
                limit: number(&arguments, "limit", 1, i64::MAX)?.map(|limit| u32::try_from(limit).unwrap_or(u32::MAX)),
                stream: arguments.choice("stream", &["stdout", "stderr"])?.map(stream),
            }),
            Some("kill") => Self::Kill(Kill {
                run_id: run_id(&arguments)?,
                wait_ms: wait_ms(&arguments, settings)?.unwrap_or(KILL_WAIT.min(settings.max_wait_ms)),
            }),
            Some(_) => Self::SendKeys(SendKeys::read(&arguments)?),
        })
    }
}

impl OneShot {
    fn read(arguments: &Arguments<'_>, settings: &Settings) -> Result<Self, Failure> {
        Ok(Self {
            command: command(arguments)?,
            timeout_secs: number(arguments, "timeout_secs", 1, LONGEST_SECS)?.unwrap_or(settings.default_timeout_secs),
            max_output_bytes: number(arguments, "max_output_bytes", 0, 2 << 20)?
                .unwrap_or(settings.oneshot_output_bytes),
        })
    }
}

/// Gives the parameters that belong to an action.
fn parameters(action: Option<&str>) -> &'static [&'static str] {
    match action {
        None => ONE_SHOT,
        Some("spawn") => SPAWN,
        Some("poll") => POLL,
        Some("log") => LOG,
        Some("kill") => KILL,
        Some(_) => SEND_KEYS,
    }
}

/// Refuses parameters that there are not, and those that belong to another action.
fn belong(arguments: &Arguments<'_>, action: Option<&str>) -> Result<(), Failure> {
    arguments.only(ALL)?;
    let own = parameters(action);
    let stray = ALL.iter().find(|name| !own.contains(name) && arguments.value(name).is_some());
    let Some(name) = stray else { return Ok(()) };
    let owners = ACTIONS.iter().filter(|action| parameters(Some(action)).contains(name));
    let owners: Vec<_> = owners.map(|action| format!("'{action}'")).collect();
    let given = action.map_or("a call without 'action'".into(), |action| format!("action '{action}'"));
    let takes: Vec<_> = own.iter().filter(|name| **name != "action").map(|name| format!("'{name}'")).collect();
    let (owners, takes) = (owners.join(" and "), takes.join(", "));
    Err(Failure::Parameter(format!(
        "Parameter '{name}' belongs to action {owners}, not to {given}, which takes {takes}."
    )))
}

fn command(arguments: &Arguments<'_>) -> Result<String, Failure> {
    Ok(arguments.required_text("command")?.into())
}

fn run_id(arguments: &Arguments<'_>) -> Result<String, Failure> {
    match arguments.required_text("run_id") {
        Ok(id) => Ok(id.into()),
        Err(error @ ArgumentError::Missing { .. }) => {
            Err(Failure::Parameter(format!("{error} Give the run_id that action 'spawn' answered.")))
        }
        Err(error) => Err(error.into()),
    }
}

fn since_seq(arguments: &Arguments<'_>) -> Result<u64, Failure> {
    Ok(number(arguments, "since_seq", 0, i64::MAX)?.unwrap_or(0))
}

fn wait_ms(arguments: &Arguments<'_>, settings: &Settings) -> Result<Option<u64>, Failure> {
    number(arguments, "wait_ms", 0, i64::try_from(settings.max_wait_ms).unwrap_or(i64::MAX))
}

fn number(arguments: &Arguments<'_>, name: &'static str, least: i64, most: i64) -> Result<Option<u64>, Failure> {
    Ok(arguments.integer(name, least..=most)?.and_then(|number| u64::try_from(number).ok()))
}

fn stored(arguments: &Arguments<'_>, settings: &Settings) -> Result<u64, Failure> {
    Ok(number(arguments, "max_output_bytes", 0, MOST_STORED)?.unwrap_or(settings.max_output_bytes))
}

fn stream(name: &str) -> Stdstream {
    if name == "stderr" { Stdstream::Stderr } else { Stdstream::Stdout }
}
