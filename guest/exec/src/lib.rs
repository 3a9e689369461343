//! The `exec` policy.

use serde_json::Value;
use shellward_kit::contract::{
    Answer, Confinement, Decision, Ending, Event, Exit, Happening, Job, Keep, Kind, Launch, Manifest, Reply, Request,
    Retention, RunForm, RunPlace, SettingsError, Signal, Stdin, Stdio, Stdstream, Step, TimeoutForm, Tool, ToolCall,
    Verdict, Waiting, Wakes, Whom, Window,
};
use shellward_kit::{Host, Policy, export_policy};

/// The `exec` policy: one command, its output as plain text.
#[derive(Clone, Copy, Debug)]
pub struct Exec;

impl Policy for Exec {
    fn describe(_settings: &str) -> Result<Manifest, Vec<SettingsError>> {
        Ok(Manifest {
            name: "exec".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            summary: "Runs one shell command and returns its output as plain text.".into(),
            tools: vec![Tool {
                name: "exec".into(),
                description: "Execute a shell command on the device and return its output".into(),
                input_schema: r#"{"type":"object","properties":{"command":{"type":"string"},"timeout_seconds":{"type":"integer"},"working_directory":{"type":"string"},"max_length":{"type":"integer"}},"required":["command"]}"#.into(),
                output_schema: None,
                read_only: false,
                destructive: true,
            }],
            settings_table: "tools.exec".into(),
            settings_schema: r#"{"type":"object","properties":{},"additionalProperties":false}"#.into(),
            variables: Vec::new(),
            run: Some(RunForm {
                tool: "exec".into(),
                command: "command".into(),
                directory: Some("working_directory".into()),
                timeout: Some(TimeoutForm { name: "timeout_seconds".into(), unit_millis: 1000 }),
                constant: "{}".into(),
            }),
            retention: Retention { jobs: 100, millis: 300_000 },
        })
    }

    fn review<H: Host>(_host: &H, _request: &Request) -> Verdict {
        Verdict { decision: Decision::Allow, findings: Vec::new(), commands: Vec::new() }
    }

    fn call<H: Host>(host: &H, call: &ToolCall) -> Answer {
        match start(host, call) {
            Ok(answer) => answer,
            Err((code, text)) => Answer::Reply(error(code, text)),
        }
    }

    fn advance<H: Host>(host: &H, job: &Job, event: &Event) -> Step {
        let (status, ended) = match &event.what {
            Happening::Exited(_) if job.status == "stopping" => ("timed_out", Some(Ending::TimedOut)),
            Happening::Exited(_) => ("completed", Some(Ending::Completed)),
            Happening::StartFailed(_) => ("failed", Some(Ending::Failed)),
            Happening::Recovered(_) => ("lost", Some(Ending::Lost)),
            Happening::Timer(_) => {
                let _ = host.send(&job.id, Signal::Kill, Whom::Tree);
                ("stopping", None)
            }
            _ => (job.status.as_str(), None),
        };
        Step {
            status: status.into(),
            memo: job.memo.clone(),
            notices: Vec::new(),
            ended,
            release: false,
            requeue: false,
        }
    }

    fn settle<H: Host>(host: &H, _call: &ToolCall, job: &Job) -> Reply {
        let read = |stream| host.read(&job.id, stream, Window::All).map(|excerpt| excerpt.text).unwrap_or_default();
        let (stdout, stderr) = (read(Stdstream::Stdout), read(Stdstream::Stderr));
        let code = match (&job.ending, &job.exit) {
            (Some(Ending::TimedOut), _) => "-1 (timeout)".to_owned(),
            (_, Some(Exit::Code(code))) => code.to_string(),
            (_, Some(Exit::Signal(name))) => name.clone(),
            (_, None) => return error("execution_error", "The process never ran".into()),
        };
        let text = format!("[Exit Code: {code}]\n\n{stdout}\n[stderr]\n{stderr}");
        Reply { text, structured: None, is_error: false, code: None }
    }
}

fn start<H: Host>(host: &H, call: &ToolCall) -> Result<Answer, (&'static str, String)> {
    let arguments: Value =
        serde_json::from_str(&call.arguments).map_err(|error| ("validation_error", error.to_string()))?;
    let command = arguments.get("command").and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
    let command = command
        .ok_or_else(|| ("validation_error", "Parameter 'command' is required and cannot be empty".to_owned()))?;
    let path = arguments.get("working_directory").and_then(Value::as_str);
    let place =
        host.resolve(path.unwrap_or("."), None).ok().filter(|place| matches!(place.kind, Kind::Directory)).ok_or_else(
            || ("validation_error", format!("Working directory does not exist: {}", path.unwrap_or_default())),
        )?;
    let program =
        host.find_program("sh").ok_or_else(|| ("execution_error", "Failed to start process: no sh".to_owned()))?;
    let seconds = arguments.get("timeout_seconds").and_then(Value::as_u64).unwrap_or(30).clamp(1, 120);
    let job = format!("exec_{}", call.id);
    let launch = Launch {
        job: job.clone(),
        session: call.session.clone(),
        command: command.to_owned(),
        program,
        arguments: vec!["-c".into(), command.to_owned()],
        directory: place.absolute,
        environment: Vec::new(),
        stdio: Stdio::Pipes(Stdin::Empty),
        place: RunPlace::OwnProcess,
        confinement: Confinement::None,
        keep: Keep { head: 200_000, tail: 4096, stored: None },
        durable: false,
        lane: None,
        lane_width: 1,
        at_most: None,
        watches: Vec::new(),
        block: None,
        timeout: Some(seconds * 1000),
        report_output: None,
        status: "starting".into(),
        memo: "{}".into(),
    };
    host.start(&launch).map_err(|error| ("execution_error", format!("Failed to start process: {error:?}")))?;
    Ok(Answer::Wait(Waiting { job, wakes: Wakes { item: false, status: false, hit: false }, since: 0, at_most: None }))
}

fn error(code: &str, text: String) -> Reply {
    Reply { text, structured: None, is_error: true, code: Some(code.into()) }
}

export_policy!(crate::Exec);
