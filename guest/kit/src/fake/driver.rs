//! Runs calls in virtual time: call, events, settle, as a host does.

use crate::contract::{Answer, Event, Happening, Reply, Request, ToolCall, Verdict, Waiting};

use super::state::{Due, Entry};
use super::subject::Subject;
use super::{Fake, Human, checks};

/// More events than any test needs: a policy that goes beyond goes round in circles.
const MOST_EVENTS: usize = 100_000;

/// A call's waiting, and whether it is over.
struct Wait {
    waiting: Waiting,
    until: Option<u64>,
    released: bool,
}

impl Fake {
    /// Calls a tool in the session `session` and gives its answer, however long it takes.
    pub fn run(&self, subject: &dyn Subject, tool: &str, arguments: &str) -> Reply {
        self.run_in("session", subject, tool, arguments)
    }

    /// Calls a tool in a session of this name.
    pub fn run_in(&self, session: &str, subject: &dyn Subject, tool: &str, arguments: &str) -> Reply {
        self.describe_once(subject);
        let mut call = self.mint(session, tool, arguments);
        let mut answer = self.enter_call(subject, &call);
        if let Answer::Ask(question) = &answer {
            match self.opinion() {
                Human::Absent | Human::Refuses => return question.refusal.clone(),
                Human::Approves => {
                    call.approved.push(question.id.clone());
                    answer = self.enter_call(subject, &call);
                }
            }
        }
        match answer {
            Answer::Reply(reply) => reply,
            Answer::Ask(question) => panic!("the policy asks again after a yes: {}", question.text),
            Answer::Wait(waiting) => {
                self.wait(subject, &call, waiting.clone());
                self.settle(subject, &call, &waiting.job)
            }
        }
    }

    /// Has a policy review something.
    pub fn review(&self, subject: &dyn Subject, request: &Request) -> Verdict {
        self.enter(Entry::Review, || subject.review(self, request))
    }

    /// Lets time pass, with all that happens in it.
    pub fn pass(&self, subject: &dyn Subject, millis: u64) {
        let until = self.state().now + millis * 1000;
        let mut rounds = 0;
        while self.step(subject, Some(until), &mut None) {
            rounds += 1;
            assert!(rounds < MOST_EVENTS, "{MOST_EVENTS} events and no end");
        }
        self.state().now = until;
    }

    /// Lets time pass until nothing more can happen, and demands that every job has ended.
    pub fn finish(&self, subject: &dyn Subject) {
        let mut rounds = 0;
        while self.step(subject, None, &mut None) {
            rounds += 1;
            assert!(rounds < MOST_EVENTS, "{MOST_EVENTS} events and no end");
        }
        for job in self.all_jobs() {
            assert!(job.ending.is_some(), "job {} never ends: status {:?}", job.id, job.status);
        }
    }

    /// Restarts the host: no process survives, and unfinished jobs are told so when time passes.
    pub fn restart(&self) {
        self.state().restart();
    }

    fn describe_once(&self, subject: &dyn Subject) {
        let settings = {
            let mut state = self.state();
            if std::mem::replace(&mut state.described, true) {
                return;
            }
            state.settings.clone()
        };
        if let Err(errors) = subject.describe(&settings) {
            panic!("the policy refuses the settings {settings}: {errors:?}");
        }
    }

    fn mint(&self, session: &str, tool: &str, arguments: &str) -> ToolCall {
        let mut state = self.state();
        state.calls += 1;
        ToolCall {
            id: format!("01fake{:020}", state.calls),
            session: session.into(),
            tool: tool.into(),
            arguments: arguments.into(),
            now: state.instant(),
            approved: Vec::new(),
        }
    }

    fn opinion(&self) -> Human {
        self.state().human
    }

    fn enter<T>(&self, entry: Entry, run: impl FnOnce() -> T) -> T {
        self.state().entry = entry;
        let result = run();
        let violations = {
            let mut state = self.state();
            state.entry = Entry::None;
            std::mem::take(&mut state.violations)
        };
        assert!(violations.is_empty(), "against the contract: {}", violations.join("; "));
        result
    }

    fn enter_call(&self, subject: &dyn Subject, call: &ToolCall) -> Answer {
        let entry =
            Entry::Call { id: call.id.clone(), session: call.session.clone(), tool: call.tool.clone(), started: None };
        let launched = self.state().launches.len();
        let answer = self.enter(entry, || subject.call(self, call));
        let started = self.state().launches.get(launched).map(|launch| launch.job.clone());
        checks::answer(&answer, started.as_deref());
        answer
    }

