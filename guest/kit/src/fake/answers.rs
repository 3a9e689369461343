//! What the tests of policies read out of answers and settings.

use serde_json::{Map, Value};

use super::{Behaviour, Fake};
use crate::contract::Reply;

impl Fake {
    /// Makes a host with these settings, on which every command behaves so.
    pub fn configured(settings: &Value, behaviour: Behaviour) -> Self {
        let host = Self::new();
        host.settings_json(&settings.to_string());
        host.otherwise(behaviour);
        host
    }
}

/// Reads the JSON of an answer that is `{"error": code, "message": text}` where the call failed, and demands that this
/// is what the rest of the answer says too.
pub fn body(reply: &Reply) -> Value {
    let text = reply.structured.as_deref().unwrap_or_else(|| panic!("an answer without JSON: {reply:?}"));
    let body: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    assert_eq!(reply.is_error, body.get("error").is_some(), "{text}");
    assert_eq!(reply.code.as_deref(), body.get("error").and_then(Value::as_str), "{text}");
    assert!(!reply.text.is_empty(), "{text}");
    if reply.is_error {
        assert_eq!(keys(&body), ["error", "message"]);
    }
    body
}

/// Gives the names of an object's members.
pub fn keys(value: &Value) -> Vec<&str> {
    let Value::Object(members) = value else { panic!("no object: {value}") };
    members.keys().map(String::as_str).collect()
}

/// Adds members to an object.
pub fn with(value: &Value, more: &Value) -> Value {
    match (value, more) {
        (Value::Object(value), Value::Object(more)) => {
            Value::Object(value.iter().chain(more).map(|(key, value)| (key.clone(), value.clone())).collect())
        }
        _ => panic!("no objects: {value}, {more}"),
    }
}

/// Gives the defaults that a schema of settings states, as settings, and demands that the schema knows the same keys
/// as settings in which every one is set. Defaults that depend on the machine are named, to be left out.
pub fn schema_defaults(schema: &str, every: &str, varying: &[&str]) -> String {
    let read = |text: &str| -> Value { serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}")) };
    let (schema, every) = (read(schema), read(every));
    let properties = &schema["properties"];
    assert_eq!(keys(properties), keys(&every));
    let stated = keys(properties).into_iter().filter(|key| !varying.contains(key)).filter_map(|key| {
        let default = properties[key].get("default")?;
        Some((key.to_owned(), default.clone()))
    });
    Value::Object(stated.collect::<Map<_, _>>()).to_string()
}
