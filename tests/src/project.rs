//! A project in a temporary directory, and hosts that work in it.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use shellward::settings::Settings;
use shellward::{Cache, Host, HostBuilder, Source};

/// The component of the policy that misbehaves.
pub const HOSTILE: &str = env!("HOSTILE_POLICY");

/// The component of the policy that launches whatever it is told.
pub const RUNNER: &str = env!("RUNNER_POLICY");

/// The component of the guard whose rules are its settings.
pub const GUARD: &str = env!("TEST_GUARD");

/// A project of one test.
#[derive(Debug)]
pub struct Project {
    directory: tempfile::TempDir,
}

impl Project {
    /// Makes an empty one.
    #[must_use]
    pub fn new() -> Self {
        Self { directory: tempfile::tempdir().unwrap() }
    }

    /// Its root.
    #[must_use]
    pub fn root(&self) -> PathBuf {
        self.directory.path().canonicalize().unwrap()
    }

    /// Writes a file, making its directories.
    pub fn file(&self, name: &str, contents: &str) {
        let path = self.root().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, contents).unwrap();
    }

    /// Begins a host for a policy, with the compiled-code cache that all tests share.
    #[must_use]
    pub fn builder(&self, policy: &str) -> HostBuilder {
        Host::builder().project(self.root()).policy(Source::parse(policy).unwrap()).cache(cache())
    }

    /// A host with settings for the policy's table.
    #[must_use]
    pub fn host(&self, policy: &str, table: &str, settings: &Value) -> Host {
        let values: Map<_, _> = settings.as_object().unwrap().clone();
        self.builder(policy).settings(Settings::default().given(table, values)).build().unwrap()
    }

    /// A host of the hostile policy.
    #[must_use]
    pub fn hostile(&self) -> Host {
        self.builder(HOSTILE).build().unwrap()
    }
}

impl Default for Project {
    fn default() -> Self {
        Self::new()
    }
}

/// Compiling takes half a second, so tests keep compiled policies between them, beside their own program.
fn cache() -> Cache {
    let program = std::env::current_exe().unwrap();
    Cache::open(&program.parent().unwrap().join("shellward-test-cache")).unwrap()
}

/// The bytes of a built-in policy's component.
#[must_use]
pub fn component_of(name: &str) -> Vec<u8> {
    match Source::parse(name).unwrap() {
        Source::BuiltIn(_, bytes) => bytes.to_vec(),
        Source::File(path) => fs::read(Path::new(&path)).unwrap(),
    }
}
