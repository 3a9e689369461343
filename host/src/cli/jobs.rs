//! `shellward jobs`, `logs` and `kill`: durable runs, seen from another process than the one that runs them.

use std::io::Write;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use shellward::contract::output::{Content, Item};
use shellward::contract::types::{Exit as ProcessExit, Stdstream};
use shellward::{KillRequest, Phase, Run, Runs};

use super::arguments::{Jobs, JobsCommand, Kill, Logs, Shared, Stream};
use super::error::{CliError, Exit};
use super::{output, setup};

/// How often a run is looked at that is followed.
const LOOK: Duration = Duration::from_millis(100);

/// How long a run that is to end is waited for, beyond what its host grants it.
const PATIENCE: Duration = Duration::from_secs(20);

/// How much of a command the table shows, in characters.
const COMMAND: usize = 60;

pub(super) fn jobs(shared: &Shared, jobs: &Jobs) -> Result<Exit, CliError> {
    let runs = setup::runs(shared)?;
    if let Some(JobsCommand::Prune) = jobs.command {
        let keep = setup::keep(shared)?;
        let deleted = runs.map_or(Ok(0), |runs| runs.prune(keep))?;
        output::text(&format!("{deleted} runs deleted"))?;
        return Ok(Exit::Success);
    }
    let found = match &runs {
        Some(runs) => runs.list(jobs.limit)?,
        None => Vec::new(),
    };
    if jobs.json {
        output::json(&found)?;
    } else if found.is_empty() {
        output::text("no durable runs")?;
    } else {
        output::text(&table(&found, runs.as_ref())?)?;
    }
    Ok(Exit::Success)
}

fn table(found: &[Run], runs: Option<&Runs>) -> Result<String, CliError> {
    let mut rows = vec![["ID", "STATUS", "SESSION", "AGE", "TOOK", "EXIT", "COMMAND"].map(str::to_owned)];
    for run in found {
        let standing = &run.standing;
        let orphan = standing.phase != Phase::Ended && !runs.is_some_and(|runs| runs.has_host(&run.id).unwrap_or(true));
        let status = if orphan { format!("{} (no host)", standing.status) } else { standing.status.clone() };
        // How long one had run when its host went is not known.
        let timed = standing.started_at.is_some() && !orphan;
        let exit = match &standing.exit {
            Some(ProcessExit::Code(code)) => code.to_string(),
            Some(ProcessExit::Signal(name)) => name.clone(),
            None => String::new(),
        };
        let took = if timed { span(Duration::from_micros(standing.duration_us)) } else { String::new() };
        rows.push([
            run.id.clone(),
            status,
            run.session.clone(),
            age(run.created_at),
            took,
            exit,
            command(&run.command),
        ]);
    }
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..7).map(width).collect();
    let line = |row: &[String; 7]| {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    Ok(rows.iter().map(line).collect::<Vec<_>>().join("\n"))
}

