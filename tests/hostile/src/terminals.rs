//! What it does with terminals and lasting shells, which it uses as they are meant.

use serde_json::{Value, json};
use shellward_kit::Host;
use shellward_kit::contract::{
    Ending, Event, Happening, Job, Language, Launch, Reply, RunPlace, ShellSession, Signal, Size, Stdio, Stdstream,
    Step, Whom, Window,
};

use crate::{say, word};

const SIZE: Size = Size { rows: 24, columns: 80 };

/// Puts a launch where the arguments say: on a `terminal`, in a `shell`, or in a shell that keeps streams `apart`.
pub fn placed(launch: Launch, arguments: &Value) -> Launch {
    let shell = |apart| {
        let moved = !word(arguments, "directory").is_empty();
        let directory = if moved { word(arguments, "directory") } else { "/" }.to_owned();
        let place = RunPlace::ShellSession(ShellSession { name: word(arguments, "name").to_owned(), apart, moved });
        let (program, language) = match word(arguments, "shell") {
            "sh" => ("/bin/sh", Language::Sh),
            _ => ("/bin/bash", Language::Bash),
        };
        let arguments = if language == Language::Bash { vec!["--norc".into()] } else { Vec::new() };
        Launch { program: program.into(), language, arguments, directory, place, ..launch.clone() }
    };
    match word(arguments, "place") {
        "terminal" => Launch { stdio: Stdio::Terminal(SIZE), ..launch },
        "shell" => Launch { stdio: Stdio::Terminal(SIZE), ..shell(false) },
        "apart" => shell(true),
        _ => launch,
    }
}

/// Types `answer` when the program waits for it, or `input` at the start; kills what takes too long; notes the end.
pub fn advance<H: Host>(host: &H, job: &Job, event: &Event) -> Step {
    let mut memo: Value = serde_json::from_str(&job.memo).unwrap_or_default();
    let mut ended = None;
    match &event.what {
        Happening::Started(_) if !word(&memo, "input").is_empty() => {
            let written = host.write(&job.id, word(&memo, "input").as_bytes());
            let closed = host.close(&job.id);
            memo["typed"] = json!(format!("{written:?} {closed:?}"));
        }
        Happening::AwaitsInput => {
            memo["awaited"] = json!(memo["awaited"].as_u64().unwrap_or(0) + 1);
            let _ = host.write(&job.id, word(&memo, "answer").as_bytes());
        }
        Happening::Timer(_) => {
            memo["stopped"] = json!(true);
            let _ = host.send(&job.id, Signal::Kill, Whom::Tree);
        }
        Happening::Unwanted(_) => ended = Some(Ending::Cancelled),
        Happening::Exited(exited) => {
            memo["directory"] = json!(exited.directory);
            memo["lost"] = json!(exited.session_lost);
            ended = Some(Ending::Completed);
        }
        _ => {}
    }
    Step { status: "run".into(), memo: memo.to_string(), notices: Vec::new(), ended, release: false, requeue: false }
}

/// Tells all about it.
pub fn settle<H: Host>(host: &H, job: &Job) -> Reply {
    let read = |stream| host.read(&job.id, stream, Window::All).map(|excerpt| excerpt.text).unwrap_or_default();
    let memo: Value = serde_json::from_str(&job.memo).unwrap_or_default();
    let all = json!({
        "exit": format!("{:?}", job.exit),
        "stdout": read(Stdstream::Stdout),
        "stderr": read(Stdstream::Stderr),
        "pid": job.pid,
        "directory": memo["directory"],
        "lost": memo["lost"],
        "awaited": memo["awaited"],
        "typed": memo["typed"],
        "stopped": memo["stopped"],
    });
    Reply { structured: Some(all.to_string()), ..say("ended") }
}
