//! What is typed into runs, and what may not be.

use serde_json::{Value, json};
use shellward_kit::bindings::shellward::policy::commands::Obstacle;
use shellward_kit::contract::{Analysis, Decision, Request, ReviewSubject, Signal, Span, Typed, Whom};
use shellward_kit::fake::{Behaviour, Fake, Human, Subject};

use super::{act, shown, spawn};

/// Spawns a run that reads, and lets it start.
fn reader(subject: &dyn Subject, host: &Fake, command: &str, more: &Value) -> String {
    let id = spawn(subject, host, command, more);
    host.pass(subject, 10);
    id
}

fn send(subject: &dyn Subject, host: &Fake, id: &str, more: Value) -> Value {
    act(subject, host, "send_keys", id, &more)
}

/// A shell in a terminal, its id, and what types a text into it and gives the error, or "sent".
fn shell<'a>(
    subject: &'a dyn Subject,
    settings: &Value,
    command: &str,
) -> (Fake, impl Fn(&Fake, Value) -> String + 'a) {
    let host = Fake::configured(settings, Behaviour::reads());
    let id = reader(subject, &host, command, &json!({"pty": true}));
    let typed = move |host: &Fake, more: Value| {
        let answer = send(subject, host, &id, more);
        answer["error"].as_str().unwrap_or("sent").to_owned()
    };
    (host, typed)
}

fn written(host: &Fake) -> String {
    let id = host.all_jobs()[0].id.clone();
    String::from_utf8(host.written(&id)).expect("text")
}

pub fn pipe(subject: &dyn Subject) {
    let host = Fake::configured(&json!({}), Behaviour::reads());
    let id = reader(subject, &host, "cat", &json!({"stdin": true}));
    let answer = send(subject, &host, &id, json!({"text": "héllo\n", "keys": ["Tab", "Enter"]}));
    assert_eq!(
        (&answer["status"], &answer["sent_bytes"], &answer["next_seq"]),
        (&json!("running"), &json!(9), &json!(1))
    );
    let seen = act(subject, &host, "poll", &id, &json!({"since_seq": answer["next_seq"], "wait_ms": 1000}));
    assert_eq!(shown(&seen), ["héllo\n\t\n"], "the answer's cursor stands before what it prints");
    send(subject, &host, &id, json!({"keys": ["Ctrl-C"]}));
    let sent: Vec<_> = host.signals().into_iter().map(|sent| (sent.signal, sent.whom)).collect();
    assert_eq!(sent, [(Signal::Interrupt, Whom::Group)], "a pipe has no key for it");
    let other = reader(subject, &host, "cat", &json!({"stdin": true, "session_id": "other"}));
    let answer = send(subject, &host, &other, json!({"text": "last", "eof": true}));
    assert_eq!(answer["sent_bytes"], 4);
    assert!(host.input_closed(&other));
    host.finish(subject);
    assert_eq!(act(subject, &host, "poll", &other, &json!({}))["exit_code"], 0);
}

pub fn terminal(subject: &dyn Subject) {
    let host = Fake::configured(&json!({}), Behaviour::reads());
    let id = reader(subject, &host, "python3", &json!({"pty": true}));
    send(subject, &host, &id, json!({"text": "1\n2", "keys": ["Up", "Ctrl-A", "F1", "Enter"], "pty": {"rows": 50}}));
    assert_eq!(written(&host), "1\r2\x1b[A\x01\x1bOP\r", "lines end as the Enter key ends them");
    assert_eq!(host.terminal_size(&id).map(|size| (size.rows, size.columns)), Some((50, 80)));
    let answer = send(subject, &host, &id, json!({"keys": ["Ctrl-D"]}));
    assert_eq!(answer["sent_bytes"], 1);
    let id = reader(subject, &host, "python3", &json!({"pty": true, "session_id": "other"}));
    assert_eq!(send(subject, &host, &id, json!({"text": "x", "eof": true}))["sent_bytes"], 1);
    assert!(host.input_closed(&id), "the host knows how a terminal is told");
    host.finish(subject);
}

