//! Where a command runs, and in which shell.

use serde_json::json;
use shellward_kit::fake::{Behaviour, Fake, Subject};

use super::{DENIED, FAILED, INVALID, assert_error, call};

fn project() -> Fake {
    let fake = Fake::new();
    fake.otherwise(Behaviour::exits(0));
    fake.file("src/main.rs").link("outside", "/etc").link("inside", "src").link("loop", "loop");
    fake.closed_directory("closed").directory("with space");
    fake
}

pub fn directories(subject: &dyn Subject) {
    let cases = [
        (json!(null), "/project"),
        (json!("."), "/project"),
        (json!("src"), "/project/src"),
        (json!("./src/../src/"), "/project/src"),
        (json!("/project/src"), "/project/src"),
        (json!("with space"), "/project/with space"),
        (json!("inside"), "/project/src"),
        (json!("outside"), "/etc"),
        (json!("/tmp"), "/tmp"),
        (json!(".."), "/"),
    ];
    for (path, directory) in cases {
        let fake = project();
        let reply = call(&fake, subject, &json!({ "command": "x", "working_directory": path }));
        assert!(!reply.is_error, "{path}: {reply:?}");
        assert_eq!(fake.launches()[0].directory, directory, "{path}");
    }
}

pub fn wrong_directories(subject: &dyn Subject) {
    let missing = |path: &str| (INVALID, format!("Working directory does not exist: {path}"));
    let closed = |path: &str| (DENIED, format!("Permission denied: working directory {path} may not be entered"));
    let long = "d/".repeat(3000);
    let cases = [
        ("missing", missing("missing")),
        ("/no/such/place", missing("/no/such/place")),
        ("src/main.rs", missing("src/main.rs")),
        ("", missing("")),
        ("  ", missing("  ")),
        ("~", missing("~")),
        ("loop", missing("loop")),
        (long.as_str(), missing(&long)),
        ("closed", closed("closed")),
        ("closed/inner", closed("closed/inner")),
        ("a\0b", (INVALID, "Parameter 'working_directory' contains a NUL character at byte 1; remove it.".into())),
    ];
    for (path, (code, message)) in cases {
        let fake = project();
        assert_error(&call(&fake, subject, &json!({ "command": "x", "working_directory": path })), code, &message);
        assert!(fake.launches().is_empty());
    }
}

pub fn restricted(subject: &dyn Subject) {
    for (path, inside) in
        [("src", true), ("/project", true), ("inside", true), ("/tmp", false), ("outside", false), ("..", false)]
    {
        let fake = project();
        fake.settings_json(r#"{"restrict_to_project":true}"#);
        let reply = call(&fake, subject, &json!({ "command": "x", "working_directory": path }));
        assert_eq!((reply.is_error, fake.launches().len()), (!inside, usize::from(inside)), "{path}: {reply:?}");
        if !inside {
            let message = format!("Permission denied: working directory {path} is outside the project");
            assert_error(&reply, DENIED, &message);
        }
    }
}

pub fn shells(subject: &dyn Subject) {
    let fake = project();
    fake.program("/opt/bin/zsh").settings_json(r#"{"shell":"zsh"}"#);
    assert!(!call(&fake, subject, &json!({ "command": "x" })).is_error);
    fake.settings_json(r#"{"shell":"/opt/bin/zsh"}"#);
    assert!(!call(&fake, subject, &json!({ "command": "x" })).is_error);
    assert!(fake.launches().iter().all(|launch| launch.program == "/opt/bin/zsh"));
    fake.without_program("zsh");
    assert_error(
        &call(&fake, subject, &json!({ "command": "x" })),
        FAILED,
        "Failed to start process: the shell '/opt/bin/zsh' is not installed; install it or change `shell` in [tools.exec]",
    );
}
