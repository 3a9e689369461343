//! How commands are started, and what keeps them from it.

use serde_json::{Value, json};
use shellward_kit::contract::{
    Confinement, Decision, Finding, Language, Level, Refusal, RunPlace, StartError, Stdin, Stdio,
};
use shellward_kit::fake::{Behaviour, Fake, Human, Subject, keys};

use super::{call, enable, error, host, spawn};

pub fn launch(subject: &dyn Subject) {
    let host = host(&json!({ "keep_output_bytes": 5001 }), Behaviour::exits(0));
    host.program("/usr/bin/nu");
    let command = "ls | where size > 1kb | to json";
    call(subject, &host, "shell", &json!({ "command": command, "timeout_secs": 7 }));
    let launch = host.launches().remove(0);
    assert_eq!((launch.program.as_str(), launch.arguments), ("/usr/bin/nu", vec!["-c".into(), command.to_owned()]));
    assert_eq!((launch.language, launch.command.as_str()), (Language::Nu, command));
    assert_eq!((launch.timeout, launch.at_most, launch.durable), (Some(7000), Some(10), false));
    assert_eq!((launch.keep.head, launch.keep.tail, launch.status.as_str()), (2500, 2501, "running"));
    assert!(matches!(launch.stdio, Stdio::Pipes(Stdin::Empty)) && matches!(launch.place, RunPlace::OwnProcess));
    assert!(matches!(launch.confinement, Confinement::None) && launch.lane.is_none() && launch.watches.is_empty());
}

/// The specification has no denylist: nothing is taken out of the environment, and only `PWD` is set.
pub fn environment(subject: &dyn Subject) {
    let host = host(&json!({}), Behaviour::exits(0));
    call(subject, &host, "shell", &json!({ "command": "printenv AWS_SECRET_ACCESS_KEY" }));
    let changes = host.launches().remove(0).environment;
    assert_eq!(changes.len(), 1);
    assert_eq!((changes[0].name.as_str(), changes[0].value.as_deref()), ("PWD", Some("/project")));
}

pub fn shells(subject: &dyn Subject) {
    let installed = |path: &'static str, language| Ok((path, language));
    let missing = |shell: &str| Err(format!("Shell not installed: {shell}. Install from https://nushell.sh"));
    let other = |shell: &str| {
        let instead = "Install it, or set another `shell` in [tools.shell]: nu, bash, zsh or sh";
        Err(format!("Shell not installed: {shell}. {instead}"))
    };
    let cases = [
        (json!({}), true, installed("/usr/bin/nu", Language::Nu)),
        (json!({}), false, installed("/bin/sh", Language::Sh)),
        (json!({ "shell": "nu" }), true, installed("/usr/bin/nu", Language::Nu)),
        (json!({ "shell": "nu" }), false, missing("nu")),
        (json!({ "shell": "bash" }), true, installed("/bin/bash", Language::Bash)),
        (json!({ "shell": "zsh" }), true, other("zsh")),
        (json!({ "shell": "fish" }), true, other("fish")),
        (json!({ "shell_path": "/nope" }), true, other("/nope")),
        (json!({ "shell_path": "/usr/bin/nu" }), true, installed("/usr/bin/nu", Language::Nu)),
        (json!({ "shell_path": "/opt/nu" }), true, missing("/opt/nu")),
        (json!({ "shell": "nu", "shell_path": "/bin/bash" }), true, installed("/bin/bash", Language::Bash)),
    ];
    for (settings, nu, expected) in cases {
        let host = host(&settings, Behaviour::exits(0));
        if nu {
            host.program("/usr/bin/nu");
        }
        let answer = call(subject, &host, "shell", &json!({ "command": "echo hi" }));
        match expected {
            Ok((program, language)) => {
                let launch = host.launches().remove(0);
                assert_eq!((launch.program.as_str(), launch.language), (program, language), "{settings}");
            }
            Err(message) => {
                assert_eq!(answer, error("shell_not_installed", &message), "{settings}");
                assert_eq!(host.launches().len(), 0);
            }
        }
    }
    let none = host(&json!({}), Behaviour::exits(0));
    none.without_program("sh");
    let answer = call(subject, &none, "shell", &json!({ "command": "x" }));
    assert_eq!(answer["error"], "shell_not_installed");
}

