//! The parameters of a call.

use crate::errors::{Failure, LONGEST_TIMEOUT};
use crate::settings::Settings;
use shellward_judge::limits::LONGEST;
use shellward_kit::arguments::{ArgumentError, Arguments};
use shellward_kit::json::Json;

/// The longest arguments that are read, in bytes. The longest command, escaped throughout, fits; read, a list of
/// numbers grows tenfold and more, and still has to fit into a component's memory.
pub const LONGEST_ARGUMENTS: usize = 1 << 20;

/// The parameters of a call, checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Params {
    /// The command.
    pub command: String,
    /// The directory, as given.
    pub directory: String,
    /// The timeout in milliseconds.
    pub timeout_ms: u64,
}

impl Params {
    /// Reads the arguments of a call.
    ///
    /// # Errors
    /// What is missing, wrong or unknown.
    pub fn read(arguments: &str, settings: &Settings) -> Result<Self, Failure> {
        if arguments.len() > LONGEST_ARGUMENTS {
            let bytes = arguments.len();
            return Err(Failure::Argument(format!(
                "The arguments are too long: {bytes} bytes, at most {LONGEST_ARGUMENTS} are read. Write long commands \
                 to a script file and run that."
            )));
        }
        let arguments = Arguments::parse(arguments).map_err(failure)?;
        arguments.only(&["command", "directory", "timeout_ms"]).map_err(failure)?;
        let command = arguments.required_text("command").map_err(failure)?;
        if command.len() > LONGEST {
            let bytes = command.len();
            return Err(Failure::Argument(format!(
                "Parameter 'command' is too long: {bytes} bytes, and a shell takes at most {LONGEST}. Write it to a \
                 script file and run that."
            )));
        }
        let directory = arguments.text("directory").map_err(failure)?.unwrap_or(".");
        if directory.trim().is_empty() {
            let message = "Parameter 'directory' must not be empty. Leave it out for the project root.";
            return Err(Failure::Argument(message.to_owned()));
        }
        let timeout_ms = timeout(&arguments, settings)?;
        Ok(Self { command: command.to_owned(), directory: directory.to_owned(), timeout_ms })
    }
}

/// Reads the timeout strictly: `1.0` and `"1"` are no integers.
fn timeout(arguments: &Arguments<'_>, settings: &Settings) -> Result<u64, Failure> {
    match arguments.value("timeout_ms") {
        None => Ok(settings.default_timeout_ms),
        Some(Json::Integer(number)) => match u64::try_from(*number) {
            Ok(millis @ 1..=LONGEST_TIMEOUT) => Ok(millis),
            _ => Err(Failure::TimeoutInvalid(format!("It is {number}."))),
        },
        Some(other) => Err(Failure::TimeoutInvalid(format!("It is {}.", other.kind()))),
    }
}

fn failure(error: ArgumentError) -> Failure {
    match error {
        ArgumentError::Missing { name: "command" } => Failure::CommandMissing(String::new()),
        ArgumentError::Empty { name: "command", .. } => {
            Failure::CommandMissing("It is there and holds nothing to run.".to_owned())
        }
        other => Failure::Argument(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::Params;
    use crate::settings::Settings;

    #[test]
    fn what_is_right_is_read() {
        let settings = Settings::accepted(r#"{"default_timeout_ms":7}"#);
        for (arguments, command, directory, timeout_ms) in [
            (r#"{"command":"true"}"#, "true", ".", 7),
            (r#"{"command":" true\n","directory":"src","timeout_ms":1}"#, " true\n", "src", 1),
            (r#"{"command":"true","directory":null,"timeout_ms":null}"#, "true", ".", 7),
            (r#"{"timeout_ms":600000,"command":"true"}"#, "true", ".", 600_000),
        ] {
            let expected = Params { command: command.into(), directory: directory.into(), timeout_ms };
            assert_eq!(Params::read(arguments, &settings), Ok(expected));
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        let timeout = "timeout_ms must be an integer between 1 and 600000. It is ";
        for (arguments, message) in [
            ("{}", "Missing required parameter 'command'."),
            (r#"{"command":null}"#, "Missing required parameter 'command'."),
            (r#"{"command":""}"#, "Missing required parameter 'command'. It is there and holds nothing to run."),
            (r#"{"command":" \t\n"}"#, "Missing required parameter 'command'. It is there and holds nothing to run."),
            (r#"{"command":5}"#, "Parameter 'command' must be a string, not the number 5."),
            (r#"{"command":"a\u0000b"}"#, "Parameter 'command' contains a NUL character at byte 1; remove it."),
            (r#"{"cmd":"true"}"#, "Unknown parameter 'cmd'. Did you mean 'command'?"),
            (r#"{"command":"true","directory":5}"#, "Parameter 'directory' must be a string, not the number 5."),
            (
                r#"{"command":"true","directory":" "}"#,
                "Parameter 'directory' must not be empty. Leave it out for the project root.",
            ),
            (r#"{"command":"true","timeout_ms":0}"#, &format!("{timeout}0.")),
            (r#"{"command":"true","timeout_ms":600001}"#, &format!("{timeout}600001.")),
            (r#"{"command":"true","timeout_ms":-5}"#, &format!("{timeout}-5.")),
            (r#"{"command":"true","timeout_ms":1.0}"#, &format!("{timeout}the number 1.")),
            (r#"{"command":"true","timeout_ms":"5"}"#, &format!("{timeout}the string \"5\".")),
            (r#"{"command":"true","timeout_ms":true}"#, &format!("{timeout}true.")),
        ] {
            let failure = Params::read(arguments, &Settings::default()).expect_err(arguments);
            assert_eq!(failure.to_string(), message, "{arguments}");
        }
        for arguments in ["", "{", "[]", "\"ls\"", "5", r#"{"command":"a","command":"b"}"#] {
            let failure = Params::read(arguments, &Settings::default()).expect_err(arguments);
            assert!(failure.to_string().starts_with("The arguments "), "{failure}");
        }
    }

    #[test]
    fn a_command_longer_than_a_shell_takes_is_refused() {
        let arguments = |length: usize| format!(r#"{{"command":"{}"}}"#, "x".repeat(length));
        assert!(Params::read(&arguments((128 << 10) - 1), &Settings::default()).is_ok());
        for length in [128 << 10, 10 << 20] {
            let failure = Params::read(&arguments(length), &Settings::default()).expect_err("too long");
            assert!(failure.to_string().contains("too long"), "{failure}");
        }
    }
}
