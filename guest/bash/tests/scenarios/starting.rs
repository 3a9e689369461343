//! How a command is launched, and what it means when it is not.

use super::{host, refused, run};
use serde_json::json;
use shellward_kit::contract::{Confinement, Decision, Finding, Language, Refusal, RunPlace, StartError, Stdin, Stdio};
use shellward_kit::fake::{Behaviour, Fake, Human, Subject};

pub(super) fn launch(subject: &dyn Subject) {
    let host = host();
    host.directory("src");
    let command = "echo 'a  b'\n";
    super::call(subject, &host, &json!({"command": command, "directory": "src"}));
    let launch = host.launches().remove(0);
    // What was judged is what runs, to the byte.
    assert_eq!(
        (launch.program.as_str(), launch.arguments.as_slice()),
        ("/bin/bash", &["-c".into(), command.into()][..])
    );
    assert_eq!((launch.command.as_str(), launch.language), (command, Language::Bash));
    assert_eq!((launch.directory.as_str(), launch.timeout), ("/project/src", Some(120_000)));
    assert!(launch.job.starts_with("bash_"));
    assert!(!launch.durable && launch.at_most.is_none() && launch.lane.is_none());
    assert!(matches!(launch.stdio, Stdio::Pipes(Stdin::Empty)));
    assert!(matches!(launch.place, RunPlace::OwnProcess) && matches!(launch.confinement, Confinement::None));
    assert_eq!((launch.keep.head, launch.keep.tail), (256 << 10, 256 << 10));
    let changes: Vec<(&str, Option<&str>)> =
        launch.environment.iter().map(|change| (change.name.as_str(), change.value.as_deref())).collect();
    assert!(changes.contains(&("MYCODEAGENT", Some("1"))));
    assert!(changes.contains(&("PWD", Some("/project/src"))));
    for removed in ["BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS", "CDPATH", "OLDPWD"] {
        assert!(changes.contains(&(removed, None)), "{removed}");
    }
    assert_eq!(changes.len(), 8, "everything else is inherited");
}

pub(super) fn errors(subject: &dyn Subject) {
    for (error, code, message) in [
        (
            StartError::PermissionDenied("/bin/bash: not executable".into()),
            "PERMISSION_DENIED",
            "Permission denied executing command. /bin/bash: not executable",
        ),
        (StartError::DirectoryMissing("/project/x".into()), "NOT_FOUND", "Directory '/project/x' does not exist."),
        (StartError::ProgramMissing("/bin/bash".into()), "EXECUTION_ERROR", "Command failed: the shell '/bin/bash'"),
        (StartError::TooMany(4), "EXECUTION_ERROR", "Command failed: 4 commands run already"),
        (StartError::TooLong("2 MiB".into()), "EXECUTION_ERROR", "Command failed: the command is longer"),
        (StartError::Resources("processes".into()), "EXECUTION_ERROR", "Command failed: the system has no more"),
        (StartError::Other("fork: odd".into()), "EXECUTION_ERROR", "Command failed: fork: odd"),
    ] {
        let host = Fake::new();
        host.on("make", Behaviour::cannot_start(error));
        let body = run(subject, &host, "make");
        refused(&body, code, message);
        assert_eq!(body["context"]["directory_resolved"], ".");
    }
}

fn guarded(decision: Decision) -> StartError {
    let finding = Finding {
        decision,
        code: "no-make".into(),
        message: "`make` is not for agents.".into(),
        hint: Some("Use cargo.".into()),
        span: None,
    };
    StartError::Refused(Refusal { by: "house".into(), decision, findings: vec![finding] })
}

pub(super) fn guard(subject: &dyn Subject) {
    let message = "Command blocked by safety rules. 'house' says: `make` is not for agents. Use cargo.";
    for (decision, human) in [
        (Decision::Deny, Human::Approves),
        (Decision::Ask, Human::Absent),
        (Decision::Ask, Human::Refuses),
        // A guard that asks for what has been approved is not asked a third time.
        (Decision::Ask, Human::Approves),
    ] {
        let host = Fake::new();
        host.on("make", Behaviour::cannot_start(guarded(decision))).human(human);
        refused(&run(subject, &host, "make"), "INVALID_PARAM", message);
    }
}

pub(super) fn no_shell(subject: &dyn Subject) {
    let host = host();
    host.without_program("bash").without_program("sh");
    refused(&run(subject, &host, "true"), "EXECUTION_ERROR", "Command failed: no shell 'bash' or 'sh' is installed.");
    // What would be refused anyway is refused for that.
    refused(&run(subject, &host, "sudo true"), "INVALID_PARAM", "Command blocked by safety rules. ");
}

pub(super) fn late(subject: &dyn Subject) {
    let host = Fake::new();
    host.on("make", Behaviour::fails_to_start(StartError::PermissionDenied("/bin/bash".into())));
    let body = run(subject, &host, "make");
    refused(&body, "PERMISSION_DENIED", "Permission denied executing command. /bin/bash");
}
