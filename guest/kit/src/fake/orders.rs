//! Every order in which events may come to a job: whatever happens, it ends once, and is killed only after its grace.

use super::{Behaviour, Fake};
use crate::contract::{Exit, Exited, Happening, Post, Signal, StartError};
use crate::machine::CANCEL;

/// Orders of events for a policy's jobs.
#[derive(Clone, Debug)]
pub struct Orders {
    events: Vec<Happening>,
    grace: u64,
}

impl Orders {
    /// Makes the orders of the events that can come to any job and of some more, for a policy that grants a job that
    /// is to end so many milliseconds.
    pub fn new(grace: u64, more: Vec<Happening>) -> Self {
        let exited = Exited { exit: Exit::Code(0), leaked: Vec::new(), directory: None, session_lost: false };
        let timer = |name: &str| Happening::Timer(name.into());
        let mut events = vec![
            Happening::Started(7),
            Happening::StartFailed(StartError::Other("no".into())),
            Happening::Exited(exited),
            timer("timeout"),
            timer("kill"),
            timer("abandon"),
            Happening::Posted(Post { name: CANCEL.into(), data: "null".into() }),
        ];
        events.extend(more);
        Self { events, grace }
    }

    /// Gives the events.
    pub fn events(&self) -> &[Happening] {
        &self.events
    }

    /// Goes through every sequence of so many events, each for a job that heeds SIGTERM and for one that does not.
    /// Gives how many there were.
    pub fn each(&self, length: usize, mut one: impl FnMut(&[&Happening], Behaviour)) -> usize {
        let events = self.events.len();
        let total = (0..length).fold(1, |total, _| total * events);
        for number in 0..total {
            let mut rest = number;
            let sequence: Vec<&Happening> = (0..length)
                .filter_map(|_| {
                    let index = rest % events;
                    rest /= events;
                    self.events.get(index)
                })
                .collect();
            for behaviour in [Behaviour::hangs(), Behaviour::hangs().ignores_terminate()] {
                one(&sequence, behaviour);
            }
        }
        2 * total
    }

    /// When the events come, in milliseconds: some before the start, some within the grace, some after it.
    fn moments(&self) -> [u64; 5] {
        [0, 10, 20, self.grace, self.grace + 15]
    }

    /// Brings a sequence, of at most five events, to the job that the next launch starts.
    pub fn bring(&self, host: &Fake, sequence: &[&Happening]) {
        let moments = self.moments();
        assert!(sequence.len() <= moments.len(), "there are no moments for so many events");
        for (happening, at) in sequence.iter().zip(moments) {
            host.at(at, (*happening).clone());
        }
    }

    /// Demands SIGTERM at most once, and SIGKILL at most once, after it and after the grace.
    pub fn assert_graceful(&self, host: &Fake, sequence: &[&Happening]) {
        // A host fires no timer early; a test does, and then the grace is over when the timer says so.
        let fired = |from: u64, to: u64| {
            let timers = sequence.iter().zip(self.moments());
            timers
                .filter(|(happening, _)| matches!(happening, Happening::Timer(name) if name == "kill"))
                .any(|(_, at)| from <= at && at <= to)
        };
        let sent = host.signals();
        let signals: Vec<(u64, Signal)> = sent.iter().map(|sent| (sent.at, sent.signal)).collect();
        let graceful = match signals.as_slice() {
            [] | [(_, Signal::Terminate)] => true,
            [(asked, Signal::Terminate), (killed, Signal::Kill)] => {
                killed - asked >= self.grace || fired(*asked, *killed)
            }
            _ => false,
        };
        assert!(graceful, "{sequence:?}: {signals:?}");
    }
}
