//! Where commands run.

use serde_json::{Value, json};
use shellward_kit::fake::{Behaviour, Fake, Subject};

use super::{call, error, host};

fn host_with(settings: &Value) -> Fake {
    let host = host(settings, Behaviour::exits(0));
    host.directory("src").directory("web/app").file("README.md").directory("/srv").closed_directory("closed");
    host.link("out", "/srv").link("inner", "src").link("loop", "loop").directory("/project-two");
    host
}

/// A directory as given, and where the command runs, or the error's code and message.
type Case<'a> = (Option<&'a str>, Result<&'a str, (&'a str, &'a str)>);

/// Calls with each directory and compares where the command ran, or the error.
fn table(subject: &dyn Subject, settings: &Value, cases: &[Case<'_>]) {
    for (given, expected) in cases {
        let host = host_with(settings);
        let answer = call(subject, &host, "shell", &json!({ "command": "x", "working_dir": given }));
        let launches = host.launches();
        match expected {
            Ok(directory) => {
                assert_eq!(launches[0].directory, *directory, "{given:?}");
                let changes = &launches[0].environment;
                assert_eq!((changes.len(), changes[0].name.as_str()), (1, "PWD"));
                assert_eq!(changes[0].value.as_deref(), Some(*directory));
            }
            Err((code, message)) => {
                assert_eq!((answer, launches.len()), (error(code, message), 0), "{given:?}");
            }
        }
    }
}

const ESCAPE: &str = "working_dir_escape";
const MISSING: &str = "working_dir_not_found";

pub fn directories(subject: &dyn Subject) {
    let escape = |path: &str| format!("Working directory '{path}' is outside project root");
    let [up, etc, two, out] = ["../../../etc", "/etc", "../project-two", "out"].map(escape);
    let cases = [
        (None, Ok("/project")),
        (Some("."), Ok("/project")),
        (Some("src"), Ok("/project/src")),
        (Some("src/../web/app"), Ok("/project/web/app")),
        (Some("inner"), Ok("/project/src")),
        (Some("/project/src"), Ok("/project/src")),
        (Some("../../../etc"), Err((ESCAPE, up.as_str()))),
        (Some("/etc"), Err((ESCAPE, etc.as_str()))),
        (Some("../project-two"), Err((ESCAPE, two.as_str()))),
        (Some("out"), Err((ESCAPE, out.as_str()))),
        (Some("gone"), Err((MISSING, "Working directory not found: gone"))),
        (Some("README.md"), Err((MISSING, "Working directory not found: README.md (it is not a directory)"))),
        (Some("loop"), Err((MISSING, "Working directory not found: loop (its links go in circles)"))),
        (Some("closed"), Err(("io_error", "IO error: the directory 'closed' may not be entered"))),
        (Some(""), Err(("invalid_arguments", "Parameter 'working_dir' must not be empty."))),
    ];
    table(subject, &json!({}), &cases);
}

pub fn project_root(subject: &dyn Subject) {
    let escape = |path: &str| format!("Working directory '{path}' is outside project root");
    let [up, src] = ["..", "/project/src"].map(escape);
    for root in ["web", "/project/web"] {
        let cases = [
            (None, Ok("/project/web")),
            (Some("app"), Ok("/project/web/app")),
            (Some(".."), Err((ESCAPE, up.as_str()))),
            (Some("/project/src"), Err((ESCAPE, src.as_str()))),
        ];
        table(subject, &json!({ "project_root": root }), &cases);
    }
    table(subject, &json!({ "project_root": "/srv" }), &[(None, Err((ESCAPE, escape("/srv").as_str())))]);
    let missing = "Working directory not found: gone";
    table(subject, &json!({ "project_root": "gone" }), &[(None, Err((MISSING, missing)))]);
}

pub fn unrestricted(subject: &dyn Subject) {
    let cases = [
        (Some("/srv"), Ok("/srv")),
        (Some("out"), Ok("/srv")),
        (Some("../.."), Ok("/")),
        (Some("/gone"), Err((MISSING, "Working directory not found: /gone"))),
    ];
    table(subject, &json!({ "restrict_to_project": false }), &cases);
}
