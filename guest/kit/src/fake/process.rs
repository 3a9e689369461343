//! Pretended processes: how they begin, print, take signals and end.

use crate::contract::{
    Exit, Exited, Happening, InputError, Job, Launch, Progress, Recovery, RunPlace as Place, Signal, SignalError,
    StartError, Stdin, Stdio, Stdstream, Storage,
};

use super::behaviour::{Behaviour, OnTerminate};
use super::capture::Capture;
use super::state::{Due, Entry, JobState, Stage, State, stream_start};
use super::watching::{self, Watching};

/// How long a stream that something else holds open is waited for.
const DRAIN: u64 = 100_000;
/// The longest argument that Linux takes.
const LONGEST_ARGUMENT: usize = 131_071;

impl State {
    /// Accepts a launch, or says why not. What contradicts the contract is noted besides.
    pub(super) fn launch(&mut self, launch: &Launch, queued: bool) -> Result<(), StartError> {
        self.check_launch(launch);
        let behaviour = match self.scripts.get(&launch.command).or(self.otherwise.as_ref()) {
            Some(behaviour) => behaviour.clone(),
            None => {
                self.violation(format!("the test has not scripted the command {:?}", launch.command));
                Behaviour::exits(0)
            }
        };
        self.possible(launch, &behaviour)?;
        let running = self.jobs.iter().filter(|job| matches!(job.stage, Stage::Starting | Stage::Running)).count();
        if let Some(most) = launch.at_most.filter(|most| !queued && running >= *most as usize) {
            return Err(StartError::TooMany(most));
        }
        self.launches.push(launch.clone());
        let id = launch.job.clone();
        self.admit(launch, behaviour);
        for (millis, happening) in std::mem::take(&mut self.injections) {
            self.schedule(millis * 1000, Due::Happens(id.clone(), happening));
        }
        match queued {
            true => self.serve_lanes(),
            false => self.begin(&id),
        }
        Ok(())
    }

    fn check_launch(&mut self, launch: &Launch) {
        let Entry::Call { id, started, .. } = &mut self.entry else {
            self.violation(format!("job {} is launched outside of `call`", launch.job));
            return;
        };
        let prefix = launch.job.strip_suffix(id.as_str());
        let well_named = prefix.is_some_and(|prefix| {
            prefix.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-')
        });
        let before = started.replace(launch.job.clone());
        let mut wrong = Vec::new();
        if let Some(before) = before {
            wrong.push(format!("one call launches two jobs, {before} and {}", launch.job));
        }
        if !well_named {
            wrong.push(format!("the job id {:?} is not a prefix and the call's id", launch.job));
        }
        for (what, path) in [("program", &launch.program), ("directory", &launch.directory)] {
            if !path.starts_with('/') {
                wrong.push(format!("the {what} {path:?} is not absolute"));
            }
        }
        if launch.lane_width == 0 {
            wrong.push("the lane's width is 0".into());
        }
        if serde_json::from_str::<serde::de::IgnoredAny>(&launch.memo).is_err() {
            wrong.push(format!("the first memo is not JSON: {}", launch.memo));
        }
        self.violations.extend(wrong);
    }

