//! Paths, and where the session may go.

use serde_json::json;
use shellward_kit::fake::{Behaviour, Fake, Subject};

use super::{execute, refused};

fn project(settings: &serde_json::Value) -> Fake {
    let host = Fake::configured(settings, Behaviour::exits(0));
    host.directory("src/deep")
        .file("src/main.rs")
        .file("/etc/passwd")
        .directory("/opt/data")
        .directory("/home/agent/.ssh");
    host.link("out", "/etc").link("in", "src").link("name", "/etc/passwd").link("src/up", "..");
    host
}

fn error(subject: &dyn Subject, host: &Fake, command: &str) -> Option<String> {
    refused(subject, host, command).map(|(error, _)| error)
}

pub fn outside(subject: &dyn Subject) {
    let host = project(&json!({}));
    for command in [
        "cat /etc/passwd",
        "cat ../etc/passwd",
        "cat src/../../etc/passwd",
        "cat out/passwd",
        "cat name",
        "cat in/../../etc/passwd",
        "cat < /etc/passwd",
        "echo x > /etc/new",
        "echo x >> ../new",
        "grep x /etc/passwd",
        "grep --file=/etc/passwd x",
        "grep -f /etc/passwd x",
        "grep -e. /etc/passwd",
        "grep -ieX /etc/passwd",
        "grep --reg=X /etc/passwd",
        "sed --expr=p /etc/passwd",
        "date -f /etc/passwd",
        "man /etc/passwd",
        "perl /etc/passwd",
        "alias p='cat /etc/passwd'",
        "alias p='cat ../x'",
        "alias p='cd src; cat ../../etc/passwd'",
        "alias echo=cat",
        "alias printf=grep",
        "hash -p /opt/data/run run",
        "tar -C/etc -cf a.tar .",
        "dd if=/etc/passwd of=copy",
        "cp src/main.rs /opt/data/new",
        "mkdir -p /nowhere/new",
        "ls ~",
        "ls ~/.ssh",
        "cat $HOME/.ssh/id",
        "ls /",
        "cat \"/etc/\"passwd",
        "env cat /etc/passwd",
        "bash -c 'cat /etc/passwd'",
        "echo $(cat /etc/passwd)",
        "curl file:///etc/passwd",
        "cat /etc/*",
        "/opt/data/run",
        "(cd src && cat ../../etc/passwd)",
        "cd src && cat ../../etc/passwd",
    ] {
        assert_eq!(error(subject, &host, command).as_deref(), Some("path_outside_sandbox"), "{command}");
    }
    let (_, message) = refused(subject, &host, "cat out/passwd").expect("refused");
    assert!(message.starts_with("path outside sandbox: `out/passwd` is /etc/passwd, outside"), "{message}");
    assert!(message.contains("allowed_paths"), "{message}");
}

pub fn inside(subject: &dyn Subject) {
    let host = project(&json!({"strict_path_enforcement": true}));
    for command in [
        "cat src/main.rs ./src/../src/main.rs /project/src/main.rs in/main.rs",
        "touch new/file",
        "ls src/*.rs",
        "ls > /dev/null 2>&1",
        "cd src && cat ../src/main.rs",
        "mkdir build && cd build && cat ../src/main.rs",
        "grep '/etc/passwd' src/main.rs",
        "sed -n '/start/,/end/p' src/main.rs",
        "echo /etc/passwd",
        "git log origin/main..HEAD",
        "curl https://example.org/etc/passwd",
        "/bin/ls src",
        "cut -d/ -f1 src/main.rs",
        "ls \"$PWD/src\"",
        "grep -in -A3 '/etc/passwd' src/main.rs",
        "date +%Y/%m/%d",
        "perl -pe 's/a/b/g' src/main.rs",
        "alias ll='ls -la' p='cat src/main.rs' grep='grep --color=auto'",
        "git commit -m 'a message with /slashes/ in it'",
    ] {
        assert_eq!(refused(subject, &host, command), None, "{command}");
    }
}

pub fn cd(subject: &dyn Subject) {
    let host = project(&json!({}));
    for command in [
        "cd /etc",
        "cd ..",
        "cd",
        "cd ~",
        "cd out",
        "cd src/up/..",
        "pushd /etc",
        "cd src; cd ../..",
        "cd nowhere; cd ..",
        "cd \"$WHERE\"",
        "(cd /etc)",
    ] {
        assert_eq!(error(subject, &host, command).as_deref(), Some("path_outside_sandbox"), "{command}");
    }
    for command in ["cd src", "cd src/deep && cd ../..", "cd in", "cd src && cd -", "cd .", "cd src/up"] {
        assert_eq!(refused(subject, &host, command), None, "{command}");
    }
}

pub fn computed(subject: &dyn Subject) {
    let command = "for f in *.rs; do wc -l \"$f\"; done";
    let strict = project(&json!({"strict_path_enforcement": true}));
    let (error, message) = refused(subject, &strict, command).expect("refused");
    assert!(error == "path_outside_sandbox" && message.contains("`\"$f\"`"), "{message}");
    for (command, shown) in
        [("cat x$UNSET/y", "`x$UNSET/y`"), ("cat ~root/x", "`~root/x`"), ("\"$X/ls\"", "`\"$X/ls\"`")]
    {
        let (error, message) = refused(subject, &strict, command).expect("refused");
        assert!(error == "path_outside_sandbox" && message.contains(shown), "{message}");
    }
    let lenient = execute(subject, &project(&json!({})), command);
    assert!(lenient["notes"][0].as_str().is_some_and(|note| note.contains("`\"$f\"`")), "{lenient}");
    assert_eq!(execute(subject, &project(&json!({})), "ls src").get("notes"), None);
}

pub fn no_start(subject: &dyn Subject) {
    let host = project(&json!({"allowed_paths": ["/nowhere", "src"]}));
    for op in ["execute", "spawn"] {
        let answer = super::call(subject, &host, &json!({"op": op, "command": "ls"}));
        assert_eq!(answer["error"], "spawn_failed", "{answer}");
        let message = answer["message"].as_str().expect("a text");
        assert!(message.contains("/nowhere") && message.contains("`allowed_paths` in [tools.pattern]"), "{message}");
    }
    assert_eq!(host.launches().len(), 0);
}

pub fn allowed(subject: &dyn Subject) {
    let host = project(&json!({"allowed_paths": ["src", "/opt/data", "~/.ssh"]}));
    assert_eq!(execute(subject, &host, "pwd")["directory"], "/project/src", "it begins in the first");
    for command in ["cat main.rs /opt/data/x", "cd /opt/data && ls ~/.ssh"] {
        assert_eq!(refused(subject, &host, command), None, "{command}");
    }
    for command in ["cat ../other", "cd ..", "ls ~", "ls /opt/database"] {
        assert_eq!(error(subject, &host, command).as_deref(), Some("path_outside_sandbox"), "{command}");
    }
}
