//! Native policy and component give the same answers, whatever they are asked: the inputs of `guest/fuzz/seeds` and
//! random mutations of them, driven through the properties of `guest/properties` by one and then by the other.
//!
//! `SHELLWARD_COMPARISONS` says how many mutations each property gets, and `SHELLWARD_SEED` from where. A long run:
//! `SHELLWARD_COMPARISONS=20000 cargo test --release -p shellward-tests --test it same_answers`.

use std::cell::RefCell;
use std::fmt::Debug;

use shellward_kit::contract::{Answer, Event, Job, Manifest, Reply, Request, SettingsError, Step, ToolCall, Verdict};
use shellward_kit::fake::{Fake, Subject};
use shellward_properties::{ALL, Natives, Policy, Property, Subjects};
use shellward_tests::{Wasm, component_of};

#[path = "../../guest/properties/tests/inputs.rs"]
mod inputs;
#[path = "../../guest/syntax/tests/differential/random.rs"]
mod random;

use random::Random;

/// Answers as another does, and keeps the answers.
struct Recording<'s> {
    subject: &'s dyn Subject,
    answers: RefCell<Vec<String>>,
}

impl<'s> Recording<'s> {
    fn new(subject: &'s dyn Subject) -> Self {
        Self { subject, answers: RefCell::default() }
    }

    fn keep<T: Debug>(&self, answer: T) -> T {
        self.answers.borrow_mut().push(format!("{answer:?}"));
        answer
    }
}

impl Subject for Recording<'_> {
    fn describe(&self, settings: &str) -> Result<Manifest, Vec<SettingsError>> {
        self.keep(self.subject.describe(settings))
    }

    fn review(&self, host: &Fake, request: &Request) -> Verdict {
        self.keep(self.subject.review(host, request))
    }

    fn call(&self, host: &Fake, call: &ToolCall) -> Answer {
        let answer = self.keep(self.subject.call(host, call));
        // What it asked of the host is part of the answer.
        self.keep((host.launches(), host.signals(), host.logs()));
        answer
    }

    fn advance(&self, host: &Fake, job: &Job, event: &Event) -> Step {
        let step = self.keep(self.subject.advance(host, job, event));
        self.keep((host.signals(), host.logs(), host.all_jobs()));
        step
    }

    fn settle(&self, host: &Fake, call: &ToolCall, job: &Job) -> Reply {
        self.keep(self.subject.settle(host, call, job))
    }
}

/// Every policy, recorded.
struct Recordings<'s>(Vec<(Policy, Recording<'s>)>);

impl<'s> Recordings<'s> {
    fn of(subjects: &'s dyn Subjects) -> Self {
        Self(Policy::ALL.map(|policy| (policy, Recording::new(subjects.of(policy)))).into())
    }

    /// All that was answered since the last time.
    fn taken(&self) -> Vec<String> {
        self.0.iter().flat_map(|(_, recording)| recording.answers.take()).collect()
    }
}

impl Subjects for Recordings<'_> {
    fn of(&self, policy: Policy) -> &dyn Subject {
        &self.0.iter().find(|(known, _)| *known == policy).unwrap().1
    }
}

/// The components of the policies.
struct Components(Vec<(Policy, Wasm)>);

impl Subjects for Components {
    fn of(&self, policy: Policy) -> &dyn Subject {
        &self.0.iter().find(|(known, _)| *known == policy).unwrap().1
    }
}

/// Drives a property with one input by both, and gives how many answers there were; says which input it was, should
/// one of them not hold.
fn compare(
    name: &str,
    property: Property,
    input: &[u8],
    native: &Recordings<'_>,
    components: &Recordings<'_>,
) -> usize {
    let shown = format!("{name} with b\"{}\"", input.escape_ascii());
    let holds = |subjects: &Recordings<'_>| {
        let held = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| property(input, subjects)));
        assert!(held.is_ok(), "{shown}: see above");
        subjects.taken()
    };
    let (native, components) = (holds(native), holds(components));
    for (one, other) in native.iter().zip(&components) {
        assert_eq!(one, other, "{shown}");
    }
    assert_eq!(native.len(), components.len(), "{shown}");
    native.len()
}

#[test]
fn a_component_answers_as_its_policy_does() {
    let components = Components(Policy::ALL.map(|policy| (policy, Wasm::new(&component_of(policy.name())))).into());
    let (native, components) = (Recordings::of(&Natives), Recordings::of(&components));
    let seed = inputs::seed();
    println!("seed {seed}");
    let mut random = Random::new(seed);
    let mut answers = 0;
    // Nothing enters a policy to read a line: `syntax` is no matter of policies.
    for (name, property) in ALL.iter().filter(|(name, _)| *name != "syntax") {
        let seeds = inputs::seeds(name);
        let mutations = inputs::count("SHELLWARD_COMPARISONS", 60);
        let mutated: Vec<_> = (0..mutations).map(|_| inputs::mutated(&seeds, &mut random)).collect();
        for input in seeds.iter().chain(&mutated) {
            answers += compare(name, *property, input, &native, &components);
        }
    }
    assert!(answers > 1000, "only {answers} answers were compared");
}
