//! The `[[host.guards]]` tables.

use std::path::Path;

use serde_json::{Map, Value};

use super::{Complaint, Error, Layer, Origin, is_digest};
use crate::policy::GuardSpec;

/// The guards of all layers, weakest layer first: no layer takes away another's.
pub(super) fn guards(layers: &[Layer]) -> Result<Vec<GuardSpec>, Error> {
    let (mut specs, mut complaints) = (Vec::new(), Vec::new());
    for layer in layers {
        let Some(value) = layer.values.get("host").and_then(|host| host.get("guards")) else { continue };
        let path = vec!["host".to_owned(), "guards".to_owned()];
        let Some(tables) = value.as_array() else {
            complaints.push(layer.complaint(&path, "must be tables: `[[host.guards]]`".into()));
            continue;
        };
        for (number, table) in tables.iter().enumerate() {
            let path = [path.as_slice(), &[number.to_string()]].concat();
            match read(layer, &path, table) {
                Ok(spec) => specs.push(spec),
                Err(complaint) => complaints.push(complaint),
            }
        }
    }
    if complaints.is_empty() { Ok(specs) } else { Err(Error::Refused(complaints)) }
}

fn read(layer: &Layer, path: &[String], table: &Value) -> Result<GuardSpec, Complaint> {
    let complain = |key: &str, message: &str| {
        let path = [path, &[key.to_owned()]].concat();
        layer.complaint(&path, message.to_owned())
    };
    let empty = Map::new();
    let table = table.as_object().unwrap_or(&empty);
    let mut spec = match table.get("path").and_then(Value::as_str) {
        Some(file) if !file.is_empty() => GuardSpec::file(beside(layer, Path::new(file))),
        _ => return Err(complain("path", "must be the path of a guard's component, from this file's directory")),
    };
    for (key, value) in table {
        spec = match (key.as_str(), value) {
            ("path", _) => spec,
            ("sha256", Value::String(text)) if is_digest(text) => spec.pin(text.as_str()),
            ("sha256", _) => return Err(complain(key, "must be a SHA-256: 64 hexadecimal digits")),
            ("settings", Value::Object(settings)) => spec.settings(settings.clone()),
            ("settings", _) => return Err(complain(key, "must be a table")),
            _ => return Err(complain(key, "is not known; a guard has `path`, `sha256` and `settings`")),
        };
    }
    Ok(spec)
}

/// A path as the file that names it means it.
fn beside(layer: &Layer, file: &Path) -> std::path::PathBuf {
    match &layer.origin {
        Origin::File { path, .. } => path.parent().map_or_else(|| file.to_owned(), |parent| parent.join(file)),
        Origin::Variable(_) | Origin::Given => file.to_owned(),
    }
}