pub fn unavailable(subject: &dyn Subject) {
    let host = Fake::configured(&json!({}), Behaviour::reads());
    host.on("blind", Behaviour::exits(0).waits(1000));
    let blind = reader(subject, &host, "blind", &json!({}));
    let answer = send(subject, &host, &blind, json!({"text": "x"}));
    let message = format!(
        "Run {blind} was spawned without input. Spawn it with \"pty\": true for a terminal, or \"stdin\": true for a pipe."
    );
    assert_eq!(answer, json!({"error": "input_unavailable", "message": message}));
    let queued = spawn(subject, &host, "cat", &json!({"stdin": true}));
    let answer = send(subject, &host, &queued, json!({"text": "x"}));
    assert_eq!(answer["error"], "run_not_running");
    assert!(answer["message"].as_str().is_some_and(|message| message.contains("is queued")), "{answer}");
    host.pass(subject, 2000);
    let answer = send(subject, &host, &queued, json!({"text": "x", "pty": true}));
    assert!(answer["message"].as_str().is_some_and(|message| message.contains("no terminal")), "{answer}");
    send(subject, &host, &queued, json!({"keys": ["Ctrl-D"]}));
    let answer = send(subject, &host, &queued, json!({"text": "more"}));
    assert_eq!(answer["error"], "input_unavailable", "{answer}");
    host.finish(subject);
    let answer = send(subject, &host, &queued, json!({"text": "more"}));
    assert!(answer["message"].as_str().is_some_and(|message| message.contains("has ended")), "{answer}");
    let long = send(subject, &host, &queued, json!({"text": "x".repeat(70_000)}));
    assert_eq!(long["error"], "invalid_parameter");
}

pub fn judged(subject: &dyn Subject) {
    for command in ["bash", "sh -i", "zsh", "sudo -s", "ssh host", "docker exec -it c sh", "cd x && exec bash --norc"] {
        let (host, typed) = shell(subject, &json!({"on_unknown": "allow"}), command);
        assert_eq!(typed(&host, json!({"text": "rm -rf /\n"})), "blocked", "{command}");
        assert_eq!(typed(&host, json!({"text": "ls\nrm -rf /\n"})), "blocked", "{command}");
        assert_eq!(typed(&host, json!({"text": "rm -rf /", "keys": ["Enter"]})), "blocked", "{command}");
        assert_eq!(written(&host), "", "nothing of it is typed");
        assert_eq!(typed(&host, json!({"text": "echo 'rm -rf /'\n"})), "sent", "{command}");
        host.pass(subject, 1);
    }
    let (host, typed) = shell(subject, &json!({}), "bash");
    assert_eq!(typed(&host, json!({"text": "$X y\n"})), "blocked", "what cannot be known follows on_unknown");
    assert_eq!(
        typed(&host, json!({"text": "for f in a b; do\n  echo $f\ndone\n"})),
        "sent",
        "lines that belong together"
    );
    // Elsewhere it is no command line.
    let host = super::Fake::configured(&json!({}), Behaviour::reads());
    let id = reader(subject, &host, "cat > notes", &json!({"stdin": true}));
    assert!(send(subject, &host, &id, json!({"text": "rm -rf /\n"})).get("error").is_none());
    // A pipe into a shell is one, and its end runs the last line.
    let id = reader(subject, &host, "bash", &json!({"stdin": true, "session_id": "pipe"}));
    assert_eq!(send(subject, &host, &id, json!({"text": "rm -rf /", "eof": true}))["error"], "blocked");
    assert_eq!(send(subject, &host, &id, json!({"text": "echo", "eof": true}))["sent_bytes"], 4);
}

