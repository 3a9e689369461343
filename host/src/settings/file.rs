//! Reading a settings file, with the line of each key.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use serde_json::{Map, Number, Value};
use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};

use super::Error;

/// The line of each key, by its path.
#[derive(Clone, Debug, Default)]
pub(super) struct Lines(BTreeMap<Vec<String>, usize>);

impl Lines {
    /// The line of a key, or of the nearest table around it.
    pub(super) fn of(&self, path: &[String]) -> Option<usize> {
        (1..=path.len()).rev().find_map(|length| self.0.get(&path[..length]).copied())
    }
}

/// What a file holds, and where.
type Read = (Map<String, Value>, Lines);

/// Reads a file; none where there is none.
pub(super) fn read(path: &Path) -> Result<Option<Read>, Error> {
    match fs::read_to_string(path) {
        Ok(text) => parse(path, &text).map(Some),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::Unreadable { path: path.to_owned(), error }),
    }
}

fn parse(path: &Path, text: &str) -> Result<Read, Error> {
    let document = DeTable::parse(text).map_err(|error| Error::Toml {
        path: path.to_owned(),
        line: line(text, error.span().map_or(0, |span| span.start)),
        message: error.message().to_owned(),
    })?;
    let mut lines = Lines::default();
    let values = table(text, document.get_ref(), &mut Vec::new(), &mut lines);
    Ok((values, lines))
}

fn line(text: &str, offset: usize) -> usize {
    1 + text.as_bytes().iter().take(offset).filter(|byte| **byte == b'\n').count()
}

fn table(text: &str, table: &DeTable<'_>, path: &mut Vec<String>, lines: &mut Lines) -> Map<String, Value> {
    table
        .iter()
        .map(|(key, value)| {
            path.push(key.get_ref().to_string());
            lines.0.insert(path.clone(), line(text, key.span().start));
            let read = self::value(text, value, path, lines);
            path.pop();
            (key.get_ref().to_string(), read)
        })
        .collect()
}

fn value(text: &str, value: &Spanned<DeValue<'_>>, path: &mut Vec<String>, lines: &mut Lines) -> Value {
    match value.get_ref() {
        DeValue::String(string) => Value::String(string.to_string()),
        DeValue::Boolean(boolean) => Value::Bool(*boolean),
        DeValue::Integer(integer) => {
            let number = i64::from_str_radix(integer.as_str(), integer.radix()).ok();
            number.map_or_else(|| Value::String(integer.as_str().to_owned()), Value::from)
        }
        DeValue::Float(float) => float
            .as_str()
            .parse::<f64>()
            .ok()
            .and_then(Number::from_f64)
            .map_or_else(|| Value::String(float.as_str().to_owned()), Value::Number),
        DeValue::Datetime(datetime) => Value::String(datetime.to_string()),
        DeValue::Array(array) => Value::Array(items(text, array, path, lines)),
        DeValue::Table(inner) => Value::Object(table(text, inner, path, lines)),
    }
}

/// The items of an array; what stands in them goes by their numbers.
fn items(text: &str, array: &DeArray<'_>, path: &mut Vec<String>, lines: &mut Lines) -> Vec<Value> {
    let item = |(number, item): (usize, &Spanned<DeValue<'_>>)| {
        path.push(number.to_string());
        let read = value(text, item, path, lines);
        path.pop();
        read
    };
    array.iter().enumerate().map(item).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_keep_their_types_and_lines() {
        let text = "policy = \"exec\"\n\n[tools.exec]\nlist = [1, 2]\nnumber = 0x1F\nfloat = 1.5\non = true\n";
        let (values, lines) = parse(Path::new("config.toml"), text).unwrap();
        let expected = json!({
            "policy": "exec", "tools": {"exec": {"list": [1, 2], "number": 31, "float": 1.5, "on": true}}
        });
        assert_eq!(Value::Object(values), expected);
        let path = |keys: &[&str]| keys.iter().map(|key| (*key).to_owned()).collect::<Vec<_>>();
        assert_eq!(lines.of(&path(&["tools", "exec", "number"])), Some(5));
        assert_eq!(lines.of(&path(&["tools", "exec", "absent"])), Some(3));
    }

    #[test]
    fn what_is_no_toml_is_told_by_line() {
        let error = parse(Path::new("config.toml"), "a = 1\nb = = 2\n").unwrap_err().to_string();
        assert!(error.starts_with("config.toml:2: not valid TOML"), "{error}");
    }
}