/// The first line of a command, cut where it is long.
fn command(text: &str) -> String {
    let line: String = text.lines().next().unwrap_or_default().chars().filter(|letter| !letter.is_control()).collect();
    match line.char_indices().nth(COMMAND) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

fn age(at: u64) -> String {
    let at = UNIX_EPOCH + Duration::from_millis(at);
    span(SystemTime::now().duration_since(at).unwrap_or_default())
}

/// A length of time in its largest unit.
fn span(time: Duration) -> String {
    match time.as_secs() {
        0 => format!("{} ms", time.as_millis()),
        seconds @ 1..120 => format!("{seconds} s"),
        seconds @ 120..7200 => format!("{} min", seconds / 60),
        seconds @ 7200..172_800 => format!("{} h", seconds / 3600),
        seconds => format!("{} d", seconds / 86_400),
    }
}

fn unknown(id: &str) -> CliError {
    CliError::Usage(format!("there is no durable run '{id}'; `shellward jobs` lists those there are"))
}

pub(super) fn logs(shared: &Shared, logs: &Logs) -> Result<Exit, CliError> {
    let runs = setup::runs(shared)?.ok_or_else(|| unknown(&logs.id))?;
    let stream = logs.stream.map(|stream| match stream {
        Stream::Stdout => Stdstream::Stdout,
        Stream::Stderr => Stdstream::Stderr,
    });
    let mut since = logs.since;
    let mut told = false;
    loop {
        // Looked at before its items: what comes after is not missed.
        let run = runs.find(&logs.id)?.ok_or_else(|| unknown(&logs.id))?;
        loop {
            let items = runs.items(&logs.id, since, stream)?;
            let Some(last) = items.last() else { break };
            since = last.seq;
            items.iter().try_for_each(|item| show(item, logs.json))?;
        }
        if !logs.follow || run.standing.phase == Phase::Ended {
            tell_unstored(&run);
            return Ok(Exit::Success);
        }
        if !told && !runs.has_host(&logs.id)? {
            // Where standard error is gone there is nobody to read it.
            let _ = writeln!(std::io::stderr(), "shellward: no host has {} in hand; waiting for the next one", logs.id);
            told = true;
        }
        std::thread::sleep(LOOK);
    }
}

/// Says what was printed and cannot be shown, so that what was shown is not taken for all.
fn tell_unstored(run: &Run) {
    let (bytes, error) = (run.unstored(), &run.standing.store_error);
    let why = match error {
        Some(error) => format!(" and could not be stored: {error}"),
        None => " than it was told to store".to_owned(),
    };
    if bytes > 0 || error.is_some() {
        // Where standard error is gone there is nobody to read it.
        let _ = writeln!(std::io::stderr(), "shellward: {bytes} bytes more were printed{why}");
    }
}

/// Prints an item: output to the stream it came from, events to standard error.
fn show(item: &Item, json: bool) -> Result<(), CliError> {
    if json {
        let shown = serde_json::to_string(item).map_err(|error| CliError::Output(error.into()))?;
        return output::text(&shown);
    }
    let written = match &item.content {
        Content::Stdout(chunk) => {
            let mut stdout = std::io::stdout().lock();
            stdout.write_all(chunk.text.as_bytes()).and_then(|()| stdout.flush())
        }
        Content::Stderr(chunk) => std::io::stderr().lock().write_all(chunk.text.as_bytes()),
        Content::Event(event) => writeln!(std::io::stderr().lock(), "[{} {}]", event.name, event.data),
    };
    written.map_err(CliError::Output)
}

pub(super) fn kill(shared: &Shared, kill: &Kill) -> Result<Exit, CliError> {
    let runs = setup::runs(shared)?.ok_or_else(|| unknown(&kill.id))?;
    match runs.kill(&kill.id)? {
        KillRequest::NotFound => Err(unknown(&kill.id)),
        KillRequest::Ended => {
            output::text(&format!("{} has ended already", kill.id))?;
            Ok(Exit::Success)
        }
        KillRequest::Asked => ended(&runs, &kill.id),
        KillRequest::Orphan { killed, left } if left.is_empty() => {
            output::text(&format!(
                "the host of {} is gone; {killed} processes were left of it and are ended. No host runs it again: the next one \
                 notes its end, and until then `shellward jobs` shows it without a host",
                kill.id
            ))?;
            Ok(Exit::Success)
        }
        KillRequest::Orphan { left, .. } => {
            output::text(&format!("the host of {} is gone; of its processes {left:?} could not be ended", kill.id))?;
            Ok(Exit::Failure)
        }
    }
}

/// Waits until the host has ended the run.
fn ended(runs: &Runs, id: &str) -> Result<Exit, CliError> {
    let deadline = Instant::now() + PATIENCE;
    while Instant::now() < deadline {
        let Some(run) = runs.find(id)? else { break };
        if run.standing.phase == Phase::Ended {
            output::text(&format!("{id} has ended: {}", run.standing.status))?;
            return Ok(Exit::Success);
        }
        std::thread::sleep(LOOK);
    }
    output::text(&format!("{id} was told to end and has not yet; `shellward jobs` shows how it stands"))?;
    Ok(Exit::Failure)
}
