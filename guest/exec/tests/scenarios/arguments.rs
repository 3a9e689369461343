//! What becomes of the arguments.

use serde_json::{Value, json};
use shellward_kit::contract::Launch;
use shellward_kit::fake::{Behaviour, Fake, Subject};

use super::{FAILED, INVALID, assert_error, call, succeed};

pub fn timeout_values(subject: &dyn Subject) {
    let cases = [
        (json!(null), 30),
        (json!(1), 1),
        (json!(45), 45),
        (json!(120), 120),
        (json!(121), 120),
        (json!(0), 1),
        (json!(-5), 1),
        (json!(9_999_999_999_i64), 120),
        (json!(-9_999_999_999_i64), 1),
        (json!(18_446_744_073_709_551_615_u64), 120),
        (json!(2.9), 2),
        (json!(0.5), 1),
        (json!(1e300), 120),
        (json!("45"), 45),
        (json!("+45"), 45),
        (json!("-1"), 1),
        (json!("500"), 120),
        (json!("45.5"), 30),
        (json!(" 45"), 30),
        (json!("soon"), 30),
        (json!(""), 30),
        (json!("99999999999"), 30),
        (json!(true), 30),
        (json!([45]), 30),
        (json!({ "seconds": 45 }), 30),
    ];
    for (value, seconds) in cases {
        let launch = launched(subject, "{}", &json!({ "timeout_seconds": value }));
        assert_eq!(launch.timeout, Some(seconds * 1000), "{value}");
    }
    let settings = r#"{"default_timeout_secs":5,"max_timeout_secs":10}"#;
    for (value, seconds) in [(json!(null), 5), (json!(60), 10), (json!("x"), 5)] {
        let launch = launched(subject, settings, &json!({ "timeout_seconds": value }));
        assert_eq!(launch.timeout, Some(seconds * 1000), "{value}");
    }
}

