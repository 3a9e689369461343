//! The `[host]` table.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;

use super::{Error, Layer};
use crate::host::HostLimits;
use crate::policy::Limits;

/// Sets one limit.
type Set = fn(&mut HostLimits, &mut Limits, u64);

/// The keys of the table, each with what it sets.
const KEYS: [(&str, Set); 9] = [
    ("max_running_jobs", |host, _, number| host.running_jobs = u32::try_from(number).unwrap_or(u32::MAX)),
    ("max_kept_output_bytes", |host, _, number| host.kept_output = size(number)),
    ("max_argument_bytes", |host, _, number| host.arguments = size(number)),
    ("patience_ms", |host, _, number| host.patience = Duration::from_millis(number)),
    ("kept_runs", |host, _, number| host.keep.runs = number),
    ("kept_runs_days", |host, _, number| host.keep.age = Duration::from_secs(number.saturating_mul(24 * 3600))),
    ("kept_runs_bytes", |host, _, number| host.keep.bytes = number),
    ("policy_deadline_ms", |_, policy, number| policy.deadline = Duration::from_millis(number)),
    ("policy_memory_bytes", |_, policy, number| policy.memory = size(number)),
];

/// The key of the directory for durable runs: a text, where the others are numbers.
const DIRECTORY: &str = "data_directory";

/// The key of the table of containers.
const CONTAINERS: &str = "containers";

/// The directory that durable runs are kept in, as far as the settings say.
pub(super) fn directory(layers: &[Layer]) -> Result<Option<PathBuf>, Error> {
    let path = ["host".to_owned(), DIRECTORY.to_owned()];
    let found = layers.iter().rev().find_map(|layer| Some((layer, layer.get(&path)?)));
    match found {
        None => Ok(None),
        Some((_, Value::String(text))) if !text.is_empty() => Ok(Some(PathBuf::from(text))),
        Some((layer, value)) => {
            let message = format!("must be the path of a directory, not {value}");
            Err(Error::Refused(vec![layer.complaint(&path, message)]))
        }
    }
}

/// The images of containers, each by its name: a later layer's for the same name counts.
pub(super) fn containers(layers: &[Layer]) -> Result<BTreeMap<String, String>, Error> {
    let (mut images, mut complaints) = (BTreeMap::new(), Vec::new());
    let path = ["host".to_owned(), CONTAINERS.to_owned()];
    for layer in layers {
        let table = match layer.get(&path) {
            None => continue,
            Some(Value::Object(table)) => table,
            Some(other) => {
                complaints.push(layer.complaint(&path, format!("must be a table of images by name, not {other}")));
                continue;
            }
        };
        for (name, value) in table {
            // What begins with a dash would be an option to the engine's client.
            match value.as_str().filter(|image| !image.trim().is_empty() && !image.starts_with('-')) {
                Some(image) => drop(images.insert(name.clone(), image.to_owned())),
                None => {
                    let path = [path.as_slice(), std::slice::from_ref(name)].concat();
                    complaints.push(layer.complaint(&path, format!("must be the name of an image, not {value}")));
                }
            }
        }
    }
    if complaints.is_empty() { Ok(images) } else { Err(Error::Refused(complaints)) }
}

fn size(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

pub(super) fn limits(layers: &[Layer]) -> Result<(HostLimits, Limits), Error> {
    let (mut host, mut policy) = (HostLimits::default(), Limits::default());
    let mut complaints = Vec::new();
    for layer in layers {
        let Some(table) = layer.values.get("host").and_then(Value::as_object) else { continue };
        for (key, value) in table.iter().filter(|(key, _)| ![DIRECTORY, CONTAINERS, "guards"].contains(&key.as_str())) {
            let complain = |message| layer.complaint(&["host".to_owned(), key.clone()], message);
            match (KEYS.iter().find(|(known, _)| known == key), value.as_u64()) {
                (Some((_, set)), Some(number)) if number > 0 => set(&mut host, &mut policy, number),
                (Some(_), _) => complaints.push(complain(format!("must be a whole number above 0, not {value}"))),
                (None, _) => {
                    let known = KEYS.map(|(known, _)| known).join(", ") + ", " + DIRECTORY;
                    complaints.push(complain(format!(
                        "is not known; the table has {known}, `[host.containers]` and `[[host.guards]]`"
                    )));
                }
            }
        }
    }
    if complaints.is_empty() { Ok((host, policy)) } else { Err(Error::Refused(complaints)) }
}
