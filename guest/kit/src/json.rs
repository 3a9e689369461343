//! JSON as a call or a settings table brings it: borrowed where possible, in the order given, keys never lost.
//!
//! Apart from saving copies this keeps hash maps, and with them `wasi:random`, out of the components.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub enum Json<'a> {
    /// `null`.
    Null,
    /// `true` or `false`.
    Boolean(bool),
    /// A number written without a fraction or exponent.
    Integer(i128),
    /// Any other number.
    Float(f64),
    /// A string.
    Text(Cow<'a, str>),
    /// An array.
    Array(Vec<Json<'a>>),
    /// An object, its keys in the order given.
    Object(Vec<(Cow<'a, str>, Json<'a>)>),
}

impl<'a> Json<'a> {
    /// Reads a JSON text; an object that names a key twice is refused, since two readers may take different ones.
    pub fn parse(text: &'a str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// Says what the value is, as in "must be a string, not …".
    pub fn kind(&self) -> String {
        match self {
            Json::Null => "null".into(),
            Json::Boolean(value) => value.to_string(),
            Json::Integer(value) => format!("the number {value}"),
            Json::Float(value) => format!("the number {value}"),
            Json::Text(text) if text.chars().count() <= 40 => format!("the string {text:?}"),
            Json::Text(_) => "a string".into(),
            Json::Array(_) => "an array".into(),
            Json::Object(_) => "an object".into(),
        }
    }
}

impl Serialize for Json<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Json::Null => serializer.serialize_unit(),
            Json::Boolean(value) => serializer.serialize_bool(*value),
            Json::Integer(value) => serializer.serialize_i128(*value),
            Json::Float(value) => serializer.serialize_f64(*value),
            Json::Text(text) => serializer.serialize_str(text),
            Json::Array(values) => serializer.collect_seq(values),
            Json::Object(entries) => {
                let mut map = serializer.serialize_map(Some(entries.len()))?;
                for (key, value) in entries {
                    map.serialize_entry(key.as_ref(), value)?;
                }
                map.end()
            }
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Json<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ValueVisitor)
    }
}

/// An object's key, borrowed where the text has no escapes.
struct Key<'a>(Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Key<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(KeyVisitor).map(Key)
    }
}

struct KeyVisitor;

impl<'de> Visitor<'de> for KeyVisitor {
    type Value = Cow<'de, str>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a key")
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(text))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Cow::Owned(text.to_owned()))
    }

    fn visit_string<E: Error>(self, text: String) -> Result<Self::Value, E> {
        Ok(Cow::Owned(text))
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Json<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Self::Value, E> {
        Ok(Json::Boolean(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Self::Value, E> {
        Ok(Json::Integer(value.into()))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Self::Value, E> {
        Ok(Json::Integer(value.into()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Self::Value, E> {
        Ok(Json::Float(value))
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Json::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Json::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_string<E: Error>(self, text: String) -> Result<Self::Value, E> {
        Ok(Json::Text(Cow::Owned(text)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Self::Value, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = sequence.next_element()? {
            values.push(value);
        }
        Ok(Json::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut entries: Vec<(Cow<'de, str>, Json<'de>)> = Vec::new();
        // Refused here already, so that an object of a million keys is not compared key by key.
        const MOST: usize = 1000;
        while let Some(Key(key)) = map.next_key()? {
            if entries.len() == MOST {
                return Err(A::Error::custom(format_args!("an object has more than {MOST} keys")));
            }
            if entries.iter().any(|(known, _)| *known == key) {
                return Err(A::Error::custom(format_args!("the key '{key}' is given twice")));
            }
            entries.push((key, map.next_value()?));
        }
        Ok(Json::Object(entries))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_every_kind_and_writes_it_back() {
        let text = r#"{"b":[1,-2,1.5,18446744073709551615],"a":{"x":null,"y":true},"s":"a\nb","e":""}"#;
        let json = Json::parse(text).unwrap();
        assert_eq!(serde_json::to_string(&json).unwrap(), text);
    }

    #[test]
    fn borrows_what_has_no_escapes() {
        let Json::Object(entries) = Json::parse(r#"{"plain":"echo hi","escaped":"a\tb"}"#).unwrap() else {
            panic!("no object")
        };
        assert!(matches!(entries[0].1, Json::Text(Cow::Borrowed("echo hi"))));
        assert!(matches!(&entries[1].1, Json::Text(Cow::Owned(text)) if text == "a\tb"));
    }

    #[test]
    fn refuses_a_key_given_twice() {
        let error = Json::parse(r#"{"command":"true","command":"rm x"}"#).unwrap_err().to_string();
        assert!(error.contains("the key 'command' is given twice"), "{error}");
    }

    #[test]
    fn refuses_what_is_no_json() {
        for text in ["", "{", "{} {}", "nul", "{'a':1}", "\u{feff}{}", "[1,]", "1e999"] {
            assert!(Json::parse(text).is_err(), "{text:?}");
        }
    }
}
