//! `processes`: starting commands, within what the host allows.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::confinement::ConfinementError;
use crate::jobs::{self, Begin, Birth, Order, Purpose, Watches};
use crate::policy::bindings::shellward::policy::processes::{
    Confinement, Host, Language, Launch, Place, ShellSession, Stdin, Stdio,
};
use crate::policy::bindings::shellward::policy::types::StartError;
use crate::policy::context::{Attached, Begun};
use crate::policy::{CallContext, Context};
use crate::process::Tap;
use crate::store::{Store, StoreError};

impl Host for Context {
    fn start(&mut self, launch: Launch) -> wasmtime::Result<Result<(), StartError>> {
        self.launch(launch, begin)
    }

    fn enqueue(&mut self, launch: Launch) -> wasmtime::Result<Result<(), StartError>> {
        self.launch(launch, enqueue)
    }
}

/// Where a durable job is kept, and how much of its output.
type Kept = (Arc<dyn Store>, Option<u64>);

/// What makes a job of a launch: its birth, and what its output is looked at for.
type Launched = (Birth, Option<Purpose>);

impl Context {
    fn launch(
        &mut self,
        launch: Launch,
        how: fn(&mut Attached, Launched) -> Result<(), StartError>,
    ) -> wasmtime::Result<Result<(), StartError>> {
        let attached = self.host()?;
        let Some(call) = attached.call.clone() else {
            return Ok(Err(StartError::Invalid("a command can only be started while a call is decided".into())));
        };
        if attached.begun.is_some() {
            return Ok(Err(StartError::Invalid("this call has started a job already".into())));
        }
        if launch.block.as_ref().is_some_and(|label| attached.shared.blocks.is_taken(&attached.session, label)) {
            return Ok(Err(StartError::Invalid("the label of its live document is in use".into())));
        }
        if let Err(error) = check(&launch, &call.id) {
            return Ok(Err(error));
        }
        if let Confinement::Container(container) = &launch.confinement
            && let Err(error) = attached.container(&container.name)?
        {
            return Ok(Err(ConfinementError::from(error).into()));
        }
        let store = match launch.durable {
            true => match attached.store()? {
                Ok(store) => Some((store, launch.keep.stored)),
                Err(error) => return Ok(Err(unkept(error))),
            },
            false => None,
        };
        let purpose = match purpose(attached, &launch, store) {
            Ok(purpose) => purpose,
            Err(error) => return Ok(Err(error)),
        };
        if let Err(refusal) = self.guard_launch(&launch)? {
            return Ok(Err(StartError::Refused(refusal)));
        }
        let attached = self.host()?;
        let birth = birth(launch, attached.session.clone(), call);
        Ok(how(attached, (birth, purpose)))
    }
}

/// Starts the process and keeps the job with the entry, which hands it on when it has succeeded.
fn begin(attached: &mut Attached, (birth, purpose): Launched) -> Result<(), StartError> {
    let ceiling = ceiling(attached, &birth.launch);
    let slot = attached.shared.ceiling.take(ceiling).ok_or(StartError::TooMany(ceiling))?;
    let (job, inbox) = attached.new_job(birth, purpose);
    let tap = job.recorder().map(|recorder| Arc::clone(recorder) as Arc<dyn Tap>);
    let since = Instant::now();
    let work = jobs::start(&attached.shared, &attached.session, &job.birth.launch, tap)?;
    job.started(work, since);
    attached.begun = Some(Begun { job, inbox, begin: Begin::Running(slot) });
    Ok(())
}

/// Puts the job in line; the entry hands it on when it has succeeded, and gives up the place when it has not.
fn enqueue(attached: &mut Attached, (birth, purpose): Launched) -> Result<(), StartError> {
    let lane = birth.launch.lane.clone().map(|lane| (lane, birth.launch.lane_width));
    let order = Order { lane, at_most: ceiling(attached, &birth.launch) };
    let (job, inbox) = attached.new_job(birth, purpose);
    let place = attached.shared.ceiling.queue(order, true);
    attached.begun = Some(Begun { job, inbox, begin: Begin::InLine(place) });
    Ok(())
}

