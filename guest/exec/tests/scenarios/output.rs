//! The answer of a command that ran, to the byte.

use serde_json::json;
use shellward_kit::contract::Stdstream;
use shellward_kit::fake::{Behaviour, Fake, Subject};

use super::{succeed, text};

pub fn examples(subject: &dyn Subject) {
    let listing = "total 48\n\
        drwxr-xr-x  2 u0_a123 u0_a123 4096 2026-03-01 10:00 .\n\
        -rw-r--r--  1 u0_a123 u0_a123 1234 2026-03-01 09:30 file.txt\n";
    let cases = [
        (
            Behaviour::exits(0).stdout(listing),
            "[Exit Code: 0]\n\ntotal 48\n\
             drwxr-xr-x  2 u0_a123 u0_a123 4096 2026-03-01 10:00 .\n\
             -rw-r--r--  1 u0_a123 u0_a123 1234 2026-03-01 09:30 file.txt",
        ),
        (
            Behaviour::exits(1).stderr("ls: cannot access '/nonexistent': No such file or directory\n"),
            "[Exit Code: 1]\n\n[stderr]\nls: cannot access '/nonexistent': No such file or directory",
        ),
        (
            Behaviour::exits(0)
                .stdout("Processing file1.txt\nProcessing file2.txt\n")
                .stderr("Warning: file3.txt skipped (empty)\n"),
            "[Exit Code: 0]\n\nProcessing file1.txt\nProcessing file2.txt\n\n[stderr]\nWarning: file3.txt skipped (empty)",
        ),
        (
            Behaviour::hangs().stdout("partial output here...\n"),
            "[Exit Code: -1 (timeout after 30s)]\n\npartial output here...\n\n[stderr]\nProcess killed after 30 seconds timeout.",
        ),
    ];
    for (behaviour, expected) in cases {
        assert_eq!(text(subject, behaviour, &json!({})), expected);
    }
}

pub fn format(subject: &dyn Subject) {
    let ok = || Behaviour::exits(0);
    let cases = [
        (ok(), "[Exit Code: 0]\n\n(no output)"),
        (Behaviour::exits(42), "[Exit Code: 42]\n\n(no output)"),
        (Behaviour::exits(-1), "[Exit Code: -1]\n\n(no output)"),
        (Behaviour::signalled("SIGKILL"), "[Exit Code: 137]\n\n(no output)"),
        (Behaviour::signalled("SIGSEGV").stdout("x"), "[Exit Code: 139]\n\nx"),
        (ok().stdout("hello"), "[Exit Code: 0]\n\nhello"),
        (ok().stdout("hello\n"), "[Exit Code: 0]\n\nhello"),
        (ok().stdout("hello \t\n\n\n"), "[Exit Code: 0]\n\nhello"),
        (ok().stdout("\n\n  hello"), "[Exit Code: 0]\n\n\n\n  hello"),
        (ok().stdout("\n"), "[Exit Code: 0]"),
        (ok().stdout(" \u{a0}\u{1c}"), "[Exit Code: 0]"),
        (ok().stdout("next line\u{85}"), "[Exit Code: 0]\n\nnext line\u{85}"),
        (ok().stdout("a\n\n").stderr("b\n\n"), "[Exit Code: 0]\n\na\n\n\n[stderr]\nb"),
        (ok().stdout("a").stderr("b"), "[Exit Code: 0]\n\na\n\n[stderr]\nb"),
        (ok().stderr("b").waits(10).stdout("a"), "[Exit Code: 0]\n\na\n\n[stderr]\nb"),
        (ok().stdout("äöü ✓ 漢\r\n"), "[Exit Code: 0]\n\näöü ✓ 漢"),
    ];
    for (behaviour, expected) in cases {
        assert_eq!(text(subject, behaviour.clone(), &json!({})), expected, "{behaviour:?}");
    }
}

pub fn timeout_format(subject: &dyn Subject) {
    let head = "[Exit Code: -1 (timeout after 2s)]";
    let end = "Process killed after 2 seconds timeout.";
    let cases = [
        (Behaviour::hangs(), format!("{head}\n\n[stderr]\n{end}")),
        (Behaviour::hangs().stdout("out"), format!("{head}\n\nout\n\n[stderr]\n{end}")),
        (Behaviour::hangs().stderr("err"), format!("{head}\n\n[stderr]\nerr\n{end}")),
        (Behaviour::hangs().stderr("err\n"), format!("{head}\n\n[stderr]\nerr\n{end}")),
        (Behaviour::hangs().stdout("out\n").stderr("err\n"), format!("{head}\n\nout\n\n[stderr]\nerr\n{end}")),
        (
            Behaviour::hangs().waits(1999).stdout("in time").waits(2).stdout("late"),
            format!("{head}\n\nin time\n\n[stderr]\n{end}"),
        ),
    ];
    for (behaviour, expected) in cases {
        assert_eq!(text(subject, behaviour.clone(), &json!({ "timeout_seconds": 2 })), expected, "{behaviour:?}");
    }
}

