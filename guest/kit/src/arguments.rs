//! The arguments of a tool call, read with errors that a model can act on.
//!
//! Nothing here decides how an answer looks: a policy whose specification words an error itself matches on
//! [`ArgumentError`] and takes its `Display` for the rest.

use std::borrow::Cow;
use std::ops::RangeInclusive;

use crate::json::Json;
use crate::suggest::nearest;

/// The longest text that is read as arguments, in bytes. It keeps a policy well within its memory.
pub const LONGEST: usize = 4 << 20;

/// The arguments of a call, by name. An argument that is `null` counts as absent.
#[derive(Clone, Debug, PartialEq)]
pub struct Arguments<'a> {
    entries: Vec<(Cow<'a, str>, Json<'a>)>,
}

/// What is wrong with the arguments of a call.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArgumentError {
    /// They are longer than [`LONGEST`].
    #[error("The arguments are too long: {bytes} bytes, at most {LONGEST} are read.")]
    TooLong {
        /// Their length in bytes.
        bytes: usize,
    },
    /// They are not JSON, or name a parameter twice.
    #[error("The arguments are not valid JSON: {problem}. Give one JSON object with the parameters by name.")]
    NotJson {
        /// What the reader stumbled over.
        problem: String,
    },
    /// They are some other JSON value than an object.
    #[error("The arguments must be a JSON object with the parameters by name, not {found}.")]
    NotAnObject {
        /// What they are.
        found: String,
    },
    /// A parameter that the tool does not have.
    #[error("Unknown parameter '{name}'. {}", advice(*.meant, .known))]
    Unknown {
        /// The name given.
        name: String,
        /// The name that was probably meant.
        meant: Option<&'static str>,
        /// The names that there are.
        known: &'static [&'static str],
    },
    /// A required parameter was left out, or is `null`.
    #[error("Missing required parameter '{name}'.")]
    Missing {
        /// The parameter.
        name: &'static str,
    },
    /// A text is empty, or nothing but white space.
    #[error("Parameter '{name}' must not be empty{}.", if *.blank { " or only white space" } else { "" })]
    Empty {
        /// The parameter.
        name: &'static str,
        /// Whether there is white space in it.
        blank: bool,
    },
    /// A value of the wrong type.
    #[error("Parameter '{name}' must be {expected}, not {found}.")]
    WrongType {
        /// The parameter.
        name: &'static str,
        /// What it must be, with an article.
        expected: &'static str,
        /// What it is.
        found: String,
    },
    /// A number outside its range.
    #[error("Parameter '{name}' must be between {least} and {most}, not {found}.")]
    OutOfRange {
        /// The parameter.
        name: &'static str,
        /// The smallest allowed.
        least: i64,
        /// The largest allowed.
        most: i64,
        /// The number given.
        found: i128,
    },
    /// A word that is none of those allowed.
    #[error("Parameter '{name}' must be one of {}, not '{found}'.{}", quoted(.choices), did_you_mean(*.meant))]
    NotAChoice {
        /// The parameter.
        name: &'static str,
        /// The words allowed.
        choices: &'static [&'static str],
        /// The word given.
        found: String,
        /// The word that was probably meant.
        meant: Option<&'static str>,
    },
    /// A text with a NUL in it, which no program can be given.
    #[error("Parameter '{name}' contains a NUL character at byte {at}; remove it.")]
    Nul {
        /// The parameter.
        name: &'static str,
        /// Where, in bytes.
        at: usize,
    },
}

impl<'a> Arguments<'a> {
    /// Reads the arguments as an agent wrote them.
    pub fn parse(text: &'a str) -> Result<Self, ArgumentError> {
        if text.len() > LONGEST {
            return Err(ArgumentError::TooLong { bytes: text.len() });
        }
        match Json::parse(text) {
            Ok(Json::Object(entries)) => Ok(Self { entries }),
            Ok(other) => Err(ArgumentError::NotAnObject { found: other.kind() }),
            Err(error) => Err(ArgumentError::NotJson { problem: error.to_string() }),
        }
    }

