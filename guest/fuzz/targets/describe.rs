//! `describe` with any settings: a manifest that holds together, or errors that name what is wrong.
#![no_main]

use libfuzzer_sys::fuzz_target;
use shellward_fuzz::{Reader, policy};

fuzz_target!(|bytes: &[u8]| {
    let mut reader = Reader::new(bytes);
    let under = policy(&mut reader);
    match under.subject.describe(&reader.text()) {
        Ok(manifest) => {
            for tool in &manifest.tools {
                assert!(!tool.name.is_empty());
                let schema: serde_json::Value = serde_json::from_str(&tool.input_schema).expect("a schema that parses");
                assert!(schema.is_object(), "{schema}");
            }
        }
        Err(errors) => assert!(!errors.is_empty() && errors.iter().all(|error| !error.message.is_empty())),
    }
});
