//! The standard envelope: `status`, `data`, `text`, `stats`, `context`, and `error` with status `error` alone.
//!
//! `data` is `{}` for a call that started nothing; for a command that ran it has all its fields, whatever became of
//! it. `context.directory_resolved` is there once the directory is known.

use crate::errors::Failure;
use crate::params::LONGEST_ARGUMENTS;
use serde::Serialize;
use serde_json::value::RawValue;
use shellward_kit::contract::Reply;
use shellward_kit::json::Json;
use shellward_kit::reply::json;

/// What became of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// The command returned 0, and all of its output is here.
    Success,
    /// The command ran, and its output is here; not all went well.
    Partial,
    /// There is nothing to work with.
    Error,
}

/// A whole answer.
#[derive(Debug, Serialize)]
pub struct Envelope<'a> {
    /// What became of the call.
    pub status: Status,
    /// The command's output and end.
    pub data: Data<'a>,
    /// The same for reading.
    pub text: &'a str,
    /// Measures.
    pub stats: Stats,
    /// Where and with which parameters.
    pub context: Context<'a>,
    /// The error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Error>,
}

/// What a command left.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum Data<'a> {
    /// Nothing was started.
    Nothing {},
    /// A command ran.
    Ran(Ran<'a>),
}

/// A command that ran.
#[derive(Clone, Debug, Serialize)]
pub struct Ran<'a> {
    /// Standard output.
    pub stdout: &'a str,
    /// Standard error.
    pub stderr: &'a str,
    /// The code it returned.
    pub exit_code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<&'a str>,
    /// Whether some of its output is missing here.
    pub truncated: bool,
    /// The command, as written.
    pub command: &'a str,
    /// The directory it ran in, relative to the root.
    pub directory: &'a str,
}

/// Measures of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Stats {
    /// How long it ran.
    pub time_ms: u64,
    /// How many bytes it wrote to standard output.
    pub stdout_bytes: u64,
    /// How many bytes it wrote to standard error.
    pub stderr_bytes: u64,
}

/// Where and with which parameters a call was made.
#[derive(Debug, Serialize)]
pub struct Context<'a> {
    /// The directory the command runs in, relative to the root; the root while it is not known.
    pub cwd: &'a str,
    /// The parameters as they were given.
    pub params_input: Parameters<'a>,
    /// The same directory without links, `.` and `..`; left out while it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub directory_resolved: Option<&'a str>,
}

impl<'a> Context<'a> {
    /// Makes the context of a call from its arguments and its directory, where that is known.
    #[must_use]
    pub fn new(arguments: &'a str, directory: Option<&'a str>) -> Self {
        Self { cwd: directory.unwrap_or("."), params_input: Parameters::new(arguments), directory_resolved: directory }
    }
}

