//! Settings: layers by precedence, each value with the place it comes from.
//!
//! A settings file holds `policy = "NAME"`, a `[host]` table, and one table per policy such as `[tools.Bash]`. What a
//! policy's table may hold is the policy's to say; this module finds the file, line and key that a refusal is about.

mod error;
mod file;
mod guards;
mod host;
mod table;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

pub use self::error::{Complaint, Error};
pub use self::table::Table;
use crate::host::HostLimits;
use crate::policy::contract::rules::Manifest;
use crate::policy::{GuardSpec, Limits};

/// Where a layer comes from, weakest first: a later one overrides an earlier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// The user's own file.
    User,
    /// The project's `.shellward/config.toml`.
    Project,
    /// An environment variable that the policy has named.
    Environment,
    /// Given by the embedding program or on the command line.
    Given,
}

/// A layer of settings.
#[derive(Clone, Debug)]
struct Layer {
    source: Source,
    origin: Origin,
    values: Map<String, Value>,
}

/// Where a layer's values stand, for messages.
#[derive(Clone, Debug)]
enum Origin {
    File { path: PathBuf, lines: file::Lines },
    Variable(String),
    Given,
}

/// All layers of settings.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    layers: Vec<Layer>,
}

/// The name of a project's settings file, from its root.
pub const PROJECT_FILE: &str = ".shellward/config.toml";

impl Settings {
    /// Adds a settings file. One that is not there adds nothing.
    ///
    /// # Errors
    /// When it cannot be read, is not TOML, or holds a key that no settings file has.
    pub fn file(mut self, source: Source, path: &Path) -> Result<Self, Error> {
        if let Some((values, lines)) = file::read(path)? {
            let layer = Layer { source, origin: Origin::File { path: path.to_owned(), lines }, values };
            self.check_top(&layer)?;
            self.add(layer);
        }
        Ok(self)
    }

    /// Adds settings for the policy's own table, above the files.
    #[must_use]
    pub fn given(mut self, table: &str, values: Map<String, Value>) -> Self {
        let nested =
            table.rsplit('.').fold(values, |inner, name| Map::from_iter([(name.to_owned(), Value::Object(inner))]));
        self.add(Layer { source: Source::Given, origin: Origin::Given, values: nested });
        self
    }

    fn add(&mut self, layer: Layer) {
        self.layers.push(layer);
        self.layers.sort_by_key(|layer| layer.source);
    }

    /// The policy that the settings name.
    #[must_use]
    pub fn policy(&self) -> Option<&str> {
        self.layers.iter().rev().find_map(|layer| layer.values.get("policy")?.as_str())
    }

    /// The SHA-256 that the settings demand of the policy.
    #[must_use]
    pub fn pin(&self) -> Option<&str> {
        self.layers.iter().rev().find_map(|layer| layer.values.get("policy_sha256")?.as_str())
    }

    /// The guards that the settings name: the user's before the project's.
    pub(crate) fn guards(&self) -> Result<Vec<GuardSpec>, Error> {
        guards::guards(&self.layers)
    }

    /// The host's limits, and those of entries into the policy.
    ///
    /// # Errors
    /// When the `[host]` table holds an unknown key or a wrong value.
    pub fn limits(&self) -> Result<(HostLimits, Limits), Error> {
        host::limits(&self.layers)
    }

    /// The directory that durable runs are kept in, where the settings say one; a relative one starts at the project's
    /// root.
    ///
    /// # Errors
    /// When it is no text.
    pub fn data_directory(&self) -> Result<Option<PathBuf>, Error> {
        host::directory(&self.layers)
    }

    /// The images of containers by the names that policies use.
    ///
    /// # Errors
    /// When one is no text, or is none that an image can have.
    pub fn containers(&self) -> Result<BTreeMap<String, String>, Error> {
        host::containers(&self.layers)
    }

    /// The table of a policy, merged from all layers.
    pub(crate) fn table(&self, manifest: &Manifest, environment: &[(OsString, OsString)]) -> Result<Table, Error> {
        let mut layers = self.layers.clone();
        layers.extend(table::variables(manifest, environment)?);
        layers.sort_by_key(|layer| layer.source);
        Ok(Table::merge(&manifest.settings_table, layers))
    }

    /// Refuses keys that no settings file has.
    fn check_top(&self, layer: &Layer) -> Result<(), Error> {
        for (key, value) in &layer.values {
            let expected = match (key.as_str(), value) {
                ("policy_sha256", Value::String(text)) if is_digest(text) => continue,
                ("policy_sha256", _) => {
                    "must be a SHA-256: 64 hexadecimal digits, as `shellward policy inspect` shows it"
                }
                ("policy", Value::String(_)) | ("host" | "tools", Value::Object(_)) => continue,
                ("policy", _) => "must be a text: the name of a policy, or the path of one",
                ("host" | "tools", _) => "must be a table",
                _ => {
                    "is not known; a settings file has `policy`, `policy_sha256`, `[host]` and one table per policy such as `[tools.Bash]`"
                }
            };
            return Err(Error::Refused(vec![layer.complaint(std::slice::from_ref(key), expected.to_owned())]));
        }
        Ok(())
    }
}

/// Whether a text is a SHA-256 in hexadecimal.
#[must_use]
pub fn is_digest(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

impl Layer {
    /// The value at a path of keys.
    fn get(&self, path: &[String]) -> Option<&Value> {
        let (last, tables) = path.split_last()?;
        let table = tables.iter().try_fold(&self.values, |table, name| table.get(name)?.as_object())?;
        table.get(last)
    }

    /// Says of a key what is wrong, and where it stands.
    fn complaint(&self, path: &[String], message: String) -> Complaint {
        let place = match &self.origin {
            Origin::File { path: file, lines } => match lines.of(path) {
                Some(line) => format!("{}:{line}", file.display()),
                None => file.display().to_string(),
            },
            Origin::Variable(name) => format!("environment variable {name}"),
            Origin::Given => "given settings".to_owned(),
        };
        Complaint { place, key: path.join("."), message }
    }
}
