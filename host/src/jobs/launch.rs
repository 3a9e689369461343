//! From a policy's launch to a process: within what the host allows, and with the host's own environment.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use super::work::Work;
use crate::confinement::{Means, Recipe, confine};
use crate::host::Shared;
use crate::policy::contract::processes::{Keep, Launch, Place as RunPlace, ShellSession, Size, Stdin, Stdio};
use crate::policy::contract::types::{EnvironmentChange, StartError};
use crate::process::{self, CaptureLimits, Front, Process, SpawnError, Tap};
use crate::terminal::{Attention, Dialect, Refused, Wanted};

/// What programs know a terminal of ours as.
const TERMINAL_KIND: &str = "xterm-256color";

/// Starts what a launch wants for a session; `tap` sees its output.
pub(crate) fn start(
    shared: &Shared,
    session: &str,
    launch: &Launch,
    tap: Option<Arc<dyn Tap>>,
) -> Result<Work, StartError> {
    match &launch.place {
        RunPlace::OwnProcess => {
            let started = Process::start(&native(shared, launch, tap)?).map_err(explain)?;
            Ok(Work::Process(started.process, Attention::default()))
        }
        RunPlace::ShellSession(shell) => in_shell(shared, session, launch, shell, tap),
    }
}

/// Runs a command in a lasting shell, which is started as the launch says where there is none.
fn in_shell(
    shared: &Shared,
    session: &str,
    launch: &Launch,
    shell: &ShellSession,
    tap: Option<Arc<dyn Tap>>,
) -> Result<Work, StartError> {
    let Some(dialect) = Dialect::of(launch.language) else {
        return Err(StartError::Unsupported("lasting shells of this language".into()));
    };
    let (terminal, raw) = match launch.stdio {
        Stdio::Pipes(_) => (None, false),
        Stdio::Terminal(size) => (Some(size), false),
        Stdio::RawTerminal(size) => (Some(size), true),
    };
    let size = terminal.map(native_size);
    // What is typed is not shown: what a shell's user would see twice, an agent that typed it need not see at all.
    let terminal = size.map(|size| process::Terminal { size, echo: false, raw });
    let mut recipe = native(shared, launch, None)?;
    recipe.stdio = process::Stdio::Shell(terminal);
    recipe.mark = mark(shared, &format!("shell-{}", launch.job));
    let Launch { program, arguments, confinement, .. } = launch;
    let wanted = Wanted {
        session,
        name: &shell.name,
        command: &launch.command,
        dialect,
        likeness: format!("{dialect:?} {} {program:?} {arguments:?} {confinement:?}", shell.apart),
        directory: shell.moved.then_some(launch.directory.as_str()),
        size,
        raw,
        capture: capture(launch.keep, shared.limits.kept_output),
        launch: recipe,
        tap,
    };
    shared.shells.run(wanted).map(Work::Command).map_err(|refused| match refused {
        Refused::Busy => StartError::TooMany(1),
        Refused::Spawn(error) => explain(error),
        Refused::TooLong => StartError::TooLong(refused.to_string()),
        Refused::TooMany => StartError::Resources(refused.to_string()),
        Refused::Different | Refused::Nul => StartError::Invalid(refused.to_string()),
    })
}

fn native_size(size: Size) -> process::Size {
    process::Size { rows: size.rows, columns: size.columns }
}

/// The mark that a job's processes bear in their environment.
pub(super) fn mark(shared: &Shared, job: &str) -> String {
    format!("{}/{job}", shared.id)
}

fn native(shared: &Shared, launch: &Launch, tap: Option<Arc<dyn Tap>>) -> Result<process::Launch, StartError> {
    let plain = Recipe {
        program: PathBuf::from(&launch.program),
        arguments: launch.arguments.iter().map(OsString::from).collect(),
        directory: PathBuf::from(&launch.directory),
        environment: environment(&shared.environment, &launch.environment, launch.stdio),
        front: Front::None,
    };
    let find = |name: &str| shared.workspace.find_program(name);
    let means = Means { find: &find, containers: &shared.containers, environment: &shared.environment };
    let Recipe { program, arguments, directory, environment, front } = confine(launch, plain, &means)?;
    Ok(process::Launch {
        program,
        arguments,
        directory,
        environment,
        mark: mark(shared, &launch.job),
        stdio: stdio(launch.stdio),
        capture: capture(launch.keep, shared.limits.kept_output),
        tap,
        front,
    })
}

