//! Permissions.

use serde_json::json;
use shellward_kit::fake::{Behaviour, Fake, Human, Subject};

use super::{execute, refused};

fn error(subject: &dyn Subject, settings: &serde_json::Value, command: &str) -> Option<String> {
    refused(subject, &Fake::configured(settings, Behaviour::exits(0)), command).map(|(error, _)| error)
}

pub fn read_only(subject: &dyn Subject) {
    let settings = json!({"default": "read_only"});
    let reading = [
        "ls -la",
        "git status && git log --oneline | head -20",
        "cat a b | grep x | sort",
        "find . -name '*.rs'",
        "sed -n 1,20p file",
        "cd src && ls",
        "export NAME=value; echo $NAME",
    ];
    for command in reading {
        assert_eq!(error(subject, &settings, command), None, "{command}");
    }
    let writing = [
        "ls && rm x",
        "find . -delete",
        "env rm x",
        "cat a > b",
        "sed -i s/a/b/ f",
        "git -c core.pager=sh log",
        "bash -c 'rm x'",
        "echo $(touch x)",
        "git commit -m x",
        "unheard-of",
        "alias ls='rm -f'",
        "PATH=.:$PATH",
        "ls() { rm x; }; ls",
    ];
    for command in writing {
        assert_eq!(error(subject, &settings, command).as_deref(), Some("permission_denied"), "{command}");
        let free = error(subject, &json!({"default": "read_write"}), command);
        assert!(free.is_none(), "{command}: {free:?}");
    }
    for command in ["systemctl restart x", "useradd me"] {
        assert_eq!(error(subject, &json!({}), command).as_deref(), Some("permission_denied"), "{command}");
        assert_eq!(error(subject, &json!({"default": "admin"}), command), None, "{command}");
    }
}

pub fn rules(subject: &dyn Subject) {
    let settings = json!({"default": "read_only", "rules": {
        "cargo *": "read_write", "cargo publish *": "read_only", "npm install": "read_write"
    }});
    let cases = [
        ("cargo build", None),
        ("cargo build && rm x", Some("permission_denied")),
        ("cargo publish", Some("permission_denied")),
        ("cargo publish --dry-run", Some("permission_denied")),
        // What may be the forbidden is not let through, and what only may be the allowed is not either.
        ("cargo $SUBCOMMAND", Some("permission_denied")),
        ("npm install", None),
        ("npm install left-pad", Some("permission_denied")),
        ("npm install $WHAT", Some("permission_denied")),
        ("env cargo build", None),
    ];
    for (command, expected) in cases {
        assert_eq!(error(subject, &settings, command).as_deref(), expected, "{command}");
    }
}

pub fn denylist(subject: &dyn Subject) {
    for command in [
        "sudo ls",
        "chmod +x run.sh",
        "mkfs.ext4 disk.img",
        "rm -rf /",
        "rm -rf ~",
        "rm -rf ../*",
        "rm -rf ~root",
        "env sudo ls",
        "\"su\"do ls",
        "alias ls=sudo",
        "dd if=x of=/dev/sda",
    ] {
        assert_eq!(error(subject, &json!({}), command).as_deref(), Some("command_denied"), "{command}");
    }
    assert_eq!(error(subject, &json!({}), "echo 'sudo rm -rf /'"), None);
    let settings = json!({"default": "admin", "allowed_paths": ["/"]});
    for command in ["sudo ls", "chmod +x run.sh"] {
        assert_eq!(error(subject, &settings, command), None, "{command}");
    }
    let settings = json!({"denylist": ["terraform *"]});
    assert_eq!(error(subject, &settings, "terraform apply").as_deref(), Some("command_denied"));
    assert_eq!(error(subject, &settings, "chmod +x run.sh"), None);
}

/// Aliases and variables outlive the command in which they are made.
pub fn hazards(subject: &dyn Subject) {
    let cases = [
        ("alias ll='ls -la'", None),
        ("alias x=\"$(cat f)\"", Some("command_denied")),
        ("alias x='sudo rm'", Some("command_denied")),
        ("export HOME=/etc", Some("command_denied")),
        ("CDPATH=/", Some("command_denied")),
        ("BASH_ALIASES[p]='cat /etc/passwd'", Some("command_denied")),
        ("HOME=/tmp ls", None),
    ];
    for (command, expected) in cases {
        assert_eq!(error(subject, &json!({}), command).as_deref(), expected, "{command}");
    }
}

pub fn unknown(subject: &dyn Subject) {
    let command = "$PROGRAM x";
    let (error, message) =
        refused(subject, &Fake::configured(&json!({}), Behaviour::exits(0)), command).expect("refused");
    assert_eq!(error, "command_denied");
    assert!(message.contains("on_unknown"), "{message}");
    let ask = Fake::configured(&json!({"on_unknown": "ask"}), Behaviour::exits(0));
    assert_eq!(execute(subject, &ask, command)["error"], "command_denied");
    ask.human(Human::Approves);
    assert_eq!(execute(subject, &ask, command)["exit_code"], 0);
    let allow = Fake::configured(&json!({"on_unknown": "allow"}), Behaviour::exits(0));
    assert_eq!(execute(subject, &allow, command)["exit_code"], 0);
    // What is known is refused all the same.
    assert_eq!(execute(subject, &allow, "$PROGRAM; sudo ls")["error"], "command_denied");
    let open = execute(subject, &Fake::configured(&json!({}), Behaviour::exits(0)), "if true; then ls");
    assert_eq!(open["error"], "command_denied");
    let message = open["message"].as_str().expect("a text");
    assert!(message.starts_with("command denied by policy: the shell could not read it: "), "{message}");
}

pub fn refusal(subject: &dyn Subject) {
    let settings = json!({"default": "read_only", "rules": {"git *": "read_only"}});
    let (_, message) =
        refused(subject, &Fake::configured(&settings, Behaviour::exits(0)), "ls && git commit -m x").expect("refused");
    for part in ["permission denied: requires ReadWrite, have ReadOnly", "\"git *\"", "`git commit -m x`", "`commit`"] {
        assert!(message.contains(part), "{part} in {message}");
    }
    let (_, message) =
        refused(subject, &Fake::configured(&settings, Behaviour::exits(0)), "cat a > b").expect("refused");
    assert!(message.contains("by default") && message.contains("`b`"), "{message}");
}