pub fn fallback_is_said(subject: &dyn Subject) {
    let host = host(&json!({}), Behaviour::exits(0));
    for _ in 0..3 {
        call(subject, &host, "shell", &json!({ "command": "x" }));
    }
    let logs = host.logs();
    assert_eq!(logs.len(), 1, "{logs:?}");
    assert!(logs[0].0 == Level::Warning && logs[0].1.contains("nu is not installed"), "{logs:?}");
    enable(&host, &json!({ "shell": "sh" }));
    host.run_in("other", subject, "shell", r#"{"command":"x"}"#);
    assert_eq!(host.logs().len(), 1, "a shell that was chosen stands in for nothing");
}

pub fn errors(subject: &dyn Subject) {
    let finding = Finding {
        decision: Decision::Deny,
        code: "no-network".into(),
        message: "curl uses the network".into(),
        hint: None,
        span: None,
    };
    let refusal = Refusal { by: "careful".into(), decision: Decision::Deny, findings: vec![finding] };
    let cases = [
        (
            StartError::ProgramMissing("/bin/sh".into()),
            "shell_not_installed",
            "Shell not installed: /bin/sh. Install it, or set another `shell` in [tools.shell]: nu, bash, zsh or sh",
        ),
        (
            StartError::DirectoryMissing("/project/gone".into()),
            "working_dir_not_found",
            "Working directory not found: /project/gone",
        ),
        (StartError::PermissionDenied("/bin/sh".into()), "io_error", "IO error: permission denied: /bin/sh"),
        (StartError::Refused(refusal), "blocked_command", "Command blocked: refused by careful: curl uses the network"),
        (StartError::Other("error 7".into()), "io_error", "IO error: error 7"),
    ];
    for (cause, code, message) in cases {
        for behaviour in [Behaviour::cannot_start(cause.clone()), Behaviour::fails_to_start(cause.clone())] {
            let host = host(&json!({}), behaviour);
            assert_eq!(call(subject, &host, "shell", &json!({ "command": "x" })), error(code, message));
            host.finish(subject);
        }
    }
    let host = host(&json!({}), Behaviour::cannot_start(StartError::Unsupported("background".into())));
    let answer = call(subject, &host, "shell", &json!({ "command": "x", "background": true }));
    assert_eq!(answer, error("background_not_configured", "Background execution not configured"));
    let answer = call(subject, &host, "shell", &json!({ "command": "x" }));
    assert_eq!(answer["error"], "io_error");
}

pub fn ceiling(subject: &dyn Subject) {
    let host = host(&json!({ "max_concurrent_processes": 3 }), Behaviour::hangs());
    for _ in 0..3 {
        spawn(subject, &host, "x", &json!({}));
    }
    for background in [true, false] {
        let answer = call(subject, &host, "shell", &json!({ "command": "x", "background": background }));
        assert_eq!(answer["error"], "too_many_processes");
        assert!(answer["message"].as_str().is_some_and(|text| text.starts_with("Too many processes: 3 run")));
    }
    host.finish(subject);
    spawn(subject, &host, "x", &json!({}));
    host.finish(subject);
}

pub fn wrong_arguments(subject: &dyn Subject) {
    let host = host(&json!({}), Behaviour::exits(0));
    let long = "x".repeat(131_072);
    let cases = [
        ("shell", json!({}), "Missing required parameter 'command'."),
        ("shell", json!({ "command": " " }), "Parameter 'command' must not be empty or only white space."),
        ("shell", json!({ "command": 5 }), "Parameter 'command' must be a string, not the number 5."),
        ("shell", json!({ "command": "a\0b" }), "Parameter 'command' contains a NUL character at byte 1; remove it."),
        (
            "shell",
            json!({ "command": "x", "timeout_secs": 0 }),
            "Parameter 'timeout_secs' must be between 1 and 31536000, not 0.",
        ),
        ("shell", json!({ "command": "x", "timeout": 5 }), "Unknown parameter 'timeout'. Did you mean 'timeout_secs'?"),
        (
            "shell",
            json!({ "command": "x", "background": "yes" }),
            "Parameter 'background' must be true or false, not the string \"yes\".",
        ),
        ("shell_job_status", json!({}), "Missing required parameter 'job_id'."),
        ("shell_job_cancel", json!({ "jobid": "x" }), "Unknown parameter 'jobid'. Did you mean 'job_id'?"),
        ("shell_jobs", json!({ "all": true }), "Unknown parameter 'all'. This tool takes none."),
        ("shell_jobs", json!([]), "The arguments must be a JSON object with the parameters by name, not an array."),
    ];
    for (tool, arguments, message) in cases {
        assert_eq!(call(subject, &host, tool, &arguments), error("invalid_arguments", message), "{arguments}");
    }
    assert_eq!(call(subject, &host, "shell", &json!({ "command": long }))["error"], "io_error");
    assert_eq!(call(subject, &host, "Shell", &json!({ "command": "x" }))["error"], "unknown_tool");
    assert_eq!(host.launches().len(), 0);
}

pub fn guard(subject: &dyn Subject) {
    let finding = Finding {
        decision: Decision::Ask,
        code: "network".into(),
        message: "curl uses the network.".into(),
        hint: None,
        span: None,
    };
    let refusal = Refusal { by: "careful".into(), decision: Decision::Ask, findings: vec![finding] };
    let ask = |human: Human| -> Value {
        let host: Fake = host(&json!({}), Behaviour::cannot_start(StartError::Refused(refusal.clone())));
        host.human(human);
        call(subject, &host, "shell", &json!({ "command": "curl x" }))
    };
    for human in [Human::Absent, Human::Refuses, Human::Approves] {
        let answer = ask(human);
        assert_eq!((keys(&answer).len(), &answer["error"]), (2, &json!("blocked_command")), "{human:?}");
    }
}