fn ceiling(attached: &Attached, launch: &Launch) -> u32 {
    launch.at_most.unwrap_or(u32::MAX).min(attached.shared.limits.running_jobs)
}

/// What the output of a launch is looked at for; none where nobody looks.
fn purpose(attached: &Attached, launch: &Launch, store: Option<Kept>) -> Result<Option<Purpose>, StartError> {
    let watches = Watches::compile(&launch.watches).map_err(StartError::WatchInvalid)?;
    let report = launch.report_output.map(Duration::from_millis);
    // The order in which both streams came is only known to who listens.
    let snippets = attached.shared.policy().uses("output.snippet");
    let needed = store.is_some() || watches.look() || report.is_some() || snippets;
    Ok(needed.then_some(Purpose { store, watches, report }))
}

/// Why a durable job cannot be kept.
fn unkept(error: StoreError) -> StartError {
    match error {
        StoreError::Full { .. } => StartError::Resources(error.to_string()),
        _ => StartError::Other(error.to_string()),
    }
}

/// Refuses what contradicts the contract, and what this host has no means for.
fn check(launch: &Launch, call: &str) -> Result<(), StartError> {
    let invalid = |message: &str| Err(StartError::Invalid(message.into()));
    let plain = |id: &str| id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-');
    if !launch.job.ends_with(call) || launch.job.len() > call.len() + 32 || !plain(&launch.job) {
        return invalid("a job's id is a short prefix of letters, digits, `_` and `-`, followed by the call's id");
    }
    if !launch.program.starts_with('/') || !launch.directory.starts_with('/') {
        return invalid("program and directory of a launch are absolute paths");
    }
    if let Err(error) = serde_json::from_str::<serde::de::IgnoredAny>(&launch.memo) {
        return Err(StartError::Invalid(format!("the job's memo is not JSON: {error}")));
    }
    if launch.environment.iter().any(|change| change.name.is_empty() || change.name.contains(['=', '\0'])) {
        return invalid("the name of an environment variable is empty, or holds `=` or a NUL");
    }
    if let Stdio::Terminal(size) | Stdio::RawTerminal(size) = launch.stdio
        && (size.rows == 0 || size.columns == 0)
    {
        return invalid("a terminal has at least one line and one column");
    }
    if let Place::ShellSession(shell) = &launch.place {
        check_shell(shell, launch)?;
    }
    if launch.lane_width == 0 || launch.at_most == Some(0) {
        return invalid("a lane or a ceiling of 0 lets nothing run");
    }
    Ok(())
}

/// Refuses a command for a lasting shell that contradicts itself.
fn check_shell(shell: &ShellSession, launch: &Launch) -> Result<(), StartError> {
    let invalid = |message: &str| Err(StartError::Invalid(message.into()));
    match (shell.apart, launch.stdio) {
        (true, Stdio::Pipes(Stdin::Empty)) | (false, Stdio::Terminal(_) | Stdio::RawTerminal(_)) => {}
        (true, _) => return invalid("a shell that keeps standard error apart has pipes and no input"),
        (false, Stdio::Pipes(_)) => return invalid("a shell that does not keep standard error apart has a terminal"),
    }
    if launch.language == Language::Nu {
        return Err(StartError::Unsupported("lasting shells of Nushell".into()));
    }
    if launch.durable {
        return invalid("a job in a lasting shell cannot be durable: the shell ends with the host");
    }
    if launch.command.contains('\0') { invalid("the command holds a NUL, which no shell can read") } else { Ok(()) }
}

fn birth(launch: Launch, session: String, call: CallContext) -> Birth {
    let CallContext { id: call, tool, consented } = call;
    Birth {
        id: launch.job.clone(),
        session,
        label: launch.session.clone(),
        call,
        tool,
        command: launch.command.clone(),
        directory: launch.directory.clone(),
        timeout: launch.timeout.map(Duration::from_millis),
        status: launch.status.clone(),
        memo: launch.memo.clone(),
        launch: Arc::new(launch),
        consented,
    }
}
