//! One guard: a component that judges commands on top of whichever policy is in use.

use std::ops::Deref;
use std::path::PathBuf;

use serde_json::{Map, Value};
use wasmtime::component::ComponentExportIndex;
use wasmtime::{Store, component};

use super::analysis::analyse;
use super::component::Loaded;
use super::context::Context;
use super::contract::commands::Language;
use super::contract::rules::{Request, Subject, Verdict};
use super::contract::types::Decision;
use super::engine::{EntryState, SharedEngine};
use super::fault::{Cause, Entry, Fault};
use super::load::{self, Kind, LoadError};
use super::source::Source;

/// The interface by which a guard brings its own examples.
const CASES: &str = "shellward:policy/cases@0.1.0";

/// The most examples that are run.
const MOST_CASES: usize = 1000;

/// Where the examples are judged: the same everywhere, so that they come out the same everywhere.
const CASES_ROOT: &str = "/project";

/// A guard to be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuardSpec {
    file: PathBuf,
    sha256: Option<String>,
    settings: Map<String, Value>,
}

impl GuardSpec {
    /// The component in a file.
    #[must_use]
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Self { file: path.into(), sha256: None, settings: Map::new() }
    }

    /// The SHA-256, in hexadecimal, that it must have.
    #[must_use]
    pub fn pin(mut self, sha256: impl Into<String>) -> Self {
        self.sha256 = Some(sha256.into());
        self
    }

    /// Its settings.
    #[must_use]
    pub fn settings(mut self, settings: Map<String, Value>) -> Self {
        self.settings = settings;
        self
    }
}

/// A guard that has been compiled, checked, held to its own examples and told its settings.
pub struct Guard {
    loaded: Loaded,
    examples: usize,
}

/// A guard that has been compiled and checked, but neither tried nor told its settings.
pub(crate) struct CompiledGuard(pub(super) Loaded);

impl CompiledGuard {
    /// Holds it to its own examples, bare, and then tells it its settings.
    pub(crate) fn configure(self, settings: &Map<String, Value>) -> Result<Guard, LoadError> {
        let Self(loaded) = self;
        let mut guard = Guard { loaded: loaded.clone().configure("{}", |_, _| Ok(()))?, examples: 0 };
        guard.examples = guard.hold_to_examples()?;
        if !settings.is_empty() {
            let settings = Value::Object(settings.clone()).to_string();
            guard.loaded = loaded.configure(&settings, |_, _| Ok(()))?;
        }
        Ok(guard)
    }
}

#[derive(component::ComponentType, component::Lift)]
#[component(record)]
struct Example {
    command: String,
    expect: Decision,
}

impl Deref for Guard {
    type Target = Loaded;

    fn deref(&self) -> &Loaded {
        &self.loaded
    }
}

impl Guard {
    pub(crate) fn load(engine: &SharedEngine, spec: &GuardSpec) -> Result<Self, LoadError> {
        let source = Source::File(spec.file.clone());
        let loaded = load::load(engine, &source, spec.sha256.as_deref(), Some(Kind::Guard))?;
        CompiledGuard(loaded).configure(&spec.settings)
    }

    /// How many examples of its own it was held to.
    #[must_use]
    pub fn examples(&self) -> usize {
        self.examples
    }

    /// Name, version and digest.
    pub(crate) fn stamp(&self) -> &str {
        &self.loaded.stamp
    }

    /// Judges a request, which gets the guard's settings.
    pub(super) fn review(&self, request: &mut Request) -> Result<Verdict, Fault> {
        request.settings.clear();
        request.settings.push_str(&self.loaded.settings);
        self.loaded.review(Context::detached(self.loaded.settings.clone()), request)
    }

    /// Judges a command line, read in a language, as if it were to run in some project, to try the guard out.
    ///
    /// # Errors
    /// When the guard fails.
    pub fn judge(&self, command: &str, language: Language) -> Result<Verdict, Fault> {
        self.review(&mut Request {
            session: String::new(),
            tool: String::new(),
            subject: Subject::CommandLine(command.to_owned()),
            analysis: analyse(command, language),
            directory: CASES_ROOT.to_owned(),
            root: CASES_ROOT.to_owned(),
            environment: Vec::new(),
            settings: String::new(),
        })
    }

    /// Runs the guard's own examples, and says how many there are.
    fn hold_to_examples(&self) -> Result<usize, LoadError> {
        let component = self.loaded.pre.component();
        let Some(index) = component
            .get_export_index(None, CASES)
            .and_then(|cases| component.get_export_index(Some(&cases), "examples"))
        else {
            return Ok(0);
        };
        let examples = self.read_examples(index)?;
        let mut failures = Vec::new();
        for example in &examples {
            let verdict = self.judge(&example.command, Language::Bash)?;
            if verdict.decision != example.expect {
                failures.push(failure(example, &verdict));
            }
        }
        if failures.is_empty() {
            Ok(examples.len())
        } else {
            Err(LoadError::Cases { policy: self.loaded.name.clone(), failures })
        }
    }

    fn read_examples(&self, index: ComponentExportIndex) -> Result<Vec<Example>, LoadError> {
        let run = |instance: &component::Instance, store: &mut Store<EntryState>| {
            let examples = instance.get_typed_func::<(), (Vec<Example>,)>(&mut *store, index)?;
            examples.call(store, ()).map(|found| found.0)
        };
        let examples = self.loaded.enter(Entry::Examples, Context::detached("{}".into()), run).0?;
        if examples.len() > MOST_CASES {
            let message = format!("it brings {} examples; at most {MOST_CASES} are run", examples.len());
            return Err(self.loaded.fault(Entry::Examples, Cause::Nonsense(message)).into());
        }
        Ok(examples)
    }
}

fn failure(example: &Example, verdict: &Verdict) -> String {
    let (is, must) = (verdict.decision.word(), example.expect.word());
    let why: Vec<_> = verdict.findings.iter().map(|finding| format!("{}: {}", finding.code, finding.message)).collect();
    let why = if why.is_empty() { String::new() } else { format!(" ({})", why.join(", ")) };
    format!("`{}` must be {must} and is {is}{why}", example.command)
}

impl std::fmt::Debug for Guard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Guard").field("stamp", &self.loaded.stamp).finish_non_exhaustive()
    }
}