    /// Whether this host could start the command, as the system would say.
    fn possible(&self, launch: &Launch, behaviour: &Behaviour) -> Result<(), StartError> {
        if let Some(error) = &behaviour.start_error {
            return Err(error.clone());
        }
        watching::check(&launch.watches)?;
        let texts = || launch.arguments.iter().chain([&launch.program, &launch.directory]);
        if texts().any(|text| text.contains('\0')) {
            return Err(StartError::Invalid("an argument holds a NUL".into()));
        }
        if let Some(longest) = texts().map(String::len).max().filter(|longest| *longest > LONGEST_ARGUMENT) {
            return Err(StartError::TooLong(format!("{longest} bytes in one argument, at most {LONGEST_ARGUMENT}")));
        }
        if !self.programs.values().any(|path| *path == launch.program) {
            return Err(StartError::ProgramMissing(launch.program.clone()));
        }
        if !self.files.is_directory(&launch.directory) {
            return Err(StartError::DirectoryMissing(launch.directory.clone()));
        }
        let owner = self.own_session();
        if let Place::ShellSession(shell) = &launch.place
            && self.jobs.iter().any(|job| job.owner == owner && job.is_in_shell(&shell.name))
        {
            return Err(StartError::TooMany(1));
        }
        match &launch.block {
            Some(label) if self.blocks.contains_key(&(owner, label.clone())) => {
                Err(StartError::Invalid("the label of its live document is in use".into()))
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Puts a lasting shell where a command wants it, and makes it where there is none.
    fn enter_shell(&mut self, owner: &str, launch: &Launch) {
        if let Place::ShellSession(shell) = &launch.place {
            let key = (owner.to_owned(), shell.name.clone());
            if shell.moved || !self.shells.contains_key(&key) {
                self.shells.insert(key, launch.directory.clone());
            }
        }
    }

    /// Says where a command leaves its lasting shell, and whether it ends it.
    fn leave_shell(&mut self, id: &str) -> (Option<String>, bool) {
        let Some(job) = self.job(id) else { return (None, false) };
        let Place::ShellSession(shell) = &job.launch.place else { return (None, false) };
        let key = (job.owner.clone(), shell.name.clone());
        let (moves, loses) = (job.behaviour.moves.clone(), job.behaviour.loses);
        if loses {
            self.shells.remove(&key);
            return (None, true);
        }
        if let Some(directory) = moves {
            self.shells.insert(key.clone(), directory);
        }
        (self.shells.get(&key).cloned(), false)
    }

    fn admit(&mut self, launch: &Launch, behaviour: Behaviour) {
        // A launch outside of `call` was noted already; its job only has to be something.
        let (call, session, tool) = match &self.entry {
            Entry::Call { id, session, tool, .. } => (id.clone(), session.clone(), tool.clone()),
            Entry::None | Entry::Review | Entry::Advance { .. } | Entry::Settle { .. } => Default::default(),
        };
        let stream = || Capture::new(launch.keep.head, launch.keep.tail);
        let (stdout, stderr) = (stream(), stream());
        let state = stream_start();
        let job = Job {
            id: launch.job.clone(),
            session: launch.session.clone(),
            call,
            tool,
            command: launch.command.clone(),
            directory: launch.directory.clone(),
            status: launch.status.clone(),
            memo: launch.memo.clone(),
            created_at: self.instant(),
            started_at: None,
            ended_at: None,
            duration: 0,
            pid: None,
            exit: None,
            ending: None,
            timeout: launch.timeout,
            stdout: state,
            stderr: state,
            timers: Vec::new(),
            last_seq: 0,
            durable: launch.durable,
            block: launch.block.clone(),
            policy: "fake 0 fake".into(),
        };
        if let Some(label) = &launch.block {
            self.blocks.insert((session.clone(), label.clone()), (launch.job.clone(), true));
        }
        self.enter_shell(&session, launch);
        self.jobs.push(JobState {
            owner: session,
            job,
            launch: launch.clone(),
            behaviour,
            stage: Stage::Queued,
            left: None,
            began: None,
            gone: None,
            plan: 0,
            timers: Default::default(),
            stdout,
            stderr,
            unreported: Progress { stdout: 0, stderr: 0 },
            reported: None,
            input: Vec::new(),
            input_closed: false,
            stored: Storage { stdout: 0, stderr: 0, failed: None },
            watching: Watching::new(&launch.watches),
            arrival: Vec::new(),
            items: Vec::new(),
        });
    }

    /// Starts what waits in a line and may start now, in order.
    pub(super) fn serve_lanes(&mut self) {
        for index in 0..self.jobs.len() {
            let job = &self.jobs[index];
            if job.stage != Stage::Queued || job.has_ended() {
                continue;
            }
            let busy = |other: &&JobState| matches!(other.stage, Stage::Starting | Stage::Running);
            let in_lane = self.jobs.iter().filter(busy).filter(|other| other.launch.lane == job.launch.lane).count();
            let in_all = self.jobs.iter().filter(busy).count();
            let lane_full = job.launch.lane.is_some() && in_lane >= job.launch.lane_width as usize;
            let full = job.launch.at_most.is_some_and(|most| in_all >= most as usize);
            if !lane_full && !full {
                let id = job.job.id.clone();
                self.begin(&id);
            }
        }
    }

    fn begin(&mut self, id: &str) {
        if let Some(job) = self.job_mut(id) {
            job.stage = Stage::Starting;
        }
        self.schedule(0, Due::Begins(id.into()));
    }

    /// Lets something on the calendar come true, and gives the event that a job gets for it.
    pub(super) fn come_true(&mut self, due: Due) -> Option<(String, Happening)> {
        match due {
            Due::Begins(id) => self.begins(id),
            Due::Prints(id, stream, bytes) => self.prints(&id, stream, &bytes),
            Due::Ends(id, plan, exit) => self.ends(id, plan, exit),
            Due::Drained(id, exit) => {
                let job = self.job_mut(&id)?;
                job.job.exit = Some(exit.clone());
                let leaked = std::mem::take(&mut job.behaviour.leaks);
                let (directory, session_lost) = self.leave_shell(&id);
                Some((id, Happening::Exited(Exited { exit, leaked, directory, session_lost })))
            }
            Due::Fires(id, name, number) => {
                let job = self.job_mut(&id)?;
                (job.timers.get(&name) == Some(&number)).then(|| job.timers.remove(&name))?;
                Some((id, Happening::Timer(name)))
            }
            Due::Reports(id) => self.reports(id),
            Due::Happens(id, happening) => Some((id, happening)),
            Due::Posted(id, post) => Some((id, Happening::Posted(post))),
            Due::Recovers(id, recovery) => Some((id, Happening::Recovered(recovery))),
            Due::Nothing => None,
        }
    }

    fn begins(&mut self, id: String) -> Option<(String, Happening)> {
        let (now, instant) = (self.now, self.instant());
        let pid = 1000 + self.sequence as u32;
        let job = self.job_mut(&id).filter(|job| job.stage == Stage::Starting)?;
        if let Some(error) = job.behaviour.late_start_error.clone() {
            job.stage = Stage::Gone;
            return Some((id, Happening::StartFailed(error)));
        }
        job.stage = Stage::Running;
        job.began = Some(now);
        job.job.started_at = Some(instant);
        job.job.pid = Some(pid);
        let (behaviour, timeout, plan) = (job.behaviour.clone(), job.launch.timeout, job.plan);
        if let Some(millis) = timeout {
            self.arm(&id, "timeout", millis);
        }
        for (at, stream, bytes) in behaviour.prints {
            self.schedule(at * 1000, Due::Prints(id.clone(), stream, bytes));
        }
        if let Some((at, exit)) = behaviour.ends {
            self.schedule(at * 1000, Due::Ends(id.clone(), plan, exit));
        }
        Some((id, Happening::Started(pid)))
    }

    fn prints(&mut self, id: &str, stream: Stdstream, bytes: &[u8]) -> Option<(String, Happening)> {
        let at = self.instant();
        let job = self.job_mut(id).filter(|job| job.stage == Stage::Running)?;
        job.capture_mut(stream).push(bytes);
        job.arrival.extend_from_slice(bytes);
        job.record_output(at, stream, bytes);
        self.note_progress(id, stream, bytes.len() as u64);
        let job = self.job_mut(id)?;
        let hits = job.watch(at, stream, bytes);
        for hit in hits {
            self.schedule(0, Due::Happens(id.into(), Happening::Matched(hit)));
        }
        None
    }

    /// Counts what was printed, and has it reported when that is due.
    fn note_progress(&mut self, id: &str, stream: Stdstream, bytes: u64) {
        let now = self.now;
        let Some(job) = self.job_mut(id) else { return };
        let Some(interval) = job.launch.report_output else { return };
        let waits = job.unreported.stdout + job.unreported.stderr > 0;
        match stream {
            Stdstream::Stdout => job.unreported.stdout += bytes,
            Stdstream::Stderr => job.unreported.stderr += bytes,
        }
        if !waits {
            let due = job.reported.map_or(now, |last| last + interval * 1000).max(now);
            self.schedule(due - now, Due::Reports(id.into()));
        }
    }

    fn reports(&mut self, id: String) -> Option<(String, Happening)> {
        let now = self.now;
        let job = self.job_mut(&id)?;
        let progress = std::mem::replace(&mut job.unreported, Progress { stdout: 0, stderr: 0 });
        job.reported = Some(now);
        (progress.stdout + progress.stderr > 0).then_some((id, Happening::Printed(progress)))
    }

    /// Gives a process its input. One that reads prints it.
    pub(super) fn input(&mut self, id: &str, bytes: &[u8]) -> Result<(), InputError> {
        let job = self.running_with_input(id)?;
        job.input.extend_from_slice(bytes);
        let end = matches!(job.launch.stdio, Stdio::Terminal(_) | Stdio::RawTerminal(_)) && bytes.contains(&4);
        if job.behaviour.reads {
            let shown: Vec<u8> = bytes.iter().copied().filter(|byte| *byte != 4).collect();
            self.schedule(0, Due::Prints(id.into(), Stdstream::Stdout, shown));
        }
        if end { self.close(id) } else { Ok(()) }
    }

    /// Closes a process's input. One that reads ends.
    pub(super) fn close(&mut self, id: &str) -> Result<(), InputError> {
        let job = self.running_with_input(id)?;
        job.input_closed = true;
        let (reads, plan) = (job.behaviour.reads, job.plan);
        if reads {
            self.schedule(1, Due::Ends(id.into(), plan, Exit::Code(0)));
        }
        Ok(())
    }

    pub(super) fn running_with_input(&mut self, id: &str) -> Result<&mut JobState, InputError> {
        if self.visible(id).is_none() {
            return Err(InputError::NotFound);
        }
        let job = self.job_mut(id).ok_or(InputError::NotFound)?;
        match (job.stage, job.launch.stdio) {
            (Stage::Running, Stdio::Pipes(Stdin::Empty)) => Err(InputError::Unavailable),
            (Stage::Running, _) if job.input_closed => Err(InputError::Unavailable),
            (Stage::Running, _) => Ok(job),
            (Stage::Queued | Stage::Starting | Stage::Gone, _) => Err(InputError::NotRunning),
        }
    }

    fn ends(&mut self, id: String, plan: u64, exit: Exit) -> Option<(String, Happening)> {
        let now = self.now;
        let job = self.job_mut(&id).filter(|job| job.stage == Stage::Running && job.plan == plan)?;
        job.stage = Stage::Gone;
        job.gone = Some(now);
        for stream in [Stdstream::Stdout, Stdstream::Stderr] {
            let leaked = job.behaviour.leaks.contains(&stream);
            let capture = job.capture_mut(stream);
            (capture.leaked, capture.closed) = (leaked, !leaked);
        }
        let drain = if job.behaviour.leaks.is_empty() { 0 } else { DRAIN };
        self.serve_lanes();
        self.schedule(drain, Due::Drained(id, exit));
        None
    }

    /// Sends a signal to a pretended process.
    pub(super) fn signal(&mut self, id: &str, signal: Signal, tree: bool) -> Result<(), SignalError> {
        let job = self.job_mut(id).ok_or(SignalError::NotFound)?;
        if job.stage != Stage::Running {
            return Err(SignalError::NotRunning);
        }
        let fate = match (signal, &job.behaviour.terminate) {
            (Signal::Kill, _) if job.behaviour.unkillable => None,
            (Signal::Kill, _) => {
                if tree {
                    job.behaviour.leaks.clear();
                }
                Some((0, Exit::Signal("SIGKILL".into())))
            }
            (Signal::Terminate, OnTerminate::Ignores) => None,
            (Signal::Terminate, OnTerminate::Ends(millis, exit)) => Some((*millis, exit.clone())),
            (Signal::Hangup | Signal::Interrupt | Signal::Quit, OnTerminate::Ignores) => None,
            (Signal::Hangup, OnTerminate::Ends(..)) => Some((0, Exit::Signal("SIGHUP".into()))),
            (Signal::Interrupt, OnTerminate::Ends(..)) => Some((0, Exit::Signal("SIGINT".into()))),
            (Signal::Quit, OnTerminate::Ends(..)) => Some((0, Exit::Signal("SIGQUIT".into()))),
            (Signal::Stop | Signal::Resume | Signal::User1 | Signal::User2, _) => None,
        };
        if let Some((millis, exit)) = fate {
            job.plan += 1;
            let plan = job.plan;
            self.schedule(millis * 1000, Due::Ends(id.into(), plan, exit));
        }
        Ok(())
    }

    pub(super) fn arm(&mut self, id: &str, name: &str, millis: u64) {
        let number = self.sequence + 1;
        if let Some(job) = self.job_mut(id) {
            job.timers.insert(name.into(), number);
            self.schedule(millis.saturating_mul(1000), Due::Fires(id.into(), name.into(), number));
        }
    }

    /// Does what a host does when a job has ended: nothing of it is left, and its timers are gone.
    pub(super) fn clean_up(&mut self, id: &str) {
        let now = self.now;
        self.calendar.retain(|_, due| !matches!(due, Due::Fires(job, ..) if job == id));
        if let Some(job) = self.job_mut(id) {
            job.timers.clear();
            job.plan += 1;
            if job.stage != Stage::Gone {
                job.stage = Stage::Gone;
                job.gone = job.began.map(|_| now);
            }
        }
        self.serve_lanes();
    }

    /// Pretends that the host was restarted: no process is left, and unfinished jobs are told.
    pub(super) fn restart(&mut self) {
        let unfinished: Vec<(String, Recovery)> = self
            .jobs
            .iter_mut()
            .filter(|job| !job.has_ended())
            .map(|job| {
                let found = if job.stage == Stage::Queued { Recovery::WasQueued } else { Recovery::WasRunning };
                let recovery = job.left.take().unwrap_or(found);
                job.stage = Stage::Gone;
                job.plan += 1;
                job.timers.clear();
                (job.job.id.clone(), recovery)
            })
            .collect();
        let at = self.instant();
        for (id, recovery) in unfinished {
            if let Some(job) = self.job_mut(&id) {
                job.record_event(at, "recovered", format!("\"{}\"", recovered(recovery)));
            }
            self.schedule(0, Due::Recovers(id, recovery));
        }
    }

    /// Ends a job's process and leaves the job for the next host, as one does that shuts down.
    pub(super) fn leave(&mut self, id: &str) {
        let now = self.now;
        if let Some(job) = self.job_mut(id) {
            let queued = job.stage == Stage::Queued;
            job.left = Some(if queued { Recovery::WasQueued } else { Recovery::WasRunning });
            job.stage = Stage::Gone;
            job.gone = job.began.map(|_| now);
            job.plan += 1;
            job.timers.clear();
        }
    }

    /// Queues a recovered job again as it was first launched.
    pub(super) fn requeue(&mut self, id: &str) {
        if let Some(job) = self.job_mut(id) {
            job.stage = Stage::Queued;
            (job.began, job.gone) = (None, None);
            job.input_closed = false;
            job.job.started_at = None;
            job.job.exit = None;
        }
        self.serve_lanes();
    }
}

fn recovered(recovery: Recovery) -> &'static str {
    match recovery {
        Recovery::WasQueued => "was-queued",
        Recovery::WasRunning => "was-running",
        Recovery::HadSurvived => "had-survived",
    }
}