/// Parameters as they were given.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum Parameters<'a> {
    /// JSON, to the letter.
    Json(&'a RawValue),
    /// What is no JSON, or so deeply nested that two levels more would break the reader: its text. Of arguments too
    /// long to be read, the beginning.
    Text(&'a str),
}

/// The nesting that JSON readers are sure to take, less the envelope's own.
const DEEPEST: usize = 100;

/// How much is given back of arguments that were too long to be read, in bytes.
const BEGINNING: usize = 1000;

impl<'a> Parameters<'a> {
    fn new(arguments: &'a str) -> Self {
        if arguments.len() > LONGEST_ARGUMENTS {
            return Self::Text(&arguments[..arguments.floor_char_boundary(BEGINNING)]);
        }
        // Raw values let through what full readers refuse, such as half a surrogate pair.
        let readable = Json::parse(arguments).is_ok_and(|value| depth(&value) <= DEEPEST);
        match serde_json::from_str(arguments) {
            Ok(raw) if readable => Self::Json(raw),
            _ => Self::Text(arguments),
        }
    }
}

fn depth(value: &Json<'_>) -> usize {
    let deepest = match value {
        Json::Array(items) => items.iter().map(depth).max(),
        Json::Object(fields) => fields.iter().map(|(_, value)| depth(value)).max(),
        Json::Null | Json::Boolean(_) | Json::Integer(_) | Json::Float(_) | Json::Text(_) => return 0,
    };
    1 + deepest.unwrap_or(0)
}

/// What went wrong.
#[derive(Clone, Debug, Serialize)]
pub struct Error {
    code: &'static str,
    message: String,
}

/// Makes the reply of a failed call.
#[must_use]
pub fn failed(failure: &Failure, data: Data<'_>, stats: Stats, context: Context<'_>) -> Reply {
    let text = failure.to_string();
    let error = Error { code: failure.code().as_str(), message: text.clone() };
    let envelope = Envelope { status: Status::Error, data, text: &text, stats, context, error: Some(error) };
    let structured = json(&envelope);
    Reply { text, structured: Some(structured), is_error: true, code: Some(failure.code().as_str().to_owned()) }
}

/// Makes the reply of a command that ran.
#[must_use]
pub fn answered(status: Status, data: Ran<'_>, text: String, stats: Stats, context: Context<'_>) -> Reply {
    let envelope = Envelope { status, data: Data::Ran(data), text: &text, stats, context, error: None };
    let structured = json(&envelope);
    Reply { text, structured: Some(structured), is_error: false, code: None }
}

#[cfg(test)]
mod tests {
    use super::{Context, Data, Parameters, Ran, Stats, Status, answered, failed};
    use crate::errors::Failure;
    use serde_json::{Value, json};

    fn value(text: &str) -> Value {
        serde_json::from_str(text).expect("JSON")
    }

    #[test]
    fn the_specifications_example_comes_out_to_the_letter() {
        let arguments = r#"{"command": "pytest tests/unit"}"#;
        let data = Ran {
            stdout: "...",
            stderr: "",
            exit_code: Some(0),
            signal: None,
            truncated: false,
            command: "pytest tests/unit",
            directory: ".",
        };
        let stats = Stats { time_ms: 1240, stdout_bytes: 1200, stderr_bytes: 0 };
        let text = "Command succeeded: pytest tests/unit\n(Exit code 0. Took 1240ms)".to_owned();
        let reply = answered(Status::Success, data, text, stats, Context::new(arguments, Some(".")));
        let expected = concat!(
            r#"{"status":"success","data":{"stdout":"...","stderr":"","exit_code":0,"signal":null,"truncated":false,"#,
            r#""command":"pytest tests/unit","directory":"."},"#,
            r#""text":"Command succeeded: pytest tests/unit\n(Exit code 0. Took 1240ms)","#,
            r#""stats":{"time_ms":1240,"stdout_bytes":1200,"stderr_bytes":0},"#,
            r#""context":{"cwd":".","params_input":{"command": "pytest tests/unit"},"directory_resolved":"."}}"#,
        );
        assert_eq!(reply.structured.as_deref(), Some(expected));
        assert!(!reply.is_error && reply.code.is_none());
    }

    #[test]
    fn a_failure_has_an_error_and_no_data() {
        let failure = Failure::CommandMissing(String::new());
        let reply = failed(&failure, Data::Nothing {}, Stats::default(), Context::new("{}", None));
        let body = value(&reply.structured.expect("an envelope"));
        let message = "Missing required parameter 'command'.";
        assert_eq!(
            body,
            json!({
                "status": "error", "data": {}, "text": message,
                "stats": {"time_ms": 0, "stdout_bytes": 0, "stderr_bytes": 0},
                "context": {"cwd": ".", "params_input": {}},
                "error": {"code": "INVALID_PARAM", "message": message},
            })
        );
        assert_eq!(reply.text, message);
        assert_eq!(reply.code.as_deref(), Some("INVALID_PARAM"));
    }

    #[test]
    fn of_huge_parameters_the_beginning_comes_back() {
        let arguments = format!(r#"{{"command":"{}"}}"#, "ä".repeat(10 << 20));
        let Parameters::Text(text) = Parameters::new(&arguments) else { panic!("raw") };
        assert!(arguments.starts_with(text) && (990..=1000).contains(&text.len()));
    }

    #[test]
    fn parameters_come_back_as_they_were() {
        let deep = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
        for (arguments, kept) in [
            (r#"{ "b":1.50, "a":[2] }"#.to_owned(), true),
            ("[1,2]".to_owned(), true),
            ("null".to_owned(), true),
            (r#"{"command":"#.to_owned(), false),
            (r#"{"command":"\ud800"}"#.to_owned(), false),
            (String::new(), false),
            (deep(100), true),
            (deep(101), false),
            (deep(100_000), false),
        ] {
            let json = serde_json::to_string(&Parameters::new(&arguments)).expect("JSON");
            if kept {
                assert_eq!(json, arguments.trim());
            } else {
                assert_eq!(value(&json), Value::String(arguments));
            }
        }
    }
}