pub fn pieces(subject: &dyn Subject) {
    for pieces in [
        &["rm -rf ", "/\n"][..],
        &["r", "m", " -r", "f /", "\n"],
        &["ls\nrm -rf ", "/", "\r"],
        &["rm -rf \\\n", "/\n"],
        &["echo x\nrm -rf \\\n", "/\n"],
        &["rm -rf /tmp/x\x7f\x7f\x7f\x7f\x7f", "\n"],
        &["rm -rf /", "\x04"],
    ] {
        let (host, typed) = shell(subject, &json!({"on_unknown": "allow"}), "bash");
        let (last, first) = pieces.split_last().expect("pieces");
        for piece in first {
            assert_eq!(typed(&host, json!({"text": piece})), "sent", "{pieces:?}");
        }
        let before = written(&host);
        assert_eq!(typed(&host, json!({"text": last})), "blocked", "{pieces:?}");
        assert_eq!(written(&host), before, "{pieces:?}");
        // An interrupt drops the line, and the next one stands alone.
        assert_eq!(typed(&host, json!({"keys": ["Ctrl-C"]})), "sent", "{pieces:?}");
        assert_eq!(typed(&host, json!({"text": "/bin/ls\n"})), "sent", "{pieces:?}");
    }
    // What is open because it was not understood is judged together with what closes it.
    let (host, typed) = shell(subject, &json!({"on_unknown": "allow"}), "bash");
    assert_eq!(typed(&host, json!({"text": "echo '\n"})), "sent");
    assert_eq!(typed(&host, json!({"text": "'; rm -rf /\n"})), "blocked");
    let (host, typed) = shell(subject, &json!({}), "bash");
    assert_eq!(typed(&host, json!({"text": "echo '\n"})), "blocked");
    // Two calls at once, which cannot know of each other: the run's machine puts them one behind the other.
    let (host, typed) = shell(subject, &json!({}), "bash");
    let id = host.all_jobs()[0].id.clone();
    let post = |text: &str| {
        let arguments = json!({"action": "send_keys", "run_id": id, "text": text}).to_string();
        let data = json!({"call": text, "arguments": arguments, "approved": false}).to_string();
        shellward_kit::Host::post(&host, &id, "type", &data).expect("posted");
    };
    post("rm -rf ");
    post("/\n");
    host.pass(subject, 10);
    assert_eq!(written(&host), "rm -rf ");
    assert_eq!(typed(&host, json!({"text": "./build\n"})), "sent");
}

pub fn hidden(subject: &dyn Subject) {
    for keys in
        [json!(["Up"]), json!(["Ctrl-R"]), json!(["Tab"]), json!(["Left"]), json!(["Ctrl-Y"]), json!(["Escape"])]
    {
        let (host, typed) = shell(subject, &json!({}), "bash");
        assert_eq!(typed(&host, json!({"text": "ls", "keys": keys})), "sent", "a key alone runs nothing: {keys}");
        assert_eq!(typed(&host, json!({"keys": ["Enter"]})), "blocked", "{keys}");
        assert_eq!(typed(&host, json!({"keys": ["Ctrl-C"]})), "sent", "{keys}");
        assert_eq!(typed(&host, json!({"text": "ls\n"})), "sent", "{keys}");
    }
    let (host, typed) = shell(subject, &json!({}), "bash");
    for text in ["!!\n", "sudo !!\n", "!rm\n", "^ls^rm -rf /\n", "echo !$\n"] {
        assert_eq!(typed(&host, json!({"text": text})), "blocked", "{text}");
    }
    for text in ["[ ! -f x ]\n", "test a != b\n", "echo \"hi!\"\n"] {
        assert_eq!(typed(&host, json!({"text": text})), "sent", "{text}");
    }
    let (host, typed) = shell(subject, &json!({"on_unknown": "allow"}), "bash");
    assert_eq!(typed(&host, json!({"keys": ["Up", "Enter"]})), "sent", "as the settings have it");
}

