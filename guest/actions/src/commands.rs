//! What runs and one-shot calls share: the shell, the judgement of the command, the launch.

use shellward_judge::basic::Judge;
use shellward_judge::limits;
use shellward_kit::Host;
use shellward_kit::contract::{EnvironmentChange, Language, Launch, ToolCall};
use shellward_kit::shell::{self, Shell};

use crate::failure::Failure;
use crate::settings::{self, Settings, TABLE};

/// Why a call does nothing.
pub type Stopped = shellward_judge::Stopped<Failure>;

/// The question about what cannot be known.
pub const UNKNOWN: &str = "actions-unknown";

/// Variables that would make the shell run more, or go elsewhere, than the text says.
const REMOVED: [&str; 6] = ["BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS", "CDPATH", "OLDPWD"];

/// Judges as the settings want it.
#[must_use]
pub fn judge(settings: &Settings) -> Judge {
    Judge { on_unknown: settings.on_unknown, table: TABLE }
}

/// Gives the language in which commands are read.
#[must_use]
pub fn language<H: Host>(host: &H, settings: &Settings) -> Language {
    find(host, settings).map_or(Language::Sh, |shell| shell.language)
}

/// Lets a command through, or leaves it to a human, or refuses it.
///
/// # Errors
/// It is not let through, or there is no shell.
pub fn allow<H: Host>(host: &H, settings: &Settings, call: &ToolCall, command: &str) -> Result<Shell, Stopped> {
    if command.len() > limits::LONGEST {
        return Err(Stopped::Failed(Failure::Parameter(format!(
            "Parameter 'command' is {} bytes long, and a shell takes {}. {}",
            command.len(),
            limits::LONGEST,
            limits::INSTEAD
        ))));
    }
    let shell = find(host, settings)?;
    let root = root(host)?;
    let judgement = judge(settings).judge_in(command, Some(shell.language), &shell.program, &root);
    Stopped::unless_allowed(&judgement, call, UNKNOWN, || Failure::blocked("The command", &judgement))?;
    Ok(shell)
}

fn find<H: Host>(host: &H, settings: &Settings) -> Result<Shell, Failure> {
    let find = |name| Shell::find(host, name);
    match settings.shell {
        settings::Shell::Bash => find("bash").ok_or(Failure::NoShell("bash")),
        settings::Shell::Sh => find("sh").ok_or(Failure::NoShell("sh")),
        settings::Shell::Auto => find("bash").or_else(|| find("sh")).ok_or(Failure::NoShell("bash and no sh")),
    }
}

/// Makes the launch of a command in the project's root.
///
/// # Errors
/// The root cannot be entered.
pub fn launch<H: Host>(
    host: &H,
    settings: &Settings,
    prefix: &str,
    call: &ToolCall,
    shell: Shell,
    command: &str,
) -> Result<Launch, Failure> {
    let root = root(host)?;
    let mut environment = vec![EnvironmentChange { name: "PWD".into(), value: Some(root.clone()) }];
    environment.extend(REMOVED.map(|name| EnvironmentChange { name: name.into(), value: None }));
    Ok(Launch { environment, at_most: Some(settings.max_running), ..shell::launch(prefix, call, shell, command, root) })
}

/// The directory in which commands run.
fn root<H: Host>(host: &H) -> Result<String, Failure> {
    let root = host.resolve(".", None).map_err(|error| Failure::Io(format!("the project's root: {error:?}")))?;
    Ok(root.absolute)
}