    /// Refuses any parameter that is not among the known ones.
    pub fn only(&self, known: &'static [&'static str]) -> Result<(), ArgumentError> {
        match self.entries.iter().find(|(name, _)| !known.contains(&name.as_ref())) {
            None => Ok(()),
            Some((name, _)) => {
                let meant = nearest(name, known);
                let name = name.chars().take(100).collect();
                Err(ArgumentError::Unknown { name, meant, known })
            }
        }
    }

    /// Gives the value of a parameter; none where it is absent or `null`.
    pub fn value(&self, name: &str) -> Option<&Json<'a>> {
        let (_, value) = self.entries.iter().find(|(known, _)| known == name)?;
        (*value != Json::Null).then_some(value)
    }

    /// Gives every argument as it was given, in order.
    pub fn entries(&self) -> &[(Cow<'a, str>, Json<'a>)] {
        &self.entries
    }

    /// Gives a text that must be there and must hold more than white space. It is not trimmed.
    pub fn required_text(&self, name: &'static str) -> Result<&str, ArgumentError> {
        let text = self.text(name)?.ok_or(ArgumentError::Missing { name })?;
        match text.trim().is_empty() {
            true => Err(ArgumentError::Empty { name, blank: !text.is_empty() }),
            false => Ok(text),
        }
    }

    /// Gives a text, where there is one.
    pub fn text(&self, name: &'static str) -> Result<Option<&str>, ArgumentError> {
        match self.value(name) {
            None => Ok(None),
            Some(Json::Text(text)) => match text.find('\0') {
                None => Ok(Some(text)),
                Some(at) => Err(ArgumentError::Nul { name, at }),
            },
            Some(other) => Err(ArgumentError::WrongType { name, expected: "a string", found: other.kind() }),
        }
    }

    /// Gives a whole number within a range, where there is one. `30.0` is whole; `"30"` is no number.
    pub fn integer(&self, name: &'static str, range: RangeInclusive<i64>) -> Result<Option<i64>, ArgumentError> {
        let Some(value) = self.value(name) else { return Ok(None) };
        let found = whole(value).ok_or_else(|| ArgumentError::WrongType {
            name,
            expected: "an integer",
            found: value.kind(),
        })?;
        match i64::try_from(found) {
            Ok(number) if range.contains(&number) => Ok(Some(number)),
            Ok(_) | Err(_) => Err(ArgumentError::OutOfRange { name, least: *range.start(), most: *range.end(), found }),
        }
    }

    /// Gives a number as a forgiving parser reads it: any number, its fraction cut off, or a whole number in a string.
    ///
    /// What is no number is no value either. What does not fit becomes the nearest number that does.
    pub fn lenient_integer(&self, name: &str) -> Option<i32> {
        match self.value(name)? {
            Json::Integer(number) => Some((*number).clamp(i32::MIN.into(), i32::MAX.into()) as i32),
            Json::Float(number) => Some(*number as i32),
            Json::Text(text) => text.parse().ok(),
            Json::Null | Json::Boolean(_) | Json::Array(_) | Json::Object(_) => None,
        }
    }

    /// Gives a truth value, where there is one.
    pub fn boolean(&self, name: &'static str) -> Result<Option<bool>, ArgumentError> {
        match self.value(name) {
            None => Ok(None),
            Some(Json::Boolean(value)) => Ok(Some(*value)),
            Some(other) => Err(ArgumentError::WrongType { name, expected: "true or false", found: other.kind() }),
        }
    }

    /// Gives one word among several, where there is one.
    pub fn choice(
        &self,
        name: &'static str,
        choices: &'static [&'static str],
    ) -> Result<Option<&'static str>, ArgumentError> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        match choices.iter().find(|choice| **choice == text) {
            Some(choice) => Ok(Some(choice)),
            None => {
                let found = text.chars().take(100).collect();
                Err(ArgumentError::NotAChoice { name, choices, found, meant: nearest(text, choices) })
            }
        }
    }
}

/// Reads a number as whole: an integer, or a float without a fraction that integers can hold.
pub(crate) fn whole(value: &Json<'_>) -> Option<i128> {
    match value {
        Json::Integer(number) => Some(*number),
        Json::Float(number) if number.fract() == 0.0 && number.abs() < 1e18 => Some(*number as i128),
        Json::Float(_) | Json::Null | Json::Boolean(_) | Json::Text(_) | Json::Array(_) | Json::Object(_) => None,
    }
}

fn advice(meant: Option<&str>, known: &[&str]) -> String {
    match (meant, known) {
        (Some(name), _) => format!("Did you mean '{name}'?"),
        (None, []) => "This tool takes none.".into(),
        (None, names) => format!("This tool takes {}.", quoted(names)),
    }
}

fn did_you_mean(meant: Option<&str>) -> String {
    meant.map(|name| format!(" Did you mean '{name}'?")).unwrap_or_default()
}