pub fn length_counts(subject: &dyn Subject) {
    let note = |stream: &str, characters, bytes| {
        format!("[{stream} truncated: the first {characters} characters are shown, of {bytes} bytes in all]")
    };
    let ok = || Behaviour::exits(0);
    let five = json!({ "max_length": 5 });
    let cases = [
        (ok().stdout("12345"), "[Exit Code: 0]\n\n12345".to_owned()),
        (ok().stdout("123456"), format!("[Exit Code: 0]\n\n12345\n\n{}", note("stdout", 5, 6))),
        (ok().stdout("äöüß漢"), "[Exit Code: 0]\n\näöüß漢".to_owned()),
        (ok().stdout("😀😀😀😀😀"), "[Exit Code: 0]\n\n😀😀😀😀😀".to_owned()),
        (ok().stdout("😀😀😀😀😀😀"), format!("[Exit Code: 0]\n\n😀😀😀😀😀\n\n{}", note("stdout", 5, 24))),
        (ok().stderr("123456789"), format!("[Exit Code: 0]\n\n[stderr]\n12345\n\n{}", note("stderr", 5, 9))),
        (
            ok().stdout("123456").stderr("1234567"),
            format!("[Exit Code: 0]\n\n12345\n\n[stderr]\n12345\n\n{}\n{}", note("stdout", 5, 6), note("stderr", 5, 7)),
        ),
        (ok().stdout("12345").stderr("12345"), "[Exit Code: 0]\n\n12345\n\n[stderr]\n12345".to_owned()),
        (ok().stdout("a\n\n\n\n\n"), format!("[Exit Code: 0]\n\na\n\n{}", note("stdout", 5, 6))),
        (
            Behaviour::hangs().stdout("123456"),
            format!(
                "[Exit Code: -1 (timeout after 30s)]\n\n12345\n\n[stderr]\nProcess killed after 30 seconds timeout.\n\n{}",
                note("stdout", 5, 6)
            ),
        ),
    ];
    for (behaviour, expected) in cases {
        assert_eq!(text(subject, behaviour.clone(), &five), expected, "{behaviour:?}");
    }
}

pub fn notes_off(subject: &dyn Subject) {
    let fake = Fake::new();
    fake.otherwise(Behaviour::exits(0).stdout("123456").leaks(Stdstream::Stdout));
    fake.settings_json(r#"{"note_truncation":false,"note_leaks":false}"#);
    assert_eq!(succeed(&fake, subject, &json!({ "max_length": 5 })), "[Exit Code: 0]\n\n12345");
}

pub fn dropped(subject: &dyn Subject) {
    // More than is kept in front, so that the kept end lies behind a gap and must not be shown as a continuation.
    let output = "x".repeat((4 << 20) + 5000);
    let answer = text(subject, Behaviour::exits(0).stdout(&output), &json!({ "max_length": 100_000_000 }));
    let kept = 4 << 20;
    let note = format!("[stdout truncated: the first {kept} characters are shown, of {} bytes in all]", output.len());
    assert_eq!(answer.len(), "[Exit Code: 0]\n\n".len() + kept + "\n\n".len() + note.len());
    assert!(answer.ends_with(&note));
    let answer = text(subject, Behaviour::exits(0).stdout(&output), &json!({}));
    let note = format!("[stdout truncated: the first 50000 characters are shown, of {} bytes in all]", output.len());
    assert_eq!(answer, format!("[Exit Code: 0]\n\n{}\n\n{note}", "x".repeat(50_000)));
}

pub fn binary(subject: &dyn Subject) {
    let answer = text(subject, Behaviour::exits(0).stdout(b"a\xff\xfeb\0c"), &json!({}));
    assert_eq!(answer, "[Exit Code: 0]\n\na\u{fffd}\u{fffd}b\0c");
}

pub fn leaks(subject: &dyn Subject) {
    let note = |stream: &str| format!("[{stream} is still held open by a process that the command left running]");
    let fake = Fake::new();
    fake.otherwise(Behaviour::exits(0).stdout("started\n").leaks(Stdstream::Stdout));
    assert_eq!(succeed(&fake, subject, &json!({})), format!("[Exit Code: 0]\n\nstarted\n\n{}", note("stdout")));
    assert_eq!(fake.elapsed(), 100, "nobody waits for the process that was left running");
    let both = Behaviour::exits(0).leaks(Stdstream::Stdout).leaks(Stdstream::Stderr);
    let expected = format!("[Exit Code: 0]\n\n(no output)\n\n{}\n{}", note("stdout"), note("stderr"));
    assert_eq!(text(subject, both, &json!({})), expected);
}
