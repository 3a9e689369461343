//! One lasting shell, and the task that reads what it prints.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use nix::sys::termios::Termios;
use tokio::sync::mpsc;

use super::command::{Ended, Running};
use super::dialect::Dialect;
use super::marks::{End, Found, Marks};
use crate::process::{Exit, Flow, Master, Process, SILENCE, ShellEnds, ShellSource, Shown, Stream, TERMINAL_READ};

/// Orders that may wait: one command at a time, and requests to look, of which one is as good as many.
const ORDERS: usize = 16;
/// How long output is read after the shell has ended, while something else still holds it.
const DRAIN: Duration = Duration::from_millis(100);
/// How often a running command is looked at: it may have been interrupted by somebody else than the host.
const LOOK: Duration = Duration::from_millis(250);
/// How soon after a signal of ours, and how long so often.
const SOON: Duration = Duration::from_millis(3);
const SOON_FOR: Duration = Duration::from_millis(500);

/// How long a shell has to answer what it is asked after an interrupt, and twice as long each time: one that is slow has
/// not thrown the question away, and a client takes every question while its shell still runs the command.
const ANSWERS: Duration = Duration::from_millis(50);
const MOST_DOUBLED: u32 = 20;

/// What a session's task is told.
#[derive(Debug)]
pub(super) enum Order {
    /// Run this.
    Run(Arc<Running>),
    /// Something was sent that may have taken the shell away from its command.
    Look,
}

/// A lasting shell.
#[derive(Debug)]
pub(super) struct Session {
    pub process: Process,
    pub terminal: Option<Arc<Master>>,
    pub dialect: Dialect,
    /// What must be the same for every command of it.
    pub likeness: String,
    state: Mutex<State>,
    orders: mpsc::Sender<Order>,
}

/// What is known of a shell between commands.
#[derive(Debug)]
pub(super) struct State {
    pub busy: bool,
    /// It has ended.
    pub over: bool,
    /// Where it is.
    pub directory: String,
    /// The code its last command ended with.
    pub status: i32,
    /// It ends at the first failure.
    pub strict: bool,
    /// It was interrupted, and may throw away what it reads next.
    pub shaken: bool,
    /// It reads again, though its command has not been told to have ended: nothing is left to interrupt.
    pub back: bool,
    /// Its last command.
    pub last: Weak<Running>,
}

impl Session {
    /// Takes charge of a shell that has just started.
    pub(super) fn begin(
        process: Process,
        ends: ShellEnds,
        dialect: Dialect,
        likeness: String,
        directory: String,
    ) -> Arc<Self> {
        let terminal = match &ends.source {
            ShellSource::Terminal(master) => Some(Arc::clone(master)),
            ShellSource::Pipes { .. } => None,
        };
        let (orders, receiver) = mpsc::channel(ORDERS);
        let state = Mutex::new(State {
            busy: false,
            over: false,
            directory,
            status: 0,
            strict: false,
            shaken: false,
            back: false,
            last: Weak::new(),
        });
        let session = Arc::new(Self { process, terminal, dialect, likeness, state, orders });
        // The queue is empty: it has room.
        let _ = ends.control.write(dialect.opening().as_bytes());
        let modes = session.terminal.as_ref().and_then(|terminal| terminal.modes());
        let serving = Serving {
            session: Arc::clone(&session),
            ends,
            orders: receiver,
            modes,
            current: None,
            marks: [Marks::default(), Marks::default()],
        };
        tokio::spawn(serving.run());
        session
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn is_alive(&self) -> bool {
        !self.state().over && self.process.try_wait().is_none()
    }

    /// Hands a command to the task. Only for whoever has made the session busy.
    pub(super) fn run(&self, running: &Arc<Running>) {
        let last = {
            let mut state = self.state();
            state.back = false;
            std::mem::replace(&mut state.last, Arc::downgrade(running))
        };
        if let Some(last) = last.upgrade() {
            // It has one next command.
            let _ = last.next.set(running.since);
        }
        if self.orders.try_send(Order::Run(Arc::clone(running))).is_err() {
            // The task has ended with its shell: so has the command.
            running.end(Ended { exit: Exit::UNKNOWN, directory: None, lost: true });
        }
    }

    /// Does something that may interrupt the shell, unless it is back from the command it is meant for: what it is asked
    /// then, and the next command, are not to hear of it.
    pub(super) fn shake<T>(&self, running: &Running, shaking: impl FnOnce() -> T) -> Option<T> {
        let mut state = self.state();
        if state.back || running.ended.borrow().is_some() {
            return None;
        }
        state.shaken = true;
        Some(shaking())
    }

    /// Has the task look soon whether the shell is back from its command.
    pub(super) fn look(&self) {
        // A full queue wakes it anyway.
        let _ = self.orders.try_send(Order::Look);
    }
}

/// The command that runs.
struct Current {
    running: Arc<Running>,
    shown: [Shown; 2],
    /// Streams whose end mark is still to come.
    open: usize,
    begun: bool,
    end: End,
    probe: Probe,
    /// Whether the shell was asked, after its command, if it is over its interrupts.
    settling: Option<Question>,
    /// Until when it is looked at often.
    hasty: Instant,
}

/// What is known about whether the shell has left its command behind.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Probe {
    /// Nothing.
    None,
    /// An empty line was written; the shell takes it when it reads commands again.
    Laid,
    /// It did, and was asked for the mark that it skipped.
    Asked(Question),
}