pub fn escapes(subject: &dyn Subject) {
    for (command, refused, fine) in [
        ("psql", "\\! rm -rf /\n", "select '!';\n"),
        ("sqlite3 x.db", ".shell rm -rf /\n", ".tables\n"),
        ("ipython", "!rm -rf /\n", "print('rm -rf /')\n"),
        ("gdb ./x", "shell rm -rf /\n", "bt\n"),
        ("vim x", ":!rm -rf /\n", ":q!\n"),
        ("less x", "!rm -rf /\n", "q\n"),
    ] {
        let (host, typed) = shell(subject, &json!({}), command);
        assert_eq!(typed(&host, json!({"text": refused})), "blocked", "{command}");
        let (half, rest) = refused.split_at(refused.len() - 3);
        assert_eq!(typed(&host, json!({"text": half})), "sent", "{command}");
        assert_eq!(typed(&host, json!({"text": rest})), "blocked", "{command}");
        assert_eq!(typed(&host, json!({"keys": ["Ctrl-C"]})), "sent", "{command}");
        assert_eq!(typed(&host, json!({"text": fine})), "sent", "{command}");
    }
    let (host, typed) = shell(subject, &json!({}), "psql");
    assert_eq!(typed(&host, json!({"keys": ["Up", "Enter"]})), "blocked", "a history may hold anything");
    let (host, typed) = shell(subject, &json!({}), "less x");
    assert_eq!(typed(&host, json!({"keys": ["Down", "PageDown", "Enter"]})), "sent");
    let (host, typed) = shell(subject, &json!({}), "vim x");
    assert_eq!(typed(&host, json!({"text": "ihello", "keys": ["Left", "Escape"]})), "sent");
    assert_eq!(typed(&host, json!({"text": ":!rm -rf ", "keys": ["Left", "Enter"]})), "blocked");
}

/// A line that is handed on over and over is not known, rather than judged as often as it is long.
pub fn handed_on(subject: &dyn Subject) {
    let (host, typed) = shell(subject, &json!({}), "bash");
    assert_eq!(typed(&host, json!({"text": "ls \u{4}\u{4}-l\u{4} x\n"})), "sent");
    assert_eq!(typed(&host, json!({"text": "a\u{4}".repeat(32 << 10)})), "blocked");
    assert_eq!(
        typed(&host, json!({"text": format!("{}{}", "a".repeat(32 << 10), "\u{4}".repeat(32 << 10))})),
        "blocked"
    );
}

pub fn asked(subject: &dyn Subject) {
    for (human, expected) in [(Human::Absent, "blocked"), (Human::Refuses, "blocked"), (Human::Approves, "sent")] {
        let (host, typed) = shell(subject, &json!({"on_unknown": "ask"}), "bash");
        host.human(human);
        assert_eq!(typed(&host, json!({"text": "$X y\n"})), expected, "{human:?}");
        assert_eq!(typed(&host, json!({"text": "rm -rf /\n"})), "blocked", "{human:?}");
    }
}

pub fn review(subject: &dyn Subject) {
    let verdict = |text: &str, reader: &str| {
        let typed = Typed { text: text.into(), reader: reader.into() };
        let request = Request {
            session: "session".into(),
            tool: String::new(),
            subject: ReviewSubject::Typed(typed),
            analysis: Analysis::Unknown(Obstacle { message: "typed".into(), at: Span { start: 0, end: 0 } }),
            directory: "/project".into(),
            root: "/project".into(),
            environment: Vec::new(),
            settings: "{}".into(),
        };
        let verdict = Fake::new().review(subject, &request);
        // The lines that are judged need not stand in the text.
        assert!(verdict.findings.iter().all(|finding| finding.span.is_none()), "{verdict:?}");
        verdict.decision
    };
    assert_eq!(verdict("ää\u{4}\u{4}\u{8}sudo\u{8}$x \u{4}\n\nrm -rf /\n", "bash"), Decision::Deny);
    assert_eq!(verdict("rm -rf /", "bash"), Decision::Deny);
    assert_eq!(verdict("ls\n", "bash"), Decision::Allow);
    assert_eq!(verdict("rm -rf /\n", "cat"), Decision::Allow);
    assert_eq!(verdict("\\! rm -rf /\n", "psql"), Decision::Deny);
}
