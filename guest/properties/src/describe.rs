//! `describe` with any settings: a manifest that holds together, or errors that name what is wrong.

use shellward_kit::contract::Manifest;

use crate::policies::Under;
use crate::{Reader, Subjects};

pub fn holds(bytes: &[u8], subjects: &dyn Subjects) {
    let mut reader = Reader::new(bytes);
    let under = Under::choose(&mut reader, subjects);
    let settings = reader.text();
    let described = under.subject.describe(&settings);
    assert_eq!(format!("{described:?}"), format!("{:?}", under.subject.describe(&settings)), "asked twice");
    match described {
        Ok(manifest) => holds_together(under.policy.name(), &manifest),
        Err(errors) => assert!(!errors.is_empty() && errors.iter().all(|error| !error.message.is_empty())),
    }
}

fn holds_together(name: &str, manifest: &Manifest) {
    assert_eq!(manifest.name, name);
    assert!(!manifest.version.is_empty() && !manifest.summary.is_empty() && !manifest.settings_table.is_empty());
    object(&manifest.settings_schema);
    for (index, tool) in manifest.tools.iter().enumerate() {
        assert!(!tool.name.is_empty() && !tool.description.is_empty());
        assert!(manifest.tools[..index].iter().all(|other| other.name != tool.name), "two tools {:?}", tool.name);
        let schema = object(&tool.input_schema);
        if let Some(form) = manifest.run.as_ref().filter(|form| form.tool == tool.name) {
            let directory = form.directory.iter();
            let timeout = form.timeout.iter().map(|timeout| &timeout.name);
            for parameter in [&form.command].into_iter().chain(directory).chain(timeout) {
                assert!(schema["properties"][parameter].is_object(), "{parameter:?} is no parameter of {schema}");
            }
            object(&form.constant);
        }
        tool.output_schema.iter().for_each(|schema| drop(object(schema)));
    }
    for variable in &manifest.variables {
        assert!(!variable.name.is_empty() && !variable.key.is_empty());
    }
}

fn object(text: &str) -> serde_json::Value {
    let value: serde_json::Value = serde_json::from_str(text).expect("JSON that parses");
    assert!(value.is_object(), "{value}");
    value
}