pub fn length_values(subject: &dyn Subject) {
    let cases = [
        (json!(null), 50_000),
        (json!(1), 1),
        (json!(0), 1),
        (json!(-7), 1),
        (json!("12"), 12),
        (json!(12.7), 12),
        (json!("long"), 50_000),
        (json!(false), 50_000),
        (json!(1_000_000), 1_000_000),
        (json!(2_147_483_647), 1 << 20),
    ];
    for (value, characters) in cases {
        let launch = launched(subject, "{}", &json!({ "max_length": value }));
        assert_eq!(launch.keep.head, characters * 4, "{value}");
    }
    let launch = launched(subject, r#"{"default_max_length":7}"#, &json!({}));
    assert_eq!(launch.keep.head, 28);
}

/// Gives the one launch that a call with this argument brings about.
fn launched(subject: &dyn Subject, settings: &str, more: &Value) -> Launch {
    let fake = Fake::new();
    fake.otherwise(Behaviour::exits(0)).settings_json(settings);
    succeed(&fake, subject, more);
    fake.launches().remove(0)
}

pub fn launch(subject: &dyn Subject) {
    let fake = Fake::new();
    fake.otherwise(Behaviour::exits(0));
    let command = "echo \"a b\" | tr a-z A-Z && exit 3 # 'done'";
    let reply = fake.run_in("agent 7", subject, "exec", &json!({ "command": command }).to_string());
    assert!(!reply.is_error, "{reply:?}");
    let launch = fake.launches().remove(0);
    assert_eq!(
        (launch.program.as_str(), &launch.arguments[..]),
        ("/bin/sh", &["-c".to_owned(), command.to_owned()][..])
    );
    assert_eq!((launch.command.as_str(), launch.session.as_str()), (command, "agent 7"));
    assert_eq!((launch.directory.as_str(), launch.environment.len()), ("/project", 0));
    assert!(launch.job.starts_with("exec_") && !launch.durable && launch.at_most.is_none());
}

pub fn trimmed(subject: &dyn Subject) {
    for (given, run) in
        [("  ls  ", "ls"), ("\n\tls -l\n", "ls -l"), ("\u{a0}ls\u{3000}", "ls"), ("a\n b \n c\n", "a\n b \n c")]
    {
        let fake = Fake::new();
        fake.on(run, Behaviour::exits(0));
        let reply = call(&fake, subject, &json!({ "command": given }));
        assert_eq!((reply.is_error, &fake.launches()[0].arguments[1][..]), (false, run));
    }
}

pub fn wrong_arguments(subject: &dyn Subject) {
    const REQUIRED: &str = "Parameter 'command' is required and cannot be empty";
    const OBJECT: &str = "The arguments must be a JSON object with the parameters by name, not";
    let cases = [
        ("{}", REQUIRED.to_owned()),
        (r#"{"command":null}"#, REQUIRED.to_owned()),
        (r#"{"command":""}"#, REQUIRED.to_owned()),
        (r#"{"command":" \n\t "}"#, REQUIRED.to_owned()),
        (r#"{"command":"\u001c\u00a0"}"#, REQUIRED.to_owned()),
        (r#"{"timeout_seconds":5}"#, REQUIRED.to_owned()),
        (r#"{"command":5}"#, "Parameter 'command' must be a string, not the number 5.".into()),
        (r#"{"command":true}"#, "Parameter 'command' must be a string, not true.".into()),
        (r#"{"command":["ls","-l"]}"#, "Parameter 'command' must be a string, not an array.".into()),
        (r#"{"command":{"line":"ls"}}"#, "Parameter 'command' must be a string, not an object.".into()),
        (r#"{"command":"a\u0000b"}"#, "Parameter 'command' contains a NUL character at byte 1; remove it.".into()),
        (r#"{"cmd":"ls"}"#, "Unknown parameter 'cmd'. Did you mean 'command'?".into()),
        (r#"{"command":"ls","timeout":5}"#, "Unknown parameter 'timeout'. Did you mean 'timeout_seconds'?".into()),
        (
            r#"{"command":"ls","background":true}"#,
            "Unknown parameter 'background'. This tool takes 'command', 'timeout_seconds', 'working_directory', 'max_length'.".into(),
        ),
        (
            r#"{"command":"ls","working_directory":7}"#,
            "Parameter 'working_directory' must be a string, not the number 7.".into(),
        ),
        ("[]", format!("{OBJECT} an array.")),
        ("\"ls\"", format!("{OBJECT} the string \"ls\".")),
        ("7", format!("{OBJECT} the number 7.")),
        ("null", format!("{OBJECT} null.")),
        (
            "ls -l",
            "The arguments are not valid JSON: expected value at line 1 column 1. Give one JSON object with the parameters by name.".into(),
        ),
        (
            "",
            "The arguments are not valid JSON: EOF while parsing a value at line 1 column 0. Give one JSON object with the parameters by name.".into(),
        ),
    ];
    for (arguments, message) in cases {
        let fake = Fake::new();
        let reply = fake.run(subject, "exec", arguments);
        assert_error(&reply, INVALID, &message);
        assert!(fake.launches().is_empty(), "{arguments}");
    }
    let twice = Fake::new().run(subject, "exec", r#"{"command":"true","command":"rm x"}"#);
    assert!(twice.is_error && twice.text.contains("the key 'command' is given twice"), "{twice:?}");
    let tool = Fake::new().run(subject, "execute", r#"{"command":"ls"}"#);
    assert_error(&tool, INVALID, "There is no tool 'execute'; the tool is 'exec'");
}

pub fn too_long(subject: &dyn Subject) {
    let fake = Fake::new();
    fake.otherwise(Behaviour::exits(0));
    let arguments = json!({ "command": "x".repeat(10 << 20) });
    let length = arguments.to_string().len();
    let message = format!("The arguments are too long: {length} bytes, at most 4194304 are read.");
    assert_error(&call(&fake, subject, &arguments), INVALID, &message);
    let reply = call(&fake, subject, &json!({ "command": "x".repeat(200_000) }));
    assert_error(
        &reply,
        FAILED,
        "Failed to start process: the command is too long (200000 bytes in one argument, at most 131071); \
         put what is long into a file and run that",
    );
    assert!(fake.all_jobs().is_empty());
}