    fn wait(&self, subject: &dyn Subject, call: &ToolCall, waiting: Waiting) {
        let mut state = self.state();
        let Some(job) = state.job(&waiting.job).filter(|job| job.owner == call.session) else {
            panic!("the call waits for job {:?}, which its session does not have", waiting.job);
        };
        let over = job.has_ended() || (waiting.wakes.item && job.items.len() as u64 > waiting.since);
        let until = waiting.at_most.map(|millis| state.now + millis * 1000);
        let mut wait = Some(Wait { waiting, until, released: over });
        let mut rounds = 0;
        // The end of the wait is itself a moment on the calendar.
        if let Some(until) = until {
            let now = state.now;
            state.schedule(until - now, Due::Nothing);
        }
        drop(state);
        while wait.as_ref().is_some_and(|wait| !wait.released) {
            if wait.as_ref().and_then(|wait| wait.until).is_some_and(|until| self.state().now >= until) {
                return;
            }
            let until = wait.as_ref().and_then(|wait| wait.until);
            let moved = self.step(subject, until, &mut wait);
            assert!(moved || until.is_some(), "{}", self.stuck(&wait));
            rounds += 1;
            assert!(rounds < MOST_EVENTS, "{MOST_EVENTS} events and no end");
        }
    }

    fn stuck(&self, wait: &Option<Wait>) -> String {
        let id = wait.as_ref().map(|wait| wait.waiting.job.clone()).unwrap_or_default();
        let jobs = self.all_jobs();
        let job = jobs.iter().find(|job| job.id == id);
        let status = job.map(|job| job.status.as_str()).unwrap_or("unknown");
        format!("the call waits for job {id} for ever: status {status:?}, no timer armed, nothing more to come")
    }

    /// Lets the next thing on the calendar come true, up to a time; false when there is none.
    fn step(&self, subject: &dyn Subject, until: Option<u64>, wait: &mut Option<Wait>) -> bool {
        let mut state = self.state();
        let Some((&(at, _), _)) = state.calendar.first_key_value() else { return false };
        if until.is_some_and(|until| at > until) {
            return false;
        }
        let Some(((at, _), due)) = state.calendar.pop_first() else { return false };
        state.now = state.now.max(at);
        let event = state.come_true(due);
        drop(state);
        if let Some((id, happening)) = event {
            self.deliver(subject, &id, happening, wait);
        }
        self.look(wait);
        true
    }

    /// Ends a wait for items that has what it waits for.
    fn look(&self, wait: &mut Option<Wait>) {
        let Some(wait) = wait else { return };
        let state = self.state();
        if wait.waiting.wakes.item
            && let Some(job) = state.job(&wait.waiting.job)
        {
            wait.released |= job.items.len() as u64 > wait.waiting.since;
        }
    }

    fn deliver(&self, subject: &dyn Subject, id: &str, what: Happening, wait: &mut Option<Wait>) {
        let (job, event, session) = {
            let state = self.state();
            let Some(found) = state.job(id) else { panic!("an event for job {id:?}, which there is not") };
            // The host brings nothing more to a job that has ended.
            if found.has_ended() {
                return;
            }
            let event = Event { at: state.instant(), elapsed: found.elapsed(state.now), what };
            (state.view(found), event, found.owner.clone())
        };
        let entry = Entry::Advance { session };
        let step = self.enter(entry, || subject.advance(self, &job, &event));
        checks::step(&job, &event.what, &step);
        let mut state = self.state();
        let at = state.instant();
        state.notices.extend(step.notices);
        if let Some(found) = state.job_mut(id) {
            if found.job.status != step.status {
                found.record_event(at, "status", format!("{:?}", step.status));
            }
            // A hit that a test brings has no item yet.
            if let Happening::Matched(hit) = &event.what
                && hit.seq == 0
            {
                found.record_event(at, &hit.event, serde_json::Value::from(hit.line.as_str()).to_string());
            }
            found.job.status = step.status;
            found.job.memo = step.memo;
            found.job.ending = step.ended;
            found.job.ended_at = step.ended.map(|_| at);
            let now = &found.job;
            if let Some(wait) = wait.as_mut().filter(|wait| wait.waiting.job == id) {
                let wakes = &wait.waiting.wakes;
                wait.released |= step.ended.is_some()
                    || step.release
                    || (wakes.status && now.status != job.status)
                    || (wakes.hit && matches!(event.what, Happening::Matched(_)));
            }
        }
        match event.what {
            Happening::Unwanted(_) if step.requeue => state.leave(id),
            _ if step.requeue => state.requeue(id),
            _ => {}
        }
        if step.ended.is_some() {
            state.clean_up(id);
        }
    }

    fn settle(&self, subject: &dyn Subject, call: &ToolCall, id: &str) -> Reply {
        let job = {
            let state = self.state();
            let Some(job) = state.job(id) else { panic!("job {id:?} is gone before its call was answered") };
            state.view(job)
        };
        let entry = Entry::Settle { session: call.session.clone() };
        let reply = self.enter(entry, || subject.settle(self, call, &job));
        checks::reply(&reply);
        reply
    }
}