fn stdio(stdio: Stdio) -> process::Stdio {
    let terminal =
        |size: Size, raw| process::Stdio::Terminal(process::Terminal { size: native_size(size), echo: true, raw });
    match stdio {
        Stdio::Pipes(Stdin::Empty) => process::Stdio::Pipes(process::Stdin::Null),
        Stdio::Pipes(Stdin::Open) => process::Stdio::Pipes(process::Stdin::Pipe),
        Stdio::Terminal(size) => terminal(size, false),
        Stdio::RawTerminal(size) => terminal(size, true),
    }
}

/// The host's environment with a launch's changes. In a terminal of ours the host's own terminal is of no concern.
fn environment(
    base: &[(OsString, OsString)],
    changes: &[EnvironmentChange],
    stdio: Stdio,
) -> Vec<(OsString, OsString)> {
    let terminal = !matches!(stdio, Stdio::Pipes(_));
    let ours = |name: &OsString| terminal && (name == "TERM" || name == "LINES" || name == "COLUMNS");
    let changed = |name: &OsString| changes.iter().any(|change| change.name.as_str() == name);
    let kind = (terminal && !changed(&"TERM".into())).then(|| ("TERM".into(), TERMINAL_KIND.into()));
    let kept = base.iter().filter(|(name, _)| !changed(name) && !ours(name)).cloned().chain(kind);
    let set = changes
        .iter()
        .filter_map(|change| Some((OsString::from(&change.name), OsString::from(change.value.as_ref()?))));
    kept.chain(set).collect()
}

/// What is kept of a stream: as the policy asks, within what the host allows.
fn capture(keep: Keep, most: usize) -> CaptureLimits {
    let head = usize::try_from(keep.head).unwrap_or(most).min(most);
    let tail = usize::try_from(keep.tail).unwrap_or(most).min(most - head);
    CaptureLimits { head, tail }
}

fn explain(error: SpawnError) -> StartError {
    let message = error.to_string();
    match error {
        SpawnError::NotFound { program } => StartError::ProgramMissing(program.display().to_string()),
        SpawnError::DirectoryGone { directory, .. } => StartError::DirectoryMissing(directory.display().to_string()),
        SpawnError::PermissionDenied { .. } => StartError::PermissionDenied(message),
        SpawnError::ArgumentsTooLong { .. } => StartError::TooLong(message),
        SpawnError::Resources { .. } => StartError::Resources(message),
        SpawnError::Nul { .. } | SpawnError::NotAbsolute { .. } => StartError::Invalid(message),
        _ => StartError::Other(message),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_replace_add_and_remove() {
        let base = [("A", "1"), ("B", "2")].map(|(name, value)| (name.into(), value.into()));
        let change =
            |name: &str, value: Option<&str>| EnvironmentChange { name: name.into(), value: value.map(Into::into) };
        let changes = [change("A", Some("9")), change("B", None), change("C", Some("3"))];
        let changed = environment(&base, &changes, Stdio::Pipes(Stdin::Empty));
        assert_eq!(changed, [("A".into(), "9".into()), ("C".into(), OsString::from("3"))]);
    }

    #[test]
    fn no_more_is_kept_than_the_host_allows() {
        let keep = |head, tail| Keep { head, tail, stored: None };
        let kept = |keep| {
            let limits = capture(keep, 100);
            (limits.head, limits.tail)
        };
        assert_eq!(kept(keep(10, 20)), (10, 20));
        assert_eq!(kept(keep(70, 70)), (70, 30));
        assert_eq!(kept(keep(u64::MAX, u64::MAX)), (100, 0));
    }
}
