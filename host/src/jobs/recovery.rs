//! What hosts that are gone have left unfinished: taken over, once nothing of it runs any more.

use std::sync::Arc;
use std::time::Duration;

use super::actor::Begin;
use super::ceiling::Order;
use super::job::{Birth, Job, KeptLaunch};
use super::recorder::Purpose;
use super::watches::Watches;
use crate::clock;
use crate::host::Shared;
use crate::policy::Begun;
use crate::policy::contract::types::Ending;
use crate::process::Traces;
use crate::store::{Change, Phase, Run, Store, StoreError};
use crate::threads;

/// A run that another host has left.
#[derive(Debug)]
pub(crate) struct Left {
    /// Where it was.
    pub phase: Phase,
    /// By what its processes are found.
    pub traces: Option<Traces>,
    /// Whether somebody wants it ended.
    pub unwanted: bool,
}

/// Takes over the runs that the policy's earlier hosts have left, in the order in which they were enqueued. They are in
/// the table and in line, and go on once they are given to their actors.
pub(crate) fn recover(shared: &Arc<Shared>, store: &Arc<dyn Store>) -> Result<Vec<Begun>, StoreError> {
    let policy = shared.policy();
    let runs = store.claim(&policy.manifest().name)?;
    let unwanted = if runs.is_empty() { Vec::new() } else { store.wanted_ended()? };
    let taken = runs.into_iter().filter_map(|run| {
        let unwanted = unwanted.contains(&run.id);
        tracing::info!(run = run.id, "a run was left unfinished by an earlier host");
        take_over(shared, store, run, unwanted)
    });
    Ok(taken.collect())
}

fn take_over(shared: &Arc<Shared>, store: &Arc<dyn Store>, run: Run, unwanted: bool) -> Option<Begun> {
    let left = Left { phase: run.standing.phase, traces: run.standing.traces.clone(), unwanted };
    let kept: KeptLaunch = match serde_json::from_str(&run.launch) {
        Ok(kept) => kept,
        Err(error) => {
            give_up(store, run, left, &error.to_string());
            return None;
        }
    };
    let launch = &kept.launch;
    let watches = match Watches::compile(&launch.watches) {
        Ok(watches) => watches,
        Err(error) => {
            give_up(store, run, left, &error.message);
            return None;
        }
    };
    let report = launch.report_output.map(Duration::from_millis);
    let purpose = Purpose { store: Some((Arc::clone(store), launch.keep.stored)), watches, report };
    let at_most = launch.at_most.unwrap_or(u32::MAX).min(shared.limits.running_jobs);
    let lane = launch.lane.clone().map(|lane| (lane, launch.lane_width));
    let (job, inbox) = Job::recovered(shared, run, kept, purpose);
    // Its place is kept until it is known whether it runs again.
    let place = shared.ceiling.queue(Order { lane, at_most }, false);
    shared.jobs.insert(&job).then_some(Begun { job, inbox, begin: Begin::Recovered(place, left) })
}

/// Ends a run that no host can do anything with.
fn give_up(store: &Arc<dyn Store>, run: Run, left: Left, error: &str) {
    tracing::error!(run = run.id, error, "a run that was left unfinished cannot be taken over");
    if let Some(traces) = left.traces {
        // Nobody waits for it.
        drop(threads::apart(move || traces.kill_survivors()));
    }
    let mut standing = run.standing;
    standing.phase = Phase::Ended;
    standing.ended_at = Some(clock::now());
    standing.ending = Some(Ending::Lost);
    standing.error = Some(format!("it could not be taken over after a restart: {error}"));
    store.submit(Change::Save(run.id.into(), Box::new(standing)), Box::new(|_| ()));
}

impl Birth {
    /// What was settled about a run when it was accepted.
    pub(super) fn of_run(run: &Run, KeptLaunch { launch, consented }: KeptLaunch) -> Self {
        Self {
            id: run.id.clone(),
            session: run.session.clone(),
            label: run.label.clone(),
            call: run.call.clone(),
            tool: run.tool.clone(),
            command: run.command.clone(),
            directory: run.directory.clone(),
            timeout: run.timeout_ms.map(Duration::from_millis),
            status: run.standing.status.clone(),
            memo: run.standing.memo.clone(),
            launch: Arc::new(launch),
            consented,
        }
    }
}