fn quoted(names: &[&str]) -> String {
    names.iter().map(|name| format!("'{name}'")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: &[&str] = &["command", "timeout", "background", "op"];
    const OPS: &[&str] = &["execute", "spawn", "kill", "status"];

    fn read(text: &str) -> Result<String, ArgumentError> {
        let arguments = Arguments::parse(text)?;
        arguments.only(KNOWN)?;
        let command = arguments.required_text("command")?;
        let timeout = arguments.integer("timeout", 1..=600)?;
        let background = arguments.boolean("background")?;
        let op = arguments.choice("op", OPS)?;
        Ok(format!("{command} {timeout:?} {background:?} {op:?}"))
    }

    #[test]
    fn says_what_is_wrong() {
        let cases = [
            (
                "",
                "The arguments are not valid JSON: EOF while parsing a value at line 1 column 0. Give one JSON object with the parameters by name.",
            ),
            ("[]", "The arguments must be a JSON object with the parameters by name, not an array."),
            ("\"ls\"", "The arguments must be a JSON object with the parameters by name, not the string \"ls\"."),
            ("null", "The arguments must be a JSON object with the parameters by name, not null."),
            ("{}", "Missing required parameter 'command'."),
            (r#"{"command":null}"#, "Missing required parameter 'command'."),
            (r#"{"command":""}"#, "Parameter 'command' must not be empty."),
            (r#"{"command":" \n\t"}"#, "Parameter 'command' must not be empty or only white space."),
            (r#"{"command":5}"#, "Parameter 'command' must be a string, not the number 5."),
            (r#"{"command":["ls"]}"#, "Parameter 'command' must be a string, not an array."),
            (r#"{"command":"a\u0000b"}"#, "Parameter 'command' contains a NUL character at byte 1; remove it."),
            (r#"{"cmd":"ls"}"#, "Unknown parameter 'cmd'. Did you mean 'command'?"),
            (
                r#"{"command":"ls","x":1}"#,
                "Unknown parameter 'x'. This tool takes 'command', 'timeout', 'background', 'op'.",
            ),
            (r#"{"command":"ls","timeout":0}"#, "Parameter 'timeout' must be between 1 and 600, not 0."),
            (
                r#"{"command":"ls","timeout":1e17}"#,
                "Parameter 'timeout' must be between 1 and 600, not 100000000000000000.",
            ),
            (r#"{"command":"ls","timeout":"5"}"#, "Parameter 'timeout' must be an integer, not the string \"5\"."),
            (r#"{"command":"ls","timeout":1.5}"#, "Parameter 'timeout' must be an integer, not the number 1.5."),
            (
                r#"{"command":"ls","background":"yes"}"#,
                "Parameter 'background' must be true or false, not the string \"yes\".",
            ),
            (
                r#"{"command":"ls","op":"exec"}"#,
                "Parameter 'op' must be one of 'execute', 'spawn', 'kill', 'status', not 'exec'. Did you mean 'execute'?",
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(read(text).unwrap_err().to_string(), expected, "{text}");
        }
    }

    #[test]
    fn gives_what_is_right() {
        let cases = [
            (r#"{"command":" ls "}"#, " ls  None None None"),
            (
                r#"{"command":"ls","timeout":600,"background":true,"op":"spawn"}"#,
                r#"ls Some(600) Some(true) Some("spawn")"#,
            ),
            (r#"{"command":"ls","timeout":2.0,"background":null}"#, "ls Some(2) None None"),
        ];
        for (text, expected) in cases {
            assert_eq!(read(text).unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn lenient_integers_take_what_can_be_read_as_one() {
        let cases = [
            ("5", Some(5)),
            ("5.9", Some(5)),
            ("-5.9", Some(-5)),
            ("\"7\"", Some(7)),
            ("\"+7\"", Some(7)),
            ("\"7.5\"", None),
            ("\" 7\"", None),
            ("\"\"", None),
            ("\"99999999999\"", None),
            ("99999999999", Some(i32::MAX)),
            ("-99999999999", Some(i32::MIN)),
            ("1e300", Some(i32::MAX)),
            ("true", None),
            ("null", None),
            ("[5]", None),
            ("{}", None),
        ];
        for (value, expected) in cases {
            let text = format!(r#"{{"n":{value}}}"#);
            assert_eq!(Arguments::parse(&text).unwrap().lenient_integer("n"), expected, "{value}");
        }
    }

    #[test]
    fn refuses_ten_megabytes() {
        let text = format!(r#"{{"command":"{}"}}"#, "x".repeat(10 << 20));
        let error = Arguments::parse(&text).unwrap_err();
        assert_eq!(error, ArgumentError::TooLong { bytes: text.len() });
    }
}
