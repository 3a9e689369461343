//! What may run: judged by what it would do, by review and by call alike.

use serde_json::{Value, json};
use shellward_kit::bindings::shellward::policy::commands::Obstacle;
use shellward_kit::contract::{Analysis, Decision, Request, ReviewSubject, Span, Typed, Verdict};
use shellward_kit::fake::{Behaviour, Fake, Human, Subject};

use super::{call, host};

fn request(subject: ReviewSubject, settings: &Value) -> Request {
    Request {
        session: "session".into(),
        tool: "shell".into(),
        subject,
        // The policy brings an analysis of its own.
        analysis: Analysis::Unknown(Obstacle { message: "not analysed".into(), at: Span { start: 0, end: 0 } }),
        directory: "/project".into(),
        root: "/project".into(),
        environment: Vec::new(),
        settings: settings.to_string(),
    }
}

fn reviewed(subject: &dyn Subject, host: &Fake, command: &str, settings: &Value) -> Verdict {
    host.review(subject, &request(ReviewSubject::CommandLine(command.into()), settings))
}

/// Demands of a table that each command runs, or is refused by a rule; by review and by call alike.
fn judged(subject: &dyn Subject, settings: &Value, table: &[(&str, &str)]) {
    let host = host(settings, Behaviour::exits(0));
    host.program("/usr/bin/nu");
    for (command, rule) in table {
        let verdict = reviewed(subject, &host, command, settings);
        let codes: Vec<&str> = verdict.findings.iter().map(|finding| finding.code.as_str()).collect();
        let answer = call(subject, &host, "shell", &json!({ "command": command }));
        if *rule == "runs" {
            assert_eq!((verdict.decision, &answer["exit_code"]), (Decision::Allow, &json!(0)), "{command}: {answer}");
            continue;
        }
        assert_eq!((verdict.decision, codes.first()), (Decision::Deny, Some(rule)), "{command}: {codes:?}");
        assert_eq!(answer["error"], "blocked_command", "{command}: {answer}");
        let message = answer["message"].as_str().expect("a text");
        assert!(message.starts_with("Command blocked: contains '"), "{message}");
    }
    let started = table.iter().filter(|(_, rule)| *rule == "runs").count();
    assert_eq!(host.launches().len(), started, "something refused was started");
}

const REMOVES: &str = "removes-root";
const DEVICE: &str = "writes-device";

pub fn blocked(subject: &dyn Subject) {
    let table = [
        ("rm -rf /", REMOVES),
        ("rm  -rf   /", REMOVES),
        ("rm -fr -- /", REMOVES),
        ("rm --recursive --force /", REMOVES),
        ("rm -rf / --no-preserve-root", REMOVES),
        ("rm -rf /*", REMOVES),
        ("rm -rf ~", REMOVES),
        ("rm -rf ~/", REMOVES),
        ("rm -rf $HOME", REMOVES),
        ("rm -rf \"$HOME\"", REMOVES),
        ("cd / && rm -rf .", REMOVES),
        ("sudo rm -rf /", REMOVES),
        ("sh -c 'rm -rf /'", REMOVES),
        ("echo $(rm -rf /)", REMOVES),
        ("true; r'm' -r\\f /", REMOVES),
        ("rm -rf /etc", REMOVES),
        ("rm -rf ../*", REMOVES),
        ("cd ..; rm -rf *", REMOVES),
        ("rm -rf ~root", REMOVES),
        ("echo x > /dev/sda", DEVICE),
        ("cat image >/dev/nvme0n1", DEVICE),
        ("dd if=/dev/zero of=/dev/sda", DEVICE),
        ("dd of=/dev/sda1 bs=1M <image", DEVICE),
        ("rm -rf /tmp/build", "runs"),
        ("rm -rf build", "runs"),
        ("rm -rf ~/project/build", "runs"),
        ("rm file", "runs"),
        ("dd if=/dev/zero of=disk.img count=1", "runs"),
        ("echo x > /dev/null", "runs"),
    ];
    for shell in ["sh", "bash"] {
        judged(subject, &json!({ "enabled": true, "shell": shell }), &table);
    }
}

pub fn blocked_in_nushell(subject: &dyn Subject) {
    let table = [
        ("rm -rf /", REMOVES),
        ("rm --recursive --force /", REMOVES),
        ("rm -rf ~", REMOVES),
        ("^rm -rf /", REMOVES),
        ("ls; rm -r /", REMOVES),
        ("if true { rm -rf / }", REMOVES),
        ("'x' | save -f /dev/sda", DEVICE),
        ("^dd if=/dev/zero of=/dev/sda", DEVICE),
        ("rm -rf /tmp/build", "runs"),
        ("echo \"rm -rf /\"", "runs"),
        ("ls | where size > 1kb | sort-by modified | to json", "runs"),
        ("git commit -m \"dd if=\"", "runs"),
        ("cargo build", "runs"),
    ];
    judged(subject, &json!({ "enabled": true }), &table);
}

pub fn quoted_words(subject: &dyn Subject) {
    let host = host(&json!({}), Behaviour::exits(0));
    host.program("/usr/bin/nu");
    for (command, start) in [
        ("source x.nu", "Command blocked: contains 'source'. It is "),
        ("alias ll = ls", "Command blocked: contains 'alias'. It is "),
        ("\"unclosed", "Command blocked. It is a syntax error "),
    ] {
        let answer = call(subject, &host, "shell", &json!({ "command": command }));
        let message = answer["message"].as_str().expect("a text");
        assert!(message.starts_with(start), "{message}");
    }
}

