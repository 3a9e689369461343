//! The fake as the host that a policy sees.

use crate::contract::{
    BlockError, Content, Excerpt, Filter, InputError, Job, Launch, Level, OutputError, Page, Part, PathError, Place,
    Post, PostError, Signal, SignalError, Size, StartError, Stdio, Stdstream, Storage, TimerError, Whom, Window,
};
use crate::host::Host;

use super::state::Due;
use super::{Fake, Sent};

/// How many items a page has at most.
const PAGE: u32 = 100;
/// How many timers a job may have.
const TIMERS: usize = 16;

impl Host for Fake {
    fn resolve(&self, path: &str, base: Option<&str>) -> Result<Place, PathError> {
        self.state().files.resolve(path, base)
    }

    fn home(&self) -> Option<String> {
        self.state().files.home.clone()
    }

    fn find_program(&self, name: &str) -> Option<String> {
        let state = self.state();
        match name.contains('/') {
            true => state.programs.values().find(|path| *path == name).cloned(),
            false => state.programs.get(name).cloned(),
        }
    }

    fn start(&self, launch: &Launch) -> Result<(), StartError> {
        self.state().launch(launch, false)
    }

    fn enqueue(&self, launch: &Launch) -> Result<(), StartError> {
        self.state().launch(launch, true)
    }

    fn send(&self, job: &str, signal: Signal, whom: Whom) -> Result<(), SignalError> {
        let mut state = self.state();
        if state.visible(job).is_none() {
            return Err(SignalError::NotFound);
        }
        state.signal(job, signal, whom == Whom::Tree)?;
        let sent = Sent { at: state.now / 1000, job: job.into(), signal, whom };
        state.signals.push(sent);
        Ok(())
    }

    fn arm(&self, job: &str, name: &str, after: u64) -> Result<(), TimerError> {
        let mut state = self.state();
        let Some(found) = state.visible(job) else { return Err(TimerError::NotFound) };
        if found.has_ended() {
            state.violation(format!("the timer '{name}' is armed for job {job}, which has ended"));
            return Err(TimerError::Ended);
        }
        if found.timers.len() >= TIMERS && !found.timers.contains_key(name) {
            return Err(TimerError::TooMany(TIMERS as u32));
        }
        state.arm(job, name, after);
        Ok(())
    }

    fn disarm(&self, job: &str, name: &str) {
        let mut state = self.state();
        if state.visible(job).is_some()
            && let Some(found) = state.job_mut(job)
        {
            found.timers.remove(name);
        }
    }

    fn job(&self, id: &str) -> Option<Job> {
        let state = self.state();
        state.visible(id).map(|job| state.view(job))
    }

    fn jobs(&self, filter: Filter) -> Vec<Job> {
        let state = self.state();
        let wanted = |job: &Job| if job.ending.is_some() { filter.ended } else { filter.active };
        let seen = state.jobs.iter().filter(|job| state.may_see(&job.owner)).map(|job| state.view(job));
        let all: Vec<Job> = seen.filter(wanted).collect();
        let skipped = all.len().saturating_sub(filter.limit as usize);
        all.into_iter().skip(skipped).collect()
    }

    fn post(&self, id: &str, name: &str, data: &str) -> Result<(), PostError> {
        let mut state = self.state();
        let Some(job) = state.visible(id) else { return Err(PostError::NotFound) };
        if job.has_ended() {
            return Err(PostError::Ended);
        }
        if serde_json::from_str::<serde::de::IgnoredAny>(data).is_err() {
            state.violation(format!("what is posted to job {id} as '{name}' is not JSON: {data}"));
        }
        let post = Post { name: name.into(), data: data.into() };
        state.schedule(0, Due::Posted(id.into(), post));
        Ok(())
    }

    fn read(&self, job: &str, stream: Stdstream, window: Window) -> Result<Excerpt, OutputError> {
        let state = self.state();
        let job = state.visible(job).ok_or(OutputError::NotFound)?;
        Ok(job.capture(stream).read(window))
    }

    fn items(&self, job: &str, since: u64, limit: u32, stream: Option<Stdstream>) -> Result<Page, OutputError> {
        let state = self.state();
        let job = state.visible(job).ok_or(OutputError::NotFound)?;
        if !job.launch.durable {
            return Err(OutputError::Unavailable("only durable jobs have items".into()));
        }
        let wanted = |content: &Content| match (stream, content) {
            (None, _)
            | (Some(Stdstream::Stdout), Content::Stdout(_))
            | (Some(Stdstream::Stderr), Content::Stderr(_)) => true,
            (Some(_), _) => false,
        };
        let newer = job.items.iter().filter(|item| item.seq > since && wanted(&item.content));
        let items: Vec<_> = newer.take(limit.min(PAGE) as usize).cloned().collect();
        let next = items.last().map(|item| item.seq).unwrap_or(since);
        Ok(Page { items, next, cap: PAGE })
    }

    fn snippet(&self, job: &str, max: u32) -> Result<String, OutputError> {
        let state = self.state();
        let job = state.visible(job).ok_or(OutputError::NotFound)?;
        let text = String::from_utf8_lossy(&job.arrival);
        let start = text.len().saturating_sub(max as usize);
        let start = (start..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
        Ok(text[start..].to_owned())
    }

    fn stored(&self, job: &str) -> Result<Storage, OutputError> {
        let state = self.state();
        let job = state.visible(job).ok_or(OutputError::NotFound)?;
        if !job.launch.durable {
            return Err(OutputError::Unavailable("only durable jobs have items".into()));
        }
        Ok(job.stored.clone())
    }

    fn write(&self, job: &str, bytes: &[u8]) -> Result<(), InputError> {
        self.state().input(job, bytes)
    }

    fn close(&self, job: &str) -> Result<(), InputError> {
        self.state().close(job)
    }

    fn resize(&self, job: &str, size: Size) -> Result<(), InputError> {
        match &mut self.state().running_with_input(job)?.launch.stdio {
            Stdio::Terminal(old) | Stdio::RawTerminal(old) => *old = size,
            Stdio::Pipes(_) => return Err(InputError::Unavailable),
        }
        Ok(())
    }

    fn open_block(&self, job: &str, label: &str) -> Result<(), BlockError> {
        let mut state = self.state();
        if state.visible(job).is_none() {
            return Err(BlockError::NotFound);
        }
        let key = (state.own_session(), label.to_owned());
        match state.blocks.get(&key) {
            Some((other, _)) if other == job => Ok(()),
            Some(_) => Err(BlockError::Taken),
            None => {
                state.blocks.insert(key, (job.into(), true));
                Ok(())
            }
        }
    }

    fn pin(&self, label: &str) -> Result<(), BlockError> {
        self.state().pinned(label, true)
    }

    fn unpin(&self, label: &str) -> Result<(), BlockError> {
        self.state().pinned(label, false)
    }

    fn read_block(&self, label: &str, stream: Stdstream, offset: u64, max: u32) -> Result<Part, BlockError> {
        let state = self.state();
        let (job, _) = state.blocks.get(&(state.own_session(), label.to_owned())).ok_or(BlockError::NotFound)?;
        Ok(state.job(job).ok_or(BlockError::NotFound)?.capture(stream).part(offset, max))
    }

    fn settings(&self) -> String {
        self.state().settings.clone()
    }

    fn log(&self, level: Level, message: &str) {
        self.state().logs.push((level, message.into()));
    }
}
