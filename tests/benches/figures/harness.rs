//! What all figures share: timing two things in turns, and the line of the table.

use std::time::{Duration, Instant};

use shellward::Host;
use shellward_tests::Project;

/// How long to measure.
#[derive(Clone, Copy)]
pub struct Scale {
    /// Whether to be done soon.
    pub quick: bool,
}

impl Scale {
    /// How often to repeat what is over soon.
    pub fn rounds(self) -> usize {
        if self.quick { 100 } else { 500 }
    }
}

/// One line of the table.
pub struct Figure {
    pub what: &'static str,
    pub ours: f64,
    /// The plain thing beside it: its figure, and what it is.
    pub plain: Option<(f64, &'static str)>,
    pub unit: &'static str,
}

impl Figure {
    /// A figure beside that of the plain thing.
    pub fn beside(what: &'static str, unit: &'static str, (ours, plain): (f64, f64), plain_is: &'static str) -> Self {
        Self { what, ours, plain: Some((plain, plain_is)), unit }
    }

    /// A figure that stands alone.
    pub fn alone(what: &'static str, unit: &'static str, ours: f64) -> Self {
        Self { what, ours, plain: None, unit }
    }

    pub fn ratio(&self) -> Option<f64> {
        Some(self.ours / self.plain?.0)
    }
}

/// The median of some times, in microseconds.
pub fn median(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    times[times.len() / 2].as_secs_f64() * 1e6
}

/// Times two things in turns, so that drift of the machine hits both alike.
pub fn in_turns(rounds: usize, mut ours: impl FnMut(), mut plain: impl FnMut()) -> (f64, f64) {
    let time = |work: &mut dyn FnMut()| {
        let begun = Instant::now();
        work();
        begun.elapsed()
    };
    ours();
    plain();
    let (mut one, mut other) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        one.push(time(&mut ours));
        other.push(time(&mut plain));
    }
    (median(one), median(other))
}

pub fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap()
}

pub fn host(policy: &str) -> (Project, Host) {
    let project = Project::new();
    let host = project.builder(policy).build().unwrap();
    (project, host)
}