/// What a shell was asked that may throw it away, as an interrupt before it has it do.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Question {
    /// How often it was asked.
    times: u32,
    last: Instant,
}

impl Question {
    fn first() -> Self {
        Self { times: 1, last: Instant::now() }
    }

    fn again(self) -> Self {
        Self { times: self.times + 1, last: Instant::now() }
    }

    /// Whether it is to be asked again.
    fn is_overdue(self) -> bool {
        self.last.elapsed() > ANSWERS * (1 << (self.times - 1).min(MOST_DOUBLED))
    }
}

struct Serving {
    session: Arc<Session>,
    ends: ShellEnds,
    orders: mpsc::Receiver<Order>,
    /// The terminal's modes at the start, to which it returns between commands.
    modes: Option<Termios>,
    current: Option<Current>,
    marks: [Marks; 2],
}

/// What the task wakes for.
enum Next {
    Exited(Exit),
    Order(Order),
    Read(usize, usize),
    /// A stream is at its end.
    Closed(usize),
    Look,
    Silent,
}

impl Serving {
    async fn run(mut self) {
        let mut buffers = [vec![0; TERMINAL_READ], Vec::new()];
        if self.session.terminal.is_none() {
            buffers[1] = vec![0; TERMINAL_READ];
        }
        let mut closed = [false, self.session.terminal.is_some()];
        let exit = loop {
            match self.next(&mut buffers, closed).await {
                Next::Exited(exit) => break exit,
                Next::Order(Order::Run(running)) => self.start(running),
                Next::Order(Order::Look) => {
                    if let Some(current) = &mut self.current {
                        current.hasty = Instant::now() + SOON_FOR;
                    }
                }
                Next::Read(stream, count) => self.take(stream, &buffers[stream][..count]).await,
                Next::Closed(stream) => closed[stream] = true,
                Next::Look => self.look(),
                Next::Silent => {
                    if let Some(current) = &mut self.current {
                        current.shown[0].settle();
                    }
                }
            }
        };
        self.over(exit, &mut buffers, closed).await;
    }

    async fn next(&mut self, buffers: &mut [Vec<u8>; 2], closed: [bool; 2]) -> Next {
        let looking = self.current.as_ref().filter(|current| current.begun);
        let pause = looking.map_or(LOOK, |current| if Instant::now() < current.hasty { SOON } else { LOOK });
        let unsettled = self.current.as_ref().is_some_and(|current| current.shown[0].unsettled());
        tokio::select! {
            biased;
            exit = self.session.process.wait() => Next::Exited(exit),
            Some(order) = self.orders.recv() => Next::Order(order),
            next = read(&self.ends.source, buffers, closed) => next,
            () = tokio::time::sleep(pause), if looking.is_some() => Next::Look,
            () = tokio::time::sleep(SILENCE), if unsettled => Next::Silent,
        }
    }

    fn start(&mut self, running: Arc<Running>) {
        if let Some(terminal) = &self.session.terminal {
            terminal.forget_input();
            if let Some(size) = running.size {
                // A size that the system refuses leaves the one there was.
                let _ = terminal.resize(size);
            }
            running.output.close(Stream::Stderr, Flow::Ended);
        }
        let size = running.size.filter(|_| !running.raw);
        let shown = [(Stream::Stdout, size), (Stream::Stderr, None)]
            .map(|(stream, size)| Shown::new(running.output.clone(), stream, size));
        let open = if self.session.terminal.is_some() { 1 } else { 2 };
        self.marks.iter_mut().take(open).for_each(|marks| marks.expect(&running.secret));
        let lost = self.ends.control.write(running.line.as_bytes()).is_err();
        let hasty = Instant::now();
        let (end, probe) = (End::default(), Probe::None);
        self.current = Some(Current { running, shown, open, begun: false, end, probe, settling: None, hasty });
        if lost {
            // A command as long as that was refused before; a shell that reads nothing any more is about to end.
            self.look();
        }
    }

    /// Reads marks and output.
    async fn take(&mut self, stream: usize, bytes: &[u8]) {
        let Some(current) = &mut self.current else { return };
        let mut ended = None;
        self.marks[stream].feed(bytes, &mut |found| match found {
            Found::Output(_) if current.settling.is_some() => {}
            Found::Output(bytes) => current.shown[stream].write(bytes),
            Found::Begin => current.begun = true,
            Found::End(end) => ended = Some(end),
        });
        if let Some(end) = ended {
            current.open -= 1;
            if stream == 0 && current.settling.is_none() {
                current.end = end;
            }
            if current.open == 0 {
                return self.finish();
            }
        }
        if self.session.terminal.as_ref().is_some_and(|terminal| terminal.has_paused()) {
            current.shown[0].show();
        }
        if let Some(tap) = current.running.output.full_tap().cloned() {
            // The shell's programs wait at their pipe or terminal meanwhile: nothing is lost.
            tokio::select! {
                () = tap.drained() => {}
                _ = self.session.process.wait() => {}
            }
        }
    }

