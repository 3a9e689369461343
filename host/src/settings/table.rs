//! A policy's own table, merged from all layers.

use std::ffi::OsString;

use serde_json::{Map, Value};

use super::{Complaint, Error, Layer, Origin, Source};
use crate::policy::contract::rules::{Manifest, SettingsError, Variable, VariableKind};

/// A policy's settings, and the layers they come from.
#[derive(Clone, Debug)]
pub struct Table {
    path: Vec<String>,
    merged: Map<String, Value>,
    layers: Vec<Layer>,
}

impl Table {
    pub(super) fn merge(name: &str, layers: Vec<Layer>) -> Self {
        let path: Vec<_> = name.split('.').filter(|part| !part.is_empty()).map(str::to_owned).collect();
        let mut merged = Map::new();
        for layer in &layers {
            if let Some(Value::Object(values)) = layer.get(&path) {
                overlay(&mut merged, values);
            }
        }
        Self { path, merged, layers }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.merged.is_empty()
    }

    pub(crate) fn json(&self) -> String {
        Value::Object(self.merged.clone()).to_string()
    }

    /// Says where the keys stand that the policy refuses: in the layer whose value won.
    pub(crate) fn refused(&self, policy: &str, errors: Vec<SettingsError>) -> Error {
        let complaint = |error: SettingsError| {
            let path: Vec<_> = self.path.iter().cloned().chain(error.key).collect();
            match self.layers.iter().rev().find(|layer| layer.get(&path).is_some()) {
                Some(layer) => layer.complaint(&path, error.message),
                None => Complaint { place: format!("policy {policy}"), key: path.join("."), message: error.message },
            }
        };
        Error::Refused(errors.into_iter().map(complaint).collect())
    }
}

/// Lays values over others: tables are merged, everything else is replaced.
fn overlay(under: &mut Map<String, Value>, over: &Map<String, Value>) {
    for (key, value) in over {
        match (under.get_mut(key), value) {
            (Some(Value::Object(under)), Value::Object(over)) => overlay(under, over),
            _ => {
                under.insert(key.clone(), value.clone());
            }
        }
    }
}

/// Layers for the environment variables that a policy has named and that are set.
pub(super) fn variables(manifest: &Manifest, environment: &[(OsString, OsString)]) -> Result<Vec<Layer>, Error> {
    let mut layers = Vec::new();
    for variable in &manifest.variables {
        let Some((_, text)) = environment.iter().find(|(name, _)| *name == *variable.name) else { continue };
        let value = read(variable, &text.to_string_lossy()).map_err(|message| {
            let place = format!("environment variable {}", variable.name);
            Error::Refused(vec![Complaint { place, key: variable.key.clone(), message }])
        })?;
        let Some(value) = value else { continue };
        let path = manifest.settings_table.split('.').chain([variable.key.as_str()]);
        let nested = path.rev().fold(value, |inner, name| Value::Object(Map::from_iter([(name.to_owned(), inner)])));
        let Value::Object(values) = nested else { continue };
        layers.push(Layer { source: Source::Environment, origin: Origin::Variable(variable.name.clone()), values });
    }
    Ok(layers)
}

/// The value of a variable's text; an empty text is as good as unset.
fn read(variable: &Variable, text: &str) -> Result<Option<Value>, String> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    match variable.kind {
        VariableKind::Text => Ok(Some(text.into())),
        VariableKind::Integer => match text.parse::<i64>() {
            Ok(number) => Ok(Some(number.into())),
            Err(_) => Err(format!("must be a whole number, not '{text}'")),
        },
        VariableKind::Boolean => match text.to_ascii_lowercase().as_str() {
            "true" | "1" | "yes" | "on" => Ok(Some(true.into())),
            "false" | "0" | "no" | "off" => Ok(Some(false.into())),
            _ => Err(format!("must be true or false, not '{text}'")),
        },
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde_json::json;

    use super::super::Settings;
    use super::*;
    use crate::policy::contract::rules::Retention;

    fn manifest() -> Manifest {
        Manifest {
            name: "test".into(),
            version: String::new(),
            summary: String::new(),
            tools: Vec::new(),
            settings_table: "tools.test".into(),
            settings_schema: "{}".into(),
            variables: vec![Variable { name: "TEST_ON".into(), key: "on".into(), kind: VariableKind::Boolean }],
            run: None,
            retention: Retention { jobs: 0, millis: 0 },
        }
    }

    #[test]
    fn later_layers_override_earlier_ones_key_by_key() {
        let directory = tempfile::tempdir().unwrap();
        let (user, project) = (directory.path().join("user.toml"), directory.path().join("project.toml"));
        fs::write(&user, "policy = \"a\"\n[tools.test]\na = 1\nb = 1\n[tools.test.inner]\nx = 1\ny = 1\n").unwrap();
        fs::write(&project, "policy = \"b\"\n[tools.test]\nb = 2\nc = 2\non = false\n[tools.test.inner]\ny = 2\n")
            .unwrap();
        let given = Map::from_iter([("c".to_owned(), json!(3))]);
        // The order of adding makes no difference.
        let settings = Settings::default().given("tools.test", given).file(Source::Project, &project).unwrap();
        let settings = settings.file(Source::User, &user).unwrap();
        let table = settings.table(&manifest(), &[("TEST_ON".into(), "yes".into())]).unwrap();
        let expected = json!({"a": 1, "b": 2, "inner": {"x": 1, "y": 2}, "c": 3, "on": true});
        assert_eq!(serde_json::from_str::<Value>(&table.json()).unwrap(), expected);
        assert_eq!(settings.policy(), Some("b"));
        let error = |key: &str| SettingsError { key: vec![key.into()], message: "no".into() };
        let text = table.refused("test", vec![error("a"), error("b"), error("on"), error("c"), error("z")]).to_string();
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines[0], format!("{}:3: `tools.test.a`: no", user.display()));
        assert_eq!(lines[1], format!("{}:3: `tools.test.b`: no", project.display()));
        assert_eq!(lines[2], "environment variable TEST_ON: `tools.test.on`: no");
        assert_eq!(lines[3], "given settings: `tools.test.c`: no");
        assert_eq!(lines[4], "policy test: `tools.test.z`: no");
    }

    #[test]
    fn unknown_and_wrong_keys_are_named_with_file_and_line() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("config.toml");
        let complaint = |text: &str| {
            fs::write(&path, text).unwrap();
            let settings = Settings::default().file(Source::Project, &path);
            settings.and_then(|settings| settings.limits().map(drop)).unwrap_err().to_string()
        };
        for (text, line, key) in [
            ("\npolcy = \"bash\"\n", 2, "polcy"),
            ("policy = 3\n", 1, "policy"),
            ("tools = 3\n", 1, "tools"),
            ("[host]\n\nmax_jobs = 3\n", 3, "host.max_jobs"),
            ("[host]\nmax_running_jobs = \"many\"\n", 2, "host.max_running_jobs"),
            ("[host]\nmax_running_jobs = 0\n", 2, "host.max_running_jobs"),
        ] {
            let error = complaint(text);
            assert!(error.starts_with(&format!("{}:{line}: `{key}`: ", path.display())), "{text:?}: {error}");
        }
    }

    #[test]
    fn a_variable_that_is_no_boolean_is_refused() {
        let error = Settings::default().table(&manifest(), &[("TEST_ON".into(), "maybe".into())]).unwrap_err();
        assert_eq!(error.to_string(), "environment variable TEST_ON: `on`: must be true or false, not 'maybe'");
        assert!(Settings::default().table(&manifest(), &[("TEST_ON".into(), "".into())]).unwrap().is_empty());
    }
}