/// `check` says what a call would be told.
pub fn disabled(subject: &dyn Subject) {
    let verdict = reviewed(subject, &Fake::new(), "ls", &json!({}));
    assert_eq!((verdict.decision, verdict.findings[0].code.as_str()), (Decision::Deny, "shell_disabled"));
    assert!(verdict.findings[0].message.contains("enabled = true"), "{verdict:?}");
}

pub fn text(subject: &dyn Subject) {
    let table = [
        ("echo \"rm -rf /\"", "runs"),
        ("echo 'rm -rf ~'", "runs"),
        ("git commit -m \"dd if=\"", "runs"),
        ("grep 'rm -rf /' notes.txt", "runs"),
        ("echo '> /dev/sda' # rm -rf /", "runs"),
        ("printf '%s' \"dd if=/dev/zero of=/dev/sda\"", "runs"),
        ("cargo test -- --nocapture && git diff --stat", "runs"),
    ];
    for shell in ["sh", "bash"] {
        judged(subject, &json!({ "enabled": true, "shell": shell }), &table);
    }
}

pub fn unknown(subject: &dyn Subject) {
    let obscure = ["$TOOL --version", "eval \"$LINE\"", "rm -rf \"$DIR\"", "rm -rf /$DIR", "alias ls='rm -rf /'"];
    let table: Vec<(&str, &str)> = obscure.iter().map(|command| (*command, "unknown")).collect();
    judged(subject, &json!({ "enabled": true, "shell": "bash" }), &table);
    let table: Vec<(&str, &str)> = obscure.iter().map(|command| (*command, "runs")).collect();
    judged(subject, &json!({ "enabled": true, "shell": "bash", "on_unknown": "allow" }), &table);
    // What is known to be wrong is refused all the same.
    let wrong = [("$TOOL; rm -rf /", REMOVES)];
    judged(subject, &json!({ "enabled": true, "shell": "bash", "on_unknown": "allow" }), &wrong);
    for (human, runs) in [(Human::Absent, false), (Human::Refuses, false), (Human::Approves, true)] {
        let host = host(&json!({ "shell": "bash", "on_unknown": "ask" }), Behaviour::exits(0));
        host.human(human);
        let answer = call(subject, &host, "shell", &json!({ "command": "$TOOL" }));
        assert_eq!((answer.get("error").is_none(), host.launches().len()), (runs, usize::from(runs)), "{human:?}");
        let answer = call(subject, &host, "shell", &json!({ "command": "$TOOL; rm -rf /" }));
        assert_eq!(answer["error"], "blocked_command", "nobody is asked about what is denied");
    }
}

pub fn unread(subject: &dyn Subject) {
    let host = host(&json!({ "shell": "fish" }), Behaviour::exits(0));
    host.program("/usr/bin/fish");
    let answer = call(subject, &host, "shell", &json!({ "command": "echo hi" }));
    let message = answer["message"].as_str().expect("a text");
    assert!(message.contains("for the shell fish, whose commands this policy cannot read"), "{message}");
    let host = super::host(&json!({ "shell": "fish", "on_unknown": "allow" }), Behaviour::exits(0));
    host.program("/usr/bin/fish");
    let answer = call(subject, &host, "shell", &json!({ "command": "echo hi" }));
    assert_eq!((&answer["exit_code"], host.launches().len()), (&json!(0), 1));
}

pub fn refusal(subject: &dyn Subject) {
    let host = host(&json!({ "shell": "sh" }), Behaviour::exits(0));
    let message = |command: &str| {
        let answer = call(subject, &host, "shell", &json!({ "command": command }));
        answer["message"].as_str().expect("a text").to_owned()
    };
    assert_eq!(
        message("cd /tmp && rm  -fr -- /"),
        "Command blocked: contains 'rm  -fr -- /'. It removes the root of the file system. Name the directory of the \
         project that is to go."
    );
    assert_eq!(
        message("$TOOL --version"),
        "Command blocked: contains '$TOOL'. It runs a program whose name is known only when it runs. Write the \
         program's name out. Or the user sets `on_unknown` to \"ask\" or \"allow\" in [tools.shell]."
    );
}

pub fn review(subject: &dyn Subject) {
    let settings = json!({ "enabled": true, "shell": "sh" });
    let host = host(&settings, Behaviour::exits(0));
    let verdict = reviewed(subject, &host, "echo hi && rm -rf /", &settings);
    assert_eq!((verdict.decision, verdict.findings.len(), verdict.commands.len()), (Decision::Deny, 1, 2));
    let finding = &verdict.findings[0];
    assert_eq!(finding.message, "`rm -rf /` removes the root of the file system.");
    assert_eq!(finding.span.map(|span| (span.start, span.end)), Some((18, 19)));
    let words: Vec<_> = verdict.commands[1].words.iter().flatten().map(String::as_str).collect();
    assert_eq!((words.as_slice(), verdict.commands[1].decision), (["rm", "-rf", "/"].as_slice(), Decision::Deny));
    assert_eq!(verdict.commands[0].decision, Decision::Allow);
    let long = "x".repeat(200_000);
    assert_eq!(reviewed(subject, &host, &long, &settings).findings[0].code, "too-much");
    let many = "true;".repeat(3000);
    assert_eq!(reviewed(subject, &host, &many, &settings).findings[0].code, "too-much");
}

pub fn typed(subject: &dyn Subject) {
    let host = host(&json!({}), Behaviour::exits(0));
    let typed = ReviewSubject::Typed(Typed { text: "y\n".into(), reader: "x".into() });
    let verdict = host.review(subject, &request(typed, &json!({})));
    assert_eq!((verdict.decision, verdict.findings[0].code.as_str()), (Decision::Deny, "typed-input"));
}
