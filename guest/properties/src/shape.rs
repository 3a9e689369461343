//! Whether an answer has the shape that its tool's schema gives it.

use serde_json::{Map, Value};
use shellward_kit::contract::{Manifest, Reply};

/// Demands that an answer fits the schema of its tool.
pub fn fits(manifest: &Manifest, tool: &str, reply: &Reply) {
    let Some(structured) = &reply.structured else { return };
    let value: Value = serde_json::from_str(structured).expect("an answer that parses");
    let known = manifest.tools.iter().find(|known| known.name == tool);
    if let Some(schema) = known.and_then(|known| known.output_schema.as_deref()) {
        let schema: Value = serde_json::from_str(schema).expect("a schema that parses");
        matches(&value, &schema, "answer");
        // Of the optional ones too, none but those that the schema names.
        if let (Some(fields), Some(named)) = (value.as_object(), schema["properties"].as_object()) {
            for name in fields.keys() {
                assert!(named.contains_key(name), "{name:?} is not in the schema of {tool}: {value}");
            }
        }
    }
}

/// Demands that an object has these fields and no others.
pub fn has_exactly(value: &Value, names: &[&str]) {
    let mut found: Vec<&str> = value.as_object().into_iter().flat_map(Map::keys).map(String::as_str).collect();
    let mut names = names.to_vec();
    found.sort_unstable();
    names.sort_unstable();
    assert_eq!(found, names, "{value}");
}

/// What our schemas use of JSON Schema: types, enumerations, properties and items.
fn matches(value: &Value, schema: &Value, at: &str) {
    let types = match &schema["type"] {
        Value::Array(types) => types.clone(),
        Value::Null => Vec::new(),
        one => vec![one.clone()],
    };
    assert!(types.is_empty() || types.iter().any(|name| is(value, name)), "{at} is no {types:?}: {value}");
    if let Value::Array(values) = &schema["enum"] {
        assert!(values.contains(value), "{at} is none of {values:?}: {value}");
    }
    if let Some(fields) = value.as_object() {
        let named = schema["properties"].as_object();
        for (name, field) in fields {
            match named.and_then(|named| named.get(name)) {
                Some(schema) => matches(field, schema, &format!("{at}.{name}")),
                None => assert!(schema["additionalProperties"] != false, "{at}.{name} is one too many"),
            }
        }
        for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            assert!(fields.contains_key(name), "{at}.{name} is missing: {value}");
        }
    }
    for (index, item) in value.as_array().into_iter().flatten().enumerate() {
        matches(item, &schema["items"], &format!("{at}[{index}]"));
    }
}

fn is(value: &Value, name: &Value) -> bool {
    match name.as_str() {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("integer") => value.is_u64() || value.is_i64(),
        Some("number") => value.is_number(),
        Some("boolean") => value.is_boolean(),
        Some("null") => value.is_null(),
        _ => false,
    }
}