    /// The command has ended and its shell is back; unless it was interrupted meanwhile, which must not hit what comes
    /// next.
    fn finish(&mut self) {
        let session = Arc::clone(&self.session);
        let mut state = session.state();
        if std::mem::take(&mut state.shaken) {
            state.back = true;
            drop(state);
            return self.settle();
        }
        let Some(mut current) = self.current.take() else { return };
        current.shown[0].end(Flow::Ended);
        if let (Some(terminal), Some(modes)) = (&self.session.terminal, &self.modes) {
            terminal.set_modes(modes);
        } else {
            current.shown[1].end(Flow::Ended);
        }
        let End { code, options, directory } = current.end;
        let directory = Some(directory).filter(|directory| !directory.is_empty());
        (state.busy, state.status, state.strict) = (false, code.unwrap_or(0), options.contains('e'));
        if let Some(directory) = &directory {
            state.directory.clone_from(directory);
        }
        let exit = Exit { code, signal: None };
        current.running.end(Ended { exit, directory, lost: false });
    }

    /// Asks the shell for marks of nothing, as often as it throws the question away. What a question that was thought
    /// lost is answered late is dropped: each has a secret of its own.
    fn settle(&mut self) {
        let Some(current) = &mut self.current else { return };
        let question = current.settling.map_or_else(Question::first, Question::again);
        current.settling = Some(question);
        let apart = self.session.terminal.is_none();
        let secret = format!("{}{}", current.running.secret, question.times);
        current.open = if apart { 2 } else { 1 };
        self.marks.iter_mut().take(current.open).for_each(|marks| marks.expect(&secret));
        let line = self.session.dialect.settling(&secret, current.end.options.contains('e'), apart);
        // A shell that reads nothing any more is about to end.
        let _ = self.ends.control.write(line.as_bytes());
    }

    /// Finds out whether the shell reads commands again though the end mark has not come.
    fn look(&mut self) {
        let Some(current) = &mut self.current else { return };
        if let Some(question) = current.settling {
            if self.ends.is_taken() && question.is_overdue() {
                self.settle();
            }
            return;
        }
        let recovery = || self.session.dialect.recovery(&current.running.secret, self.session.terminal.is_none());
        let (next, line) = match current.probe {
            Probe::None => (Probe::Laid, "\n".to_owned()),
            Probe::Laid if self.ends.is_taken() => {
                // A client takes at once what its shell will read only later.
                self.session.state().back = self.session.process.tree().elsewhere().is_none();
                (Probe::Asked(Question::first()), recovery())
            }
            Probe::Asked(question) if self.ends.is_taken() && question.is_overdue() => {
                (Probe::Asked(question.again()), recovery())
            }
            Probe::Laid | Probe::Asked(_) => return,
        };
        if self.ends.control.write(line.as_bytes()).is_ok() {
            current.probe = next;
        }
    }

    /// The shell has ended: reads what is left, and ends whatever it has left running.
    async fn over(mut self, exit: Exit, buffers: &mut [Vec<u8>; 2], mut closed: [bool; 2]) {
        let deadline = tokio::time::Instant::now() + DRAIN;
        while !(closed[0] && closed[1]) {
            match tokio::time::timeout_at(deadline, read(&self.ends.source, buffers, closed)).await {
                Ok(Next::Read(stream, count)) => self.take(stream, &buffers[stream][..count]).await,
                Ok(Next::Closed(stream)) => closed[stream] = true,
                _ => break,
            }
        }
        {
            let mut state = self.session.state();
            (state.busy, state.over) = (true, true);
        }
        self.session.process.kill_tree().await;
        if let Some(mut current) = self.current.take() {
            for stream in 0..2 {
                let rest = self.marks[stream].rest();
                current.shown[stream].write(&rest);
            }
            current.shown[0].end(Flow::Ended);
            if self.session.terminal.is_none() {
                current.shown[1].end(Flow::Ended);
            }
            current.running.end(Ended { exit, directory: None, lost: true });
        }
        self.orders.close();
        while let Some(order) = self.orders.recv().await {
            if let Order::Run(running) = order {
                running.end(Ended { exit, directory: None, lost: true });
            }
        }
    }
}

async fn read(source: &ShellSource, buffers: &mut [Vec<u8>; 2], closed: [bool; 2]) -> Next {
    let [first, second] = buffers;
    let (stream, read) = match source {
        ShellSource::Terminal(master) if !closed[0] => (0, master.read(first).await),
        ShellSource::Terminal(_) => std::future::pending().await,
        ShellSource::Pipes { stdout, stderr } => tokio::select! {
            read = stdout.read(first), if !closed[0] => (0, read),
            read = stderr.read(second), if !closed[1] => (1, read),
            else => std::future::pending().await,
        },
    };
    match read {
        Ok(count) if count > 0 => Next::Read(stream, count),
        // What cannot be read any more is as good as at its end; the shell's own end follows.
        _ => Next::Closed(stream),
    }
}
